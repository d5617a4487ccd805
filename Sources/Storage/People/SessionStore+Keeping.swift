package import Brokerage
import GRDB
import Upstream

extension SessionStore {
    /// Writes down when sessions were used last, all in one transaction.
    package func keepUses() async throws(StorageError) {
        let uses = unkeptUses
        guard !uses.isEmpty else { return }
        try await database.write { db in try Self.keep(uses, in: db) }
        for (session, use) in uses { session.noteKept(use) }
    }

    /// Forgets sessions that have ended by themselves, and guests who have none left.
    package func tidy(now: Instant = .now) async throws(StorageError) {
        let uses = unkeptUses
        let idle = now + (.zero - policy.idle)
        let deleted = try await database.write { [self] db in
            // First, or one that was used a moment ago would end.
            try Self.keep(uses, in: db)
            let ended = try String.fetchAll(
                db, sql: "SELECT id FROM session WHERE expires_at <= ? OR last_used_at <= ?",
                arguments: [now.millisecondsSince1970, idle.millisecondsSince1970])
            try delete(ended, in: db)
            return try UserStore.deleteGuestsWithoutSession(in: db)
        }
        deletions.report(deleted)
        for (session, use) in uses { session.noteKept(use) }
    }

    /// Ends the expired sessions in memory; ``tidy(now:)`` deletes them from the file.
    ///
    /// - Returns: whether there were any.
    package func endExpired(now: Instant = .now) -> Bool { live.removeExpired(at: now) }

    private var unkeptUses: [(LiveSession, Int64)] {
        live.all.compactMap { session in session.unkeptUse.map { (session, $0) } }
    }

    private static func keep(_ uses: [(LiveSession, Int64)], in db: Database) throws {
        for (session, use) in uses {
            try db.execute(
                sql: "UPDATE session SET last_used_at = ? WHERE id = ? AND last_used_at < ?",
                arguments: [use, session.id, use])
        }
    }
}
