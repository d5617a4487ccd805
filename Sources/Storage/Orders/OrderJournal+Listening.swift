package import Brokerage

extension OrderJournal {
    /// Records orders that a broker reports in its stream.
    ///
    /// An order that belongs to a write determines the write's outcome, whether the write's own response is
    /// lost or has not arrived yet; that response then changes nothing. The same applies to a write that was
    /// reported as missing, or whose outcome could not be determined. An order that was to replace another one and is rejected
    /// gives its place back. For other orders, the entry in the journal is updated.
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
                if let identity, try Self.revoke(order, as: identity, db) {
                    hasChanged = true
                } else if let write = try Self.write(confirmedBy: order, identity, of: owner, connection, db)
                {
                    try Self.apply(.found(order), to: write, now, db)
                    hasChanged = true
                } else if let identity, try Self.receive(order, as: identity, db) {
                    hasChanged = true
                }
            }
            return hasChanged
        }
    }

    /// Gives an order the place back that another one took, if the broker has rejected that one.
    ///
    /// Alpaca accepts a replacement before it knows whether the old order can still be replaced. If the old order is filled first, the
    /// new one is rejected; it can also be rejected while the old one stays open. Until the state of the old order is read, it is
    /// ACCEPTED, so that it is followed, and has no values that the replacement was to change.
    ///
    /// Nothing is changed while another replacement of the order is in progress: its outcome is recorded first.
    ///
    /// - Returns: Whether the order is a rejected replacement; then it is not the state of the user's order.
    static func revoke(
        _ rejected: Order, as identity: OrderIdentity, _ db: SQLTransaction
    ) throws -> Bool {
        guard rejected.state == .rejected, let known = try JournalOrder.fetch(identity, db),
            known.order.id == rejected.id, let old = rejected.replaces ?? known.order.replaces,
            try isReplaced(old, by: identity, db)
        else { return false }
        if known.openWrite == .replace { return true }
        try db.execute(
            "DELETE FROM journal_replaced WHERE owner = ? AND connection = ? AND provider_order_id = ?",
            [identity.owner.text, identity.connection, old])
        var order = Order(
            id: old, symbol: known.order.symbol, side: known.order.side, state: .accepted,
            provenance: rejected.provenance)
        order.type = known.order.type
        order.isExtendedHours = known.order.isExtendedHours
        try update(identity, with: order, db)
        let write = try db.row(
            """
            \(JournalWrite.select)
            WHERE journal_write.owner = ? AND journal_write.connection = ? AND journal_write.order_id = ?
                AND journal_write.kind = 'REPLACE' AND journal_write.state = 'DONE'
            ORDER BY journal_write.created_at DESC, journal_write.created_nanos DESC LIMIT 1
            """, identity.arguments
        ).flatMap { try JournalWrite($0) }
        if let write { try apply(.revoked, to: write, rejected.provenance.fetchedAt, db) }
        return true
    }

    /// Whether an order of the journal took the place of one of the broker's orders.
    private static func isReplaced(
        _ providerOrderID: String, by identity: OrderIdentity, _ db: SQLTransaction
    ) throws -> Bool {
        try db.value(
            """
            SELECT EXISTS (SELECT 1 FROM journal_replaced
                WHERE owner = ? AND connection = ? AND provider_order_id = ? AND id = ?)
            """, [identity.owner.text, identity.connection, providerOrderID, identity.id], as: Bool.self)
            == true
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
