package import Brokerage
package import PorticoCore
import Synchronization

/// Monitors all calls: the latency and failures of each provider, its circuit breaker, and its concurrency
/// limit.
///
/// There is one for the process. It has as many hosts as the configured providers.
package final class ProviderMonitor: Sendable {
    /// A host that is called.
    ///
    /// A class, so that a call changes it in its place. It does not leave the lock.
    private final class Host {
        var breaker: CircuitBreaker
        var history = CallHistory()

        init(_ breaker: CircuitBreaker) { self.breaker = breaker }
    }

    fileprivate struct Place: Hashable {
        let provider: ProviderID
        /// With its port: what listens on another one is another server.
        let authority: String
    }

    private let clock: TimeSource
    private let policy: BreakerPolicy
    private let concurrency: Int
    /// Called for each call when it has ended.
    let observe: (@Sendable (CallRecord) -> Void)?
    /// Called for each response that was read, with what the readers noticed; nil if responses are not inspected.
    let inspect: (@Sendable (_ provider: ProviderID, _ operation: String, [JSONInspection.Finding]) -> Void)?
    // Held for a few stores, never while anything is called.
    private let hosts = Mutex<[Place: Host]>([:])
    // Looked up once by each client of a provider, when it is created.
    private let concurrencyLimiters = Mutex<[ProviderID: ConcurrencyLimiter]>([:])

    /// - Parameters:
    ///   - clock: The clocks.
    ///   - policy: When the circuit of a failing host opens.
    ///   - concurrency: The maximum number of calls in flight to each provider, over all channels; at least
    ///     1. Further calls wait until their deadlines.
    ///   - observe: Called for each call when it has ended, not for reads without a call. It may be called
    ///     on any thread, and must be fast.
    ///   - inspect: Called for each response, with the provider, the name of the operation, and what its readers
    ///     noticed; nil for none, since an inspection reads each response twice.
    package init(
        clock: TimeSource = .system, policy: BreakerPolicy = BreakerPolicy(),
        concurrency: Int = HTTPClientLimits().callsPerProvider,
        observe: (@Sendable (CallRecord) -> Void)? = nil,
        inspect: (@Sendable (ProviderID, String, [JSONInspection.Finding]) -> Void)? = nil
    ) {
        self.clock = clock
        self.policy = policy
        self.concurrency = concurrency
        self.observe = observe
        self.inspect = inspect
    }

    /// The limiter that all calls to a provider share.
    func concurrencyLimiter(for provider: ProviderID) -> ConcurrencyLimiter {
        concurrencyLimiters.withLock { limiters in
            if let limiter = limiters[provider] { return limiter }
            let limiter = ConcurrencyLimiter(limit: concurrency, clock: clock)
            limiters[provider] = limiter
            return limiter
        }
    }

    /// The health of a provider, by its recent calls to all of its hosts.
    package func health(of provider: ProviderID) -> ProviderHealth {
        let now = clock.now()
        let wallTime = clock.wallTime()
        let healths = hosts.withLock { hosts in
            hosts.filter { $0.key.provider == provider }.map { _, host in
                host.history.health(
                    isDown: !host.breaker.isClosed,
                    retryAt: host.breaker.retryTime(at: now).map { wallTime + now.duration(to: $0) })
            }
        }
        return ProviderHealth(of: healths)
    }

    // MARK: For the caller

    /// An allowed call, whose end must be reported.
    package struct Permit: Sendable {
        fileprivate let hostKey: Place
        fileprivate let isProbe: Bool
        fileprivate let start: ContinuousClock.Instant
    }

    /// Throws if a call would be refused now; it does not count as a probe.
    package func check(_ provider: ProviderID, _ authority: String) throws(ProviderFailure) {
        let now = clock.now()
        let place = Place(provider: provider, authority: authority)
        if let until = hosts.withLock({ $0[place]?.breaker.retryTime(at: now) }) {
            throw circuitOpenFailure(provider, until, now)
        }
    }

    /// Allows a call.
    ///
    /// - Throws: `circuitOpen` if the circuit of the host is open.
    package func admit(_ provider: ProviderID, _ authority: String) throws(ProviderFailure) -> Permit {
        let now = clock.now()
        let place = Place(provider: provider, authority: authority)
        let admission = hosts.withLock { hosts in
            if let host = hosts[place] { return host.breaker.admit(at: now) }
            let host = Host(CircuitBreaker(policy))
            hosts[place] = host
            return host.breaker.admit(at: now)
        }
        switch admission {
        case .call: return Permit(hostKey: place, isProbe: false, start: now)
        case .probe: return Permit(hostKey: place, isProbe: true, start: now)
        case .rejected(let until): throw circuitOpenFailure(provider, until, now)
        }
    }

    /// The call was not made after all.
    package func withdraw(_ pass: Permit) {
        let now = clock.now()
        hosts.withLock { $0[pass.hostKey]?.breaker.didEnd(.none, ofProbe: pass.isProbe, at: now) }
    }

    /// Records the end of a call, with a response or a failure.
    package func didEnd(
        _ pass: Permit, sentAt start: ContinuousClock.Instant, _ cause: ProviderFailure.Cause?
    ) {
        let now = clock.now()
        let duration = start.duration(to: now)
        let effect = cause?.effect(after: duration, policy) ?? .up
        let wallTime = clock.wallTime()
        hosts.withLock { hosts in
            guard let host = hosts[pass.hostKey] else { return }
            host.breaker.didEnd(effect, ofProbe: pass.isProbe, at: now)
            host.history.record(cause, effect, duration, at: wallTime)
        }
    }

    private func circuitOpenFailure(
        _ provider: ProviderID, _ until: ContinuousClock.Instant, _ now: ContinuousClock.Instant
    ) -> ProviderFailure {
        ProviderFailure(provider, .circuitOpen(retryAt: clock.wallTime() + now.duration(to: until)))
    }
}
