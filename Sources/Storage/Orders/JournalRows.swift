import Brokerage
import GRDB
import Upstream

// Rows of the journal; one that makes no sense is nil, and is left out: nobody but Portico writes the file.

extension JournalOrder {
    /// The orders with what is under way with each; `condition` follows.
    static let select = """
        SELECT journal_order.*, (
            SELECT kind FROM journal_write
            WHERE (journal_write.owner, journal_write.connection, journal_write.order_id)
                    = (journal_order.owner, journal_order.connection, journal_order.id)
                AND journal_write.state IN ('PENDING', 'SENT', 'UNCONFIRMED')
        ) AS open_write, (
            SELECT state FROM journal_write
            WHERE (journal_write.owner, journal_write.connection, journal_write.order_id)
                    = (journal_order.owner, journal_order.connection, journal_order.id)
            -- The clock may have been set back since an earlier one.
            ORDER BY state IN ('PENDING', 'SENT', 'UNCONFIRMED') DESC, created_at DESC LIMIT 1
        ) AS latest_write_state
        FROM journal_order
        """

    init?(_ row: Row) {
        guard let owner = OwnerID(row["owner"]), let provider: ProviderID = row.value("provider"),
            let order = Order(row, of: provider), let createdAt = row.instant("created_at")
        else { return nil }
        self.init(
            identity: OrderIdentity(owner: owner, connection: row["connection"], id: row["id"]),
            provider: provider, idempotencyKey: row["idempotency_key"], order: order, createdAt: createdAt,
            openWrite: row.value("open_write"), latestWriteState: row.value("latest_write_state"))
    }

    static func fetch(_ identity: OrderIdentity, _ db: Database) throws -> JournalOrder? {
        let statement = try db.cachedStatement(
            sql: "\(select) WHERE owner = ? AND connection = ? AND id = ?")
        return try Row.fetchOne(statement, arguments: identity.arguments).flatMap { JournalOrder($0) }
    }
}

extension OrderIdentity {
    var arguments: StatementArguments { [owner.text, connection, id] }
}

extension Order {
    fileprivate init?(_ row: Row, of provider: ProviderID) {
        guard let symbol = Symbol(row["symbol"]), let side: OrderSide = row.value("side"),
            let state: OrderState = row.value("state"), let heardAt = row.instant("heard_at")
        else { return nil }
        self.init(
            id: (row["provider_order_id"] as String?) ?? "", symbol: symbol, side: side, state: state,
            provenance: Provenance(source: provider, fetchedAt: heardAt))
        accountID = row["account"]
        clientOrderID = row["idempotency_key"]
        replaces = row["replaces"]
        type = row.value("type")
        timeInForce = row.value("time_in_force")
        isExtendedHours = row["extended_hours"]
        quantity = row.decimal("quantity")
        notional = row.decimal("notional")
        limitPrice = row.decimal("limit_price")
        stopPrice = row.decimal("stop_price")
        trailPercent = row.decimal("trail_percent")
        trailAmount = row.decimal("trail_amount")
        filledQuantity = row.decimal("filled_quantity")
        averageFillPrice = row.decimal("average_fill_price")
        providerState = row["provider_state"]
        rejection = (row.value("rejection") as RejectionReason?).map {
            OrderRejection($0, message: row["rejection_message"])
        }
        submittedAt = row.instant("submitted_at")
        updatedAt = row.instant("updated_at")
        filledAt = row.instant("filled_at")
        canceledAt = row.instant("canceled_at")
        expiresAt = row.instant("expires_at")
    }
}

extension JournalWrite {
    /// The writes with what is needed of their orders; `condition` follows.
    static let select = """
        SELECT journal_write.*, journal_order.provider, journal_order.account, journal_order.provider_order_id
        FROM journal_write JOIN journal_order
            ON (journal_order.owner, journal_order.connection, journal_order.id)
                = (journal_write.owner, journal_write.connection, journal_write.order_id)
        """

    init?(_ row: Row) {
        guard let owner = OwnerID(row["owner"]), let provider: ProviderID = row.value("provider"),
            let state: OrderWriteState = row.value("state"), let name: Kind.Name = row.value("kind")
        else { return nil }
        let kind: Kind =
            switch name {
            case .place: .place
            case .replace: .replace(OrderReplacement(row))
            case .cancel: .cancel
            }
        self.init(
            id: row["id"],
            order: OrderIdentity(owner: owner, connection: row["connection"], id: row["order_id"]),
            provider: provider, account: row["account"], providerOrderID: row["provider_order_id"],
            kind: kind, state: state)
    }

    static func fetch(_ id: String, _ db: Database) throws -> JournalWrite? {
        let statement = try db.cachedStatement(sql: "\(select) WHERE journal_write.id = ?")
        return try Row.fetchOne(statement, arguments: [id]).flatMap { JournalWrite($0) }
    }
}

extension OrderReplacement {
    init(_ row: Row) {
        self.init(
            quantity: row.decimal("quantity"), price: OrderPricing(row),
            timeInForce: row.value("time_in_force"),
            expiresOn: (row["expires_on"] as String?).flatMap { CalendarDate($0) })
    }
}
