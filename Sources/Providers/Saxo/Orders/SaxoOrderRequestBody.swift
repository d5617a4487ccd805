import Brokerage

/// The bodies of `POST` and `PATCH` of `/trade/v2/orders`.
enum SaxoOrderRequestBody {
    /// What Saxo calls an order's type, and the prices that go with it.
    struct Terms: Hashable {
        var type: String
        var price: Decimal?
        var stopLimitPrice: Decimal?
        /// How far a trailing stop stays behind the market, and in which steps it follows.
        var trailingDistance: Decimal?
        var trailingStep: Decimal?
    }

    static func placing(
        _ ticket: OrderTicket, _ terms: Terms, of key: SaxoInstrumentKey
    ) -> [UInt8] {
        var text = JSONObjectText()
        text.add("AccountKey", ticket.accountID)
        text.add("Uic", key.uic)
        text.add("AssetType", key.assetType)
        text.add("BuySell", ticket.side.saxo)
        switch ticket.size {
        case .quantity(let amount):
            text.add("Amount", amount)
            text.add("AmountType", "Quantity")
        case .notional(let amount):
            text.add("Amount", amount)
            text.add("AmountType", "CashAmount")
        }
        add(terms, to: &text)
        text.add("OrderDuration", duration(ticket.timeInForce, until: ticket.expiresOn))
        // It is required, and a person asked for the order: Portico trades for nobody by itself.
        text.add("ManualOrder", true)
        text.add("ExternalReference", ticket.clientOrderID)
        return text.body
    }

    static func changing(
        _ order: Order, to amount: Decimal, isCash: Bool, _ terms: Terms, _ timeInForce: TimeInForce,
        until date: CalendarDate?, of key: SaxoInstrumentKey, account: String
    ) -> [UInt8] {
        var text = JSONObjectText()
        text.add("AccountKey", account)
        text.add("OrderId", order.id)
        text.add("AssetType", key.assetType)
        text.add("Amount", amount)
        text.add("AmountType", isCash ? "CashAmount" : "Quantity")
        add(terms, to: &text)
        text.add("OrderDuration", duration(timeInForce, until: date))
        text.add("ManualOrder", true)
        return text.body
    }

    private static func add(_ terms: Terms, to text: inout JSONObjectText) {
        text.add("OrderType", terms.type)
        text.add("OrderPrice", terms.price)
        text.add("StopLimitPrice", terms.stopLimitPrice)
        text.add("TrailingStopDistanceToMarket", terms.trailingDistance)
        text.add("TrailingStopStep", terms.trailingStep)
    }

    private static func duration(_ timeInForce: TimeInForce, until date: CalendarDate?) -> JSONObjectText {
        var text = JSONObjectText()
        text.add("DurationType", timeInForce.saxo)
        if timeInForce == .goodTillDate, let date {
            // A date without a time: Saxo refuses one that has a time and does not say so.
            text.add("ExpirationDateTime", "\(date)T00:00:00Z")
            text.add("ExpirationDateContainsTime", false)
        }
        return text
    }
}
