package import Brokerage
import GRDB
import Synchronization
import Upstream

extension SessionStore {
    /// Ends the sessions that another process, such as `portico users`, has ended, reads those that it has
    /// changed, and reports the users that it has deleted.
    ///
    /// It does not wait for the writer, whose queue can be long, unless another process has added sessions.
    package func followOthers(now: Instant = .now) async throws(StorageError) {
        // Before the file is read, because the sessions in memory at this time have been written.
        let (known, held) = (live.all, deletions.owners)
        let found = try await watch.read { [self] db -> Difference? in
            // It changes when another connection has written, including the writer of this process.
            let version = try Int64.fetchOne(db, sql: "PRAGMA data_version") ?? 0
            guard knownVersion.load(ordering: .relaxed) != version else { return nil }
            return try difference(from: known, held: held, at: version, in: db, now: now)
        }
        guard let found else { return }
        live.remove(found.ended)
        deletions.report(found.deleted)
        if found.hasOthers {
            // Only the writer adds sessions, so that no session of this process is lost.
            try await database.betweenWrites { [live] db in live.replace(with: try Self.all(db)) }
        }
        // Set last, so that a failed step is repeated the next time.
        knownVersion.store(found.version, ordering: .relaxed)
    }

    /// The differences between the file and memory.
    private struct Difference: Sendable {
        let version: Int64
        /// Sessions that are not in the file, or that have another token or other scopes there.
        let ended: [LiveSession]
        /// Whether the file has sessions that are not in memory with the same values.
        let hasOthers: Bool
        let deleted: [OwnerID]
    }

    private func difference(
        from known: [LiveSession], held: [OwnerID], at version: Int64, in db: Database, now: Instant
    ) throws -> Difference {
        var missing = Dictionary(known.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        var hasOthers = false
        let rows = try Row.fetchCursor(
            db,
            sql: "SELECT id, user_id, token_hash, scopes, expires_at, last_used_at FROM session")
        while let row = try rows.next() {
            let id: String = row["id"]
            if missing[id]?.isUnchanged(in: row) == true {
                missing[id] = nil
            } else if live.session(id)?.isUnchanged(in: row) != true, !hasExpired(row, now: now) {
                // It was neither known before nor written by this process meanwhile.
                hasOthers = true
            }
        }
        let users = held.isEmpty ? [] : Set(try String.fetchAll(db, sql: "SELECT id FROM user"))
        return Difference(
            version: version, ended: Array(missing.values), hasOthers: hasOthers,
            deleted: held.filter { !users.contains($0.text) })
    }

    /// Whether a session in the file has expired: it was removed from memory, and ``tidy(now:)`` will delete
    /// it.
    private func hasExpired(_ row: Row, now: Instant) -> Bool {
        let now = now.millisecondsSince1970
        let idle = Int64(policy.idle / .milliseconds(1))
        let (end, lastUse): (Int64, Int64) = (row["expires_at"], row["last_used_at"])
        return end <= now || lastUse <= now - idle
    }
}
