import Synchronization
package import Tracing

/// Continues the traces of clients, and records spans if there is an exporter.
///
/// The sampled flag of a client's trace decides whether it is recorded; traces that begin here always are.
package struct RequestTracer: Tracer {
    private let exporter: SpanExporter?

    /// - Parameter exporter: Exports the spans; nil records nothing, and only propagates the traces of
    ///   clients.
    package init(exporting exporter: SpanExporter? = nil) {
        self.exporter = exporter
    }

    /// Whether traces begin here.
    var beginsTraces: Bool { exporter != nil }

    package func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> RequestSpan {
        var context = context()
        let parent = context.trace
        let trace = parent?.child ?? .root(isSampled: beginsTraces)
        context.trace = trace
        return RequestSpan(
            operationName, kind, in: context, trace, below: parent?.spanID,
            from: instant().nanosecondsSinceEpoch, for: trace.isSampled ? exporter : nil)
    }

    /// Ended spans are exported automatically.
    package func forceFlush() {}

    /// Writes `traceparent` and `tracestate`.
    package func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let trace = context.trace else { return }
        injector.inject(trace.traceparent, forKey: "traceparent", into: &carrier)
        if let state = trace.state { injector.inject(state.text, forKey: "tracestate", into: &carrier) }
    }

    /// Reads `traceparent` and `tracestate`; a malformed one is as good as none.
    package func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        guard let parent = extractor.extract(key: "traceparent", from: carrier) else { return }
        context.trace = TraceContext(
            traceparent: parent, tracestate: extractor.extract(key: "tracestate", from: carrier))
    }
}

/// A span: a request, or an upstream call of it.
///
/// Its status and attributes are recorded. Events and links are not, since nothing creates any. Of an error
/// only the type is recorded, because its description may contain secrets.
package final class RequestSpan: Tracing.Span {
    package let context: ServiceContext
    private let kind: SpanKind
    private let trace: TraceContext
    private let parentID: UInt64?
    private let start: UInt64
    // Spans end on any thread; held for a few stores.
    private let state: Mutex<State>

    private struct State {
        var name: String
        var attributes = SpanAttributes([:])
        var status: SpanStatus?
        /// Nil where nothing is recorded, and after the end.
        var exporter: SpanExporter?
    }

    init(
        _ name: String, _ kind: SpanKind, in context: ServiceContext, _ trace: TraceContext,
        below parentID: UInt64?, from start: UInt64, for exporter: SpanExporter?
    ) {
        self.context = context
        self.kind = kind
        self.trace = trace
        self.parentID = parentID
        self.start = start
        state = Mutex(State(name: name, exporter: exporter))
    }

    package var operationName: String {
        get { state.withLock { $0.name } }
        set { state.withLock { $0.name = newValue } }
    }

    package var attributes: SpanAttributes {
        get { state.withLock { $0.attributes } }
        set { state.withLock { $0.attributes = newValue } }
    }

    package var isRecording: Bool { state.withLock { $0.exporter != nil } }

    package func setStatus(_ status: SpanStatus) {
        state.withLock { $0.status = status }
    }

    package func addEvent(_ event: SpanEvent) {}

    package func addLink(_ link: SpanLink) {}

    package func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        state.withLock { state in
            state.status = SpanStatus(code: .error)
            state.attributes["error.type"] = String(reflecting: type(of: error))
        }
    }

    /// Ends the span and passes it to the exporter; later changes are not recorded.
    package func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        let end = instant().nanosecondsSinceEpoch
        let (state, exporter) = state.withLock { state in
            defer { state.exporter = nil }
            return (state, state.exporter)
        }
        exporter?.add(
            FinishedSpan(
                trace: trace, parentID: parentID, name: state.name, kind: kind, start: start,
                end: max(start, end), attributes: state.attributes, status: state.status))
    }
}

/// A span that has ended.
struct FinishedSpan: Sendable {
    let trace: TraceContext
    let parentID: UInt64?
    let name: String
    let kind: SpanKind
    /// In nanoseconds since 1970.
    let start: UInt64
    let end: UInt64
    let attributes: SpanAttributes
    let status: SpanStatus?
}
