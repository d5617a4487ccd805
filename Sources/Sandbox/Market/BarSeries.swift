import Brokerage
import PorticoCore

/// The bars of one instrument over a range of time, computed lazily.
///
/// They are computed from the day tapes: minutes aggregate to hours, and these to the day's bar. The current
/// bar covers the time until now. A bar of less than a day without volume is omitted, as at exchanges. Prices
/// are adjusted for splits, see ``CorporateActions``.
package struct BarSeries: Sendable, Sequence {
    package let instrument: FakeInstrument
    package let length: BarLength
    /// Bars must begin in this range of seconds, both ends included.
    package let range: ClosedRange<Int>
    /// True if bars of less than a day include the extended hours.
    package let extendedHours: Bool
    package let alignment: BarAlignment
    package let newestFirst: Bool
    let view: MarketView

    fileprivate var schedule: TradingHours { view.market.schedule(of: instrument) }

    package func makeIterator() -> Iterator { Iterator(self) }

    /// An iterator; the cost of a step is that of its bar, independent of the length of the series.
    package struct Iterator: IteratorProtocol {
        private let series: BarSeries
        /// The first day of the next day, week or month; nil at the end.
        private var period: CalendarDate?
        /// The rest of the current day, for bars shorter than a day.
        private var day: DayBars?

        init(_ series: BarSeries) {
            self.series = series
            let end = series.newestFirst ? series.range.upperBound : series.range.lowerBound
            let moment = Instant(secondsSince1970: Int64(end)) ?? .latest
            period = series.length.period(of: series.schedule.date(at: moment))
        }

        package mutating func next() -> TimedBar? {
            while true {
                if let candle = day?.next() { return candle }
                day = nil
                let schedule = series.schedule
                guard let period, let start = schedule.start(of: period) else { return nil }
                // The first hour of a day may be up to a day after its midnight.
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

    /// Returns the market hours of a day, week or month until now; nil before they begin.
    private func bar(ofPeriod first: CalendarDate) -> Bar? {
        guard let next = length.period(after: first, backwards: false), let last = next.adding(days: -1)
        else {
            return nil
        }
        return schedule.sessions(from: first, through: last)
            .compactMap { view.dayBar(instrument, $0) }
            .reduce(nil as Bar?) { sum, bar in sum?.joined(with: bar) ?? bar }
    }
}

extension MarketView {
    /// Returns the bars of an instrument that begin between two seconds, both included, and not after now.
    ///
    /// Bars are computed lazily, so a `prefix` is cheap. Seconds are clamped to the market's years.
    package func bars(
        of instrument: FakeInstrument, every length: BarLength, from first: Int, through last: Int = .max,
        extendedHours: Bool = true, alignment: BarAlignment = .clock, newestFirst: Bool = false
    ) -> BarSeries {
        let first = Market.clamped(first)
        let last = min(Market.clamped(last), now)
        return BarSeries(
            instrument: instrument, length: length,
            // An empty range is replaced by one that contains no start of a bar.
            range: first <= last ? first...last : (now + 1)...(now + 1), extendedHours: extendedHours,
            alignment: alignment, newestFirst: newestFirst, view: self)
    }
}

/// The intraday bars of one trading day, in the order of their series.
struct DayBars {
    private let tape: DayTape
    private let hours: Range<Int>
    private let step: Int
    /// The range of starts of returned bars.
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
            case .clock: series.schedule.start(of: session.date) ?? session.open
            case .opening: session.open
            }
        /// Returns the start of the bar that contains a second.
        func start(of second: Int) -> Int {
            origin + (second - origin).flooredDivision(by: step).quotient * step
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

    /// Returns the bar of an interval over all phases of the included hours.
    private func bar(from begin: Int) -> Bar? {
        let (first, last) = (max(begin, hours.lowerBound), min(begin + step, hours.upperBound, now))
        return TradingSession.Phase.allCases
            .filter { tape.session.seconds(of: $0).overlaps(hours) }
            .compactMap { phase in
                // The first second of a phase is the last one of the phase before, so it is no interval of
                // its own.
                last > tape.session.seconds(of: phase).lowerBound
                    ? tape.bar(of: phase, from: first, through: last) : nil
            }
            .reduce(nil as Bar?) { sum, bar in sum?.joined(with: bar) ?? bar }
    }
}
