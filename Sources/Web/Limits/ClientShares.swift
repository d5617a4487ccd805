import Synchronization

/// A client, as limits of what goes on at a time count it.
enum ClientIdentity: Hashable, Sendable {
    /// From whatever addresses.
    case user(String)
    /// All clients without a user of their own at an address.
    case address(ClientAddress)
}

/// How many streams and WebSockets each client has open, up to its share.
struct ClientShares: Sendable {
    typealias Permit = ConcurrencyLimiter<ClientIdentity>.Permit

    private let streams: ConcurrencyLimiter<ClientIdentity>
    private let sockets: ConcurrencyLimiter<ClientIdentity>
    private let limits: ServerLimits

    init(_ limits: ServerLimits) {
        streams = ConcurrencyLimiter(limit: limits.streamsPerClient)
        sockets = ConcurrencyLimiter(limit: limits.socketsPerClient)
        self.limits = limits
    }

    /// Counts a streamed answer, or an operation of a WebSocket, for as long as the permit lives.
    ///
    /// - Parameters:
    ///   - user: Nil for a client without one.
    ///   - address: Where the client is.
    /// - Returns: nil for a client on this machine that is exempt from limits.
    /// - Throws: `.overloaded` where the client has as many as it may have.
    func stream(of user: String?, at address: ClientAddress) throws(HTTPProblem) -> Permit? {
        guard !isExempt(address) else { return nil }
        guard let permit = streams.enter(Self.identity(user, address)) else {
            throw .overloaded(.streamsOfClient(limit: limits.streamsPerClient))
        }
        return permit
    }

    /// Counts a WebSocket, for as long as the permit lives; see above.
    func socket(of user: String?, at address: ClientAddress) throws(HTTPProblem) -> Permit? {
        guard !isExempt(address) else { return nil }
        guard let permit = sockets.enter(Self.identity(user, address)) else {
            throw .overloaded(.socketsOfClient(limit: limits.socketsPerClient))
        }
        return permit
    }

    private static func identity(_ user: String?, _ address: ClientAddress) -> ClientIdentity {
        user.map { .user($0) } ?? .address(address)
    }

    private func isExempt(_ address: ClientAddress) -> Bool {
        limits.exemptsThisMachine && address.isThisMachine
    }
}

/// Counts what goes on at a time by keys, each up to the same bound.
///
/// A lock, because the clients of all event loops share the table. It has only those keys of which something goes on, so
/// whoever uses it bounds it by the number of all of them together.
final class ConcurrencyLimiter<Key: Hashable & Sendable>: Sendable {
    private let limit: Int
    private let counts = Mutex<[Key: Int]>([:])

    init(limit: Int) {
        self.limit = limit
    }

    /// One that goes on, until it is released.
    final class Permit: Sendable {
        fileprivate let key: Key
        private let limiter: ConcurrencyLimiter

        fileprivate init(_ key: Key, of limiter: ConcurrencyLimiter) {
            (self.key, self.limiter) = (key, limiter)
        }

        deinit { limiter.leave(key) }
    }

    /// Counts one more; nil where the bound is reached.
    func enter(_ key: Key) -> Permit? {
        let isAdmitted = counts.withLock { counts in
            let count = counts[key, default: 0]
            guard count < limit else { return false }
            counts[key] = count + 1
            return true
        }
        return isAdmitted ? Permit(key, of: self) : nil
    }

    /// How many keys there are of which something goes on.
    var keyCount: Int { counts.withLock(\.count) }

    private func leave(_ key: Key) {
        counts.withLock { counts in
            guard let count = counts[key] else { return }
            counts[key] = count > 1 ? count - 1 : nil
        }
    }
}
