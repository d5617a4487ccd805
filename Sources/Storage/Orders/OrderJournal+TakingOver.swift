package import Brokerage

extension OrderJournal {
    /// What one call of ``takeOverUnattended(now:)`` has done.
    package struct Takeover: Sendable {
        /// The orders of the writes with an outcome that this process knew: their broker may have to be asked for their end.
        package var orders: [OrderIdentity] = []
        /// Whether more writes may have to be handled, by another call.
        package var hasMore = false
        /// The first error, after which the other writes were handled all the same; nil if there was none.
        package var failure: StorageError?
    }

    /// The maximum number of writes that one call takes over, and of writes whose queries it moves to this process.
    package static let takeoverBatch = 100

    /// Handles all writes that no process executes any more, as ``takeOverUnattended(now:)`` does.
    ///
    /// - Returns: The orders of the writes with an outcome that this process knew.
    /// - Throws: The first error of the database; the outcomes that are not recorded are still kept.
    @discardableResult
    package func abandonUnattended(now: Instant = .now) async throws(StorageError) -> [OrderIdentity] {
        var orders: [OrderIdentity] = []
        while true {
            let takeover = await takeOverUnattended(now: now)
            orders += takeover.orders
            if let failure = takeover.failure { throw failure }
            if !takeover.hasMore { return orders }
        }
    }

    /// Handles writes that no process executes any more: this process becomes their holder.
    ///
    /// A write gets the outcome that this process knows and could not record. Of the others, one that was not marked is removed,
    /// and its idempotency key is free again; one that was marked becomes unconfirmed. With SQLite, all other processes have
    /// ended. With PostgreSQL, a process has ended, or is stopped, if it has not reported for ``ReplicaTable/lifetime``; one that
    /// continues finds its writes taken over. No other clock is used: a write is not abandoned while a process executes it,
    /// however long that takes.
    ///
    /// Each write is a transaction of its own, so that neither many writes nor one that cannot be handled stop the others.
    package func takeOverUnattended(now: Instant = .now) async -> Takeover {
        var takeover = Takeover()
        await recordKept(now, &takeover)
        do throws(StorageError) {
            let writes = try await unattended()
            var count = 0
            for id in writes.prefix(Self.takeoverBatch) {
                do throws(StorageError) {
                    if try await abandon(id, now) { count += 1 }
                } catch {
                    takeover.failure = takeover.failure ?? error
                }
            }
            // If none could be abandoned, another call would read the same rows.
            takeover.hasMore = writes.count > Self.takeoverBatch && count > 0
            if isShared, try await moveQueries() == Self.takeoverBatch { takeover.hasMore = true }
        } catch {
            takeover.failure = takeover.failure ?? error
        }
        return takeover
    }

    /// Records the outcomes that this process knows and could not record, each by a transaction of its own.
    ///
    /// Another process may have taken over such a write, and queries its broker: the response belongs to this write
    /// nevertheless. An outcome with values that the database refuses is forgotten, so that it does not stop the others: the
    /// broker is queried.
    private func recordKept(_ now: Instant, _ takeover: inout Takeover) async {
        for id in active.kept.sorted() {
            guard let outcome = active.outcome(of: id) else { continue }
            do throws(StorageError) {
                let order: OrderIdentity? = try await database.write { db in
                    db.afterCommit { [active] in active.forget([id]) }
                    guard let write = try JournalWrite.fetchLocked(id, db) else { return nil }
                    try Self.apply(outcome, to: write, now, db)
                    return write.order
                }
                if let order { takeover.orders.append(order) }
            } catch {
                if error.refusesValues {
                    active.forget([id])
                } else {
                    takeover.failure = takeover.failure ?? error
                }
            }
        }
    }

    /// The ids of writes that no process executes, and whose outcome this process does not know: more than
    /// ``takeoverBatch`` if there are more.
    ///
    /// They are in a random order, so that writes that cannot be handled do not exclude the others for ever.
    private func unattended() async throws(StorageError) -> [String] {
        // As many of the rows can be those of writes that this process executes or knows the outcome of.
        let limit = active.count + Self.takeoverBatch + 1
        let isHeld = isShared ? "AND (holder = ?1 OR NOT \(ReplicaTable.isLive("journal_write.holder")))" : ""
        let ids: [String] = try await database.read { [instanceID, isShared] db in
            try db.values(
                """
                SELECT id FROM journal_write WHERE \(JournalWrite.isInProgress) \(isHeld)
                ORDER BY random() LIMIT \(limit)
                """, isShared ? [instanceID] : [])
        }
        return ids.filter { !active.contains($0) && active.outcome(of: $0) == nil }
    }

    /// Abandons a write, whose holder this process becomes, unless a process executes it.
    ///
    /// - Returns: Whether it was abandoned.
    private func abandon(_ id: String, _ now: Instant) async throws(StorageError) -> Bool {
        try await database.write { db in
            let row = try db.row(
                "\(JournalWrite.select) WHERE journal_write.id = ? AND \(JournalWrite.isInProgress)", [id])
            // An outcome that this process knows since is recorded the next time.
            guard let row, try !isInProgress(row, db), active.outcome(of: id) == nil,
                // Locked before it is taken over, as in every other transaction. If it cannot be taken over, the mark was
                // stored since the row was read, or it has another outcome.
                let write = try JournalWrite.fetchLocked(id, db), try takeOver(row, db)
            else { return false }
            try Self.apply(.abandoned, to: write, now, db)
            return true
        }
    }

    /// Moves the queries about writes of ended processes to this one: their outcome is not known either.
    ///
    /// - Returns: The number of writes, at most ``takeoverBatch``.
    private func moveQueries() async throws(StorageError) -> Int {
        let isUnattended = """
            state = 'UNCONFIRMED' AND coalesce(holder, '') <> ?1
                AND NOT \(ReplicaTable.isLive("journal_write.holder"))
            """
        return try await database.write { [instanceID] db in
            // The condition twice: PostgreSQL repeats only the outer one for a row that another transaction has changed.
            try db.executeUpdate(
                """
                UPDATE journal_write SET holder = ?1 WHERE \(isUnattended) AND id IN (
                    SELECT id FROM journal_write WHERE \(isUnattended) LIMIT \(Self.takeoverBatch))
                """, [instanceID])
        }
    }
}
