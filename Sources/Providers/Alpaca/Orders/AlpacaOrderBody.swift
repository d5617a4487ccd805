import Brokerage

extension AlpacaBody {
    /// The body of `POST /v2/orders`; nil for what Alpaca does not take: a date to stand until, a symbol that it does not
    /// have, an id that is empty or longer than 128 characters.
    init?(_ ticket: OrderTicket) {
        guard let symbol = AlpacaSymbols().providerSymbol(for: ticket.symbol),
            let timeInForce = ticket.timeInForce.alpacaName, ticket.expiresOn == nil,
            Self.isValidClientOrderID(ticket.clientOrderID)
        else { return nil }
        add("symbol", symbol)
        switch ticket.size {
        case .quantity(let quantity): add("qty", quantity)
        case .notional(let notional): add("notional", notional)
        }
        add("side", ticket.side.alpacaName)
        add("type", ticket.price.type.alpacaName)
        add("time_in_force", timeInForce)
        add(prices: ticket.price)
        if ticket.isExtendedHours { add("extended_hours", true) }
        add("client_order_id", ticket.clientOrderID)
    }

    /// The body of `PATCH /v2/orders/{id}`; nil for what Alpaca does not take, which is another type of order too.
    init?(_ change: OrderReplacement, of order: Order, clientOrderID: String) {
        guard change.expiresOn == nil, Self.isValidClientOrderID(clientOrderID) else { return nil }
        add("qty", change.quantity)
        if let timeInForce = change.timeInForce {
            guard let name = timeInForce.alpacaName else { return nil }
            add("time_in_force", name)
        }
        if let price = change.price {
            guard order.type == price.type else { return nil }
            switch price {
            case .trailingStop(.percent(let percent)):
                // Alpaca changes the value of what there is, and asks for no unit.
                guard order.trailPercent != nil else { return nil }
                add("trail", percent)
            case .trailingStop(.amount(let amount)):
                guard order.trailAmount != nil else { return nil }
                add("trail", amount)
            case .market, .limit, .stop, .stopLimit: add(prices: price)
            }
        }
        add("client_order_id", clientOrderID)
    }

    private mutating func add(prices price: OrderPricing) {
        switch price {
        case .market: break
        case .limit(let limit): add("limit_price", limit)
        case .stop(let stop): add("stop_price", stop)
        case .stopLimit(let stop, let limit):
            add("stop_price", stop)
            add("limit_price", limit)
        case .trailingStop(.percent(let percent)): add("trail_percent", percent)
        case .trailingStop(.amount(let amount)): add("trail_price", amount)
        }
    }

    private static func isValidClientOrderID(_ clientOrderID: String) -> Bool {
        (1...128).contains(clientOrderID.unicodeScalars.count)
    }
}
