package import Brokerage
package import Upstream

extension CallContext {
    /// Long enough for a call to this machine, however busy it is.
    package static var patient: CallContext { CallContext(deadline: .now + .seconds(60)) }
}

extension RetryPolicy {
    package static var once: RetryPolicy { attempts(1) }

    /// So many attempts, without a pause between them.
    package static func attempts(_ count: Int) -> RetryPolicy {
        var policy = RetryPolicy()
        policy.attempts = count
        policy.jitter = { 0 }
        policy.attemptTimeout = .seconds(60)
        return policy
    }
}

extension TimeSource {
    /// The system's clock, but with a moment of the test's own on the wall.
    package static func showing(_ wallTime: Instant) -> TimeSource {
        let system = TimeSource.system
        return TimeSource(now: system.now, wallTime: { wallTime }, sleep: system.sleep)
    }
}
