package import Brokerage
import Synchronization

/// Notifies the holders of users' data in memory of the deletion of users.
///
/// Users are deleted by their own request, with a guest's last session, when that session has expired, and by
/// another process.
package final class UserDeletions: Sendable {
    private struct Holder: Sendable {
        let owners: @Sendable () -> [OwnerID]
        let release: @Sendable (OwnerID) -> Void
    }

    // Written while the process starts; held to copy the array.
    private let holders = Mutex<[Holder]>([])

    /// Registers a holder of users' data.
    ///
    /// - Parameters:
    ///   - owners: Returns the users whose data it holds now.
    ///   - release: Releases the data of a deleted user. It is called on any thread once the user's rows are
    ///     deleted, and may be called for a user without data.
    package func register(
        owners: @escaping @Sendable () -> [OwnerID], release: @escaping @Sendable (OwnerID) -> Void
    ) {
        holders.withLock { $0.append(Holder(owners: owners, release: release)) }
    }

    /// The users whose data is held.
    package var owners: [OwnerID] {
        holders.withLock(\.self).flatMap { $0.owners() }
    }

    package func report(_ deleted: [OwnerID]) {
        if deleted.isEmpty { return }
        for holder in holders.withLock(\.self) {
            for owner in deleted { holder.release(owner) }
        }
    }
}
