package import Brokerage
package import Tracing

/// One call to a provider, or what stood in for one.
///
/// Neither addresses nor what a provider said are in it: it may be shown to the one who asked, and logged.
package struct CallRecord: Hashable, Sendable {
    package let provider: ProviderID
    /// What was asked for: `account`, `quotes`.
    package let operation: String
    package let outcome: Outcome
    /// When it was decided on.
    package let start: ContinuousClock.Instant
    /// From the decision to the answer, with all waits for a place and pauses between attempts; zero where it was at hand.
    package let duration: Duration
    /// The status of the last response, 100 to 999; nil where there was none.
    package let status: Int?
    /// How often the request went out; 0 where that was spared, and where it was not let out.
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
        /// It was in the cache past its time, and served as it is being renewed or cannot be.
        case stale
        /// Somebody else's equal call was in flight, whatever came of it.
        case coalesced
        /// The provider answered.
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
