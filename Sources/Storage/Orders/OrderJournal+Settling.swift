package import Brokerage

/// The file is longer than 350 lines, because all outcomes of a write pass the same steps.
extension OrderJournal {
    /// Marks a write as sent: PENDING → SENT, compared and set in one step.
    ///
    /// - Returns: Whether this caller has set the mark. Only then may the request be sent. If false, the
    ///   entry was deleted, was marked before, or belongs to another process.
    /// - Throws: The error that prevented the mark from being recorded. The request must not be sent then.
    package func markSent(_ id: String, now: Instant = .now) async throws(StorageError) -> Bool {
        try await database.write { [instanceID] db in
            let count = try db.executeUpdate(
                """
                UPDATE journal_write SET state = 'SENT', sent_at = ?
                WHERE id = ? AND state = 'PENDING' AND holder = ?
                """, [now.millisecondsSince1970, id, instanceID])
            return count == 1
        }
    }

    /// Declares that this process no longer executes a write.
    ///
    /// If the journal does not have its outcome by then, ``abandonUnattended(now:)`` handles it.
    ///
    /// - Parameters:
    ///   - id: The id of the write.
    ///   - outcome: The outcome that could not be recorded; nil if it was recorded, or is unknown. The process keeps it until the
    ///     journal can be written.
    package func release(_ id: String, keeping outcome: OrderWriteOutcome? = nil) {
        // Nothing is known of a write with a lost response.
        active.remove(id, keeping: outcome == .responseLost ? nil : outcome)
    }

    /// Records the outcome of a write and its effect on the order.
    ///
    /// - Parameters:
    ///   - outcome: The outcome.
    ///   - id: The id of the write.
    ///   - previous: The orders that a rejected order of the outcome was to replace (``undecided(_:_:of:_:)``).
    ///   - now: The current time.
    /// - Returns: The order with its legs; nil if it was removed because it was never placed.
    /// - Throws: The error that prevented the write; then nothing was changed.
    @discardableResult
    package func recordOutcome(
        _ outcome: OrderWriteOutcome, of id: String, _ previous: [Order] = [], now: Instant = .now
    ) async throws(StorageError) -> JournalOrder? {
        try await database.write { db in
            guard let write = try JournalWrite.fetchLocked(id, db) else { return nil }
            try Self.settle(write, by: outcome, previous, now, db)
            guard var order = try JournalOrder.fetch(write.order, db) else { return nil }
            order.order.legs = try JournalOrder.fetchLegs(
                of: [write.order.id], write.order.owner, write.order.connection, db
            ).map(\.currentOrder)
            return order
        }
    }

    /// Records an outcome, unless the order that the broker has was to replace another one and is rejected.
    ///
    /// If that replacement failed, a cancellation stays open: the old order determines its outcome.
    private static func settle(
        _ write: JournalWrite, by outcome: OrderWriteOutcome, _ previous: [Order], _ now: Instant,
        _ db: SQLTransaction
    ) throws {
        let identity = write.order
        guard case .found(let order) = outcome,
            let rejected = try RejectedReplacement(
                order, previous.byID, of: identity.owner, identity.connection, db)
        else {
            try apply(outcome, to: write, now, db)
            return
        }
        switch rejected {
        case .failed(let failure): try record(failure, of: order, now, db)
        case .undecided:
            // A replacement that did not arrive, with the values that the order has.
            guard case .replace = write.kind, order.id == write.providerOrderID else { return }
            try apply(.rejected(order.rejection ?? OrderRejection(.other, message: nil)), to: write, now, db)
        }
    }

    static func apply(
        _ reported: OrderWriteOutcome, to write: JournalWrite, _ now: Instant, _ db: SQLTransaction
    ) throws {
        // The order that has the place by now determines the outcome of a cancellation.
        if case .cancel = write.kind, case .found(let order) = reported, order.id != write.providerOrderID {
            return
        }
        let outcome = reported.outcome(of: write)
        // An outcome that is no longer possible in the write's state has no effect: another task has
        // recorded one before.
        guard let step = write.state.step(after: outcome.event) else {
            // The stream may report the order before its response, and without its legs.
            if write.state == .done, write.kind == .place, case .accepted(let order) = outcome,
                order.id == write.providerOrderID
            {
                try store(order.legs, of: write.order, at: write.provider, now, db)
            }
            return
        }
        switch step {
        case .delete: try delete(write, db)
        case .to(let state):
            try set(state, of: write, now, db)
            if write.isOvertaken(by: outcome) { return }
            try applyToOrder(outcome, of: write, now, db)
        }
    }

    private static func delete(_ write: JournalWrite, _ db: SQLTransaction) throws {
        switch write.kind {
        // The write goes with its order.
        case .place:
            try db.execute(
                "DELETE FROM journal_order WHERE owner = ? AND connection = ? AND id = ?",
                write.order.arguments)
        case .replace, .cancel:
            try db.execute("DELETE FROM journal_write WHERE id = ?", [write.id])
        }
    }

    private static func set(
        _ state: OrderWriteState, of write: JournalWrite, _ now: Instant, _ db: SQLTransaction
    ) throws {
        let (time, moment) = (state.timeColumn, now.millisecondsSince1970)
        var arguments: SQLArguments = [state.rawValue]
        if time != nil { arguments += [moment] }
        try db.execute(
            "UPDATE journal_write SET state = ?\(time.map { ", \($0) = ?" } ?? "") WHERE id = ?",
            arguments + [write.id])
    }

    /// Applies an outcome to the order.
    private static func applyToOrder(
        _ outcome: OrderWriteOutcome, of write: JournalWrite, _ now: Instant, _ db: SQLTransaction
    ) throws {
        switch outcome {
        case .accepted(let order), .found(let order): try advance(write, to: order, now, db)
        case .rejected(let rejection), .notFound(let rejection):
            guard write.kind == .place else { return }
            try db.execute(
                """
                UPDATE journal_order
                SET state = ?, rejection = ?, rejection_message = ?, updated_at = ?, updated_nanos = ?, heard_at = ?
                WHERE owner = ? AND connection = ? AND id = ?
                """,
                [
                    OrderState.rejected.rawValue, rejection.reason.rawValue, rejection.message,
                    now.millisecondsSince1970, now.nanosecondsOfMillisecond, now.millisecondsSince1970,
                ] + write.order.arguments)
        case .responseLost, .abandoned:
            guard write.kind == .place else { return }
            try db.execute(
                "UPDATE journal_order SET state = ? WHERE owner = ? AND connection = ? AND id = ?",
                [OrderState.unconfirmed.rawValue] + write.order.arguments)
        case .notProcessed, .undeterminable, .revoked: break
        }
    }

    /// Replaces an order by its successor, and stores the relation and the legs.
    private static func advance(
        _ write: JournalWrite, to order: Order, _ now: Instant, _ db: SQLTransaction
    ) throws {
        guard !order.id.isEmpty else {
            try expireActivities(of: write.order, filledBy: order, db)
            // The broker has the legs of an order that it no longer lists: the order itself keeps its values.
            try db.execute(
                """
                UPDATE journal_order SET state = ?, updated_at = ?, updated_nanos = ?, heard_at = ?
                WHERE owner = ? AND connection = ? AND id = ?
                """,
                [
                    order.state.rawValue, now.millisecondsSince1970, now.nanosecondsOfMillisecond,
                    order.provenance.fetchedAt.millisecondsSince1970,
                ]
                    + write.order.arguments)
            try store(order.legs, of: write.order, at: write.provider, now, db)
            return
        }
        if let old = write.providerOrderID, old != order.id {
            try db.execute(
                """
                INSERT INTO journal_replaced (owner, connection, provider_order_id, id) VALUES (?, ?, ?, ?)
                ON CONFLICT DO NOTHING
                """, [write.order.owner.text, write.order.connection, old, write.order.id])
        }
        // Before the relation was known, the new order may have been recorded and changed as one that was
        // placed elsewhere.
        try db.execute(
            """
            DELETE FROM journal_order
            WHERE owner = ? AND connection = ? AND provider_order_id = ? AND id <> ?
                AND idempotency_key IS NULL
            """, [write.order.owner.text, write.order.connection, order.id, write.order.id])
        try update(write.order, with: order, db)
        try store(order.legs, of: write.order, at: write.provider, now, db)
    }

    /// Stores the legs of an order: known ones get the reported state, the others are named by the broker's id.
    ///
    /// A leg that the broker refused has no id; it gets an id of its own, and is stored with the first report of its order only.
    ///
    /// - Returns: Whether the state or the fill of a known leg has changed.
    @discardableResult
    static func store(
        _ legs: [Order], of parent: OrderIdentity, at provider: ProviderID, _ now: Instant,
        _ db: SQLTransaction
    ) throws -> Bool {
        if legs.isEmpty { return false }
        var hasChanged = false
        let known = try JournalOrder.fetchLegs(of: [parent.id], parent.owner, parent.connection, db)
        for (place, leg) in legs.enumerated() {
            let identity: OrderIdentity
            if leg.id.isEmpty {
                guard known.isEmpty else { continue }
                identity = OrderIdentity(
                    owner: parent.owner, connection: parent.connection, id: RandomID.make())
            } else if let other = try self.identity(of: leg, of: parent.owner, parent.connection, db) {
                // It may have been recorded before as an order that was placed elsewhere. A leg of an entry stays one: after
                // the fill, Saxo reports its exits as a pair of their own.
                try db.execute(
                    """
                    UPDATE journal_order SET parent = ?, leg = ?
                    WHERE owner = ? AND connection = ? AND id = ? AND id <> ? AND parent IS NULL
                    """, [parent.id, place] + other.arguments + [parent.id])
                // One that was to replace a leg, and is rejected, is recorded when it is reported alone.
                let rejected = try RejectedReplacement(leg, [:], of: parent.owner, parent.connection, db)
                if rejected == nil, try receive(leg, as: other, db) { hasChanged = true }
                continue
            } else if try isReplaced(leg.id, of: parent, db) {
                continue
            } else {
                // The stream of the broker may have reported it before its parent, as an order of this id.
                identity = OrderIdentity(owner: parent.owner, connection: parent.connection, id: leg.id)
            }
            try insert(leg, as: identity, of: provider, key: nil, now, db, parent: parent.id, place: place)
        }
        return hasChanged
    }

    /// Whether another order took the place of an order of the broker.
    private static func isReplaced(
        _ providerOrderID: String, of order: OrderIdentity, _ db: SQLTransaction
    ) throws -> Bool {
        try db.value(
            """
            SELECT EXISTS (SELECT 1 FROM journal_replaced
                WHERE owner = ? AND connection = ? AND provider_order_id = ?)
            """, [order.owner.text, order.connection, providerOrderID], as: Bool.self) == true
    }

    static func update(_ identity: OrderIdentity, with order: Order, _ db: SQLTransaction) throws {
        try expireActivities(of: identity, filledBy: order, db)
        var columns = SQLColumns()
        columns.add(order)
        // It does not change, and Saxo's reference does not have it, so the first known value is kept.
        let assignments = columns.assignments.replacing(
            "extended_hours = ?", with: "extended_hours = coalesce(extended_hours, ?)")
        try db.execute(
            """
            UPDATE journal_order SET \(assignments) WHERE owner = ? AND connection = ? AND id = ?
            """, columns.arguments + identity.arguments)
    }

    // MARK: Unknown outcomes

    /// A write whose outcome only the broker can report.
    package struct Unconfirmed: Hashable, Sendable {
        /// The id of the write.
        package let id: String
        package let order: OrderIdentity

        package init(id: String, order: OrderIdentity) {
            self.id = id
            self.order = order
        }
    }

    /// All writes whose outcome only the broker can report, the oldest first; without those of other processes that run.
    ///
    /// There is no limit, because writes that never settle would then exclude the others.
    ///
    /// - Returns: Only ids, since there may be many; ``unconfirmed(_:)`` returns the rest.
    /// - Throws: `StorageError` if the journal cannot be read.
    package func unconfirmed() async throws(StorageError) -> [Unconfirmed] {
        let own = "AND (holder = ? OR NOT \(ReplicaTable.isLive("journal_write.holder")))"
        return try await database.read { [isShared, instanceID] db in
            try db.rows(
                """
                SELECT id, owner, connection, order_id FROM journal_write
                WHERE \(JournalWrite.isOpen) AND state = 'UNCONFIRMED' \(isShared ? own : "")
                ORDER BY created_at, created_nanos, id
                """, isShared ? [instanceID] : []
            ).compactMap { row in
                try OwnerID(row["owner"]).map { owner in
                    try Unconfirmed(
                        id: row["id"],
                        order: OrderIdentity(owner: owner, connection: row["connection"], id: row["order_id"])
                    )
                }
            }
        }
    }

    /// Returns the write with an id, if its outcome is still unknown.
    ///
    /// - Returns: The write; nil if it has been settled or removed.
    /// - Throws: `StorageError` if the journal cannot be read.
    package func unconfirmed(_ id: String) async throws(StorageError) -> JournalWrite? {
        let write = try await database.read { db in try JournalWrite.fetch(id, db) }
        return write?.state == .unconfirmed ? write : nil
    }
}

extension JournalWrite {
    /// The condition of the index `journal_write_open`, literally, so that SQLite uses the index.
    static let isOpen = "journal_write.state IN ('PENDING', 'SENT', 'UNCONFIRMED')"
    /// The condition for a write that is not sent, or that has no response yet.
    static let isInProgress = "\(isOpen) AND journal_write.state <> 'UNCONFIRMED'"

    /// The number of writes of an owner, or of one of the owner's connections, that are in progress.
    static func countInProgress(
        of owner: OwnerID, by connection: String? = nil, in db: SQLTransaction
    ) throws -> Int {
        try db.value(
            """
            SELECT count(*) FROM journal_write
            WHERE owner = ?1 AND (CAST(?2 AS TEXT) IS NULL OR connection = ?2) AND \(isInProgress)
            """, [owner.text, connection]) ?? 0
    }

    /// Whether the outcome of a change that had been given up is older than what the journal has of its order.
    ///
    /// A replacement counts unless its order was changed again. Of a late response, only a new order in the place of the known one
    /// counts: the known order was followed meanwhile, and may have ended. A cancellation of an order that has given its place back
    /// says nothing about the order that has it.
    fileprivate func isOvertaken(by outcome: OrderWriteOutcome) -> Bool {
        if case .cancel = kind, case .accepted(let order) = outcome, order.id != providerOrderID {
            return true
        }
        guard state.isFinal else { return false }
        if case .accepted(let order) = outcome {
            switch kind {
            case .place: return false
            case .replace: return order.id == providerOrderID || order.replaces != providerOrderID
            case .cancel: return true
            }
        }
        guard case .replace = kind, case .found(let order) = outcome else { return false }
        return order.id != providerOrderID && order.replaces != providerOrderID
    }
}

extension OrderWriteState {
    /// The column for the time at which a write got the state; nil if it is not stored.
    fileprivate var timeColumn: String? {
        switch self {
        case .sent: "sent_at"
        case .done, .refused, .missing, .undetermined: "settled_at"
        case .pending, .unconfirmed: nil
        }
    }
}
