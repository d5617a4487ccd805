import Synchronization

/// A client, as limits of concurrent streams and sockets count it.
package enum ClientIdentity: Hashable, Sendable {
    /// A user, from any address.
    case user(String)
    /// All clients without a user of their own at an address.
    case address(ClientAddress)
}

/// The numbers of streams and WebSockets that each client has open, with their limits.
package struct ClientShares: Sendable {
    package typealias Permit = KeyedConcurrencyLimiter<ClientIdentity>.Permit

    private let streams: KeyedConcurrencyLimiter<ClientIdentity>
    private let sockets: KeyedConcurrencyLimiter<ClientIdentity>
    private let limits: ServerLimits

    init(_ limits: ServerLimits) {
        streams = KeyedConcurrencyLimiter(limit: limits.streamsPerClient)
        sockets = KeyedConcurrencyLimiter(limit: limits.socketsPerClient)
        self.limits = limits
    }

    /// Counts a streamed response, or an operation of a WebSocket, until the permit is released.
    ///
    /// - Parameters:
    ///   - user: Nil for a client without one.
    ///   - address: The address of the client.
    /// - Returns: Nil for a client on this machine that is exempt from limits.
    /// - Throws: `.overloaded` if the client has reached its limit.
    func stream(of user: String?, at address: ClientAddress) throws(HTTPError) -> Permit? {
        guard let client = client(user, at: address) else { return nil }
        guard let permit = streams.acquire(client) else {
            throw .overloaded(.streamsOfClient(limit: limits.streamsPerClient))
        }
        return permit
    }

    /// Counts a WebSocket until the permit is released; see ``stream(of:at:)``.
    func socket(of user: String?, at address: ClientAddress) throws(HTTPError) -> Permit? {
        guard let client = client(user, at: address) else { return nil }
        guard let permit = sockets.acquire(client) else {
            throw .overloaded(.socketsOfClient(limit: limits.socketsPerClient))
        }
        return permit
    }

    /// Whose shares something counts for; nil for a client on this machine that is exempt from limits.
    func client(_ user: String?, at address: ClientAddress) -> ClientIdentity? {
        guard let address = self.address(address) else { return nil }
        return user.map { .user($0) } ?? .address(address)
    }

    /// The address whose share something counts for; nil for a client on this machine that is exempt from limits.
    func address(_ address: ClientAddress) -> ClientAddress? {
        limits.exemptsThisMachine && address.isThisMachine ? nil : address
    }
}

/// Counts concurrent uses by key, each up to the same limit.
///
/// It has a lock, because the clients of all event loops share the table. The table contains only keys in
/// use, so the number of all uses limits it.
package final class KeyedConcurrencyLimiter<Key: Hashable & Sendable>: Sendable {
    private let limit: Int
    private let counts = Mutex<[Key: Int]>([:])

    package init(limit: Int) {
        self.limit = limit
    }

    /// One use, until it is released.
    package final class Permit: Sendable {
        fileprivate let key: Key
        private let limiter: KeyedConcurrencyLimiter

        fileprivate init(_ key: Key, of limiter: KeyedConcurrencyLimiter) {
            (self.key, self.limiter) = (key, limiter)
        }

        deinit { limiter.release(key) }
    }

    /// Counts one more use; nil if the limit is reached.
    package func acquire(_ key: Key) -> Permit? {
        let isAdmitted = counts.withLock { counts in
            let count = counts[key, default: 0]
            guard count < limit else { return false }
            counts[key] = count + 1
            return true
        }
        return isAdmitted ? Permit(key, of: self) : nil
    }

    /// The number of keys in use.
    package var keyCount: Int { counts.withLock(\.count) }

    private func release(_ key: Key) {
        counts.withLock { counts in
            guard let count = counts[key] else { return }
            counts[key] = count > 1 ? count - 1 : nil
        }
    }
}
