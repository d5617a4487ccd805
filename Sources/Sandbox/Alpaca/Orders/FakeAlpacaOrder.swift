import Brokerage

/// An order as Alpaca keeps it (fact sheet, "Orders").
struct FakeAlpacaOrder: Sendable {
    let id: String
    let clientOrderID: String
    let ticket: FakeAlpacaOrderTicket
    let createdAt: Instant
    var updatedAt: Instant
    var status: Status
    /// The market's second from which on it is worked.
    var workingFrom: Int
    /// The market's second with which it runs out.
    let expiresAt: Int
    var filledQuantity = Decimal.zero
    /// What was paid or received in all, without sign.
    var filledValue = Decimal.zero
    /// Whether its stop has been touched, where it has one.
    var isTriggered = false
    var filledAt: Instant?
    var canceledAt: Instant?
    var expiredAt: Instant?
    var replacedAt: Instant?
    var replacedBy: String?
    var replaces: String?

    enum Status: String, Sendable {
        case new
        case accepted
        case partiallyFilled = "partially_filled"
        case filled
        case canceled
        case expired
        case replaced

        var isOpen: Bool {
            switch self {
            case .new, .accepted, .partiallyFilled: true
            case .filled, .canceled, .expired, .replaced: false
            }
        }
    }

    /// Shares that are still to be had at a price; of an order by value, what the rest of the value buys.
    func remaining(at price: Decimal) throws -> Decimal {
        if let quantity = ticket.quantity { return try quantity - filledQuantity }
        guard let notional = ticket.notional, !price.isZero else { return .zero }
        return try (notional - filledValue).divided(by: price, to: 9, .towardZero)
    }

    /// The average price of what was filled, with up to 6 decimals; nil before anything was.
    func averagePrice() throws -> Decimal? {
        filledQuantity.isZero ? nil : try filledValue.divided(by: filledQuantity, to: 6, .halfEven)
    }
}
