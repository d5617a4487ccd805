import GraphQL
package import Logging
import ServiceLifecycle
import Synchronization
import Tracing

/// Exports spans to a collector in batches, in the JSON form of OTLP.
///
/// Nothing waits for it. Spans above its limit, or that the collector does not accept, are dropped and
/// counted.
package final class SpanExporter: Service {
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

    /// Sends the body of a request to the collector.
    ///
    /// It throws if the collector has not accepted it, and has a timeout.
    package typealias Send = @Sendable (_ body: [UInt8]) async throws -> Void

    private struct State {
        var waiting: [FinishedSpan] = []
        var exported = 0
        var dropped = 0
        /// Whether the last request failed: a change is logged.
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
    ///   - resource: The attributes of this server, such as `service.name`.
    ///   - limits: The limits.
    ///   - logger: Logs when spans begin to be dropped, and when that ends.
    ///   - send: Sends a request.
    package init(
        of resource: [String: String], limits: Limits = Limits(), logger: Logger, send: @escaping Send
    ) {
        self.resource = resource
        self.limits = limits
        self.logger = logger
        self.send = send
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

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

    /// Exports the spans periodically, and the remaining ones when the server stops.
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
                recordExport(of: batch, error: nil)
            } catch  where Task.isCancelled {
                // The server stops: it is tried once more.
                return state.withLock { $0.waiting.insert(contentsOf: batch, at: 0) }
            } catch {
                return recordExport(of: batch, error: error)
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

    private func recordExport(of batch: [FinishedSpan], error: (any Error)?) {
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

// The JSON form of OpenTelemetry's protocol (OTLP 1.x, "JSON Protobuf Encoding"): ids in hexadecimal digits, integers of 64
// bits as strings, enums as numbers.

extension FinishedSpan {
    /// An `ExportTraceServiceRequest` with these spans.
    static func request(_ spans: [FinishedSpan], of resource: [String: String]) -> [UInt8] {
        let attributes = resource.sorted { $0.key < $1.key }.map { key, value in
            InputValue.attribute(key, ["stringValue": .string(value)])
        }
        let scope = InputValue.object([
            "scope": .object(["name": .string("portico")]), "spans": .list(spans.map(\.json)),
        ])
        let resourceSpans = InputValue.object([
            "resource": .object(["attributes": .list(attributes)]), "scopeSpans": .list([scope]),
        ])
        return InputValue.object(["resourceSpans": .list([resourceSpans])]).json
    }

    private var json: InputValue {
        var span: InputObject = [
            "traceId": .string(trace.traceID.description), "spanId": .string(trace.spanID.sixteenDigits),
        ]
        if let state = trace.state { span["traceState"] = .string(state.text) }
        if let parentID { span["parentSpanId"] = .string(parentID.sixteenDigits) }
        span["name"] = .string(name)
        span["kind"] = .int(kind.number)
        span["startTimeUnixNano"] = .string("\(start)")
        span["endTimeUnixNano"] = .string("\(end)")
        var values: [(String, InputObject)] = []
        // They are no sequence.
        // swift-format-ignore: ReplaceForEachWithForLoop
        attributes.forEach { key, value in
            if let value = value.json { values.append((key, value)) }
        }
        span["attributes"] = .list(values.sorted { $0.0 < $1.0 }.map(InputValue.attribute))
        if let status { span["status"] = .object(["code": .int(status.code.number)]) }
        return .object(span)
    }
}

extension InputValue {
    fileprivate static func attribute(_ key: String, _ value: InputObject) -> InputValue {
        .object(["key": .string(key), "value": .object(value)])
    }
}

extension SpanAttribute {
    /// Nil for lists, which are not used here.
    fileprivate var json: InputObject? {
        switch self {
        case .int32(let number): ["intValue": .string("\(number)")]
        case .int64(let number): ["intValue": .string("\(number)")]
        case .double(let number) where number.isFinite: ["doubleValue": .number("\(number)")]
        case .bool(let flag): ["boolValue": .boolean(flag)]
        case .string(let text): ["stringValue": .string(text)]
        case .stringConvertible(let value): ["stringValue": .string(value.description)]
        // The type may get further cases.
        default: nil
        }
    }
}

extension SpanKind {
    fileprivate var number: Int {
        switch self {
        case .internal: 1
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        }
    }
}

extension SpanStatus.Code {
    fileprivate var number: Int {
        switch self {
        case .ok: 1
        case .error: 2
        }
    }
}
