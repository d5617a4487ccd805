package import NIOCore
import Synchronization

/// A rate limiter with one token bucket for each key.
///
/// A bucket is stored as one time: when it will be full again (the generic cell rate algorithm). A client
/// whose time has passed has a full bucket, and is removed when space is needed. The table is bounded: while
/// it is full, all clients that are not in it share one bucket.
///
/// A lock guards the table, because the clients of all event loops share it.
package final class RateLimiter<Key: Hashable & Sendable>: Sendable {
    private let limit: RateLimit
    private let capacity: Int
    private let state: Mutex<State>

    private struct State {
        var repaid: [Key: NIODeadline] = [:]
        var repaidByOthers = NIODeadline.uptimeNanoseconds(0)
        var nextSweep = NIODeadline.uptimeNanoseconds(0)
    }

    package init(_ limit: RateLimit, capacity: Int) {
        self.limit = limit
        self.capacity = capacity
        state = Mutex(State())
    }

    /// Returns nil if the request is admitted, otherwise the time until one is.
    package func consume(_ key: Key, now: NIODeadline) -> TimeAmount? {
        state.withLock { state in
            if let repaid = state.repaid[key] {
                return spend(now, repaid) { state.repaid[key] = $0 }
            }
            if state.repaid.count >= capacity { sweep(&state, now) }
            guard state.repaid.count < capacity else {
                return spend(now, state.repaidByOthers) { state.repaidByOthers = $0 }
            }
            return spend(now, now) { state.repaid[key] = $0 }
        }
    }

    /// Takes one request out of a bucket, if it is there.
    private func spend(
        _ now: NIODeadline, _ repaid: NIODeadline, _ store: (NIODeadline) -> Void
    ) -> TimeAmount? {
        let next = max(repaid, now) + limit.interval
        let excess = next - (now + limit.tolerance)
        guard excess <= .zero else { return excess }
        store(next)
        return nil
    }

    /// Forgets whose bucket is full; at most once a second, since it looks at all of them.
    private func sweep(_ state: inout State, _ now: NIODeadline) {
        guard now >= state.nextSweep else { return }
        state.nextSweep = now + .seconds(1)
        state.repaid = state.repaid.filter { $0.value > now }
    }
}

/// The number of requests that one client may send.
package struct RateLimit: Sendable, Hashable {
    /// Between two requests, on average; a microsecond to an hour.
    let interval: TimeAmount
    /// At once, after a pause; 1 to 1,000,000.
    let burst: Int

    package init(every interval: TimeAmount, burst: Int) {
        self.interval = min(max(.microseconds(1), interval), .hours(1))
        self.burst = min(max(1, burst), 1_000_000)
    }

    /// A limit by the second.
    ///
    /// - Parameters:
    ///   - perSecond: on average; 1 to 1,000,000.
    ///   - burst: at once, after a pause; 1 to 1,000,000.
    package init(perSecond: Int, burst: Int) {
        self.init(every: .nanoseconds(1_000_000_000 / Int64(min(max(1, perSecond), 1_000_000))), burst: burst)
    }

    /// The time by which a client may be ahead of the rate.
    var tolerance: TimeAmount { .nanoseconds(interval.nanoseconds * Int64(burst)) }
}

/// Refuses clients that send more than their share, by their address and by their token.
package struct ClientRateLimits: Sendable {
    private let addresses: RateLimiter<ClientAddress>
    /// By a hash of the token, which is seeded anew in each process, so that no token is stored here.
    private let tokens: RateLimiter<Int>
    private let exemptsThisMachine: Bool

    init(_ limits: ServerLimits) {
        addresses = RateLimiter(limits.addressRate, capacity: limits.trackedClients)
        tokens = RateLimiter(limits.tokenRate, capacity: limits.trackedClients)
        exemptsThisMachine = limits.exemptsThisMachine
    }

    /// Counts a request of an address, or an operation of its sockets, before anything else is done for it.
    ///
    /// - Throws: `.tooManyRequests`.
    package func charge(_ address: ClientAddress) throws(HTTPError) {
        guard !isExempt(address) else { return }
        if let delay = addresses.consume(address, now: .now()) {
            throw .tooManyRequests(.address, after: delay)
        }
    }

    /// Counts a request with a token that is known to be good: others would fill the table.
    ///
    /// - Throws: `.tooManyRequests`.
    package func charge(token: String, from address: ClientAddress) throws(HTTPError) {
        guard !isExempt(address) else { return }
        if let delay = tokens.consume(token.hashValue, now: .now()) {
            throw .tooManyRequests(.token, after: delay)
        }
    }

    private func isExempt(_ address: ClientAddress) -> Bool {
        exemptsThisMachine && address.isThisMachine
    }
}
