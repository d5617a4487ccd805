package import NIOCore
import Synchronization

/// Counts what clients send against a limit, each by its key.
///
/// A token bucket, kept as one time for each client: when it will have made up for all that it has sent (the generic
/// cell rate algorithm). A client whose time has passed has a full bucket, and is forgotten when room is needed. The
/// table is bounded: while it is full of clients that are known, those that are not share one bucket.
///
/// A lock, because the clients of all event loops share the table.
final class RateLimiter<Key: Hashable & Sendable>: Sendable {
    private let limit: RateLimit
    private let capacity: Int
    private let state: Mutex<State>

    private struct State {
        var repaid: [Key: NIODeadline] = [:]
        var repaidByOthers = NIODeadline.uptimeNanoseconds(0)
        var nextSweep = NIODeadline.uptimeNanoseconds(0)
    }

    init(_ limit: RateLimit, capacity: Int) {
        self.limit = limit
        self.capacity = capacity
        state = Mutex(State())
    }

    /// Nil where a request is admitted; otherwise the time after which one will be.
    func consume(_ key: Key, now: NIODeadline) -> TimeAmount? {
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

/// How many requests one client may send.
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

    /// How far a client may be ahead of that.
    var tolerance: TimeAmount { .nanoseconds(interval.nanoseconds * Int64(burst)) }
}

/// Refuses clients that send more than their share, by their address and by their token.
package struct ClientRateLimits: Sendable {
    private let addresses: RateLimiter<ClientAddress>
    /// By a token's hash, which is seeded anew in each process, so that no token is kept here.
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
