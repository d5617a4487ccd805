import Cryptography
package import NIOCore
import Synchronization

/// A rate limiter with one token bucket for each key.
///
/// A bucket is stored as one time: when it will be full again (the generic cell rate algorithm). A client
/// whose time has passed has a full bucket, and is removed when space is needed. The table is bounded: while
/// it is full, all clients that are not in it share one bucket.
///
/// Replicas share a limit as follows: each decides by its own buckets, takes the amounts that were spent since the last
/// merge (``takeSpent()``), adds them to those of all replicas, and moves its buckets to the later of both times
/// (``merge(_:now:)``).
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
        /// The requests of each key since the last merge; nil for a limiter that is not shared.
        var spent: [Key: Int]?
        /// The number of replicas among which the limit is divided while they cannot merge.
        var replicas = 1
    }

    /// - Parameters:
    ///   - limit: The limit of each key.
    ///   - capacity: The number of buckets.
    ///   - isShared: Whether spent amounts are recorded for other replicas.
    package init(_ limit: RateLimit, capacity: Int, isShared: Bool = false) {
        self.limit = limit
        self.capacity = capacity
        state = Mutex(State(spent: isShared ? [:] : nil))
    }

    /// Returns nil if the request is admitted, otherwise the time until one is.
    package func consume(_ key: Key, now: NIODeadline) -> TimeAmount? {
        state.withLock { state in
            let cost = limit.cost(dividedBy: state.replicas)
            if let repaid = state.repaid[key] {
                let delay = spend(cost, now, repaid) { state.repaid[key] = $0 }
                if delay == nil { state.spent?[key, default: 0] += 1 }
                return delay
            }
            if state.repaid.count >= capacity { sweep(&state, now) }
            guard state.repaid.count < capacity else {
                return spend(cost, now, state.repaidByOthers) { state.repaidByOthers = $0 }
            }
            state.spent?[key, default: 0] += 1
            return spend(cost, now, now) { state.repaid[key] = $0 }
        }
    }

    /// Takes one request out of a bucket, if it is there.
    private func spend(
        _ cost: TimeAmount, _ now: NIODeadline, _ repaid: NIODeadline, _ store: (NIODeadline) -> Void
    ) -> TimeAmount? {
        let next = max(repaid, now) + cost
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

    // MARK: Sharing

    /// Returns the time by which each key that sent requests since the last call is ahead of its rate, and forgets it.
    ///
    /// There are at most as many keys as buckets.
    package func takeSpent() -> [Key: TimeAmount] {
        let spent = state.withLock { state in
            let spent = state.spent
            if spent?.isEmpty == false { state.spent = [:] }
            return spent
        }
        return (spent ?? [:]).mapValues { .nanoseconds(limit.interval.nanoseconds * Int64($0)) }
    }

    /// Moves buckets to the times of all replicas together; a time before the own one has no effect.
    ///
    /// - Parameters:
    ///   - debts: For each key, the time until its bucket will be full again.
    ///   - now: The current time.
    package func merge(_ debts: [Key: TimeAmount], now: NIODeadline) {
        state.withLock { state in
            for (key, debt) in debts {
                // A key that was removed since has a full bucket here, and sends no requests.
                guard let repaid = state.repaid[key] else { continue }
                state.repaid[key] = max(repaid, now + min(debt, limit.tolerance))
            }
        }
    }

    /// Divides the limit among replicas, because they cannot merge; 1 ends the division.
    package func divide(among replicas: Int) {
        state.withLock { $0.replicas = min(max(replicas, 1), 10_000) }
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

    /// The time that one request takes of the tolerance, if several replicas share rate and burst; never more than all
    /// of it, so that a single request is admitted.
    func cost(dividedBy replicas: Int) -> TimeAmount {
        replicas == 1 ? interval : min(.nanoseconds(interval.nanoseconds * Int64(replicas)), tolerance)
    }
}

/// Refuses clients that send more than their share, by their address and by their token.
package struct ClientRateLimits: Sendable {
    private let addresses: RateLimiter<ClientAddress>
    /// By a hash of the token, so that no token is stored here.
    private let tokens: RateLimiter<UInt64>
    /// The key of the hash, which is the same at all replicas; nil for a hash that is seeded anew in each process.
    private let tokenKey: SymmetricKey?
    private let exemptsThisMachine: Bool

    /// - Parameters:
    ///   - limits: The limits.
    ///   - key: A key that is the same at all replicas that share the limits; nil if they are not shared.
    init(_ limits: ServerLimits, sharedWith key: SymmetricKey? = nil) {
        addresses = RateLimiter(
            limits.addressRate, capacity: limits.trackedClients, isShared: key != nil)
        tokens = RateLimiter(limits.tokenRate, capacity: limits.trackedClients, isShared: key != nil)
        tokenKey = key
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
    /// - Parameters:
    ///   - credential: The token, or a text that is the same for all texts of the token.
    ///   - address: The address of the client.
    /// - Throws: `.tooManyRequests`.
    package func charge(credential: String, from address: ClientAddress) throws(HTTPError) {
        guard !isExempt(address) else { return }
        if let delay = tokens.consume(hash(credential), now: .now()) {
            throw .tooManyRequests(.token, after: delay)
        }
    }

    private func isExempt(_ address: ClientAddress) -> Bool {
        exemptsThisMachine && address.isThisMachine
    }

    private func hash(_ credential: String) -> UInt64 {
        guard let tokenKey else { return UInt64(bitPattern: Int64(credential.hashValue)) }
        let code = HashFunction.sha256.authenticationCode(for: credential.utf8.span, using: tokenKey)
        return code.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// A client, as replicas name it to each other when they merge limits.
package enum LimitedClient: Hashable, Sendable {
    case address(ClientAddress)
    /// A hash of its token under the key of the replicas.
    case token(UInt64)

    /// A text that is the same at all replicas; nil for a client that has a meaning at one replica only.
    package var name: String? {
        switch self {
        case .address(.ipv4(let number)): "4:\(number)"
        case .address(.ipv6Network(let number)): "6:\(number)"
        case .address(.localIntermediary), .address(.unknown): nil
        case .token(let hash): "t:\(hash)"
        }
    }
}

extension ClientRateLimits {
    /// Returns what clients spent since the last call, see ``RateLimiter/takeSpent()``.
    package func takeSpent() -> [LimitedClient: TimeAmount] {
        var spent: [LimitedClient: TimeAmount] = [:]
        for (address, amount) in addresses.takeSpent() { spent[.address(address)] = amount }
        for (token, amount) in tokens.takeSpent() { spent[.token(token)] = amount }
        return spent
    }

    /// Applies the times of all replicas, see ``RateLimiter/merge(_:now:)``.
    package func merge(_ debts: [LimitedClient: TimeAmount], now: NIODeadline = .now()) {
        var ofAddresses: [ClientAddress: TimeAmount] = [:]
        var ofTokens: [UInt64: TimeAmount] = [:]
        for (client, debt) in debts {
            switch client {
            case .address(let address): ofAddresses[address] = debt
            case .token(let hash): ofTokens[hash] = debt
            }
        }
        addresses.merge(ofAddresses, now: now)
        tokens.merge(ofTokens, now: now)
    }

    /// Divides the limits among replicas, see ``RateLimiter/divide(among:)``.
    package func divide(among replicas: Int) {
        addresses.divide(among: replicas)
        tokens.divide(among: replicas)
    }
}
