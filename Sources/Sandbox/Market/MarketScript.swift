/// What a test or a demonstration makes of the market: open, closed, or without a price.
package struct MarketScript: Sendable, Hashable {
    package var hours: Hours
    /// Symbols that have no price, as after a halt before the first trade.
    package var unpriced: Set<String>

    package init(hours: Hours = .asScheduled, unpriced: Set<String> = []) {
        self.hours = hours
        self.unpriced = unpriced
    }

    package enum Hours: String, Sendable, Hashable, CaseIterable {
        case asScheduled = "as_scheduled"
        case open
        case closed
    }

    /// The moment that the market takes for now; scripted hours are those of the stock exchanges, and whatever
    /// keeps other hours is told of at that moment too.
    ///
    /// Scripted open, it is inside the market hours of the last session that has opened, one second later for
    /// each second of the clock, and round again at the close. Scripted closed, it is the end of the last
    /// session.
    package func scriptedSecond(at second: Int) -> Int {
        let second = Market.clamped(second)
        switch hours {
        case .asScheduled: return second
        case .open:
            guard let session = Market.session(openedBy: second), session.phase(at: second) != .regular else {
                return second
            }
            let hours = session.close - session.open
            return session.open + (second - session.open) % hours
        case .closed:
            guard let session = Market.session(begunBy: second), session.phase(at: second) != nil else {
                return second
            }
            return TradingCalendar.session(before: session.date)?.postMarketClose ?? second
        }
    }
}
