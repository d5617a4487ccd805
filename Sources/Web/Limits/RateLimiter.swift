import Cryptography
package import PorticoCore
import Synchronization

/// A rate limiter with one token bucket for each key.
///
/// Replicas share a limit as follows: each decides by its own buckets, takes the amounts that were spent since the last
/// merge (``takeSpent()``), adds them to those of all replicas, and moves its buckets to the later of both times
/// (``merge(_:now:)``).
///
/// A lock guards the table, because the clients of all event loops share it.
package final class RateLimiter<Key: Hashable & Sendable>: Sendable {
    private let limit: CallRate
    private let state: Mutex<State>

    private struct State {
        var buckets: TokenBuckets<Key>
        /// The requests of each key since the last merge; nil for a limiter that is not shared.
        var spent: [Key: Int]?
        /// The number of replicas among which the limit is divided while they cannot merge.
        var replicas = 1
    }

    /// - Parameters:
    ///   - limit: The limit of each key.
    ///   - capacity: The number of buckets.
    ///   - isShared: Whether spent amounts are recorded for other replicas.
    package init(_ limit: CallRate, capacity: Int, isShared: Bool = false) {
        self.limit = limit
        state = Mutex(State(buckets: TokenBuckets(capacity: capacity), spent: isShared ? [:] : nil))
    }

    /// Returns nil if the request is admitted, otherwise the time until one is.
    package func consume(_ key: Key, now: ContinuousClock.Instant) -> Duration? {
        state.withLock { state in
            var bucket = state.buckets.bucket(of: key, at: now)
            if let delay = bucket.take(limit, dividedBy: state.replicas) { return delay }
            let isOwn = state.buckets.store(bucket, of: key, at: now)
            if isOwn { state.spent?[key, default: 0] += 1 }
            return nil
        }
    }

    // MARK: Sharing

    /// Returns the time by which each key that sent requests since the last call is ahead of its rate, and forgets it.
    ///
    /// There are at most as many keys as buckets.
    package func takeSpent() -> [Key: Duration] {
        let spent = state.withLock { state in
            let spent = state.spent
            if spent?.isEmpty == false { state.spent = [:] }
            return spent
        }
        return (spent ?? [:]).mapValues { limit.interval * $0 }
    }

    /// Moves buckets to the times of all replicas together; a time before the own one has no effect.
    ///
    /// - Parameters:
    ///   - debts: For each key, the time until its bucket will be full again.
    ///   - now: The current time.
    package func merge(_ debts: [Key: Duration], now: ContinuousClock.Instant) {
        state.withLock { state in
            for (key, debt) in debts {
                // A key that was removed since has a full bucket here, and sends no requests.
                state.buckets.lower(key, to: TokenBucket(untilFull: min(debt, limit.capacity)), at: now)
            }
        }
    }

    /// Divides the limit among replicas, because they cannot merge; 1 ends the division.
    package func divide(among replicas: Int) {
        state.withLock { $0.replicas = min(max(replicas, 1), 10_000) }
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
        if let delay = addresses.consume(address, now: .now) {
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
        if let delay = tokens.consume(hash(credential), now: .now) {
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
    package func takeSpent() -> [LimitedClient: Duration] {
        var spent: [LimitedClient: Duration] = [:]
        for (address, amount) in addresses.takeSpent() { spent[.address(address)] = amount }
        for (token, amount) in tokens.takeSpent() { spent[.token(token)] = amount }
        return spent
    }

    /// Applies the times of all replicas, see ``RateLimiter/merge(_:now:)``.
    package func merge(_ debts: [LimitedClient: Duration], now: ContinuousClock.Instant = .now) {
        var ofAddresses: [ClientAddress: Duration] = [:]
        var ofTokens: [UInt64: Duration] = [:]
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
