/// What a call takes from the operation that needs it.
package struct CallContext: Sendable {
    /// When the operation wants to have its answer; nothing is waited for or tried again beyond it.
    package let deadline: ContinuousClock.Instant
    /// Only what a provider was asked at this moment or later is good enough; nil for no such demand.
    ///
    /// For a request with `Cache-Control: no-cache` (RFC 9111, section 5.2.1.4) the moment at which it came.
    package let notBefore: ContinuousClock.Instant?
    /// Whether a value that was younger than ``Brokerage/Provider/minimumAge`` at ``notBefore`` is accepted
    /// too.
    ///
    /// This applies to demands of clients, each of which would cost a call.
    package let acceptsMinimumAge: Bool
    /// Told of each call to a provider, and of each that was spared.
    ///
    /// Called on any thread; it must be quick.
    package let observe: (@Sendable (CallRecord) -> Void)?
    /// Told when a call goes out that changes something; nil where nobody has to know.
    package let watch: WriteObserver?
    /// The trace that the calls belong to; nil for none.
    package let tracing: CallTracing?
    /// The number of calls that may be made; nil for no limit, for calls that do not belong to a client.
    package let allowance: CallAllowance?

    package init(
        deadline: ContinuousClock.Instant, notBefore: ContinuousClock.Instant? = nil,
        acceptsMinimumAge: Bool = false,
        observe: (@Sendable (CallRecord) -> Void)? = nil, watch: WriteObserver? = nil,
        tracing: CallTracing? = nil, allowance: CallAllowance? = nil
    ) {
        self.deadline = deadline
        self.notBefore = notBefore
        self.acceptsMinimumAge = acceptsMinimumAge
        self.observe = observe
        self.watch = watch
        self.tracing = tracing
        self.allowance = allowance
    }

    /// The same with half of the time that is left, so that there is some for another provider where one hangs.
    package func halved(at now: ContinuousClock.Instant) -> CallContext {
        let rest = max(now.duration(to: deadline), .zero)
        return CallContext(
            deadline: now + rest / 2, notBefore: notBefore, acceptsMinimumAge: acceptsMinimumAge,
            observe: observe, tracing: tracing,
            allowance: allowance)
    }
}
