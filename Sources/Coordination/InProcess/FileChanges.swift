package import Brokerage
package import Storage
import Synchronization

/// The changes of another process in the file of SQLite, such as those of `portico users`.
///
/// The file is compared with memory when SQLite reports that another connection has written.
package final class FileChanges: Changes {
    package let observers = ChangeObservers()
    private let sessions: SessionStore
    private let watch: ReadingConnection
    /// The last value of SQLite's counter of changes by connections other than `watch`.
    private let knownVersion = Atomic<Int64>(0)

    /// The revocations of bearer tokens that the last read has found.
    private struct Revocations {
        /// When the read began.
        var readAt: Instant
        /// Their texts; all of them were applied.
        var applied: Set<String> = []
    }

    // Held to copy or replace it.
    private let revocations: Mutex<Revocations>

    /// Revocations of this time before the last read are read again, because their transactions may have ended after it.
    private static let transactionTime = Duration.seconds(60)

    /// - Throws: The reason why the file cannot be opened.
    package init(of sessions: SessionStore, in file: SQLiteDatabase) throws(StorageError) {
        self.sessions = sessions
        revocations = Mutex(Revocations(readAt: .now))
        watch = try ReadingConnection(to: file)
    }

    /// All sessions are in memory.
    package var isCurrent: Bool { true }
    package func mayFind(_ token: String) -> Bool { false }
    package func current<Known>(_ known: () -> Known?) async throws(StorageError) -> Known? { known() }

    package func session(ofToken text: String, now: Instant) async throws(StorageError) -> ActiveSession? {
        sessions.session(ofToken: text, now: now)
    }

    /// It does not wait for the writer, whose queue can be long, unless another process has added sessions.
    package func follow(now: Instant) async throws(StorageError) {
        // It changes when another connection has written, including the writer of this process.
        let current: Int64 = try await watch.read { db in try db.value("PRAGMA data_version") ?? 0 }
        guard knownVersion.load(ordering: .relaxed) != current else { return }
        // Before the file is read, because the sessions in memory at this time have been written.
        let (known, held) = (sessions.live.all, sessions.deletions.owners)
        let last = revocations.withLock(\.self)
        // The clock may have been set back since.
        let start = min(last.readAt, now) - Self.transactionTime
        let (version, difference, revoked) = try await watch.read { [sessions] db in
            let version: Int64 = try db.value("PRAGMA data_version") ?? 0
            return (
                version, try sessions.difference(from: known, held: held, in: db, now: now),
                try IdentityStore.revocations(since: start, in: db)
            )
        }
        sessions.live.remove(difference.ended)
        sessions.deletions.report(difference.deleted)
        if let end = observers.all.identities {
            for (text, identity) in revoked where !last.applied.contains(text) { end(identity) }
        }
        revocations.withLock { $0 = Revocations(readAt: now, applied: Set(revoked.keys)) }
        if difference.hasOthers { try await sessions.reloadAll() }
        // Set last, so that a failed step is repeated the next time.
        knownVersion.store(version, ordering: .relaxed)
    }
}
