package import Brokerage
package import Tracing

/// One call to a provider, or a read without a call.
///
/// It contains neither URLs nor payloads, so it may be logged and returned to the client.
package struct CallRecord: Hashable, Sendable {
    package let provider: ProviderID
    /// The name of the operation: `account`, `quotes`.
    package let operation: String
    package let outcome: Outcome
    /// When it was decided on.
    package let start: ContinuousClock.Instant
    /// The time from the decision to the response, including waits for a slot and pauses between attempts;
    /// zero for a cached value.
    package let duration: Duration
    /// The status of the last response, 100 to 999; nil if there was none.
    package let status: Int?
    /// The number of attempts; 0 for a read without a call, and for a call that was not sent.
    package let attempts: Int

    package init(
        provider: ProviderID, operation: String, outcome: Outcome, start: ContinuousClock.Instant,
        duration: Duration = .zero, status: Int? = nil, attempts: Int = 0
    ) {
        self.provider = provider
        self.operation = operation
        self.outcome = outcome
        self.start = start
        self.duration = duration
        self.status = status
        self.attempts = attempts
    }

    package enum Outcome: Hashable, Sendable {
        /// It was in the cache, and fresh.
        case cached
        /// An expired value from the cache, returned while it is renewed, or because it cannot be renewed.
        case stale
        /// An equal call of another request was in flight, with any result.
        case coalesced
        /// The provider returned a response.
        case succeeded
        /// The provider was called and failed, or the call was not let out.
        case failed(ProviderFailure.Cause)
    }
}

/// The trace that an operation's calls belong to.
package struct CallTracing: Sendable {
    private let tracer: any Tracer
    private let context: ServiceContext

    /// - Parameters:
    ///   - tracer: Creates the spans.
    ///   - context: Contains the parent span.
    package init(_ tracer: any Tracer, in context: ServiceContext) {
        self.tracer = tracer
        self.context = context
    }

    /// Starts the span of a call and adds it to the request (W3C Trace Context).
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
            attributes["portico.provider"] = record.provider.name.text
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
