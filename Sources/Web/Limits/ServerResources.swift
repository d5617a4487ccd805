package import Cryptography
import NIOCore
import PorticoCore
import Synchronization

/// The current load of a server within its limits, and its counters.
package struct ServerResources: Sendable {
    package let connections: OpenConnections
    let admissionQueue: AdmissionQueue
    package let requestMemory: MemoryBudget
    let responseMemory: MemoryBudget
    let streams: BoundedCounter
    let streamMemory: StreamMemory
    let scheduler = FairScheduler()
    package let shares: ClientShares
    let quota: ClientRateLimits
    /// WebSockets, which are bounded as connections are.
    let sockets = BoundedCounter(limit: .max)
    let metrics = Metrics()
    let lag = EventLoopLag()

    /// - Parameters:
    ///   - limits: The limits.
    ///   - key: The key of replicas that share the limits of clients; nil for none.
    package init(_ limits: ServerLimits, sharingLimitsWith key: SymmetricKey? = nil) {
        connections = OpenConnections(limits: limits)
        admissionQueue = AdmissionQueue(limit: limits.requestsInFlight, queueLimit: limits.requestsQueued)
        // A client can always send one body of the longest length.
        requestMemory = MemoryBudget(
            limit: max(limits.requestMemory, limits.body),
            clientLimit: max(limits.requestMemory / 8, limits.body))
        responseMemory = MemoryBudget(
            limit: limits.responseMemory, clientLimit: limits.responseMemory / 4,
            mutationReserve: limits.responseMemory / 4)
        streams = BoundedCounter(limit: limits.streams)
        streamMemory = StreamMemory(limit: limits.streamMemory)
        shares = ClientShares(limits)
        quota = ClientRateLimits(limits, sharedWith: key)
    }

    /// For `/metrics`.
    var families: [MetricFamily] {
        let occupancy = admissionQueue.occupancy
        return metrics.families + ProcessMetrics.families + [
            lag.family,
            ServerResources.gauge("portico_http_connections", "Open connections.", connections.count),
            ServerResources.gauge("portico_websockets", "Open WebSockets.", sockets.count),
            ServerResources.gauge(
                "portico_http_streams", "Streamed responses and operations on WebSockets.", streams.count),
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

/// Counts objects that exist at the same time, up to a limit.
final class BoundedCounter: Sendable {
    private let limit: Int
    private let number = Atomic<Int>(0)

    init(limit: Int) {
        self.limit = limit
    }

    /// Returns false if the limit is reached; otherwise `release` must follow.
    func acquire() -> Bool {
        guard number.wrappingAdd(1, ordering: .relaxed).newValue <= limit else {
            release()
            return false
        }
        return true
    }

    var count: Int { number.load(ordering: .relaxed) }

    func release() {
        number.wrappingSubtract(1, ordering: .relaxed)
    }
}

/// The delay of event loops: how long a task waits until the loop executes it.
///
/// Each loop is measured periodically. A lock guards the values, because each loop writes from its own
/// thread.
final class EventLoopLag: Sendable {
    private static let interval = TimeAmount.seconds(1)

    private let state = Mutex(State())

    private struct State {
        var due: [NIODeadline] = []
        var lags: [TimeAmount] = []
        var tasks: [RepeatedTask] = []
    }

    /// Looks at the loops of a group until `stop`.
    func watch(_ group: any EventLoopGroup) {
        let loops = Array(group.makeIterator())
        let due = NIODeadline.now() + EventLoopLag.interval
        state.withLock { state in
            state.due = loops.map { _ in due }
            state.lags = loops.map { _ in .zero }
        }
        let tasks = loops.enumerated().map { place, loop in
            loop.scheduleRepeatedTask(initialDelay: EventLoopLag.interval, delay: EventLoopLag.interval) {
                [weak self] task in
                guard let self else { return task.cancel() }
                self.updateLag(at: place, now: .now())
            }
        }
        state.withLock { $0.tasks = tasks }
    }

    func stop() {
        let tasks = state.withLock { $0.tasks }
        for task in tasks { task.cancel() }
    }

    private func updateLag(at place: Int, now: NIODeadline) {
        state.withLock { state in
            state.lags[place] = max(.zero, now - state.due[place])
            state.due[place] = now + EventLoopLag.interval
        }
    }

    /// The latest values, by the index of the loop in its group.
    var family: MetricFamily {
        let lags = state.withLock { $0.lags }
        return MetricFamily(
            "portico_event_loop_lag_seconds", .gauge,
            "How late each event loop was when it was looked at last.",
            lags.enumerated().map { place, lag in
                MetricFamily.Sample(
                    Double(lag.nanoseconds) / 1e9, labels: [MetricFamily.Label("loop", "\(place)")])
            })
    }
}
