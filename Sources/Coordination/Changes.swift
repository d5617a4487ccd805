package import Brokerage
package import Storage
import Synchronization

/// The changes that other processes have made to the data of users: sessions that they have opened, renewed and ended, and
/// all else that this process has in memory.
///
/// - While the database responds, a process does not accept the token of a session that another one has ended for longer than
///   a second, also after it was stopped.
/// - Each change is applied once at least, and in no order that matters: changes say what to read again, not what to store.
/// - Without the database, the sessions in memory are valid for ``SessionPolicy/grace``; then their requests fail, and are not
///   refused, because clients must not discard valid tokens.
package protocol Changes: CoordinationPart {
    /// The closures that apply changes of connections, identities, alerts and orders.
    var observers: ChangeObservers { get }

    /// Whether memory has the sessions that other processes have opened and ended, up to a second ago.
    var isCurrent: Bool { get }

    /// Whether the session of a token that memory does not have may be in the database.
    func mayFind(_ token: String) -> Bool

    /// Finds a session in memory after the changes of other processes were applied.
    ///
    /// - Parameter known: Returns the session, of the store or of the identity provider, by memory only.
    /// - Returns: The session; nil if there is none.
    /// - Throws: `unavailable` after the time of grace, and for a session that memory does not have.
    func current<Known>(_ known: () -> Known?) async throws(StorageError) -> Known?

    /// Returns the session of a token, also one that another process has opened, as ``current(_:)``; nil if there is none.
    func session(ofToken token: String, now: Instant) async throws(StorageError) -> ActiveSession?

    /// Applies the changes: ends sessions that others have ended, reads those that they have changed, and reports the users
    /// that they have deleted, and all other changes.
    func follow(now: Instant) async throws(StorageError)
}

extension Changes {
    package func follow() async throws(StorageError) { try await follow(now: .now) }

    package func session(ofToken token: String) async throws(StorageError) -> ActiveSession? {
        try await session(ofToken: token, now: .now)
    }
}

extension Coordination {
    /// The changes of other processes to the database of a store.
    ///
    /// - Throws: The reason why its file cannot be opened.
    package static func changes(of sessions: SessionStore) throws(StorageError) -> any Changes {
        if let file = sessions.database.sqlite { return try FileChanges(of: sessions, in: file) }
        return ReplicaChanges(of: sessions)
    }
}

/// The closures that apply changes of other processes; each is set once at the start.
package final class ChangeObservers: Sendable {
    /// Reads the connections of some users again.
    package typealias OfConnections = @Sendable (Set<OwnerID>) async throws(StorageError) -> Void
    /// Ends the bearer tokens of an identity that has signed out.
    package typealias OfIdentities = @Sendable (EndedIdentity) -> Void
    /// Follows changed alerts: their ids by their owners.
    package typealias OfAlerts = @Sendable ([OwnerID: Set<String>]) async throws(StorageError) -> Void
    /// Follows changes of orders: the connections of the orders by their owners.
    package typealias OfOrders = @Sendable ([OwnerID: Set<String>]) -> Void

    struct All {
        var connections: OfConnections?
        var identities: OfIdentities?
        var alerts: OfAlerts?
        var orders: OfOrders?
    }

    // Held for a store or a look-up.
    private let observers = Mutex(All())

    var all: All { observers.withLock(\.self) }

    /// Calls a closure when a process has changed connections.
    package func onConnectionChange(_ observer: @escaping OfConnections) {
        observers.withLock { $0.connections = observer }
    }

    /// Calls a closure when a process has changed alerts.
    package func onAlertChange(_ observer: @escaping OfAlerts) {
        observers.withLock { $0.alerts = observer }
    }

    /// Calls a closure when a process has recorded another state or fill of orders.
    package func onOrderChange(_ observer: @escaping OfOrders) {
        observers.withLock { $0.orders = observer }
    }

    /// Calls a closure when a process has recorded a logout of the identity provider.
    package func onIdentityEnd(_ observer: @escaping OfIdentities) {
        observers.withLock { $0.identities = observer }
    }
}
