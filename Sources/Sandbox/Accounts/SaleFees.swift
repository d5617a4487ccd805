import Brokerage

/// The fees of a day's sales at Alpaca, each rounded up to a cent, in dollars.
struct SaleFees {
    /// For the value of the sales.
    let regulatory: Decimal
    /// For the shares.
    let tradingActivity: Decimal
    let shares: Decimal
    /// The number of sales.
    let count: Int

    var total: Decimal { get throws { try regulatory + tradingActivity } }

    init(_ sales: [Fill]) throws {
        let value = try sales.reduce(Decimal.zero) { try $0 + $1.quantity.magnitude * $1.price }
        shares = try sales.reduce(Decimal.zero) { try $0 + $1.quantity.magnitude }
        count = sales.count
        // 27.80 dollars for a million dollars, and 0.000166 dollars a share.
        regulatory = try Self.roundedUp(value * (Decimal(coefficient: 278, scale: 7) ?? .zero))
        tradingActivity = try Self.roundedUp(shares * (Decimal(coefficient: 166, scale: 6) ?? .zero))
    }

    private static func roundedUp(_ amount: Decimal) throws -> Decimal {
        let cents = amount.rounded(to: 2, .towardZero)
        return cents == amount ? cents : try cents + Decimal(cents: 1)
    }

    /// Returns the fees of each day with sales, and the second at which they are booked: 00:17:05 UTC of the day
    /// after.
    static func days(_ trades: [Fill]) throws -> [(date: CalendarDate, second: Int, fees: SaleFees)] {
        var sales: [CalendarDate: [Fill]] = [:]
        for trade in trades where trade.quantity.isNegative {
            guard let moment = Instant(secondsSince1970: Int64(trade.second)) else { continue }
            sales[moment.inNewYork.date, default: []].append(trade)
        }
        return try sales.sorted { $0.key < $1.key }.map { date, sales in
            (date, (date.daysSince1970 + 1) * 86_400 + 1_025, try SaleFees(sales))
        }
    }
}
