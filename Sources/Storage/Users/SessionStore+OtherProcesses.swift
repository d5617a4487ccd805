package import Brokerage
import Synchronization

/// The sessions that other processes have opened, renewed and ended, and the other changes that they have made.
///
/// A server with a PostgreSQL database reads their ``ChangeFeed``; a process with a file compares it with memory when SQLite
/// reports that another connection has written.
extension SessionStore {
    /// Reads the connections of some users again, which another process has changed.
    package typealias ConnectionObserver = @Sendable (Set<OwnerID>) async throws(StorageError) -> Void
    /// Ends the bearer tokens of an identity that has signed out.
    package typealias IdentityObserver = @Sendable (EndedIdentity) -> Void

    /// Follows changed alerts: their ids by their owners.
    package typealias AlertObserver = @Sendable ([OwnerID: Set<String>]) async throws(StorageError) -> Void

    /// Follows changes of orders: the connections of the orders by their owners.
    package typealias OrderObserver = @Sendable ([OwnerID: Set<String>]) -> Void

    struct Observers {
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
}
