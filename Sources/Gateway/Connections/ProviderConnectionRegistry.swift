import Synchronization
import Upstream

/// All connections of all users, in memory: those that the settings name, and those that users have made.
///
/// A request keeps the connections that it was given, also when one of them is removed meanwhile.
final class ProviderConnectionRegistry: Sendable {
    // Read by every request of a user, for a look-up; written when somebody connects.
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
    func spends(_ holder: QuotaAccount) -> Bool {
        connections.withLock { $0.values.joined().contains { $0.quotaAccount == holder } }
    }

    func add(_ connection: ProviderConnection) {
        connections.withLock { $0[connection.owner, default: []].append(connection) }
    }

    /// Puts a connection in the place of the one with its id.
    ///
    /// - Returns: the one that stood there; nil, and nothing is changed, where there is none any more.
    func replace(with connection: ProviderConnection) -> ProviderConnection? {
        connections.withLock { connections in
            guard let place = connections[connection.owner]?.firstIndex(where: { $0.id == connection.id })
            else { return nil }
            let old = connections[connection.owner]?[place]
            connections[connection.owner]?[place] = connection
            return old
        }
    }

    /// Removes a user's connection.
    ///
    /// - Returns: it; nil where there is none.
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

    /// Removes everybody's.
    ///
    /// - Returns: them.
    func removeAll() -> [ProviderConnection] {
        connections.withLock { connections in
            defer { connections = [:] }
            return connections.values.flatMap(\.self)
        }
    }
}
