/// When a host that fails is left alone, and when it is tried again.
package struct BreakerPolicy: Sendable {
    /// Failures in a row that open the circuit; at least 1.
    package var failures = 5
    /// The first duration for which the circuit stays open, before jitter; it doubles after each failed
    /// probe.
    package var pause = Duration.seconds(1)
    package var maximumPause = Duration.seconds(30)
    /// The failure of a call with a shorter timeout is not counted as a failure of the host.
    package var minimumTimeout = Duration.seconds(1)
    /// A share of the pause that is really waited, 0 to 1: processes that saw one failure do not come back together.
    package var jitter: @Sendable () -> Double = { Double.random(in: 0.75...1) }

    package init() {}

    /// The pause after the circuit has opened for the given time, counted from 1.
    func pause(after opening: Int) -> Duration {
        // 2^16 pauses are longer than any that is allowed.
        min(pause * (1 << min(max(opening - 1, 0), 16)), maximumPause) * jitter()
    }
}

/// A circuit breaker for one host.
///
/// Closed, it allows every call. Consecutive failures open it: it allows no call until a pause has passed.
/// Then it allows one call as a probe. A success closes it; a failure opens it for a longer time.
///
/// It is a state machine without a clock.
package struct CircuitBreaker {
    /// The effect of a call on the circuit.
    package enum CallEffect {
        /// The host responded, possibly with an error status.
        case up
        /// It cannot be reached, is out of order or hangs.
        case down
        /// The call was cancelled or not sent.
        case none
    }

    /// Leave to call.
    package enum Admission {
        case call
        case probe
        /// Not before.
        case rejected(until: ContinuousClock.Instant)
    }

    private enum State {
        case closed(failures: Int)
        case open(until: ContinuousClock.Instant)
        /// A probe is in flight; at this time another one is allowed.
        case probing(until: ContinuousClock.Instant)
    }

    private var state = State.closed(failures: 0)
    /// In a row.
    private var openings = 0
    private let policy: BreakerPolicy

    package init(_ policy: BreakerPolicy) {
        self.policy = policy
    }

    /// When a call may be tried that is refused now; nil for one that is not.
    package func retryTime(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        switch state {
        case .closed: nil
        case .open(let until), .probing(let until): until > now ? until : nil
        }
    }

    package var isClosed: Bool {
        switch state {
        case .closed: true
        case .open, .probing: false
        }
    }

    package mutating func admit(at now: ContinuousClock.Instant) -> Admission {
        if let until = retryTime(at: now) { return .rejected(until: until) }
        if isClosed { return .call }
        state = .probing(until: now + policy.pause)
        return .probe
    }

    package mutating func didEnd(_ effect: CallEffect, ofProbe isProbe: Bool, at now: ContinuousClock.Instant)
    {
        switch state {
        case .closed(let failures):
            switch effect {
            case .up: state = .closed(failures: 0)
            case .none: break
            case .down where failures + 1 < policy.failures: state = .closed(failures: failures + 1)
            case .down: open(at: now)
            }
        case .probing where isProbe:
            switch effect {
            case .up:
                state = .closed(failures: 0)
                openings = 0
            // The next call is the probe.
            case .none: state = .open(until: now)
            case .down: open(at: now)
            }
        // The result of a call that began before the circuit opened is ignored.
        case .open, .probing: break
        }
    }

    private mutating func open(at now: ContinuousClock.Instant) {
        openings += 1
        state = .open(until: now + policy.pause(after: openings))
    }
}
