import Brokerage

/// Every trade of one instrument on one trading day, before, during and after market hours.
package struct DayTape: Sendable {
    package let session: TradingSession
    /// The official closing price of the session before, in ticks.
    package let previousClose: Int
    /// The day's bar of market hours, once they are over.
    package let regularBar: Bar
    private let preMarket: PhaseTape
    private let regular: PhaseTape
    private let postMarket: PhaseTape

    init(_ session: TradingSession, of prices: PriceModel) {
        let day = session.date.daysSince1970
        let noise = prices.random
        let previous = prices.instrument.schedule.session(before: session.date)
        self.session = session
        previousClose = prices.close(onDay: previous?.date.daysSince1970 ?? day - 1)
        let close = prices.close(onDay: day)
        let isSeamless = previous?.postMarketClose == session.preMarketOpen
        let open =
            isSeamless ? previousClose : prices.moved(previousClose, by: noise.branch(.gap).swing(day, 4_000))
        let evening = prices.moved(close, by: noise.branch(.gap, 1).swing(day, 2_500))
        let volume = prices.volume(onDay: day)
        func phase(
            _ phase: TradingSession.Phase, _ purpose: SeededRandom.Purpose, from start: Int, to end: Int,
            reach: Int,
            volume: Int
        ) -> PhaseTape {
            PhaseTape(
                seconds: session.seconds(of: phase), from: start, to: end,
                within: prices.range(around: start, end, reach: reach, random: noise.branch(purpose, day)),
                volume: volume, random: noise.branch(purpose, day))
        }
        preMarket = phase(
            .preMarket, .preMarket, from: previousClose, to: open, reach: 1_500, volume: volume / 90)
        regular = phase(.regular, .day, from: open, to: close, reach: 9_000, volume: volume)
        postMarket = phase(
            .postMarket, .postMarket, from: close, to: evening, reach: 1_500, volume: volume / 70)
        regularBar = regular.completeBar
    }

    /// The official closing price, in ticks.
    package var close: Int { regularBar.close }

    /// The price of the last trade at a second of the session; nil while nothing is traded.
    package func price(at second: Int) -> Int? {
        session.phase(at: second).map { tape(of: $0).price(at: second) }
    }

    /// What was traded from one second to another, both included, in one phase; nil where that is no time at
    /// all.
    package func bar(of phase: TradingSession.Phase, from first: Int, through last: Int) -> Bar? {
        tape(of: phase).bar(from: first, through: last)
    }

    private func tape(of phase: TradingSession.Phase) -> PhaseTape {
        switch phase {
        case .preMarket: preMarket
        case .regular: regular
        case .postMarket: postMarket
        }
    }
}
