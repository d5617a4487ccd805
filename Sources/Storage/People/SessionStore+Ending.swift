package import Brokerage
import GRDB
package import Upstream

extension SessionStore {
    /// Gives a session a new token and its full lifetime; the old token ends.
    ///
    /// - Parameters:
    ///   - session: The session that the request's token has opened.
    ///   - now: The current time.
    /// - Returns: nil if this token has ended: if two requests renew with the same token, one succeeds.
    /// - Throws: `StorageError` if the database cannot be written.
    package func renew(
        _ session: LiveSession, now: Instant = .now
    ) async throws(StorageError) -> Opened? {
        try await database.write { [self] db in try renew(session, in: db, now: now) }
    }

    func renew(_ session: LiveSession, in db: Database, now: Instant) throws -> Opened? {
        let (id, owner) = (session.id, session.owner)
        guard let row = try row(of: session, in: db, now: now), let user = try UserStore.user(owner, in: db)
        else { return nil }
        let old = try LiveSession(row, isGuest: user.kind == .guest)
        let token = SessionToken()
        let new = LiveSession(
            id: id, owner: owner, isGuest: old.isGuest, scopes: old.scopes, label: old.label,
            createdAt: old.createdAt, lastUsedAt: now, expiresAt: policy.expiry(from: now), hash: hash(token))
        try db.execute(
            sql: "UPDATE session SET token_hash = ?, last_used_at = ?, expires_at = ? WHERE id = ?",
            arguments: [
                new.hash.data, now.millisecondsSince1970, new.expiresAt.millisecondsSince1970, id,
            ])
        db.afterNextTransaction { [live] _ in
            live.remove([id])
            live.add(new)
        }
        return Opened(token: token, session: new, user: user)
    }

    /// The row of a session in a transaction; nil if the session's token has ended, in memory or only in the
    /// file.
    func row(of session: LiveSession, in db: Database, now: Instant) throws -> Row? {
        guard isValid(session, now: now) else { return nil }
        return try Row.fetchOne(
            db, sql: "SELECT * FROM session WHERE id = ? AND user_id = ? AND token_hash = ?",
            arguments: [session.id, session.owner.text, session.hash.data])
    }

    /// Ends a user's session.
    ///
    /// - Returns: whether there was one.
    package func revoke(_ id: String, of owner: OwnerID) async throws(StorageError) -> Bool {
        try await end(of: owner) { $0 == id }.isEmpty == false
    }

    /// Ends a user's sessions but one.
    ///
    /// - Returns: the ids of those that ended.
    package func revokeOthers(than id: String, of owner: OwnerID) async throws(StorageError) -> [String] {
        try await end(of: owner) { $0 != id }
    }

    private func end(
        of owner: OwnerID, where isMeant: @escaping @Sendable (String) -> Bool
    ) async throws(StorageError) -> [String] {
        let (ids, deleted) = try await database.write { [self] db in
            try end(of: owner, in: db, where: isMeant)
        }
        deletions.report(deleted)
        return ids
    }

    /// Ends sessions in a transaction.
    ///
    /// If it ends a guest's last session, it deletes the guest.
    ///
    /// - Returns: the ids of the sessions, and the deleted guest if any.
    func end(
        of owner: OwnerID, in db: Database, where isMeant: (String) -> Bool
    ) throws -> (ids: [String], deleted: [OwnerID]) {
        let ids = try String.fetchAll(
            db, sql: "SELECT id FROM session WHERE user_id = ? ORDER BY id", arguments: [owner.text]
        ).filter(isMeant)
        try delete(ids, in: db)
        return (ids, try UserStore.deleteGuestWithoutSession(owner, in: db) ? [owner] : [])
    }
}
