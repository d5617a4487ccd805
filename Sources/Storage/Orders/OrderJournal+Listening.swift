package import Brokerage

extension OrderJournal {
    /// Records orders that a broker reports in its stream.
    ///
    /// An order that belongs to a write determines the write's outcome, whether the write's own response is
    /// lost or has not arrived yet; that response then changes nothing. The same applies to a write that was
    /// reported as missing, or whose outcome could not be determined. For other orders, the entry in the
    /// journal is updated.
    ///
    /// - Parameters:
    ///   - orders: The orders, in the order in which the broker reported them.
    ///   - owner: Their owner.
    ///   - connection: The connection that reported them.
    ///   - now: The current time.
    /// - Returns: Whether the outcome of a write was recorded, or the state or the fill of an order has changed.
    /// - Throws: The error of the database; then nothing was recorded.
    @discardableResult
    package func receive(
        _ orders: [Order], of owner: OwnerID, _ connection: String, now: Instant = .now
    ) async throws(StorageError) -> Bool {
        if orders.isEmpty { return false }
        return try await database.write(for: owner) { db in
            var hasChanged = false
            for order in orders {
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

    /// Records the outcome of writes from a list of orders, if the journal does not know it.
    ///
    /// It reads first, since few orders show an outcome.
    ///
    /// - Returns: Whether an outcome was recorded.
    /// - Throws: The error of the database; then nothing was recorded.
    package func settle(
        _ orders: [Order], of owner: OwnerID, _ connection: String
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
        try await receive(
            orders.filter { order in unsettled.contains { byWrite[$0] == order } }, of: owner, connection)
        return true
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

    /// The write that an order proves to have arrived, unless that was known: the write that placed the
    /// order, or the one that cancelled it.
    private static func write(
        confirmedBy order: Order, _ identity: OrderIdentity?, of owner: OwnerID, _ connection: String,
        _ db: SQLTransaction
    ) throws -> JournalWrite? {
        if let id = order.clientOrderID.flatMap(JournalWrite.id(ofClientOrderID:)),
            let write = try JournalWrite.fetch(id, db), write.state.step(after: .found) != nil,
            (write.order.owner, write.order.connection) == (owner, connection)
        {
            return write
        }
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
