package import Logging
import ServiceLifecycle
import Synchronization

/// Sends spans to a collector in batches, in the JSON form of OpenTelemetry's protocol.
///
/// Nobody ever waits for it. What it may not keep, or the collector does not take, is dropped and counted.
package final class SpanExporter: Service, CustomStringConvertible {
    /// The bounds of an exporter.
    package struct Limits: Sendable {
        /// Spans that wait to be sent; what ends beyond is dropped.
        package var waiting = 4_096
        /// Spans of one request.
        package var batch = 512
        /// A span waits no longer until it is sent, as a rule.
        package var interval = Duration.seconds(1)

        package init() {}
    }

    /// Sends a request's body to the collector.
    ///
    /// It throws where the collector has not taken it, and does not take forever.
    package typealias Send = @Sendable (_ body: [UInt8]) async throws -> Void

    private struct State {
        var waiting: [FinishedSpan] = []
        var exported = 0
        var dropped = 0
        /// Whether the last request failed: who runs the server is told when that changes.
        var isFailing = false
    }

    private let resource: [String: String]
    private let limits: Limits
    private let logger: Logger
    private let send: Send
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation
    // Spans end on any thread; held for an append.
    private let state = Mutex(State())

    /// - Parameters:
    ///   - resource: what is said of this server, as `service.name`.
    ///   - limits: Bounds.
    ///   - logger: is told when spans begin to be lost, and when they no longer are.
    ///   - send: sends a request.
    package init(
        of resource: [String: String], limits: Limits = Limits(), logger: Logger, send: @escaping Send
    ) {
        self.resource = resource
        self.limits = limits
        self.logger = logger
        self.send = send
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    package var description: String { "Span exporter" }

    /// Takes a span that has ended.
    func add(_ span: FinishedSpan) {
        let isBatch = state.withLock { state in
            guard state.waiting.count < limits.waiting else {
                state.dropped += 1
                return false
            }
            state.waiting.append(span)
            return state.waiting.count == limits.batch
        }
        if isBatch { wake.yield() }
    }

    /// Sends what there is from time to time, and what is left when the server stops.
    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            await withTaskGroup { group in
                group.addTask { [self] in
                    while (try? await Task.sleep(for: limits.interval)) != nil { wake.yield() }
                }
                for await _ in wakes { await exportAll() }
                group.cancelAll()
            }
        }
        await exportAll()
    }

    private func exportAll() async {
        while let batch = next() {
            do {
                try await send(FinishedSpan.request(batch, of: resource))
                note(batch, error: nil)
            } catch  where Task.isCancelled {
                // The server stops: it is tried once more.
                return state.withLock { $0.waiting.insert(contentsOf: batch, at: 0) }
            } catch {
                return note(batch, error: error)
            }
        }
    }

    private func next() -> [FinishedSpan]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else { return nil }
            let batch = Array(state.waiting.prefix(limits.batch))
            state.waiting.removeFirst(batch.count)
            return batch
        }
    }

    private func note(_ batch: [FinishedSpan], error: (any Error)?) {
        let hasChanged = state.withLock { state in
            if error == nil { state.exported += batch.count } else { state.dropped += batch.count }
            defer { state.isFailing = error != nil }
            return state.isFailing != (error != nil)
        }
        guard hasChanged else { return }
        if let error {
            logger.warning(
                "The collector does not take spans; they are lost.", metadata: ["error": "\(error)"])
        } else {
            logger.notice("The collector takes spans again.")
        }
    }

    /// For `/metrics`.
    package var families: [MetricFamily] {
        let (exported, dropped) = state.withLock { ($0.exported, $0.dropped) }
        return [
            MetricFamily(
                "portico_spans_exported_total", .counter, "Spans that the collector has taken.",
                [MetricFamily.Sample(Double(exported))]),
            MetricFamily(
                "portico_spans_dropped_total", .counter,
                "Spans that were lost: too many at once, or not taken by the collector.",
                [MetricFamily.Sample(Double(dropped))]),
        ]
    }
}
