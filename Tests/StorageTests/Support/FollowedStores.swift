import Brokerage
import Coordination
import Storage
import Synchronization

/// The changes that the stores of tests follow, as a server does.
enum FollowedStores {
    // Tests run at the same time.
    private static let changes = Mutex<[ObjectIdentifier: any Changes]>([:])

    /// Lets a store follow changes by a clock of its own.
    static func follow(_ store: SessionStore, clock: TimeSource) {
        let new = ReplicaChanges(of: store, clock: clock)
        changes.withLock { $0[ObjectIdentifier(store)] = new }
    }

    /// The store is kept with its changes, so that its identifier is never that of another one.
    fileprivate static func changes(of store: SessionStore) throws -> any Changes {
        try changes.withLock { changes in
            if let known = changes[ObjectIdentifier(store)] { return known }
            let new = try Coordination.changes(of: store)
            changes[ObjectIdentifier(store)] = new
            return new
        }
    }
}

extension SessionStore {
    /// The changes of other processes to this store.
    var changes: any Changes { get throws { try FollowedStores.changes(of: self) } }
}
