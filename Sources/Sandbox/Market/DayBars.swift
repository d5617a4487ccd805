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
