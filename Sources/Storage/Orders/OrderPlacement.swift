package import Brokerage

/// An order to be placed.
package struct OrderPlacement: Hashable, Sendable {
    /// 128 random bits: of the order, and of the write that places it.
    package let id: String
    package let owner: OwnerID
    package let connection: String
    /// Whether a user has created the connection; false for a connection of the settings, which has no row in
    /// the database.
    package let isConnectionStored: Bool
    package let provider: ProviderID
    /// The idempotency key of the user.
    package let idempotencyKey: String
    package let ticket: OrderTicket
    /// The limit of the values of several orders that the order must not exceed; nil for none.
    package let valueLimit: OrderValueLimit?

    /// - Parameters:
    ///   - owner: the owner of the order.
    ///   - connection: the connection that places it.
    ///   - isConnectionStored: whether a user has created the connection; false for a connection of the
    ///     settings.
    ///   - provider: the broker of the connection.
    ///   - idempotencyKey: the user's own key of the order.
    ///   - ticket: the order to place. The id for the broker is derived from the new order's own id.
    ///   - valueLimit: the limit of the values of several orders that the order must not exceed; nil for none.
    package init(
        owner: OwnerID, connection: String, isConnectionStored: Bool, provider: ProviderID,
        idempotencyKey: String, ticket: OrderTicket, valueLimit: OrderValueLimit? = nil
    ) {
        id = RandomID.make()
        self.owner = owner
        self.connection = connection
        self.isConnectionStored = isConnectionStored
        self.provider = provider
        self.idempotencyKey = idempotencyKey
        var ticket = ticket
        ticket.clientOrderID = JournalWrite.clientOrderID(of: id)
        self.ticket = ticket
        self.valueLimit = valueLimit
    }

    package var identity: OrderIdentity { OrderIdentity(owner: owner, connection: connection, id: id) }

    /// The order before the broker has it.
    package func order(at now: Instant) -> Order {
        var order = Order(
            id: "", symbol: ticket.symbol, side: ticket.side, state: .pending,
            provenance: Provenance(source: provider, fetchedAt: now))
        order.accountID = ticket.accountID
        order.clientOrderID = idempotencyKey
        order.set(ticket.price)
        order.timeInForce = ticket.timeInForce
        order.isExtendedHours = ticket.isExtendedHours
        switch ticket.size {
        case .quantity(let quantity): order.quantity = quantity
        case .notional(let notional): order.notional = notional
        }
        return order
    }
}

extension Order {
    /// Sets type and prices.
    fileprivate mutating func set(_ price: OrderPricing) {
        type = price.type
        switch price {
        case .market: break
        case .limit(let limit): limitPrice = limit
        case .stop(let stop): stopPrice = stop
        case .stopLimit(let stop, let limit): (stopPrice, limitPrice) = (stop, limit)
        case .trailingStop(.percent(let percent)): trailPercent = percent
        case .trailingStop(.amount(let amount)): trailAmount = amount
        }
    }
}

extension OrderPlacement {
    /// Whether an order was recorded with the same account and exactly the same values.
    func isSame(as order: JournalOrder, _ write: SQLRow) throws -> Bool {
        guard order.identity.connection == connection, order.order.accountID == ticket.accountID,
            order.order.symbol == ticket.symbol, order.order.side == ticket.side
        else { return false }
        let size: OrderSize? =
            try write.decimal("quantity").map { .quantity($0) }
            ?? write.decimal("notional").map { .notional($0) }
        return try size == ticket.size && OrderPricing(write) == ticket.price
            && (write.value("time_in_force") as TimeInForce?) == ticket.timeInForce
            && (write["expires_on"] as String?) == ticket.expiresOn?.description
            && (write["extended_hours"] as Bool?) == ticket.isExtendedHours
            && write.decimal("take_profit") == ticket.exits?.takeProfit
            && write.decimal("stop_loss") == ticket.exits?.stopLoss?.stop
            && write.decimal("stop_loss_limit") == ticket.exits?.stopLoss?.limit
            && (write["closes_position"] as Bool?) == ticket.exits?.closesExistingPosition
    }

    /// The requested values, for the row of the write.
    var columns: SQLColumns {
        var columns = SQLColumns()
        switch ticket.size {
        case .quantity(let quantity): columns.add("quantity", quantity)
        case .notional(let notional): columns.add("notional", notional)
        }
        columns.add(ticket.price)
        columns.add("time_in_force", ticket.timeInForce.rawValue)
        columns.add("expires_on", ticket.expiresOn?.description)
        columns.add("extended_hours", ticket.isExtendedHours)
        if let exits = ticket.exits {
            columns.add("take_profit", exits.takeProfit)
            columns.add("stop_loss", exits.stopLoss?.stop)
            columns.add("stop_loss_limit", exits.stopLoss?.limit)
            columns.add("closes_position", exits.closesExistingPosition)
        }
        return columns
    }
}

extension OrderReplacement {
    var columns: SQLColumns {
        var columns = SQLColumns()
        columns.add("quantity", quantity)
        columns.add(price)
        columns.add("time_in_force", timeInForce?.rawValue)
        columns.add("expires_on", expiresOn?.description)
        return columns
    }
}
