package import Brokerage

/// Which order of the journal: whose, by which connection, and Portico's own id of it.
package struct OrderIdentity: Hashable, Sendable {
    package let owner: OwnerID
    package let connection: String
    /// It stays when the broker puts another order into its place; for an order that was placed elsewhere, the broker's id
    /// of the first.
    package let id: String

    package init(owner: OwnerID, connection: String, id: String) {
        self.owner = owner
        self.connection = connection
        self.id = id
    }
}

/// An order of the journal: the requested order, and its last known state.
package struct JournalOrder: Hashable, Sendable {
    package let identity: OrderIdentity
    package let provider: ProviderID
    /// Under which its user placed it; nil for one that was placed elsewhere.
    package let idempotencyKey: String?
    /// Portico's own id of the order that this one is a leg of; nil for an order that is no leg.
    package let parent: String?
    /// Its `id` is empty until the broker has returned one.
    ///
    /// It has its legs only where that is stated.
    package var order: Order
    package let createdAt: Instant
    /// The write that is in progress for the order; nil if there is none.
    package var openWrite: JournalWrite.Kind.Name?
    /// The state of the write in progress, otherwise of the latest one; nil for an order without writes of
    /// Portico.
    package var latestWriteState: OrderWriteState?
    /// How long the latest request that the broker did not refuse keeps the order in force; nil for an order without one.
    package var requestedTimeInForce: TimeInForce?

    /// The broker's own id, once it has one.
    package var providerOrderID: String? { order.id.isEmpty ? nil : order.id }

    /// Whether the broker rejected the order only until its user accepts disclaimers.
    var awaitsDisclaimers: Bool {
        order.state == .rejected && order.rejection?.reason == .disclaimers && latestWriteState == .refused
    }

    /// The order with the state of the write in progress.
    package var currentOrder: Order { order.while(openWrite) }
}

extension Order {
    /// The order with the state of a write that the broker has not confirmed yet.
    package func `while`(_ write: JournalWrite.Kind.Name?) -> Order {
        guard !state.isFinal else { return self }
        var order = self
        switch write {
        case .cancel: order.state = .pendingCancel
        case .replace: order.state = .pendingReplace
        case .place, nil: break
        }
        return order
    }
}

/// A request that changes an order at a broker.
package struct JournalWrite: Hashable, Sendable {
    /// 128 random bits in hexadecimal digits.
    package let id: String
    package let order: OrderIdentity
    package let provider: ProviderID
    /// The broker's account id; nil if the credential opens one account only.
    package let account: String?
    /// The broker's id of the order to change; nil for a new order.
    package let providerOrderID: String?
    package let kind: Kind
    package let state: OrderWriteState

    /// The kind of a write.
    package enum Kind: Hashable, Sendable {
        case place
        case replace(OrderReplacement)
        case cancel

        package var name: Name {
            switch self {
            case .place: .place
            case .replace: .replace
            case .cancel: .cancel
            }
        }

        package enum Name: String, Sendable {
            case place = "PLACE"
            case replace = "REPLACE"
            case cancel = "CANCEL"
        }
    }

    /// The client's id under which the broker gets the order, or the one that takes its place.
    package var clientOrderID: String { Self.clientOrderID(of: id) }

    /// 40 characters, visible ASCII: Alpaca takes 128, Saxo 50.
    package static func clientOrderID(of id: String) -> String { clientOrderIDPrefix + id }

    /// The id of the write that an order was sent by; nil where its client's id is none of Portico's.
    package static func id(ofClientOrderID text: String) -> String? {
        text.hasPrefix(clientOrderIDPrefix) ? String(text.dropFirst(clientOrderIDPrefix.count)) : nil
    }

    private static let clientOrderIDPrefix = "portico-"
}

/// The result of deleting a user or a connection.
package enum Deletion: Hashable, Sendable {
    case deleted
    /// The user or the connection does not exist.
    case unknown
    /// Nothing was deleted, because this number of writes to brokers is not sent or has no response yet, and
    /// their outcomes must be recorded.
    case ordersInProgress(Int)
}

// Rows of the journal; an invalid row is nil and is skipped, because only Portico writes the file.

extension JournalOrder {
    /// Selects orders with the writes in progress for each; `condition` follows.
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
            ORDER BY state IN ('PENDING', 'SENT', 'UNCONFIRMED') DESC, created_at DESC, created_nanos DESC LIMIT 1
        ) AS latest_write_state, (
            SELECT time_in_force FROM journal_write
            WHERE (journal_write.owner, journal_write.connection, journal_write.order_id)
                    = (journal_order.owner, journal_order.connection, journal_order.id)
                AND time_in_force IS NOT NULL AND state NOT IN ('REFUSED', 'MISSING')
            ORDER BY created_at DESC, created_nanos DESC LIMIT 1
        ) AS requested_time_in_force
        FROM journal_order
        """

    init?(_ row: SQLRow) throws {
        guard let owner = try OwnerID(row["owner"]), let provider = try ProviderID(stored: row["provider"]),
            let order = try Order(row, of: provider),
            let createdAt = try row.instant("created_at", "created_nanos")
        else { return nil }
        try self.init(
            identity: OrderIdentity(owner: owner, connection: row["connection"], id: row["id"]),
            provider: provider, idempotencyKey: row["idempotency_key"], parent: row["parent"], order: order,
            createdAt: createdAt,
            openWrite: row.value("open_write"), latestWriteState: row.value("latest_write_state"),
            requestedTimeInForce: row.value("requested_time_in_force"))
    }

    static func fetch(_ identity: OrderIdentity, _ db: SQLTransaction) throws -> JournalOrder? {
        try db.row("\(select) WHERE owner = ? AND connection = ? AND id = ?", identity.arguments)
            .flatMap { try JournalOrder($0) }
    }

    /// The legs of some orders of a connection, in the order in which the broker returned them first.
    static func fetchLegs(
        of ids: [String], _ owner: OwnerID, _ connection: String, _ db: SQLTransaction
    ) throws -> [JournalOrder] {
        let list = SQLList(ids)
        return try db.rows(
            """
            \(select) WHERE owner = ? AND connection = ? AND parent IN (\(list.placeholders))
            ORDER BY created_at, created_nanos, leg, id
            """, [owner.text, connection] + list.arguments
        ).compactMap { try JournalOrder($0) }
    }
}

extension OrderIdentity {
    var arguments: SQLArguments { [owner.text, connection, id] }
}

extension Order {
    fileprivate init?(_ row: SQLRow, of provider: ProviderID) throws {
        guard let symbol = try Symbol(row["symbol"]), let side: OrderSide = try row.value("side"),
            let state: OrderState = try row.value("state"), let heardAt = try row.instant("heard_at")
        else { return nil }
        try self.init(
            id: (row["provider_order_id"] as String?) ?? "", symbol: symbol, side: side, state: state,
            provenance: Provenance(source: provider, fetchedAt: heardAt))
        accountID = try row["account"]
        clientOrderID = try row["idempotency_key"]
        replaces = try row["replaces"]
        type = try row.value("type")
        timeInForce = try row.value("time_in_force")
        isExtendedHours = try row["extended_hours"]
        quantity = try row.decimal("quantity")
        notional = try row.decimal("notional")
        limitPrice = try row.decimal("limit_price")
        stopPrice = try row.decimal("stop_price")
        trailPercent = try row.decimal("trail_percent")
        trailAmount = try row.decimal("trail_amount")
        filledQuantity = try row.decimal("filled_quantity")
        averageFillPrice = try row.decimal("average_fill_price")
        providerState = try row["provider_state"]
        rejection = try (row.value("rejection") as RejectionReason?).map {
            OrderRejection($0, message: try row["rejection_message"])
        }
        submittedAt = try row.instant("submitted_at", "submitted_nanos")
        updatedAt = try row.instant("updated_at", "updated_nanos")
        filledAt = try row.instant("filled_at")
        canceledAt = try row.instant("canceled_at")
        expiresAt = try row.instant("expires_at")
    }
}

extension JournalWrite {
    /// Selects writes with the required columns of their orders; `condition` follows.
    static let select = """
        SELECT journal_write.*, journal_order.provider, journal_order.account, journal_order.provider_order_id
        FROM journal_write JOIN journal_order
            ON (journal_order.owner, journal_order.connection, journal_order.id)
                = (journal_write.owner, journal_write.connection, journal_write.order_id)
        """

    init?(_ row: SQLRow) throws {
        guard let owner = try OwnerID(row["owner"]), let provider = try ProviderID(stored: row["provider"]),
            let state: OrderWriteState = try row.value("state"), let name: Kind.Name = try row.value("kind")
        else { return nil }
        let kind: Kind =
            switch name {
            case .place: .place
            case .replace: .replace(try OrderReplacement(row))
            case .cancel: .cancel
            }
        try self.init(
            id: row["id"],
            order: OrderIdentity(owner: owner, connection: row["connection"], id: row["order_id"]),
            provider: provider, account: row["account"], providerOrderID: row["provider_order_id"],
            kind: kind, state: state)
    }

    /// Returns a write whose user is locked, for a transaction that does not know the user.
    static func fetchLocked(_ id: String, _ db: SQLTransaction) throws -> JournalWrite? {
        guard let owner = try fetch(id, db)?.order.owner else { return nil }
        try db.lock(owner)
        return try fetch(id, db)
    }

    static func fetch(_ id: String, _ db: SQLTransaction) throws -> JournalWrite? {
        try db.row("\(select) WHERE journal_write.id = ?", [id]).flatMap { try JournalWrite($0) }
    }
}

extension OrderReplacement {
    init(_ row: SQLRow) throws {
        try self.init(
            quantity: row.decimal("quantity"), price: OrderPricing(row),
            timeInForce: row.value("time_in_force"),
            expiresOn: (row["expires_on"] as String?).flatMap { CalendarDate($0) })
    }
}
