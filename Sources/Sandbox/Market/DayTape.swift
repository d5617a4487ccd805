import Brokerage

/// All trades of one instrument on one trading day, before, during and after market hours.
package struct DayTape: Sendable {
    package let session: TradingSession
    /// The official closing price of the session before, in ticks.
    package let previousClose: Int
    /// The complete bar of market hours.
    package let regularBar: Bar
    private let preMarket: PhaseTape
    private let regular: PhaseTape
    private let postMarket: PhaseTape

    /// - Parameters:
    ///   - session: The day.
    ///   - previous: The session before it; nil at the beginning of the calendar.
    ///   - prices: The prices of the instrument.
    ///   - bounces: Whether the last price alternates between bid and ask, so that it changes every few seconds
    ///     however quiet the day is.
    init(
        _ session: TradingSession, after previous: TradingSession?, of prices: PriceModel,
        bounces: Bool = false
    ) {
        let day = session.date.daysSince1970
        let noise = prices.random
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
                volume: volume, random: noise.branch(purpose, day), bounces: bounces)
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

    /// Returns the price of the last trade at a second of the session; nil while the market is closed.
    package func price(at second: Int) -> Int? {
        session.phase(at: second).map { tape(of: $0).price(at: second) }
    }

    /// Returns the bar between two seconds of one phase, both included; nil for an empty interval.
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

/// The trades of one phase of one day: a path of minutes, and a path of seconds in each.
struct PhaseTape: Sendable {
    private let seconds: Range<Int>
    private let start: Int
    private let end: Int
    private let minutes: PricePath
    private let volume: VolumeCurve
    private let random: SeededRandom
    private let bounces: Bool

    init(
        seconds: Range<Int>, from start: Int, to end: Int, within range: ClosedRange<Int>, volume: Int,
        random: SeededRandom, bounces: Bool
    ) {
        self.bounces = bounces
        self.seconds = seconds
        self.start = start
        self.end = end
        self.random = random
        let length = seconds.count / 60
        minutes = PricePath(from: start, to: end, within: range, length: length, random: random)
        self.volume = VolumeCurve(total: volume, minutes: length, random: random.branch(.volume))
    }

    /// The bar of the whole phase.
    var completeBar: Bar {
        Bar(
            open: start, high: minutes.range.upperBound, low: minutes.range.lowerBound, close: end,
            volume: volume.total)
    }

    func price(at second: Int) -> Int {
        let offset = min(max(second - seconds.lowerBound, 0), seconds.count)
        return path(ofMinute: offset / 60).price(at: offset % 60)
    }

    /// Returns the bar of the part of `first ... last` in this phase; the price at its last second is its
    /// close.
    func bar(from first: Int, through last: Int) -> Bar? {
        let from = max(first, seconds.lowerBound) - seconds.lowerBound
        let to = min(last, seconds.upperBound) - seconds.lowerBound
        guard from < seconds.count, from <= to else { return nil }
        if from == 0, to == seconds.count { return completeBar }
        var bar = piece(minute: from / 60, from: from % 60, through: min(60, to - from / 60 * 60))
        var minute = from / 60 + 1
        while minute * 60 < to {
            bar = bar.joined(with: piece(minute: minute, from: 0, through: min(60, to - minute * 60)))
            minute += 1
        }
        bar.volume = volume.traded(by: to) - volume.traded(by: from)
        return bar
    }

    /// Returns the bar of a minute or a part of it, without volume, between two seconds up to 60, both
    /// included.
    private func piece(minute: Int, from first: Int, through last: Int) -> Bar {
        let path = path(ofMinute: minute)
        let (open, close) = (path.price(at: first), path.price(at: last))
        if first == 0, last == 60 {
            return Bar(
                open: open, high: path.range.upperBound, low: path.range.lowerBound, close: close, volume: 0)
        }
        return (first...last).reduce(Bar(open: open, high: open, low: open, close: close, volume: 0)) {
            bar, second in
            let price = path.price(at: second)
            return Bar(
                open: open, high: max(bar.high, price), low: min(bar.low, price), close: close, volume: 0)
        }
    }

    private func path(ofMinute minute: Int) -> PricePath {
        let (open, close) = (minutes.price(at: minute), minutes.price(at: minute + 1))
        let noise = random.branch(.minute, minute)
        let reach = max(2, open / 2_500)
        let least = bounces ? 1 : 0
        let high = min(max(open, close) + least + noise.number(10, below: reach), minutes.range.upperBound)
        let low = max(min(open, close) - least - noise.number(11, below: reach), minutes.range.lowerBound)
        return PricePath(
            from: open, to: close, within: low...high, length: 60, random: noise.branch(.second),
            bounces: bounces)
    }
}
