package import Brokerage

extension CacheLifetime {
    /// Of a chart: until its next candle begins.
    ///
    /// While its last candle still runs, the chart of a source that can be asked often is fresh for a twelfth of an
    /// interval, between 5 seconds and a minute. One whose last candle is days old is of the past, which hardly changes.
    ///
    /// - Parameters:
    ///   - series: the chart.
    ///   - readAt: when it was read, by the wall clock.
    /// - Returns: its lifetime, at least a second.
    package static func chart(_ series: CandleSeries, readAt: Instant) -> CacheLifetime {
        let length = series.interval.length(on: readAt.dateInUTC)
        var fresh = series.secondsToNextStart(from: readAt)
        if series.count == 0 { fresh = min(fresh, 60) }
        if series.isLastComplete == false, !series.provenance.source.hasLowQuota {
            fresh = min(fresh, min(max(length / 12, 5), 60))
        }
        if series.isOfThePast(at: readAt) { fresh = max(fresh, 3_600) }
        return CacheLifetime(
            fresh: .seconds(fresh), whileRevalidating: .seconds(min(length / 4, 900)),
            ifError: .seconds(7 * 86_400))
    }
}

extension CandleSeries {
    /// Seconds from a moment to the next start of a candle.
    ///
    /// Intraday, candles begin at whole intervals from each other. Longer ones begin with a day of the exchange, and
    /// each day changes the last.
    fileprivate func secondsToNextStart(from now: Instant) -> Int64 {
        let step = interval.isIntraday ? interval.length(on: now.dateInUTC) : 86_400
        guard let last = times.last.flatMap({ Instant(secondsSince1970: $0) }), last <= now else {
            return step
        }
        return step - (now.secondsSince1970 - last.secondsSince1970) % step
    }

    /// Whether it ended longer ago than any market is closed.
    fileprivate func isOfThePast(at now: Instant) -> Bool {
        guard let last = times.last.flatMap({ Instant(secondsSince1970: $0) }) else { return false }
        let length = interval.length(on: last.dateInUTC)
        return last + .seconds(length + 6 * 86_400) < now
    }
}
