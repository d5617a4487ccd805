import Brokerage
import Upstream

/// Makes series of bars: what is outside of the window or of regular hours left out, oldest first, no longer than wanted.
struct AlpacaSeriesBuilder {
    let query: AlpacaBarQuery
    /// Where trades outside of regular hours are left out: the trading days; nil where all stay.
    let sessions: [CalendarDate: AlpacaCalendarDay]?
    let fetchedAt: Instant

    func series(of symbol: Symbol, _ columns: AlpacaBarColumns) -> CandleSeries {
        let window = query.window
        var series = CandleSeries(
            symbol: symbol, interval: window.interval,
            provenance: Provenance(source: .alpaca, fetchedAt: fetchedAt),
            reserving: min(columns.count, window.maximumCandles + 1))
        series.currency = AlpacaMarket.currency
        series.adjustment = query.adjustment
        series.isExtendedHours = window.interval.isIntraday ? sessions == nil : nil
        series.timeZone = "America/New_York"
        // The newest came first; the oldest ones beyond what is wanted are passed over, but for one that tells that there
        // are more.
        let kept = columns.times.indices.filter { isInside(columns.times[$0]) }.prefix(
            window.maximumCandles + 1)
        for index in kept.reversed() {
            var candle = columns.candle(at: index)
            candle.time = start(candle.time)
            // What does not begin after the one before it is that one, told twice.
            _ = series.append(candle)
        }
        series.truncate(toLast: window.maximumCandles)
        let told = fetchedAt - (query.feed?.lag ?? .zero)
        series.isLastComplete = series.isLastOver(at: told, offset: told.newYorkOffset)
        return series
    }

    private func isInside(_ time: Int64) -> Bool {
        let start = start(time)
        guard query.window.contains(start) else { return false }
        guard let sessions, let time = Instant(secondsSince1970: start) else { return true }
        let local = time.inNewYork
        return sessions[local.date]?.regularHours.contains(local.secondOfDay) ?? false
    }

    /// The start of the candle: as it was sent within a day, midnight in New York of its first day for a day and longer.
    private func start(_ time: Int64) -> Int64 {
        let interval = query.window.interval
        guard !interval.isIntraday, let date = Instant(secondsSince1970: time)?.inNewYork.date,
            let midnight = LocalTime(date: interval.firstDay(around: date), hour: 0)
        else { return time }
        return Instant(newYork: midnight).secondsSince1970
    }
}
