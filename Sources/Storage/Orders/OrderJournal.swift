package import Brokerage

/// The journal of orders.
///
/// An order is recorded before its broker gets it, so that no order is placed twice.
///
/// The file is longer than 350 lines, because all methods write the same rows, and each checks the state
/// that another wrote.
package struct OrderJournal: Sendable {
    package let database: SQLDatabase
    /// The id of this process, new at each start.
    ///
    /// The writes that it executes, or whose outcome it determines, have it in `holder`.
    let instanceID: String
    let active = ActiveWrites()
    private let maximumOrders: Int

    /// - Parameters:
    ///   - file: The database.
    ///   - instanceID: The id of this process, by which other processes know whether it runs (``ReplicaTable``); nil if no
    ///     other process uses the database.
    ///   - maximumOrders: The maximum number of orders of one user.
    package init(in file: UserDatabase, of instanceID: String? = nil, maximumOrders: Int = 100_000) {
        database = file.database
        self.instanceID = instanceID ?? RandomID.make()
        self.maximumOrders = maximumOrders
    }

    // MARK: Beginning

    /// The result of recording a new order.
    package enum PlacementStart: Hashable, Sendable {
        /// It is recorded, and may be sent.
        ///
        /// The caller must call ``OrderJournal/release(_:keeping:)`` in the end.
        case begun(JournalOrder)
        /// The same order was recorded before with the same key: no request is sent.
        case known(JournalOrder)
        /// The key belongs to another order.
        case otherOrder
        /// The connection, or the user, has been deleted in the meantime.
        case connectionDeleted
        /// The user has as many orders as the journal takes.
        case full(limit: Int)
        /// Its value and the sum of the orders of its group exceed the limit.
        case valueLimitExceeded(sum: Decimal)
    }

    /// Returns the order that the key of a new order belongs to; nil if there is none.
    ///
    /// The key of an abandoned order that was never sent is free, and so is that of an equal order that the broker rejected
    /// until the user accepts disclaimers.
    package func find(_ placing: OrderPlacement) async throws(StorageError) -> PlacementStart? {
        try await database.read { db in try find(placing, db) }
    }

    /// Records that an order will be placed, unless its key has been used.
    ///
    /// A key stays used, also after the broker rejected the order. Only an order that was never sent frees it, and one that
    /// the broker rejected because of disclaimers: it has not accepted the order, and never will under this client's id. The
    /// rejected order stays in the journal, without the key.
    package func begin(_ placing: OrderPlacement, now: Instant = .now) async throws(StorageError)
        -> PlacementStart
    {
        let mostOrders = maximumOrders
        return try await record(placing.id, of: placing.owner) { db in
            if let known = try find(placing, db) { return known }
            // An order that still has the key is abandoned and was not processed, unless its process sends it now.
            if let write = try placingWrite(placing, db) {
                if try write.value("state") == OrderWriteState.refused {
                    try db.execute(
                        "UPDATE journal_order SET idempotency_key = NULL WHERE owner = ? AND idempotency_key = ?",
                        [placing.owner.text, placing.idempotencyKey])
                } else {
                    guard try takeOver(write, db) else { return try find(placing, db) ?? .otherOrder }
                    try db.execute(
                        "DELETE FROM journal_order WHERE owner = ? AND idempotency_key = ?",
                        [placing.owner.text, placing.idempotencyKey])
                }
            }
            guard try Self.exists(placing.identity, isStored: placing.isConnectionStored, db) else {
                return .connectionDeleted
            }
            let count =
                try db.value("SELECT count(*) FROM journal_order WHERE owner = ?", [placing.owner.text]) ?? 0
            if count >= mostOrders { return .full(limit: mostOrders) }
            if let limit = placing.valueLimit {
                let sum = try limit.sum(of: placing.owner, db)
                guard let total = try? sum + limit.value, total <= limit.maximum else {
                    return .valueLimitExceeded(sum: sum)
                }
            }
            try Self.insert(
                placing.order(at: now), as: placing.identity, of: placing.provider,
                key: placing.idempotencyKey, now, db)
            try insert(.place, id: placing.id, of: placing.identity, placing.columns, now, db)
            return try JournalOrder.fetch(placing.identity, db).map { .begun($0) } ?? .otherOrder
        } isBegun: {
            if case .begun = $0 { true } else { false }
        }
    }

    private func find(_ placing: OrderPlacement, _ db: SQLTransaction) throws -> PlacementStart? {
        let known = try db.row(
            "\(JournalOrder.select) WHERE owner = ? AND idempotency_key = ?",
            [placing.owner.text, placing.idempotencyKey])
        guard let known else { return nil }
        let write = try placingWrite(placing, db)
        if let write, try isUnsent(write, db) { return nil }
        guard let order = try JournalOrder(known), let write, try placing.isSame(as: order, write) else {
            return .otherOrder
        }
        return order.awaitsDisclaimers ? nil : .known(order)
    }

    /// The write that places the order with a key; nil if there is none.
    private func placingWrite(_ placing: OrderPlacement, _ db: SQLTransaction) throws -> SQLRow? {
        try db.row(
            """
            SELECT journal_write.* FROM journal_write JOIN journal_order
                ON (journal_order.owner, journal_order.connection, journal_order.id)
                    = (journal_write.owner, journal_write.connection, journal_write.order_id)
            WHERE journal_order.owner = ? AND journal_order.idempotency_key = ? AND journal_write.kind = 'PLACE'
            """, [placing.owner.text, placing.idempotencyKey])
    }

    /// Whether the broker cannot have acted on a write, and it is abandoned: its process has ended, or could not settle it.
    private func isUnsent(_ write: SQLRow, _ db: SQLTransaction) throws -> Bool {
        guard try !isInProgress(write, db) else { return false }
        let state: OrderWriteState? = try write.value("state")
        return try state == .pending || state == .sent && active.outcome(of: write["id"]) == .notProcessed
    }

    /// Whether a process is executing a write: this one, or another one that runs.
    func isInProgress(_ write: SQLRow, _ db: SQLTransaction) throws -> Bool {
        guard let holder: String = try write["holder"] else { return false }
        if holder == instanceID { return try active.contains(write["id"]) }
        // With SQLite, there is one process at a time.
        return try isShared && ReplicaTable.isLive(holder, db)
    }

    /// Whether other processes use the journal at the same time.
    package var isShared: Bool { database.postgres != nil }

    /// Makes this process the holder of a write that no process executes.
    ///
    /// A process that was only stopped finds that it is no longer the holder, and does not send the request.
    ///
    /// - Returns: False if the write was marked or taken over since it was read; then nothing was changed.
    func takeOver(_ write: SQLRow, _ db: SQLTransaction) throws -> Bool {
        let (id, state, holder): (String, String, String?) =
            try (write["id"], write["state"], write["holder"])
        let count = try db.executeUpdate(
            "UPDATE journal_write SET holder = ? WHERE id = ? AND state = ? AND coalesce(holder, '') = ?",
            [instanceID, id, state, holder ?? ""])
        return count == 1
    }

    /// The result of recording a change of an order.
    package enum ChangeStart: Hashable, Sendable {
        /// It is recorded, and may be sent.
        ///
        /// The order is the one before the change.
        case begun(JournalWrite, JournalOrder)
        /// A write for the order is in progress.
        case busy(JournalWrite.Kind.Name)
        /// Another order has taken its place meanwhile.
        case moved
        /// The connection, or the user, has been deleted in the meantime.
        case connectionDeleted
    }

    /// Records the replacement or cancellation of an order, unless another change of it is in progress.
    ///
    /// - Parameters:
    ///   - kind: The change; not `place`.
    ///   - order: The order as the broker reported it. An order that is not in the journal is added.
    ///   - identity: Portico's id of the order.
    ///   - isConnectionStored: Whether a user has created its connection; false for a connection of the
    ///     settings.
    ///   - provider: The broker of the order.
    ///   - now: The current time.
    /// - Returns: Whether the request may be sent.
    /// - Throws: The error of the database; then nothing was recorded.
    package func begin(
        _ kind: JournalWrite.Kind, of order: Order, _ identity: OrderIdentity,
        isConnectionStored: Bool, at provider: ProviderID, now: Instant = .now
    ) async throws(StorageError) -> ChangeStart {
        let id = RandomID.make()
        return try await record(id, of: identity.owner) { db in
            guard try Self.exists(identity, isStored: isConnectionStored, db) else {
                return .connectionDeleted
            }
            try deleteUnsentChange(of: identity, db)
            if let known = try JournalOrder.fetch(identity, db) {
                if let write = known.openWrite { return .busy(write) }
                guard known.order.id == order.id else { return .moved }
            } else {
                try Self.insert(order, as: identity, of: provider, key: nil, now, db)
            }
            var columns = SQLColumns()
            if case .replace(let change) = kind { columns = change.columns }
            try insert(kind, id: id, of: identity, columns, now, db)
            guard let write = try JournalWrite.fetch(id, db),
                let order = try JournalOrder.fetch(identity, db)
            else { return .moved }
            return .begun(write, order)
        } isBegun: {
            if case .begun = $0 { true } else { false }
        }
    }

    /// Removes an abandoned change of an order that the broker did not process, so that another change can start.
    private func deleteUnsentChange(of order: OrderIdentity, _ db: SQLTransaction) throws {
        let write = try db.row(
            """
            SELECT * FROM journal_write
            WHERE owner = ? AND connection = ? AND order_id = ? AND state IN ('PENDING', 'SENT') AND kind <> 'PLACE'
            """, order.arguments)
        guard let write, try isUnsent(write, db), try takeOver(write, db) else { return }
        try db.execute("DELETE FROM journal_write WHERE id = ?", [write["id"] as String])
    }

    /// Whether the connection of an order (if it has a row) and its owner still exist.
    private static func exists(
        _ order: OrderIdentity, isStored: Bool, _ db: SQLTransaction
    ) throws -> Bool {
        let (owner, connection) = (order.owner.text, order.connection)
        return try isStored
            ? db.value(
                "SELECT EXISTS (SELECT 1 FROM connection WHERE id = ? AND owner = ?)", [connection, owner],
                as: Bool.self) == true
            : db.value("SELECT EXISTS (SELECT 1 FROM \"user\" WHERE id = ?)", [owner], as: Bool.self) == true
    }

    /// Records a write in a transaction.
    ///
    /// From the start of this call until ``release(_:keeping:)``, this process executes the write. Other processes must
    /// know that it runs: after an outage of the database, it may not have reported to them yet.
    private func record<Start: Sendable>(
        _ id: String, of owner: OwnerID, _ body: @escaping @Sendable (SQLTransaction) throws -> Start,
        isBegun: (Start) -> Bool
    ) async throws(StorageError) -> Start {
        active.insert(id)
        do {
            let start = try await database.write(for: owner) { [isShared, instanceID] db in
                if isShared { try ReplicaTable.prolong(instanceID, db) }
                return try body(db)
            }
            if !isBegun(start) { active.remove(id) }
            return start
        } catch {
            active.remove(id)
            throw error
        }
    }

    static func insert(
        _ order: Order, as identity: OrderIdentity, of provider: ProviderID, key: String?, _ now: Instant,
        _ db: SQLTransaction, parent: String? = nil, place: Int? = nil
    ) throws {
        var columns = SQLColumns()
        columns.add("owner", identity.owner.text)
        columns.add("connection", identity.connection)
        columns.add("id", identity.id)
        columns.add("provider", provider.storedText)
        columns.add("account", order.accountID)
        columns.add("idempotency_key", key)
        columns.add("symbol", order.symbol.text)
        columns.add("side", order.side.rawValue)
        columns.add("created_at", "created_nanos", now)
        columns.add("parent", parent)
        columns.add("leg", place)
        columns.add(order)
        try db.execute(columns.insertion(into: "journal_order"), columns.arguments)
    }

    private func insert(
        _ kind: JournalWrite.Kind, id: String, of order: OrderIdentity, _ meant: SQLColumns, _ now: Instant,
        _ db: SQLTransaction
    ) throws {
        var columns = meant
        columns.add("id", id)
        columns.add("owner", order.owner.text)
        columns.add("connection", order.connection)
        columns.add("order_id", order.id)
        columns.add("kind", kind.name.rawValue)
        columns.add("state", OrderWriteState.pending.rawValue)
        columns.add("holder", instanceID)
        columns.add("created_at", "created_nanos", now)
        try db.execute(columns.insertion(into: "journal_write"), columns.arguments)
    }
}

extension OrderJournal {
    package func order(_ identity: OrderIdentity) async throws(StorageError) -> JournalOrder? {
        try await database.read { db in try JournalOrder.fetch(identity, db) }
    }

    /// The legs of some orders of a connection, by Portico's id of the order.
    package func legs(
        of ids: Set<String>, _ owner: OwnerID, _ connection: String
    ) async throws(StorageError) -> [String: [JournalOrder]] {
        if ids.isEmpty { return [:] }
        return try await database.read { db in
            let legs = try JournalOrder.fetchLegs(of: ids.sorted(), owner, connection, db)
            return Dictionary(grouping: legs) { $0.parent ?? "" }
        }
    }

    /// The entries of the journal for some of a broker's orders.
    package struct OrderAliases: Hashable, Sendable {
        /// The orders of the journal by the broker's current id.
        package var current: [String: JournalOrder] = [:]
        /// Those whose place another one took.
        package var replaced: Set<String> = []

        package init() {}
    }

    /// Returns the entries of the journal for the broker's ids of orders.
    package func names(
        of providerOrderIDs: Set<String>, of owner: OwnerID, _ connection: String
    ) async throws(StorageError) -> OrderAliases {
        if providerOrderIDs.isEmpty { return OrderAliases() }
        return try await database.read { db in
            let ids = SQLList(providerOrderIDs.sorted())
            let arguments = [owner.text, connection] + ids.arguments
            let current = try db.rows(
                """
                \(JournalOrder.select)
                WHERE owner = ? AND connection = ? AND provider_order_id IN (\(ids.placeholders))
                """, arguments
            ).compactMap { try JournalOrder($0) }
            var names = OrderAliases()
            for order in current { names.current[order.order.id] = order }
            names.replaced = try Set(
                db.values(
                    """
                    SELECT provider_order_id FROM journal_replaced
                    WHERE owner = ? AND connection = ? AND provider_order_id IN (\(ids.placeholders))
                    """, arguments))
            return names
        }
    }

    /// A selection of a connection's orders.
    package enum Part: Hashable, Sendable {
        /// The orders that the broker never had, or has not reported.
        case unknownToBroker
        /// All of them.
        case all
    }

    /// Returns orders of a connection that were placed or changed through Portico before a time, newest
    /// first.
    package func orders(
        _ part: Part, of owner: OwnerID, _ connection: String, before moment: Instant?, limit: Int
    ) async throws(StorageError) -> [JournalOrder] {
        let condition =
            switch part {
            // A leg without an id was refused, and is shown with its parent.
            case .unknownToBroker: "AND provider_order_id IS NULL AND parent IS NULL"
            case .all: ""
            }
        return try await database.read { db in
            try db.rows(
                """
                \(JournalOrder.select)
                WHERE owner = ? AND connection = ? AND created_at <= ? \(condition)
                ORDER BY created_at DESC, created_nanos DESC, id LIMIT ?
                """,
                [
                    owner.text, connection, (moment ?? .latest).millisecondsSince1970, limit,
                ]
            ).compactMap { try JournalOrder($0) }
        }
    }

    /// Records an order that a broker reported, for the time when it no longer reports it.
    ///
    /// - Returns: Whether the state or the fill of an order has changed.
    @discardableResult
    static func receive(_ order: Order, as identity: OrderIdentity, _ db: SQLTransaction) throws -> Bool {
        // If an order was replaced, or a write for it is in progress, the outcome of the write is recorded
        // instead.
        guard let known = try JournalOrder.fetch(identity, db), known.openWrite == nil,
            known.order.id == order.id,
            // A list of open orders may be older than the event that ended the order.
            order.state.isFinal || !known.order.state.isFinal
        else { return false }
        var order = order
        // An event of a stream may lack what does not change, and units that were filled stay filled.
        order.replaces = order.replaces ?? known.order.replaces
        order.submittedAt = order.submittedAt ?? known.order.submittedAt
        order.filledQuantity = order.filledQuantity ?? known.order.filledQuantity
        order.averageFillPrice = order.averageFillPrice ?? known.order.averageFillPrice
        // A price whose unit could not be read.
        if order.type == known.order.type {
            order.limitPrice = order.limitPrice ?? known.order.limitPrice
            order.stopPrice = order.stopPrice ?? known.order.stopPrice
            order.trailAmount = order.trailAmount ?? known.order.trailAmount
        }
        try update(identity, with: order, db)
        let hasLegChanged = try store(order.legs, of: identity, at: known.provider, known.createdAt, db)
        return hasLegChanged
            || (order.state, order.filledQuantity) != (known.order.state, known.order.filledQuantity)
    }
}
