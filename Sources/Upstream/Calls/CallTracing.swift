import Brokerage
package import Tracing

/// The trace that an operation's calls belong to.
package struct CallTracing: Sendable {
    private let tracer: any Tracer
    private let context: ServiceContext

    /// - Parameters:
    ///   - tracer: makes the spans.
    ///   - context: has the span that is to be theirs above.
    package init(_ tracer: any Tracer, in context: ServiceContext) {
        self.tracer = tracer
        self.context = context
    }

    /// Begins the span of a call, of which the request tells the provider (W3C Trace Context).
    func begin(_ operation: String, of request: inout HTTPClientRequest, to provider: String) -> any Tracing
        .Span
    {
        let span = tracer.startSpan("\(provider) \(operation)", context: context, ofKind: .client)
        tracer.inject(span.context, into: &request.headers, using: HeaderInjector())
        return span
    }
}

extension Tracing.Span {
    /// Ends the span of a call with what became of it.
    func end(as record: CallRecord) {
        updateAttributes { attributes in
            attributes["portico.provider"] = record.provider.rawValue
            attributes["portico.call"] = record.operation
            attributes["portico.attempts"] = record.attempts
            attributes["http.response.status_code"] = record.status
        }
        if case .failed = record.outcome { setStatus(SpanStatus(code: .error)) }
        end()
    }
}

private struct HeaderInjector: Injector {
    func inject(_ value: String, forKey key: String, into headers: inout HTTPClientHeaders) {
        headers.add(key, value)
    }
}
