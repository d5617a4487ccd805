package import Brokerage
package import Upstream

extension CallContext {
    /// A deadline that is sufficient for calls on this machine, even under load.
    package static var patient: CallContext { CallContext(deadline: .now + .seconds(60)) }
}

extension RetryPolicy {
    package static var once: RetryPolicy { attempts(1) }

    /// Returns a policy with a number of attempts without pauses.
    package static func attempts(_ count: Int) -> RetryPolicy {
        var policy = RetryPolicy()
        policy.attempts = count
        policy.jitter = { 0 }
        policy.attemptTimeout = .seconds(60)
        return policy
    }
}

extension TimeSource {
    /// Returns the system's clock with a fixed wall time.
    package static func showing(_ wallTime: Instant) -> TimeSource {
        let system = TimeSource.system
        return TimeSource(now: system.now, wallTime: { wallTime }, sleep: system.sleep)
    }
}
