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
