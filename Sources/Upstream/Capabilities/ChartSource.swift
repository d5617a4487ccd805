package import Brokerage

/// Knows past prices.
package protocol ChartSource: Sendable {
    /// What can be asked for.
    var chartCapabilities: ChartCapabilities { get }

    /// The candles of some instruments in a window; of a symbol that the source does not know there is nothing, one
    /// without a candle in the window has an empty series.
    ///
    /// - Parameters:
    ///   - symbols: each once, at most `chartCapabilities.symbolsPerCall`.
    ///   - window: which candles, within `chartCapabilities`.
    ///   - call: how long the operation waits, and who is told of the call.
    /// - Returns: the series of the symbols that are known, each at most `window.maximumCandles` long: the latest ones; and
    ///   why others could not be read.
    /// - Throws: `ProviderFailure` where none could be read, with the cause `unsupported` for a window beyond the source's
    ///   abilities.
    func charts(
        of symbols: [Symbol], _ window: ChartWindow, in call: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, CandleSeries>
}

/// Which candles.
package struct ChartWindow: Hashable, Sendable {
    package var interval: Interval
    /// Candles that begin at this moment or later; nil for no bound.
    package var from: Instant?
    /// Candles that begin before this moment; nil for now.
    package var to: Instant?
    /// The latest so many of them; nil for all.
    package var last: Int?
    /// Nil leaves the choice to the source.
    package var adjustment: Adjustment?
    /// Nil leaves the choice to the source.
    package var isExtendedHours: Bool?

    package init(
        interval: Interval, from: Instant? = nil, to: Instant? = nil, last: Int? = nil,
        adjustment: Adjustment? = nil, isExtendedHours: Bool? = nil
    ) {
        self.interval = interval
        self.from = from
        self.to = to
        self.last = last
        self.adjustment = adjustment
        self.isExtendedHours = isExtendedHours
    }

    /// As long as a series may get, whatever the window.
    package static let limit = 10_000

    /// The most candles that are wanted: `last`, within ``limit``; 100 where neither `last` nor `from` is given.
    package var maximumCandles: Int {
        min(max(last ?? (from == nil ? 100 : Self.limit), 0), Self.limit)
    }
}

/// What a source of charts can do.
package struct ChartCapabilities: Hashable, Sendable {
    package var intervals: Set<Interval>
    package var adjustments: Set<Adjustment>
    package var hasExtendedHours: Bool
    /// How many symbols one call may ask for; at least 1.
    package var symbolsPerCall: Int
    /// How many candles one call may come to, over all its symbols; nil for no bound known.
    package var candlesPerCall: Int?

    package init(
        intervals: Set<Interval>, adjustments: Set<Adjustment>, hasExtendedHours: Bool,
        symbolsPerCall: Int = 1, candlesPerCall: Int? = nil
    ) {
        self.intervals = intervals
        self.adjustments = adjustments
        self.hasExtendedHours = hasExtendedHours
        self.symbolsPerCall = symbolsPerCall
        self.candlesPerCall = candlesPerCall
    }

    /// How many symbols one call for a window may ask for; at least 1.
    package func symbolsPerCall(in window: ChartWindow) -> Int {
        guard let candlesPerCall else { return symbolsPerCall }
        return max(min(symbolsPerCall, candlesPerCall / max(window.maximumCandles, 1)), 1)
    }

    /// Whether the source can serve a window, as far as its kind tells.
    package func serve(_ window: ChartWindow) -> Bool {
        intervals.contains(window.interval)
            && (window.adjustment.map(adjustments.contains) ?? true)
            && (window.isExtendedHours != true || hasExtendedHours)
    }
}

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
