import Brokerage

/// What a user orders.
struct FakeAlpacaOrderTicket: Sendable {
    let instrument: FakeInstrument
    let side: Side
    let type: OrderKind
    let timeInForce: TimeInForce
    /// Shares; nil for an order by value.
    var quantity: Decimal?
    /// Dollars; nil for an order by shares.
    var notional: Decimal?
    var limitPrice: Decimal?
    var stopPrice: Decimal?
    var extendedHours = false
    var clientOrderID: String?

    enum Side: String, Sendable {
        case buy
        case sell
    }

    enum OrderKind: String, Sendable {
        case market
        case limit
        case stop
        case stopLimit = "stop_limit"

        var hasLimit: Bool {
            switch self {
            case .limit, .stopLimit: true
            case .market, .stop: false
            }
        }

        var hasStop: Bool {
            switch self {
            case .stop, .stopLimit: true
            case .market, .limit: false
            }
        }
    }

    enum TimeInForce: String, Sendable {
        case day
        case goodTillCanceled = "gtc"
        case opening = "opg"
        case closing = "cls"
        case immediateOrCancel = "ioc"
        case fillOrKill = "fok"
    }
}
