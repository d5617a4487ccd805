import Synchronization
package import Upstream

/// Tells what holds data of users in memory which users were deleted.
///
/// Users are deleted by themselves, with a guest's last session, when that has expired, and by another process.
package final class UserDeletions: Sendable {
    private struct Holder: Sendable {
        let owners: @Sendable () -> [OwnerID]
        let release: @Sendable (OwnerID) -> Void
    }

    // Written while the process starts; held to copy the array.
    private let holders = Mutex<[Holder]>([])

    /// Registers something that holds data of users.
    ///
    /// - Parameters:
    ///   - owners: The users of whom it holds data now.
    ///   - release: Releases the data of a user who was deleted. It is called on any thread once the user's rows are deleted,
    ///     and may be called for a user of whom there is nothing.
    package func register(
        owners: @escaping @Sendable () -> [OwnerID], release: @escaping @Sendable (OwnerID) -> Void
    ) {
        holders.withLock { $0.append(Holder(owners: owners, release: release)) }
    }

    /// The users of whom something is held.
    var owners: [OwnerID] {
        holders.withLock(\.self).flatMap { $0.owners() }
    }

    func report(_ deleted: [OwnerID]) {
        if deleted.isEmpty { return }
        for holder in holders.withLock(\.self) {
            for owner in deleted { holder.release(owner) }
        }
    }
}
