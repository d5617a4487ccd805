/// What a call takes from the operation that needs it.
package struct CallContext: Sendable {
    /// When the operation wants to have its answer; nothing is waited for or tried again beyond it.
    package let deadline: ContinuousClock.Instant
    /// Only what a provider was asked at this moment or later is good enough; nil for no such demand.
    ///
    /// For a request with `Cache-Control: no-cache` (RFC 9111, section 5.2.1.4) the moment at which it came.
    package let notBefore: ContinuousClock.Instant?
    /// Told of each call to a provider, and of each that was spared.
    ///
    /// Called on any thread; it must be quick.
    package let observe: (@Sendable (CallRecord) -> Void)?
    /// Told when a call goes out that changes something; nil where nobody has to know.
    package let watch: WriteWatch?
    /// The trace that the calls belong to; nil for none.
    package let tracing: CallTracing?

    package init(
        deadline: ContinuousClock.Instant, notBefore: ContinuousClock.Instant? = nil,
        observe: (@Sendable (CallRecord) -> Void)? = nil, watch: WriteWatch? = nil,
        tracing: CallTracing? = nil
    ) {
        self.deadline = deadline
        self.notBefore = notBefore
        self.observe = observe
        self.watch = watch
        self.tracing = tracing
    }

    /// The same with half of the time that is left, so that there is some for another provider where one hangs.
    package func halved(at now: ContinuousClock.Instant) -> CallContext {
        let rest = max(now.duration(to: deadline), .zero)
        return CallContext(
            deadline: now + rest / 2, notBefore: notBefore, observe: observe, tracing: tracing)
    }
}
