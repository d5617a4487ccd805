/// What a server is at, within its limits, and what it has done.
struct ServerLoad: Sendable {
    let connections: Connections
    let waitingRoom: WaitingRoom
    let requestMemory: MemoryBudget
    let responseMemory: MemoryBudget
    let streams: InFlight
    let streamMemory: StreamMemory
    let scheduler = FairScheduler()
    let shares: ClientShares
    let quota: ClientQuota
    /// WebSockets, which are bounded as connections are.
    let sockets = InFlight(limit: .max)
    let metrics = Metrics()
    let lag = LoopLag()

    init(_ limits: ServerLimits) {
        connections = Connections(limits: limits)
        waitingRoom = WaitingRoom(limit: limits.requestsInFlight, seats: limits.requestsQueued)
        // A client can always send one body of the longest length.
        requestMemory = MemoryBudget(
            limit: max(limits.requestMemory, limits.body),
            clientLimit: max(limits.requestMemory / 8, limits.body))
        responseMemory = MemoryBudget(limit: limits.responseMemory, clientLimit: limits.responseMemory / 4)
        streams = InFlight(limit: limits.streams)
        streamMemory = StreamMemory(limit: limits.streamMemory)
        shares = ClientShares(limits)
        quota = ClientQuota(limits)
    }

    /// For `/metrics`.
    var families: [MetricFamily] {
        let occupancy = waitingRoom.occupancy
        return metrics.families + [
            lag.family,
            ServerLoad.gauge("portico_http_connections", "Open connections.", connections.count),
            ServerLoad.gauge("portico_websockets", "Open WebSockets.", sockets.count),
            ServerLoad.gauge(
                "portico_http_streams", "Streamed answers and operations on WebSockets.", streams.count),
            ServerLoad.gauge(
                "portico_http_stream_memory_bytes",
                "Bytes of documents and variables of streamed responses and operations on WebSockets.",
                streamMemory.bytes),
            ServerLoad.gauge(
                "portico_http_request_memory_bytes",
                "Request bodies and WebSocket messages longer than 4 KiB that are not yet answered.",
                requestMemory.bytes),
            ServerLoad.gauge(
                "portico_http_response_memory_bytes",
                "Responses longer than 64 KiB that wait for their clients.", responseMemory.bytes),
            ServerLoad.gauge(
                "portico_http_requests_in_flight", "Requests that wait for data.", occupancy.admitted),
            ServerLoad.gauge(
                "portico_http_requests_queued", "Requests that wait for their turn.", occupancy.waiting),
        ]
    }

    private static func gauge(_ name: String, _ help: String, _ value: Int) -> MetricFamily {
        MetricFamily(name, .gauge, help, [MetricFamily.Sample(Double(value))])
    }
}
