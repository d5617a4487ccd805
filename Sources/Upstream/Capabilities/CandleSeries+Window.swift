package import Brokerage

extension ChartWindow {
    /// Whether a candle that begins at a second since 1970 is in the window.
    package func contains(_ start: Int64) -> Bool {
        guard let start = Instant(secondsSince1970: start) else { return false }
        return (from.map { $0 <= start } ?? true) && (to.map { start < $0 } ?? true)
    }
}

extension CandleSeries {
    /// Adds the candles that are in a window, and keeps as many as the window wants.
    ///
    /// - Parameters:
    ///   - candles: Oldest first. Of several that begin at one time the last counts: a source that names an interval by
    ///     the latest day in it tells the same interval anew.
    ///   - window: Which of them.
    /// - Throws: `Decimal.Overflow` for a figure with more digits than a column holds.
    package mutating func append(
        _ candles: [Candle], in window: ChartWindow
    ) throws(Decimal.Overflow) {
        for (index, candle) in candles.enumerated() where window.contains(candle.time) {
            let isRepeated = index + 1 < candles.count && candles[index + 1].time == candle.time
            guard isRepeated || append(candle) else { throw Decimal.Overflow() }
        }
        truncate(toLast: window.maximumCandles)
    }

    /// Whether the last candle's interval is over at a moment.
    ///
    /// - Parameters:
    ///   - moment: By which trades have been reported; for a delayed source, earlier than now.
    ///   - offset: Seconds to add to UTC for the exchange's time, by which a month has its length.
    /// - Returns: nil without a candle.
    package func isLastOver(at moment: Instant, offset: Int) -> Bool? {
        guard let start = times.last, let local = Instant(secondsSince1970: start + Int64(offset)) else {
            return nil
        }
        return start + interval.length(on: local.dateInUTC) <= moment.secondsSince1970
    }
}
