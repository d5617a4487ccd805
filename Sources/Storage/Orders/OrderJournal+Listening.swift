package import Brokerage

extension OrderJournal {
    /// Records orders that a broker reports in its stream.
    ///
    /// An order that belongs to a write determines the write's outcome, whether the write's own response is
    /// lost or has not arrived yet; that response then changes nothing. The same applies to a write that was
    /// reported as missing, or whose outcome could not be determined. An order that was to replace another one and is rejected
    /// gives its place back, unless it has replaced that one. For other orders, the entry in the journal is updated.
    ///
    /// - Parameters:
    ///   - orders: The orders, in the order in which the broker reported them.
    ///   - previous: The orders that rejected ones were to replace, read after the rejection (``undecided(_:_:of:_:)``). A rejected
    ///     order is not recorded while the order that it was to replace is missing here; one that was to replace no order of the
    ///     journal needs none.
    ///   - owner: Their owner.
    ///   - connection: The connection that reported them.
    ///   - now: The current time.
    /// - Returns: Whether the outcome of a write was recorded, or the state or the fill of an order has changed.
    /// - Throws: The error of the database; then nothing was recorded.
    @discardableResult
    package func receive(
        _ orders: [Order], _ previous: [Order] = [], of owner: OwnerID, _ connection: String,
        now: Instant = .now
    ) async throws(StorageError) -> Bool {
        if orders.isEmpty { return false }
        let old = previous.byID
        return try await database.write(for: owner) { db in
            var hasChanged = false
            for order in orders {
                switch try RejectedReplacement(order, old, of: owner, connection, db) {
                case .undecided?: continue
                case .failed(let failure)?:
                    try Self.record(failure, of: order, now, db)
                    hasChanged = true
                    continue
                case nil: break
                }
                let identity = try Self.identity(of: order, of: owner, connection, db)
                if let write = try Self.write(confirmedBy: order, identity, of: owner, connection, db) {
                    try Self.apply(.found(order), to: write, now, db)
                    hasChanged = true
                } else if let identity, try Self.receive(order, as: identity, db) {
                    hasChanged = true
                }
            }
            return hasChanged
        }
    }

    /// Rejected orders that cannot be recorded yet.
    package struct UndecidedOrders: Hashable, Sendable {
        /// Their ids at the broker.
        package var ids: Set<String> = []
        /// The broker's ids of the orders whose states must be read: those that they were to replace.
        package var unread: Set<String> = []
    }

    /// The rejected ones among some orders that cannot be recorded yet.
    ///
    /// - Parameters:
    ///   - orders: Orders that a broker reports.
    ///   - previous: The orders that rejected ones were to replace, as far as they were read.
    ///   - owner: Their owner.
    ///   - connection: The connection that reported them.
    /// - Returns: Those that are undecided, and what must be read for them.
    /// - Throws: `StorageError` if the journal cannot be read.
    package func undecided(
        _ orders: [Order], _ previous: [Order], of owner: OwnerID, _ connection: String
    ) async throws(StorageError) -> UndecidedOrders {
        let rejected = orders.filter { $0.state == .rejected }
        if rejected.isEmpty { return UndecidedOrders() }
        let old = previous.byID
        return try await database.read { db in
            var undecided = UndecidedOrders()
            for order in rejected {
                guard
                    case .undecided(let unread)? = try RejectedReplacement(
                        order, old, of: owner, connection, db)
                else { continue }
                undecided.ids.insert(order.id)
                if let unread { undecided.unread.insert(unread) }
            }
            return undecided
        }
    }

    /// Records that a replacement has failed: it is REFUSED, and the old order has its place again, as it was read.
    static func record(
        _ failure: RejectedReplacement.Failure, of rejected: Order, _ now: Instant, _ db: SQLTransaction
    ) throws {
        let identity = failure.order
        var recorded = failure.restored.count
        if let write = failure.write {
            try apply(
                .rejected(rejected.rejection ?? OrderRejection(.other, message: nil)), to: write, now, db)
            recorded -= 1
        }
        guard let standing = failure.standing, let known = try JournalOrder.fetch(identity, db) else {
            return
        }
        guard standing.id != known.order.id else {
            try receive(standing, as: identity, db)
            return
        }
        let restored = SQLList(failure.restored)
        try db.execute(
            """
            DELETE FROM journal_replaced
            WHERE owner = ? AND connection = ? AND provider_order_id IN (\(restored.placeholders))
            """, [identity.owner.text, identity.connection] + restored.arguments)
        try update(identity, with: standing, db)
        let writes = try db.rows(
            """
            \(JournalWrite.select)
            WHERE journal_write.owner = ? AND journal_write.connection = ? AND journal_write.order_id = ?
                AND journal_write.kind = 'REPLACE' AND journal_write.state = 'DONE'
            ORDER BY journal_write.created_at DESC, journal_write.created_nanos DESC LIMIT ?
            """, identity.arguments + [recorded]
        ).compactMap { try JournalWrite($0) }
        for write in writes { try apply(.revoked, to: write, now, db) }
    }

    /// Records the outcome of writes from a list of orders, if the journal does not know it.
    ///
    /// It reads first, since few orders show an outcome.
    ///
    /// - Parameters:
    ///   - orders: The orders.
    ///   - previous: The orders that rejected ones were to replace.
    ///   - owner: Their owner.
    ///   - connection: The connection that reported them.
    /// - Returns: Whether an outcome was recorded.
    /// - Throws: The error of the database; then nothing was recorded.
    package func settle(
        _ orders: [Order], _ previous: [Order] = [], of owner: OwnerID, _ connection: String
    ) async throws(StorageError) -> Bool {
        let byWrite = Dictionary(
            orders.compactMap { order in
                order.clientOrderID.flatMap(JournalWrite.id(ofClientOrderID:)).map { ($0, order) }
            }, uniquingKeysWith: { first, _ in first })
        if byWrite.isEmpty { return false }
        let ids = SQLList(byWrite.keys.sorted())
        let unsettled = try await database.read { db in
            try Set<String>(
                db.values(
                    """
                    SELECT id FROM journal_write WHERE owner = ? AND connection = ?
                        AND id IN (\(ids.placeholders)) AND state IN (\(Self.findable))
                    """, [owner.text, connection] + ids.arguments))
        }
        if unsettled.isEmpty { return false }
        return try await receive(
            orders.filter { order in unsettled.contains { byWrite[$0] == order } }, previous, of: owner,
            connection)
    }

    /// The states of writes that a broker may still report, as SQL literals.
    private static let findable = OrderWriteState.allCases.filter { $0.step(after: .found) != nil }
        .map { "'\($0.rawValue)'" }.joined(separator: ", ")

    /// The journal's id of an order in the journal.
    static func identity(
        of order: Order, of owner: OwnerID, _ connection: String, _ db: SQLTransaction
    ) throws -> OrderIdentity? {
        try db.value(
            "SELECT id FROM journal_order WHERE owner = ? AND connection = ? AND provider_order_id = ?",
            [owner.text, connection, order.id]
        ).map { OrderIdentity(owner: owner, connection: connection, id: $0) }
    }

    /// The write that was sent with an order's client id, unless its outcome is known.
    static func write(
        sentAs order: Order, of owner: OwnerID, _ connection: String, _ db: SQLTransaction
    ) throws -> JournalWrite? {
        guard let id = order.clientOrderID.flatMap(JournalWrite.id(ofClientOrderID:)),
            let write = try JournalWrite.fetch(id, db), write.state.step(after: .found) != nil,
            (write.order.owner, write.order.connection) == (owner, connection)
        else { return nil }
        return write
    }

    /// The write that an order proves to have arrived, unless that was known: the write that placed the
    /// order, or the one that cancelled it.
    private static func write(
        confirmedBy order: Order, _ identity: OrderIdentity?, of owner: OwnerID, _ connection: String,
        _ db: SQLTransaction
    ) throws -> JournalWrite? {
        if let write = try write(sentAs: order, of: owner, connection, db) { return write }
        // A cancellation is also settled by an order that has been filled or has expired.
        guard let identity, order.state.isFinal || order.state == .pendingCancel else { return nil }
        return try db.row(
            """
            \(JournalWrite.select)
            WHERE journal_write.owner = ? AND journal_write.connection = ? AND journal_write.order_id = ?
                AND journal_write.kind = 'CANCEL'
                AND journal_write.state IN ('SENT', 'UNCONFIRMED', 'UNDETERMINED')
            ORDER BY journal_write.state = 'UNDETERMINED', journal_write.created_at DESC,
                journal_write.created_nanos DESC
            """, identity.arguments
        ).flatMap { try JournalWrite($0) }
    }
}

extension [Order] {
    /// The orders by the broker's ids.
    var byID: [String: Order] { Dictionary(map { ($0.id, $0) }) { first, _ in first } }
}
