package import Tracing

/// Goes on with the traces of clients, and records spans where there is an exporter.
///
/// Who begins a trace decides whether it is recorded; those that begin here are.
package struct RequestTracer: Tracer {
    private let exporter: SpanExporter?

    /// - Parameter exporter: takes what is recorded; nil records nothing, and hands traces of clients on to those that are
    ///   called.
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

    /// What has ended goes out by itself.
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
