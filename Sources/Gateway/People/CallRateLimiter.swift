import Brokerage
import Synchronization

/// How often something may be called: `burst` times at once, and after that once in each `interval`.
package struct CallRate: Hashable, Sendable {
    let burst: Int
    let interval: Duration

    package init(burst: Int, every interval: Duration) {
        (self.burst, self.interval) = (max(1, burst), interval)
    }

    /// So many an hour; after a pause of an hour all of them at once.
    package init(perHour count: Int) {
        self.init(burst: count, every: .seconds(3_600) / max(1, count))
    }
}

/// Limits how often each client may call something, and how often all clients together may.
///
/// A token bucket for each client and one for all, kept as the time at which the bucket is full again (the generic cell
/// rate algorithm). The table is bounded: while it is full of clients whose bucket is not full, all other clients share
/// one bucket.
package final class CallRateLimiter<Client: Hashable & Sendable>: Sendable {
    private let perClient: CallRate
    private let total: CallRate?
    private let capacity: Int
    // A lock, because requests come on any thread.
    private let state = Mutex(State())

    private struct State {
        /// When a client's bucket is full again; clients with a full bucket are dropped when room is needed.
        var fullAt: [Client: ContinuousClock.Instant] = [:]
        var othersFullAt: ContinuousClock.Instant?
        var totalFullAt: ContinuousClock.Instant?
        var nextSweep: ContinuousClock.Instant?
    }

    /// - Parameters:
    ///   - perClient: how often each client may call.
    ///   - total: how often all of them together may; nil where something else limits that.
    ///   - capacity: clients that are counted apart.
    package init(perClient: CallRate, total: CallRate? = nil, capacity: Int = 20_000) {
        (self.perClient, self.total, self.capacity) = (perClient, total, max(1, capacity))
    }

    /// Why a call is refused, and after how long one will be allowed.
    package enum Refusal: Error, Hashable, Sendable {
        case client(retryAfter: Duration)
        case total(retryAfter: Duration)

        package var retryAfter: Duration {
            switch self {
            case .client(let retryAfter), .total(let retryAfter): retryAfter
            }
        }
    }

    /// Counts a call.
    ///
    /// - Throws: why it is refused; a refused call is not counted.
    package func take(_ client: Client, now: ContinuousClock.Instant = .now) throws(Refusal) {
        let refusal: Refusal? = state.withLock { state in
            let isOther = !makeRoom(for: client, in: &state, now)
            let fullAt = max((isOther ? state.othersFullAt : state.fullAt[client]) ?? now, now)
            if let wait = Self.wait(perClient, fullAt: fullAt, now) { return .client(retryAfter: wait) }
            if let total {
                let fullAt = max(state.totalFullAt ?? now, now)
                if let wait = Self.wait(total, fullAt: fullAt, now) { return .total(retryAfter: wait) }
                state.totalFullAt = fullAt + total.interval
            }
            if isOther {
                state.othersFullAt = fullAt + perClient.interval
            } else {
                state.fullAt[client] = fullAt + perClient.interval
            }
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Takes back a call that ``take(_:now:)`` has counted and that did nothing.
    package func giveBack(_ client: Client) {
        state.withLock { state in
            if let total { state.totalFullAt = state.totalFullAt.map { $0 - total.interval } }
            if let fullAt = state.fullAt[client] {
                state.fullAt[client] = fullAt - perClient.interval
            } else {
                state.othersFullAt = state.othersFullAt.map { $0 - perClient.interval }
            }
        }
    }

    /// How long to wait for a place in a bucket; nil where there is one.
    private static func wait(
        _ rate: CallRate, fullAt: ContinuousClock.Instant, _ now: ContinuousClock.Instant
    ) -> Duration? {
        let earliest = fullAt + rate.interval * (1 - rate.burst)
        return earliest > now ? now.duration(to: earliest) : nil
    }

    /// Whether the client is counted apart; clients with a full bucket are searched once a second at most.
    private func makeRoom(
        for client: Client, in state: inout State, _ now: ContinuousClock.Instant
    ) -> Bool {
        if state.fullAt[client] != nil || state.fullAt.count < capacity { return true }
        if let next = state.nextSweep, now < next { return false }
        state.nextSweep = now + .seconds(1)
        state.fullAt = state.fullAt.filter { $0.value > now }
        return state.fullAt.count < capacity
    }
}

extension FieldError {
    /// A call that a limit of this server refuses for now.
    ///
    /// `calls` says what there is too much of, as "new guests and users"; `client` from where or whom: "from this address".
    init<Client>(_ refusal: CallRateLimiter<Client>.Refusal, of calls: String, _ client: String) {
        let message =
            switch refusal {
            case .client: "Too many \(calls) \(client): try again later."
            case .total: "This server has too many \(calls) at present: try again later."
            }
        self.init(.rateLimited, message, retryAt: Instant.now + refusal.retryAfter)
    }
}
