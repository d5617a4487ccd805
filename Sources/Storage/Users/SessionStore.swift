package import Brokerage
import Cryptography
import Synchronization

/// The sessions of the server: stored in the file, and looked up in memory.
///
/// The file is longer than 350 lines, because all methods change memory and database together.
package final class SessionStore: Sendable {
    package let policy: SessionPolicy
    package let database: SQLDatabase
    package let live: ActiveSessions
    /// The deletions of users by this process, or by another process with the same file.
    package let deletions = UserDeletions()
    private let key: SymmetricKey
    /// The connection that detects changes of the file by other processes; nil for a server.
    private let watch: ReadingConnection?
    /// The changes by other processes; nil for a file.
    private let feed: ChangeFeed?
    /// The requests that wait for the changes of other processes; several wait for one read.
    private let update = SharedTask<StorageError>()
    /// The tokens that were looked up and not found, until when.
    private let misses = TokenMisses()
    /// Apply changes by other processes that sessions do not show; set once at the start.
    private let observers = Mutex(Observers())
    /// The last value of SQLite's counter of changes by connections other than `watch`.
    private let knownVersion = Atomic<Int64>(0)

    /// Reads all sessions of a file in pages; for the start of the process: it waits.
    ///
    /// The clock determines the age of the changes by other processes; those that they make meanwhile are read afterwards.
    ///
    /// - Throws: `wrongMasterKey` where their tokens' hashes were made under another.
    package init(
        in file: UserDatabase, _ master: MasterKey, _ policy: SessionPolicy = SessionPolicy(),
        clock: TimeSource = .system
    ) throws(StorageError) {
        database = file.database
        watch = try database.sqlite.map { file throws(StorageError) in try ReadingConnection(to: file) }
        feed = database.postgres.map { _ in ChangeFeed(clock: clock) }
        self.policy = policy
        live = ActiveSessions(policy)
        key = try TokenKey(in: database, master).key
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
    private func isRecentlyRenewed(_ session: ActiveSession, now: Instant) -> Bool {
        now + policy.lifetime < session.expiresAt + policy.overlap
    }

    /// Reads the connections of some users again, which another process has changed.
    package typealias ConnectionObserver = @Sendable (Set<OwnerID>) async throws(StorageError) -> Void
    /// Ends the bearer tokens of an identity that has signed out.
    package typealias IdentityObserver = @Sendable (EndedIdentity) -> Void

    /// Follows changed alerts: their ids by their owners.
    package typealias AlertObserver = @Sendable ([OwnerID: Set<String>]) async throws(StorageError) -> Void

    /// Follows changes of orders: the connections of the orders by their owners.
    package typealias OrderObserver = @Sendable ([OwnerID: Set<String>]) -> Void

    private struct Observers {
        var connections: ConnectionObserver?
        var identities: IdentityObserver?
        var alerts: AlertObserver?
        var orders: OrderObserver?
    }

    /// Calls a closure when a process has changed connections.
    package func onConnectionChange(_ observer: @escaping ConnectionObserver) {
        observers.withLock { $0.connections = observer }
    }

    /// Calls a closure when a process has changed alerts.
    package func onAlertChange(_ observer: @escaping AlertObserver) {
        observers.withLock { $0.alerts = observer }
    }

    /// Calls a closure when a process has recorded another state or fill of orders.
    package func onOrderChange(_ observer: @escaping OrderObserver) {
        observers.withLock { $0.orders = observer }
    }

    /// Calls a closure when a process has recorded a logout of the identity provider.
    package func onIdentityEnd(_ observer: @escaping IdentityObserver) {
        observers.withLock { $0.identities = observer }
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
        let isShared = feed != nil
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
    func delete(_ ids: [String], in db: SQLTransaction) throws {
        guard !ids.isEmpty else { return }
        for id in ids { try db.execute("DELETE FROM session WHERE id = ?", [id]) }
        db.afterCommit { [live] in live.remove(ids) }
    }

    private static func all(
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

    // MARK: Sessions of other processes

    /// A state that is older than this is read again before a token is accepted.
    private static let maximumAge = Duration.seconds(1)

    /// Whether memory has the sessions that other processes have opened and ended, up to a second ago.
    ///
    /// It is false after the process was stopped, and while the database does not respond.
    package var isCurrent: Bool { feed.map { $0.age <= Self.maximumAge } ?? true }

    /// Whether the session of a token that memory does not have may be in the database.
    package func mayFind(_ text: String) -> Bool {
        guard let feed, let token = SessionToken(text) else { return false }
        return !misses.contains(TokenHash(digesting: token), now: feed.now)
    }

    /// Finds a session in memory after the changes of other processes were applied.
    ///
    /// While the database does not respond, sessions in memory are valid for ``SessionPolicy/grace``.
    ///
    /// - Parameter known: Returns the session, of this store or of the identity provider, by memory only.
    /// - Returns: The session; nil if there is none.
    /// - Throws: `unavailable` after that time, and for a session that memory does not have.
    package func current<Known>(_ known: () -> Known?) async throws(StorageError) -> Known? {
        guard let feed else { return known() }
        do throws(StorageError) {
            // A read in progress may have begun before this process was stopped; the next one has not.
            for _ in 0..<2 where !isCurrent { try await followOthers() }
        } catch {
            if feed.age <= policy.grace, let session = known() { return session }
            throw error
        }
        return known()
    }

    /// Returns the session of a token, also one that another process has opened, as ``current(_:)``; nil if there is none.
    package func currentSession(
        ofToken text: String, now: Instant = .now
    ) async throws(StorageError) -> ActiveSession? {
        if let known = try await current({ session(ofToken: text, now: now) }) { return known }
        return feed == nil ? nil : try await lookUp(text, now: now)
    }

    /// Reads the session of a token from the database into memory.
    ///
    /// It is read again if memory has another token of the session, which another process may have renewed, or if the
    /// session was removed from memory since the look-up began: then an end that was applied before it was added is seen
    /// here, and a later one is applied to the session in memory.
    private func lookUp(_ text: String, now: Instant) async throws(StorageError) -> ActiveSession? {
        guard let token = SessionToken(text) else { return nil }
        let hash = TokenHash(token, under: key)
        // After a renewal the session has the next token, while the earlier one is still accepted.
        let next = NextToken(after: TokenHash(digesting: token), under: key).hash
        live.beginAddition()
        defer { live.endAddition() }
        let found = try await database.read(.lookUp) { db in
            try Self.all(db, where: "WHERE session.token_hash IN (?, ?)", [hash.data, next.data]).first
        }
        guard let found else {
            misses.insert(TokenHash(digesting: token), now: feed?.now ?? .now)
            return nil
        }
        live.addIfUnknown(found)
        if live.wasRemoved(found) || live.session(found.id)?.hash != found.hash {
            do throws(StorageError) {
                try await refresh([found.id])
            } catch {
                live.remove([found])
                throw error
            }
        }
        return session(ofToken: text, now: now)
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

    /// Ends a user's sessions but one.
    ///
    /// - Returns: the ids of those that ended.
    package func revokeOthers(than id: String, of owner: OwnerID) async throws(StorageError) -> [String] {
        try await end(of: owner) { $0 != id }
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
    /// If it ends a guest's last session, it deletes the guest.
    ///
    /// - Returns: the ids of the sessions, and the deleted guest if any.
    func end(
        of owner: OwnerID, in db: SQLTransaction, where isMeant: (String) -> Bool
    ) throws -> (ids: [String], deleted: [OwnerID]) {
        let ids = try db.values("SELECT id FROM session WHERE user_id = ? ORDER BY id", [owner.text]).filter(
            isMeant)
        try delete(ids, in: db)
        return (ids, try UserStore.deleteGuestWithoutSession(owner, in: db) ? [owner] : [])
    }

    // MARK: Changes by other processes

    /// Applies the changes of another process, such as `portico users`: ends sessions that it has ended,
    /// reads those that it has changed, and reports the users that it has deleted.
    ///
    /// It does not wait for the writer, whose queue can be long, unless another process has added sessions.
    package func followOthers(now: Instant = .now) async throws(StorageError) {
        if let feed {
            return try await update.run { [self] () async throws(StorageError) in
                try await follow(feed)
            }
        }
        guard let watch else { return }
        // Before the file is read, because the sessions in memory at this time have been written.
        let (known, held) = (live.all, deletions.owners)
        let found = try await watch.read { [self] db -> Difference? in
            // It changes when another connection has written, including the writer of this process.
            let version: Int64 = try db.value("PRAGMA data_version") ?? 0
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

    /// Applies the changes of other processes at a server.
    ///
    /// It waits for no lock, so a user whose transaction takes long does not delay the changes of others.
    private func follow(_ feed: ChangeFeed) async throws(StorageError) {
        let start = feed.now
        guard !feed.hasGap else {
            try await applyAll()
            return feed.didApply([], readAt: start)
        }
        let changes = try await database.read { db in try feed.changes(db) }
        try await apply(changes)
        let held = Set(deletions.owners)
        deletions.report(
            changes.filter { $0.kind == .user }.compactMap { OwnerID($0.id) }.filter(held.contains))
        // Set last, so that a failed step is repeated the next time.
        feed.didApply(changes, readAt: start)
    }

    /// Applies the state of the database: first to the sessions and users in memory, then all others, in pages.
    ///
    /// What changes meanwhile is read afterwards as a change.
    private func applyAll() async throws(StorageError) {
        let held = deletions.owners
        try await apply(live.all.map { ChangeFeed.Change(.session, $0.id) })
        try await apply(held.map { ChangeFeed.Change(.connection, $0.text) })
        for batch in Self.batches(held) {
            let list = SQLList(batch.map(\.text))
            let users: Set<String> = try await database.read { db in
                Set(
                    try db.values(
                        #"SELECT id FROM "user" WHERE id IN (\#(list.placeholders))"#, list.arguments))
            }
            deletions.report(batch.filter { !users.contains($0.text) })
        }
        let owners = Set(held.map(\.text))
        for (kind, pages) in ChangeFeed.tables {
            var last = pages.begin
            while let page = try await database.read(
                .normal, { [last] db in try pages.page(after: last, db) })
            {
                let unread = page.texts.filter { id in
                    switch kind {
                    case .session: live.session(id) == nil
                    case .connection: !owners.contains(id)
                    case .user, .identity, .alert, .order: true
                    }
                }
                try await apply(unread.map { ChangeFeed.Change(kind, $0) })
                last = page.last
            }
        }
    }

    private static func batches<Element>(_ elements: [Element]) -> some Sequence<[Element]> {
        stride(from: 0, to: elements.count, by: batch).lazy.map { first in
            Array(elements[first..<min(first + batch, elements.count)])
        }
    }

    /// Applies changes of all kinds but those of users.
    private func apply(_ changes: [ChangeFeed.Change]) async throws(StorageError) {
        func ids(_ kind: ChangeFeed.Change.Kind) -> [String] {
            Array(Set(changes.filter { $0.kind == kind }.map(\.id)))
        }
        for batch in Self.batches(ids(.session)) { try await refresh(Set(batch)) }
        let (reload, endIdentity, followAlerts, followOrders) = observers.withLock {
            ($0.connections, $0.identities, $0.alerts, $0.orders)
        }
        if let reload {
            for batch in Self.batches(ids(.connection).compactMap { OwnerID($0) }) {
                try await reload(Set(batch))
            }
        }
        /// The ids of a kind by the owners that follow them.
        func owned(_ kind: ChangeFeed.Change.Kind) -> [OwnerID: Set<String>] {
            changes.reduce(into: [:]) { owned, change in
                guard change.kind == kind else { return }
                let parts = change.id.split(separator: " ", maxSplits: 1).map(String.init)
                guard parts.count == 2, let owner = OwnerID(parts[1]) else { return }
                owned[owner, default: []].insert(parts[0])
            }
        }
        let (alerts, orders) = (owned(.alert), owned(.order))
        if !orders.isEmpty { followOrders?(orders) }
        if !alerts.isEmpty, let followAlerts { try await followAlerts(alerts) }
        for id in ids(.identity) {
            if let ended = EndedIdentity(id) { endIdentity?(ended) }
        }
    }

    /// Replaces sessions in memory with those of the database.
    ///
    /// Memory is read before the database. It changes after a commit of this process, so a session in memory that differs is
    /// older than the one in the database, and ends unless it was renewed. Sessions that were added are read again, because this
    /// process may have ended one between the read and its addition. A session whose row cannot be read ends, and does not
    /// delay the changes of others; a request with its token gets the error of the row.
    private func refresh(_ ids: Set<String>) async throws(StorageError) {
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

    /// The differences between the file and memory.
    private struct Difference: Sendable {
        let version: Int64
        /// Sessions that are not in the file, or that have there a token that is not of a renewal, or other scopes.
        let ended: [ActiveSession]
        /// Whether the file has sessions that are not in memory with the same values.
        let hasOthers: Bool
        let deleted: [OwnerID]
    }

    private func difference(
        from known: [ActiveSession], held: [OwnerID], at version: Int64, in db: SQLTransaction, now: Instant
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
            version: version, ended: Array(missing.values), hasOthers: hasOthers,
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

    // MARK: Uses and expired sessions

    /// As many sessions change in one transaction, whose time is limited.
    private static let batch = 500
    /// Fewer guests are deleted in one, because their data is deleted with them.
    private static let guestBatch = 100

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

    /// Forgets sessions that have ended by themselves, and guests who have none left.
    ///
    /// It deletes them in several transactions of bounded size. After an error, those of the transactions before are deleted.
    package func tidy(now: Instant = .now) async throws(StorageError) {
        try await storeLastUses()
        while try await deleteExpired(at: now) == Self.batch {}
        var count = 0
        repeat {
            let deleted = try await database.write { db in
                try UserStore.deleteGuestsWithoutSession(maximum: Self.guestBatch, in: db)
            }
            deletions.report(deleted)
            count = deleted.count
        } while count == Self.guestBatch
        guard let feed else { return }
        while try await database.write({ db in try feed.deleteOld(db) }) {}
    }

    /// Deletes expired sessions in one transaction.
    ///
    /// - Returns: The number of expired sessions that were found; if it is less than ``batch``, none is left.
    private func deleteExpired(at now: Instant) async throws(StorageError) -> Int {
        let idle = now + (.zero - policy.idle)
        let ends: SQLArguments = [now.millisecondsSince1970, idle.millisecondsSince1970]
        let isExpired = "(expires_at <= ? OR last_used_at <= ?)"
        let (count, uses) = try await database.write { [self] db in
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

    private var unsavedUses: [(ActiveSession, Int64)] {
        live.all.compactMap { session in session.unsavedUse.map { (session, $0) } }
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
