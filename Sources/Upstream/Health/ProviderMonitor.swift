package import Brokerage
import Synchronization

/// Watches every call: how fast each provider answers, since when it fails, and whether it makes sense to call it.
///
/// One for the process. It knows as many hosts as providers were configured with.
package final class ProviderMonitor: Sendable {
    private struct Host {
        var breaker: CircuitBreaker
        var record = CallHistory()
    }

    fileprivate struct Place: Hashable {
        let provider: Provider
        let host: String
    }

    private let clock: CallClock
    private let policy: BreakerPolicy
    // Held for a few stores, never while anything is called.
    private let hosts = Mutex<[Place: Host]>([:])

    package init(clock: CallClock = .system, policy: BreakerPolicy = BreakerPolicy()) {
        self.clock = clock
        self.policy = policy
    }

    /// How a provider does, by its recent calls to all of its hosts.
    package func health(of provider: Provider) -> ProviderHealth {
        let now = clock.now()
        let wallTime = clock.wallTime()
        let hosts = hosts.withLock { $0.filter { $0.key.provider == provider }.map(\.value) }
        let healths = hosts.map { host in
            host.record.health(
                isDown: !host.breaker.isClosed,
                retryAt: host.breaker.refusal(at: now).map { wallTime + now.duration(to: $0) })
        }
        return ProviderHealth(of: healths)
    }

    // MARK: For the caller

    /// A call that was let through, to be told of its end.
    struct Pass: Sendable {
        fileprivate let place: Place
        fileprivate let isProbe: Bool
        fileprivate let start: ContinuousClock.Instant
    }

    /// Fails where a call would be refused at this moment; it takes no place as a probe.
    func check(_ provider: Provider, _ host: String) throws(ProviderFailure) {
        let now = clock.now()
        let place = Place(provider: provider, host: host)
        if let until = hosts.withLock({ $0[place]?.breaker.refusal(at: now) }) {
            throw refusal(provider, until, now)
        }
    }

    /// Lets a call through.
    ///
    /// - Throws: `circuitOpen` where the host is out of order.
    func admit(_ provider: Provider, _ host: String) throws(ProviderFailure) -> Pass {
        let now = clock.now()
        let place = Place(provider: provider, host: host)
        let admission = hosts.withLock { hosts in
            hosts[place, default: Host(breaker: CircuitBreaker(policy))].breaker.admit(at: now)
        }
        switch admission {
        case .call: return Pass(place: place, isProbe: false, start: now)
        case .probe: return Pass(place: place, isProbe: true, start: now)
        case .refused(let until): throw refusal(provider, until, now)
        }
    }

    /// The call was not made after all.
    func withdraw(_ pass: Pass) {
        let now = clock.now()
        hosts.withLock { $0[pass.place]?.breaker.didEnd(.none, ofProbe: pass.isProbe, at: now) }
    }

    /// The call has ended: with an answer, or with a failure.
    func didEnd(_ pass: Pass, sentAt start: ContinuousClock.Instant, _ cause: ProviderFailure.Cause?) {
        let now = clock.now()
        let duration = start.duration(to: now)
        let verdict = cause?.verdict(after: duration, policy) ?? .alive
        let wallTime = clock.wallTime()
        hosts.withLock { hosts in
            hosts[pass.place]?.breaker.didEnd(verdict, ofProbe: pass.isProbe, at: now)
            hosts[pass.place]?.record.note(cause, verdict, duration, at: wallTime)
        }
    }

    private func refusal(
        _ provider: Provider, _ until: ContinuousClock.Instant, _ now: ContinuousClock.Instant
    ) -> ProviderFailure {
        ProviderFailure(provider, .circuitOpen(retryAt: clock.wallTime() + now.duration(to: until)))
    }
}
