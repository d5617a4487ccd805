import Brokerage

/// What the official closes of the last year come to, the last close included; prices in ticks.
struct YearPriceStats: Sendable {
    let high: Int
    let low: Int
    /// Newest first; at least one.
    private let closes: [Int]

    /// Nil for an instrument without a price.
    init?(_ instrument: FakeInstrument, _ view: MarketView) {
        guard view.priced(instrument.symbol) != nil, let today = view.marketDay(of: instrument),
            let yearAgo = today.date.adding(months: -12), let bar = view.dayBar(instrument, today)
        else { return nil }
        let earlier = instrument.schedule.sessions(from: yearAgo, through: today.date)
            .dropLast()
            .map { view.market.close(instrument, $0) }
        high = max(bar.high, earlier.max() ?? bar.high)
        low = min(bar.low, earlier.min() ?? bar.low)
        closes = [bar.close] + earlier.reversed()
    }

    /// The mean of the last so many closes, or of all where there are fewer; for prices in cents.
    func average(ofLast count: Int) -> Decimal {
        let last = closes.prefix(count)
        let sum = Decimal(cents: last.reduce(0, +))
        return (try? sum.divided(by: Decimal(last.count), to: 4, .halfEven)) ?? .zero
    }
}
