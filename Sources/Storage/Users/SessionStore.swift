package import Brokerage
import Cryptography

/// The sessions of the server: stored in the file, and looked up in memory.
///
/// All methods change memory and database together.
package final class SessionStore: Sendable {
    package let policy: SessionPolicy
    package let database: SQLDatabase
    package let live: ActiveSessions
    /// The deletions of users by this process, or by another process with the same file.
    package let deletions = UserDeletions()
    let key: SymmetricKey
    /// When the read of the sessions at the start began; a later change of another process may not be in memory.
    package let readAt: ContinuousClock.Instant
    /// The transactions of the PostgreSQL database that had ended before this read; nil with a file.
    package let readAfter: PostgresSnapshot?

    /// Reads all sessions of a file in pages; for the start of the process: it waits.
    ///
    /// - Throws: `wrongMasterKey` where their tokens' hashes were made under another.
    package init(
        in file: UserDatabase, _ master: MasterKey, _ policy: SessionPolicy = SessionPolicy()
    ) throws(StorageError) {
        database = file.database
        self.policy = policy
        live = ActiveSessions(policy)
        key = try TokenKey(in: database, master).key
        readAt = .now
        readAfter = try database.postgres == nil ? nil : database.readNow(PostgresSnapshot.current)
        let pages = try database.readNow(SQLPages(of: "session")) { db, ids in
            try Self.all(db, where: "WHERE session.id IN (\(ids.placeholders))", ids.arguments)
        }
        live.replace(with: pages.flatMap(\.self))
    }

    /// Returns the session of a token; nil if there is none.
    ///
    /// It reads memory only, in less than a microsecond.
    package func session(ofToken text: String, now: Instant = .now) -> ActiveSession? {
        guard let token = SessionToken(text) else { return nil }
        let digest = TokenHash(digesting: token)
        let found =
            live.session(withDigest: digest) ?? firstUse(of: token, digest)
            ?? renewed(from: token, digest, now: now)
        guard let found, now < found.end(policy) else { return nil }
        found.recordUse(at: now)
        return found
    }

    /// The session of a token that is seen for the first time.
    private func firstUse(of token: SessionToken, _ digest: TokenHash) -> ActiveSession? {
        let found = live.session(withHash: TokenHash(token, under: key), digest: digest)
        found?.setNext(NextToken(after: digest, under: key))
        return found
    }

    /// The session of a token that a renewal has replaced less than ``SessionPolicy/overlap`` ago.
    ///
    /// - Returns: An object with the earlier token, which renews and changes no session, and ends with the session.
    private func renewed(from token: SessionToken, _ digest: TokenHash, now: Instant) -> ActiveSession? {
        let next = NextToken(after: digest, under: key)
        guard let session = firstUse(of: next.token, TokenHash(digesting: next.token)),
            isRecentlyRenewed(session, now: now)
        else { return nil }
        return session.with(hash: TokenHash(token, under: key), next: next, validity: session.validity)
    }

    /// Whether the token before this one is still accepted.
    func isRecentlyRenewed(_ session: ActiveSession, now: Instant) -> Bool {
        now + policy.lifetime < session.expiresAt + policy.overlap
    }

    /// Returns a session by its id; nil if there is none.
    package func session(_ id: String, now: Instant = .now) -> ActiveSession? {
        live.session(id).flatMap { now < $0.end(policy) ? $0 : nil }
    }

    /// Whether a session has neither ended nor expired; also if its token was renewed since.
    package func isValid(_ session: ActiveSession, now: Instant = .now) -> Bool {
        // The object of the last token has the times of the session.
        !session.validity.hasEnded && now < (live.session(session.id) ?? session).end(policy)
    }

    /// A user's sessions, the one used last first.
    package func sessions(of owner: OwnerID, now: Instant = .now) -> [ActiveSession] {
        live.sessions(of: owner).filter { now < $0.end(policy) }
    }

    /// When a session ends if it is not used again.
    package func end(of session: ActiveSession) -> Instant { session.end(policy) }

    /// A token, with its session.
    package struct NewSession: Sendable {
        package let token: SessionToken
        package let session: ActiveSession
        package let user: User
    }

    /// The options of a new session.
    package struct Options: Sendable {
        package var scopes: Set<Scope>
        package var label: String?
        /// The session at the identity provider by which it is opened; nil for a sign-in without one.
        var origin: IssuerSession?

        package init(scopes: Set<Scope>, label: String?) {
            self.scopes = scopes
            self.label = label
        }
    }

    /// Executes a transaction that opens a session.
    ///
    /// At a server, the end of the session can be applied before the closure that follows the commit adds it. A file has one
    /// writer, which executes these closures in the order of the commits.
    func opening<Value: Sendable>(
        for owner: OwnerID? = nil, _ body: @escaping @Sendable (SQLTransaction) throws -> Value
    ) async throws(StorageError) -> Value {
        let isShared = database.postgres != nil
        if isShared { live.beginAddition() }
        defer { if isShared { live.endAddition() } }
        guard let owner else { return try await database.write(body) }
        return try await database.write(for: owner, body)
    }

    /// Makes a session in the transaction that finds or makes its user, in ``opening(for:_:)``; a user with too many loses the
    /// one that was unused for longest.
    func open(_ options: Options, for user: User, in db: SQLTransaction, now: Instant) throws -> NewSession {
        let token = SessionToken()
        let session = ActiveSession(
            id: RandomID.make(), owner: user.id, isGuest: user.kind == .guest, scopes: options.scopes,
            label: options.label, createdAt: now, lastUsedAt: now, expiresAt: policy.expiry(from: now),
            hash: TokenHash(token, under: key),
            next: NextToken(after: TokenHash(digesting: token), under: key))
        try session.insert(into: db, openedBy: options.origin)
        try delete(try surplus(of: user.id, besides: session.id, in: db), in: db)
        db.afterCommit { [live] in live.add(session) }
        return NewSession(token: token, session: session, user: user)
    }

    /// The sessions of a user that a new one ends, which were unused for longest.
    ///
    /// Memory has later times of use than the database, but not all sessions that other processes have opened.
    private func surplus(of owner: OwnerID, besides new: String, in db: SQLTransaction) throws -> [String] {
        let uses = try db.rows(
            "SELECT id, last_used_at FROM session WHERE user_id = ? AND id <> ?", [owner.text, new]
        ).map { row in
            let (id, stored): (String, Int64) = try (row["id"], row["last_used_at"])
            return (max(stored, live.session(id)?.lastUsedAt.millisecondsSince1970 ?? stored), id)
        }
        return uses.sorted(by: >).dropFirst(max(0, policy.perUser - 1)).map(\.1)
    }

    /// Ends sessions in a transaction; they are removed from memory when it is committed.
    ///
    /// A transaction that changes several sessions changes them in the order of their ids, so that no two wait for each other.
    func delete(_ ids: [String], in db: SQLTransaction) throws {
        guard !ids.isEmpty else { return }
        for id in ids.sorted() { try db.execute("DELETE FROM session WHERE id = ?", [id]) }
        db.afterCommit { [live] in live.remove(ids) }
    }

    static func all(
        _ db: SQLTransaction, where condition: String = "", _ arguments: SQLArguments = [],
        skipsDamaged: Bool = false
    ) throws -> [ActiveSession] {
        let sql = #"SELECT session.*, "user".kind FROM session JOIN "user" ON "user".id = session.user_id"#
        return try db.rows("\(sql) \(condition)", arguments).compactMap { row in
            do {
                return try ActiveSession(row, isGuest: "GUEST" == row["kind"])
            } catch is CorruptedRow where skipsDamaged {
                return nil
            }
        }
    }

    // MARK: Renewal and end

    /// Gives a session a new token and its full lifetime.
    ///
    /// What was opened with the old token continues, and the old token is accepted for ``SessionPolicy/overlap``.
    ///
    /// - Parameters:
    ///   - session: The session that the request's token has opened.
    ///   - now: The current time.
    /// - Returns: The same token for all requests that renew with the same token within this time; nil if the session has
    ///   ended, or the time has.
    /// - Throws: `StorageError` if the database cannot be written.
    package func renew(
        _ session: ActiveSession, now: Instant = .now
    ) async throws(StorageError) -> NewSession? {
        try await database.write(for: session.owner) { [self] db in try renew(session, in: db, now: now) }
    }

    func renew(_ session: ActiveSession, in db: SQLTransaction, now: Instant) throws -> NewSession? {
        let token = session.nextToken?.token ?? SessionToken()
        return try replaceToken(of: session, by: token, validity: session.validity, in: db, now: now)
            ?? alreadyRenewed(session, in: db, now: now)
    }

    /// The session with the token that another request has given it by a renewal with the same earlier token.
    private func alreadyRenewed(
        _ session: ActiveSession, in db: SQLTransaction, now: Instant
    ) throws -> NewSession? {
        guard let next = session.nextToken, isValid(session, now: now),
            let row = try row(session.id, of: session.owner, hash: next.hash, in: db),
            let user = try UserStore.user(session.owner, in: db)
        else { return nil }
        let found = try ActiveSession(row, isGuest: user.kind == .guest, validity: session.validity)
        guard isRecentlyRenewed(found, now: now) else { return nil }
        return NewSession(token: next.token, session: found, user: user)
    }

    /// Gives a session another token, and its full lifetime.
    ///
    /// What was opened with the earlier token continues if `validity` is that of the session, and ends if it is a new one.
    ///
    /// - Returns: nil if the session's token is not the request's any more.
    func replaceToken(
        of session: ActiveSession, by token: SessionToken, validity: SessionValidity,
        in db: SQLTransaction, now: Instant
    ) throws -> NewSession? {
        let (id, owner) = (session.id, session.owner)
        guard let row = try row(of: session, in: db, now: now), let user = try UserStore.user(owner, in: db)
        else { return nil }
        let old = try ActiveSession(row, isGuest: user.kind == .guest)
        let new = ActiveSession(
            id: id, owner: owner, isGuest: old.isGuest, scopes: old.scopes, label: old.label,
            createdAt: old.createdAt, lastUsedAt: now, expiresAt: policy.expiry(from: now),
            hash: TokenHash(token, under: key),
            next: NextToken(after: TokenHash(digesting: token), under: key), validity: validity)
        let count = try db.executeUpdate(
            "UPDATE session SET token_hash = ?, last_used_at = ?, expires_at = ? WHERE id = ?",
            [
                new.hash.data, now.millisecondsSince1970, new.expiresAt.millisecondsSince1970, id,
            ])
        // A logout of the identity provider may have deleted the session since it was read.
        guard count == 1 else { return nil }
        db.afterCommit { [live] in live.replace(session, with: new) }
        return NewSession(token: token, session: new, user: user)
    }

    /// The row of a session in a transaction; nil if the session's token has ended, in memory or only in the
    /// file.
    func row(of session: ActiveSession, in db: SQLTransaction, now: Instant) throws -> SQLRow? {
        guard isValid(session, now: now) else { return nil }
        return try row(session.id, of: session.owner, hash: session.hash, in: db)
    }

    private func row(_ id: String, of owner: OwnerID, hash: TokenHash, in db: SQLTransaction) throws
        -> SQLRow?
    {
        try db.row(
            "SELECT * FROM session WHERE id = ? AND user_id = ? AND token_hash = ?",
            [id, owner.text, hash.data])
    }

    /// Ends a user's session.
    ///
    /// - Returns: whether there was one.
    package func revoke(_ id: String, of owner: OwnerID) async throws(StorageError) -> Bool {
        try await end(of: owner) { $0 == id }.isEmpty == false
    }

    /// Ends a user's sessions but one, and refuses the user's bearer tokens but one from now on.
    ///
    /// - Parameters:
    ///   - id: The id of the session that remains; no session has an empty one.
    ///   - kept: The bearer token that remains; nil for none.
    ///   - owner: The user.
    ///   - now: The current time.
    /// - Returns: The ids of the sessions that ended; nil if `kept` was revoked before, so that nothing was changed.
    /// - Throws: The error that prevented the write; then nothing was changed.
    package func revokeOthers(
        than id: String, exceptToken kept: KeptToken? = nil, of owner: OwnerID, now: Instant = .now
    ) async throws(StorageError) -> [String]? {
        let (ids, deleted) = try await database.write(for: owner) { [self] db -> ([String]?, [OwnerID]) in
            if let kept, try IdentityStore.isRevoked(kept, of: owner, in: db) { return (nil, []) }
            try IdentityStore.revokeTokens(of: owner, except: kept, in: db, now: now)
            return try end(of: owner, in: db) { $0 != id }
        }
        deletions.report(deleted)
        return ids
    }

    private func end(
        of owner: OwnerID, where isMeant: @escaping @Sendable (String) -> Bool
    ) async throws(StorageError) -> [String] {
        let (ids, deleted) = try await database.write(for: owner) { [self] db in
            try end(of: owner, in: db, where: isMeant)
        }
        deletions.report(deleted)
        return ids
    }

    /// Ends sessions in a transaction.
    ///
    /// If it ends a guest's last session, it deletes the guest. Sessions that only memory has end there: another transaction
    /// has ended them, whose commit had no response, or whose change was not read yet.
    ///
    /// - Returns: the ids of the sessions, and the deleted guest if any.
    func end(
        of owner: OwnerID, in db: SQLTransaction, where isMeant: (String) -> Bool
    ) throws -> (ids: [String], deleted: [OwnerID]) {
        // Before the read, which sees each session that memory has by then, unless it has ended.
        let known = live.sessions(of: owner).map(\.id).filter(isMeant)
        let ids = try db.values("SELECT id FROM session WHERE user_id = ? ORDER BY id", [owner.text]).filter(
            isMeant)
        try delete(ids, in: db)
        let ended = Set(known).subtracting(ids).sorted()
        db.afterCommit { [live] in live.remove(ended) }
        return (ids + ended, try UserStore.deleteGuestWithoutSession(owner, in: db) ? [owner] : [])
    }

    // MARK: Uses and expired sessions

    /// As many sessions change in one transaction, whose time is limited.
    static let batch = 500

    /// Stores when sessions were used last.
    package func storeLastUses() async throws(StorageError) {
        var rest = unsavedUses[...]
        while !rest.isEmpty {
            let uses = Array(rest.prefix(Self.batch))
            rest = rest.dropFirst(Self.batch)
            try await database.write { db in try Self.store(uses, in: db) }
            for (session, use) in uses { session.markStored(use) }
        }
    }

    /// Forgets sessions that have ended by themselves; ``GuestDeletion`` deletes the guests who have none left.
    ///
    /// It deletes them in several transactions of bounded size. After an error, those of the transactions before are deleted.
    package func tidy(now: Instant = .now) async throws(StorageError) {
        try await storeLastUses()
        while try await deleteExpired(at: now) == Self.batch {}
    }

    /// Deletes expired sessions in one transaction.
    ///
    /// - Returns: The number of expired sessions that were found; if it is less than ``batch``, none is left.
    private func deleteExpired(at now: Instant) async throws(StorageError) -> Int {
        let ends: SQLArguments = [
            now.millisecondsSince1970, now.millisecondsSince1970, Int64(policy.idle / .milliseconds(1)),
        ]
        let (count, uses) = try await database.write { [self] db in
            let isExpired =
                "(expires_at <= \(db.boundedTime) OR last_used_at <= \(db.boundedTime) - CAST(? AS BIGINT))"
            let ids: [String] = try db.values(
                "SELECT id FROM session WHERE \(isExpired) ORDER BY id LIMIT \(Self.batch)", ends)
            // Those that were used since the last uses were stored; before the deletion, or they would end.
            let uses = ids.compactMap { live.session($0) }.compactMap { session in
                session.unsavedUse.map { (session, $0) }
            }
            try Self.store(uses, in: db)
            let list = SQLList(ids)
            let ended: [String] = try db.values(
                "DELETE FROM session WHERE id IN (\(list.placeholders)) AND \(isExpired) RETURNING id",
                list.arguments + ends)
            db.afterCommit { [live] in live.remove(ended) }
            return (ids.count, uses)
        }
        for (session, use) in uses { session.markStored(use) }
        return count
    }

    /// Ends the expired sessions in memory, without waiting for the writer; ``tidy(now:)`` deletes them from
    /// the file.
    package func endExpired(now: Instant = .now) { live.removeExpired(at: now) }

    /// In the order in which ``delete(_:in:)`` changes sessions.
    private var unsavedUses: [(ActiveSession, Int64)] {
        live.all.compactMap { session in session.unsavedUse.map { (session, $0) } }
            .sorted { $0.0.id < $1.0.id }
    }

    private static func store(_ uses: [(ActiveSession, Int64)], in db: SQLTransaction) throws {
        for (session, use) in uses {
            try db.execute(
                "UPDATE session SET last_used_at = ? WHERE id = ? AND last_used_at < ?",
                [use, session.id, use])
        }
    }
}

/// The lifetimes of sessions and their maximum number.
package struct SessionPolicy: Sendable {
    /// Unused for so long, a session ends.
    package var idle: Duration = .seconds(30 * 86_400)
    /// So long after sign-in or renewal a session ends, however much it is used.
    package var lifetime: Duration = .seconds(90 * 86_400)
    /// The maximum number of sessions of one user; one more ends the least recently used one.
    package var perUser = 50
    /// So long after a renewal the earlier token is accepted, for requests that were sent with it.
    package var overlap = Duration.seconds(60)
    /// The maximum number of guests.
    package var guests = 10_000
    /// The time for which sessions in memory are valid while the database does not respond.
    package var grace = Duration.seconds(30)

    package init() {}

    /// When a session ends that begins now.
    func expiry(from now: Instant) -> Instant { now + lifetime }
}
