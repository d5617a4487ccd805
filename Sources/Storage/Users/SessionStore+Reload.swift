package import Brokerage

/// Reads sessions again that other processes have opened, renewed or ended.
extension SessionStore {
    /// Reads the session of a token from the database into memory.
    ///
    /// It is read again if memory has another token of the session, which another process may have renewed, or if the
    /// session was removed from memory since the look-up began: then an end that was applied before it was added is seen
    /// here, and a later one is applied to the session in memory.
    ///
    /// - Returns: Nil if the database has no such session.
    package func lookUp(
        _ token: SessionToken, now: Instant
    ) async throws(StorageError) -> ActiveSession? {
        let hash = TokenHash(token, under: key)
        // After a renewal the session has the next token, while the earlier one is still accepted.
        let next = NextToken(after: TokenHash(digesting: token), under: key).hash
        live.beginAddition()
        defer { live.endAddition() }
        let found = try await database.read(.lookUp) { db in
            try Self.all(db, where: "WHERE session.token_hash IN (?, ?)", [hash.data, next.data]).first
        }
        guard let found else { return nil }
        live.addIfUnknown(found)
        if live.wasRemoved(found) || live.session(found.id)?.hash != found.hash {
            do throws(StorageError) {
                try await refresh([found.id])
            } catch {
                live.remove([found])
                throw error
            }
        }
        return session(ofToken: token.text, now: now)
    }

    /// Replaces sessions in memory with those of the database.
    ///
    /// Memory is read before the database. It changes after a commit of this process, so a session in memory that differs is
    /// older than the one in the database, and ends unless it was renewed. Sessions that were added are read again, because this
    /// process may have ended one between the read and its addition. A session whose row cannot be read ends, and does not
    /// delay the changes of others; a request with its token gets the error of the row.
    package func refresh(_ ids: Set<String>) async throws(StorageError) {
        var ids = ids
        while !ids.isEmpty {
            let known = Dictionary(ids.compactMap { live.session($0) }.map { ($0.id, $0) }) { $1 }
            let list = SQLList(Array(ids))
            let rows = try await database.read { db in
                try Self.all(
                    db, where: "WHERE session.id IN (\(list.placeholders))", list.arguments,
                    skipsDamaged: true)
            }
            let stored = Dictionary(rows.map { ($0.id, $0) }) { $1 }
            // An id is never used again.
            live.remove(ids.filter { stored[$0] == nil })
            let new = stored.values.filter { known[$0.id]?.isUnchanged(in: $0) != true }
            for session in new {
                if let old = known[session.id], old.isRenewed(by: session) {
                    live.replace(
                        old, with: session.with(hash: session.hash, next: nil, validity: old.validity))
                } else {
                    live.remove([known[session.id]].compactMap(\.self))
                    live.addIfUnknown(session)
                }
            }
            ids = Set(new.map(\.id))
        }
    }

    /// Replaces all sessions in memory with those of the file, between two writes: only the writer adds sessions, so that no
    /// session of this process is lost.
    package func reloadAll() async throws(StorageError) {
        try await database.betweenWrites { [live] db in live.replace(with: try Self.all(db)) }
    }

    /// The differences between the file and memory.
    package struct Difference: Sendable {
        /// Sessions that are not in the file, or that have there a token that is not of a renewal, or other scopes.
        package let ended: [ActiveSession]
        /// Whether the file has sessions that are not in memory with the same values.
        package let hasOthers: Bool
        package let deleted: [OwnerID]
    }

    /// Compares the sessions that were in memory before the read, and the users who had data in memory, with the file.
    package func difference(
        from known: [ActiveSession], held: [OwnerID], in db: SQLTransaction, now: Instant
    ) throws -> Difference {
        var missing = Dictionary(known.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        var hasOthers = false
        let sql = "SELECT id, user_id, token_hash, scopes, expires_at, last_used_at FROM session"
        try db.forEachRow(sql) { row in
            let id: String = try row["id"]
            if try missing[id]?.isUnchanged(in: row) == true {
                missing[id] = nil
            } else if try missing[id]?.isRenewed(in: row) == true {
                missing[id] = nil
                hasOthers = true
            } else if try live.session(id)?.isUnchanged(in: row) != true, try !hasExpired(row, now: now) {
                // It was neither known before nor written by this process meanwhile.
                hasOthers = true
            }
        }
        let users = held.isEmpty ? [] : Set(try db.values(#"SELECT id FROM "user""#, as: String.self))
        return Difference(
            ended: Array(missing.values), hasOthers: hasOthers,
            deleted: held.filter { !users.contains($0.text) })
    }

    /// Whether a session in the file has expired: it was removed from memory, and ``tidy(now:)`` will delete
    /// it.
    private func hasExpired(_ row: SQLRow, now: Instant) throws -> Bool {
        let now = now.millisecondsSince1970
        let idle = Int64(policy.idle / .milliseconds(1))
        let (end, lastUse): (Int64, Int64) = try (row["expires_at"], row["last_used_at"])
        return end <= now || lastUse <= now - idle
    }
}
