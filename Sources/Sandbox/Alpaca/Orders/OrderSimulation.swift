import Brokerage

/// One order against the market's trades over a range of seconds: the times and prices of its fills.
///
/// A minute whose bar does not reach the order's price is skipped as a whole, so that months of waiting take
/// minutes of work, not seconds.
struct OrderSimulation {
    /// It keeps whether its stop was reached, and the best price of a trailing stop.
    private(set) var order: FakeAlpacaOrder
    let view: MarketView

    init(order: FakeAlpacaOrder, view: MarketView) {
        self.order = order
        self.view = view
    }

    /// Returns the next second of the range in which it can be filled, and the price.
    mutating func next(in range: Range<Int>) -> (second: Int, price: Decimal)? {
        guard view.priced(instrument.symbol) != nil, var day = date(range.lowerBound) else { return nil }
        while let last = date(range.upperBound), day <= last {
            if let session = view.market.exchanges.session(on: day),
                let fill = next(in: range, of: session)
            {
                return fill
            }
            guard let tomorrow = day.adding(days: 1) else { return nil }
            day = tomorrow
        }
        return nil
    }

    /// Returns the seconds of a session in which it can be filled.
    func hours(of session: TradingSession) -> Range<Int> {
        switch order.ticket.timeInForce {
        case .opening: session.open..<session.open + 60
        case .closing: session.close - 60..<session.close
        case .day, .goodTillCanceled, .immediateOrCancel, .fillOrKill:
            order.ticket.extendedHours
                ? session.preMarketOpen..<session.postMarketClose : session.open..<session.close
        }
    }

    private var instrument: FakeInstrument { order.ticket.instrument }

    private func date(_ second: Int) -> CalendarDate? {
        Instant(secondsSince1970: Int64(second))?.inNewYork.date
    }

    private mutating func next(
        in range: Range<Int>, of session: TradingSession
    ) -> (second: Int, price: Decimal)? {
        let seconds = hours(of: session).clamped(to: range)
        let tape = view.market.tape(instrument, session)
        var second = seconds.lowerBound
        while second < seconds.upperBound {
            let end = min((second / 60 + 1) * 60, seconds.upperBound)
            if mayMatch(tape, second..<end) {
                for second in second..<end {
                    guard let price = tape.price(at: second) else { continue }
                    if let paid = self.price(at: second, last: Decimal(cents: price)) {
                        return (second, paid)
                    }
                }
            }
            second = end
        }
        return nil
    }

    /// Returns true if a minute's bar reaches the order's price; if not, a trailing stop follows the bar.
    private mutating func mayMatch(_ tape: DayTape, _ seconds: Range<Int>) -> Bool {
        guard let phase = tape.session.phase(at: seconds.lowerBound),
            let bar = tape.bar(of: phase, from: seconds.lowerBound, through: seconds.upperBound)
        else { return false }
        let (low, high) = (Decimal(cents: bar.low), Decimal(cents: bar.high))
        if order.ticket.type == .trailingStop {
            var followed = order
            followed.highWaterMark = bestPrice(isBuy ? low : high)
            guard let stop = followed.trailingStop else { return true }
            if isBuy ? high >= stop : low <= stop { return true }
            order = followed
            return false
        }
        if let stop = order.ticket.stopPrice, !order.isTriggered {
            return isBuy ? high >= stop : low <= stop
        }
        guard let limit = order.ticket.limitPrice else { return true }
        return isBuy ? low <= limit : high >= limit
    }

    /// Returns the fill price at a second with a given last price; nil if the order is not filled.
    private mutating func price(at second: Int, last: Decimal) -> Decimal? {
        if order.ticket.type == .trailingStop {
            order.highWaterMark = bestPrice(last)
        }
        if let stop = order.ticket.stopPrice ?? order.trailingStop, !order.isTriggered {
            guard isBuy ? last >= stop : last <= stop else { return nil }
            order.isTriggered = true
        }
        if let limit = order.ticket.limitPrice {
            guard isBuy ? last <= limit : last >= limit else { return nil }
            return last
        }
        let quote = view.market.quote(instrument, at: second)
        return (isBuy ? quote.ask : quote.bid).map { Decimal(cents: $0.price) } ?? last
    }

    private var isBuy: Bool { order.ticket.side == .buy }

    /// The best price of a trailing stop after another price.
    private func bestPrice(_ price: Decimal) -> Decimal {
        order.highWaterMark.map { isBuy ? min($0, price) : max($0, price) } ?? price
    }
}
