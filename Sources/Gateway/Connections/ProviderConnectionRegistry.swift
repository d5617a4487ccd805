import Brokerage
import Synchronization
import Upstream

/// The connections of all users, in memory: those of the settings, and those that users have made.
///
/// A request retains its connections, also when one of them is removed meanwhile.
final class ProviderConnectionRegistry: Sendable {
    // Each request of a user reads it; it is written when a user connects.
    private let connections: Mutex<[OwnerID: [ProviderConnection]]>

    init(_ connections: [ProviderConnection]) {
        self.connections = Mutex(Dictionary(grouping: connections, by: \.owner))
    }

    /// The number of connections.
    var count: Int { connections.withLock { $0.values.reduce(0) { $0 + $1.count } } }

    /// The owners that have a connection.
    var owners: [OwnerID] { connections.withLock { Array($0.keys) } }

    /// A user's own, in the order in which they were made.
    func connections(of owner: OwnerID) -> [ProviderConnection] {
        connections.withLock { $0[owner] ?? [] }
    }

    /// Whether a connection spends a quota.
    func spends(_ quotaAccount: QuotaAccount) -> Bool {
        connections.withLock { $0.values.joined().contains { $0.quotaAccount == quotaAccount } }
    }

    /// The effect of a connection on the one with the same id.
    enum Replacement {
        case replaced(ProviderConnection)
        /// The other one has a newer credential, and remains.
        case outdated(by: ProviderConnection)
    }

    /// Adds a connection, in place of the one with the same id, unless that has a newer credential.
    ///
    /// - Returns: The effect on the one with the same id; nil if there is none.
    @discardableResult
    func add(_ connection: ProviderConnection) -> Replacement? {
        connections.withLock { connections in
            let replacement = Self.replace(with: connection, in: &connections)
            if replacement == nil { connections[connection.owner, default: []].append(connection) }
            return replacement
        }
    }

    /// Replaces the connection with the same id, unless that has a newer credential.
    ///
    /// - Returns: The effect; nil, without a change, if there is none.
    func replace(with connection: ProviderConnection) -> Replacement? {
        connections.withLock { Self.replace(with: connection, in: &$0) }
    }

    private static func replace(
        with connection: ProviderConnection, in connections: inout [OwnerID: [ProviderConnection]]
    ) -> Replacement? {
        guard let place = connections[connection.owner]?.firstIndex(where: { $0.id == connection.id }),
            let old = connections[connection.owner]?[place]
        else { return nil }
        // Without a credential there is no version to compare: another program has deleted it.
        guard connection.credentialVersion == 0 || connection.credentialVersion >= old.credentialVersion
        else { return .outdated(by: old) }
        connections[connection.owner]?[place] = connection
        return .replaced(old)
    }

    /// Sets the known accounts of a connection, whichever credential it has now.
    func setAccounts(_ accounts: [StoredAccount], of id: String, of owner: OwnerID) {
        connections.withLock { connections in
            guard let place = connections[owner]?.firstIndex(where: { $0.id == id }) else { return }
            connections[owner]?[place].knownAccounts = accounts
        }
    }

    /// Removes a user's connection.
    ///
    /// - Returns: The removed connection; nil if there is none.
    func remove(_ id: String, of owner: OwnerID) -> ProviderConnection? {
        connections.withLock { connections in
            guard let place = connections[owner]?.firstIndex(where: { $0.id == id }) else { return nil }
            defer { if connections[owner]?.isEmpty == true { connections[owner] = nil } }
            return connections[owner]?.remove(at: place)
        }
    }

    /// Removes all of a user's connections.
    ///
    /// - Returns: them.
    func removeAll(of owner: OwnerID) -> [ProviderConnection] {
        connections.withLock { $0.removeValue(forKey: owner) ?? [] }
    }

    /// Removes all connections.
    ///
    /// - Returns: The removed connections.
    func removeAll() -> [ProviderConnection] {
        connections.withLock { connections in
            defer { connections = [:] }
            return connections.values.flatMap(\.self)
        }
    }
}
