/// What a server is at, within its limits, and what it has done.
struct ServerResources: Sendable {
    let connections: OpenConnections
    let waitingRoom: AdmissionQueue
    let requestMemory: MemoryBudget
    let responseMemory: MemoryBudget
    let streams: BoundedCounter
    let streamMemory: StreamMemory
    let scheduler = FairScheduler()
    let shares: ClientShares
    let quota: ClientRateLimits
    /// WebSockets, which are bounded as connections are.
    let sockets = BoundedCounter(limit: .max)
    let metrics = Metrics()
    let lag = EventLoopLag()

    init(_ limits: ServerLimits) {
        connections = OpenConnections(limits: limits)
        waitingRoom = AdmissionQueue(limit: limits.requestsInFlight, seats: limits.requestsQueued)
        // A client can always send one body of the longest length.
        requestMemory = MemoryBudget(
            limit: max(limits.requestMemory, limits.body),
            clientLimit: max(limits.requestMemory / 8, limits.body))
        responseMemory = MemoryBudget(limit: limits.responseMemory, clientLimit: limits.responseMemory / 4)
        streams = BoundedCounter(limit: limits.streams)
        streamMemory = StreamMemory(limit: limits.streamMemory)
        shares = ClientShares(limits)
        quota = ClientRateLimits(limits)
    }

    /// For `/metrics`.
    var families: [MetricFamily] {
        let occupancy = waitingRoom.occupancy
        return metrics.families + [
            lag.family,
            ServerResources.gauge("portico_http_connections", "Open connections.", connections.count),
            ServerResources.gauge("portico_websockets", "Open WebSockets.", sockets.count),
            ServerResources.gauge(
                "portico_http_streams", "Streamed answers and operations on WebSockets.", streams.count),
            ServerResources.gauge(
                "portico_http_stream_memory_bytes",
                "Bytes of documents and variables of streamed responses and operations on WebSockets.",
                streamMemory.bytes),
            ServerResources.gauge(
                "portico_http_request_memory_bytes",
                "Request bodies and WebSocket messages longer than 4 KiB that are not yet answered.",
                requestMemory.bytes),
            ServerResources.gauge(
                "portico_http_response_memory_bytes",
                "Responses longer than 64 KiB that wait for their clients.", responseMemory.bytes),
            ServerResources.gauge(
                "portico_http_requests_in_flight", "Requests that wait for data.", occupancy.admitted),
            ServerResources.gauge(
                "portico_http_requests_queued", "Requests that wait for their turn.", occupancy.waiting),
        ]
    }

    private static func gauge(_ name: String, _ help: String, _ value: Int) -> MetricFamily {
        MetricFamily(name, .gauge, help, [MetricFamily.Sample(Double(value))])
    }
}
