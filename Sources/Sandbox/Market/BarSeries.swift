import Brokerage

/// The bars of one instrument over a range of time, made one by one as they are asked for.
///
/// They come from the tapes that all else comes from: the minutes of a day join to its hours, and these to the
/// day's bar. The running bar is told as far as it has come; nothing later is. A bar of less than a day without
/// a single share is left out, as exchanges do. There have been neither splits nor dividends, so prices are
/// adjusted and raw at once.
package struct BarSeries: Sendable, Sequence {
    package let instrument: FakeInstrument
    package let length: BarLength
    /// Only bars that begin in this range of seconds, both included.
    package let range: ClosedRange<Int>
    /// Whether bars of less than a day tell of the hours before and after the market's too.
    package let extendedHours: Bool
    package let alignment: BarAlignment
    package let newestFirst: Bool
    let view: MarketView

    package func makeIterator() -> Iterator { Iterator(self) }

    /// One bar after the other; a step costs what its bar costs, whatever the length of the series.
    package struct Iterator: IteratorProtocol {
        private let series: BarSeries
        /// The first day of the next day, week or month to look into; nil at the end.
        private var period: CalendarDate?
        /// What is left of the running day, where bars are shorter than one.
        private var day: DayBars?

        init(_ series: BarSeries) {
            self.series = series
            let end = series.newestFirst ? series.range.upperBound : series.range.lowerBound
            let moment = Instant(secondsSince1970: Int64(end)) ?? .latest
            period = series.length.period(of: series.instrument.schedule.date(at: moment))
        }

        package mutating func next() -> TimedBar? {
            while true {
                if let candle = day?.next() { return candle }
                day = nil
                let schedule = series.instrument.schedule
                guard let period, let start = schedule.start(of: period) else { return nil }
                // The first hour of a day may lie up to a day after its midnight.
                guard
                    series.newestFirst
                        ? start > series.range.lowerBound - 86_400 : start <= series.range.upperBound
                else { return nil }
                self.period = series.length.period(after: period, backwards: series.newestFirst)
                switch series.length {
                case .minutes(let count):
                    day = schedule.session(on: period).map {
                        DayBars(series, session: $0, step: Swift.max(1, count) * 60)
                    }
                case .day, .week, .months:
                    guard series.range.contains(start), let bar = series.bar(ofPeriod: period) else {
                        continue
                    }
                    return TimedBar(start: start, date: period, bar: bar)
                }
            }
        }
    }

    /// All market hours of a day, week or month, as far as they have come; nil before they begin.
    private func bar(ofPeriod first: CalendarDate) -> Bar? {
        guard let next = length.period(after: first, backwards: false), let last = next.adding(days: -1)
        else {
            return nil
        }
        return instrument.schedule.sessions(from: first, through: last)
            .compactMap { view.dayBar(instrument, $0) }
            .reduce(nil as Bar?) { sum, bar in sum?.joined(with: bar) ?? bar }
    }
}

extension MarketView {
    /// The bars of an instrument that begin from one second to another, both included, and not after now.
    ///
    /// Take a `prefix` of them: only what is taken is made. Seconds are moved into the market's years.
    package func bars(
        of instrument: FakeInstrument, every length: BarLength, from first: Int, through last: Int = .max,
        extendedHours: Bool = true, alignment: BarAlignment = .clock, newestFirst: Bool = false
    ) -> BarSeries {
        let first = Market.clamped(first)
        let last = min(Market.clamped(last), now)
        return BarSeries(
            instrument: instrument, length: length,
            // A range that is empty becomes one in which no bar begins.
            range: first <= last ? first...last : (now + 1)...(now + 1), extendedHours: extendedHours,
            alignment: alignment, newestFirst: newestFirst, view: self)
    }
}

/// The bars of one trading day that are shorter than a day, in the order of their series.
struct DayBars {
    private let tape: DayTape
    private let hours: Range<Int>
    private let step: Int
    /// The earliest and the latest beginning that is told.
    private let range: ClosedRange<Int>
    private let now: Int
    private let newestFirst: Bool
    private var start: Int

    init(_ series: BarSeries, session: TradingSession, step: Int) {
        tape = series.view.market.tape(series.instrument, session)
        hours =
            series.extendedHours
            ? session.preMarketOpen..<session.postMarketClose : session.open..<session.close
        self.step = step
        range = series.range
        now = series.view.now
        newestFirst = series.newestFirst
        let origin =
            switch series.alignment {
            case .clock: series.instrument.schedule.start(of: session.date) ?? session.open
            case .opening: session.open
            }
        /// The beginning of the bar in which a second lies.
        func start(of second: Int) -> Int {
            origin + (second - origin).flooredQuotientAndRemainder(dividingBy: step).quotient * step
        }
        let earliest = max(hours.lowerBound, min(range.lowerBound, hours.upperBound))
        let latest = min(hours.upperBound - 1, max(range.upperBound, hours.lowerBound))
        self.start = start(of: newestFirst ? latest : earliest)
    }

    mutating func next() -> TimedBar? {
        while newestFirst ? start + step > hours.lowerBound : start < hours.upperBound {
            let begin = start
            start += newestFirst ? -step : step
            guard begin <= range.upperBound || newestFirst, begin >= range.lowerBound || !newestFirst else {
                return nil
            }
            guard range.contains(begin), let bar = bar(from: begin), bar.volume > 0 else { continue }
            return TimedBar(start: begin, date: tape.session.date, bar: bar)
        }
        return nil
    }

    /// What was traded of the interval inside the hours told, over all phases that it touches.
    private func bar(from begin: Int) -> Bar? {
        let (first, last) = (max(begin, hours.lowerBound), min(begin + step, hours.upperBound, now))
        return TradingSession.Phase.allCases
            .filter { tape.session.seconds(of: $0).overlaps(hours) }
            .compactMap { phase in
                // The first second of a phase is the last of the one before: alone it is no time at all.
                last > tape.session.seconds(of: phase).lowerBound
                    ? tape.bar(of: phase, from: first, through: last) : nil
            }
            .reduce(nil as Bar?) { sum, bar in sum?.joined(with: bar) ?? bar }
    }
}
