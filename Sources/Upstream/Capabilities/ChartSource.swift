package import Brokerage

/// Knows past prices.
package protocol ChartSource: Sendable {
    /// The supported windows.
    var chartCapabilities: ChartCapabilities { get }

    /// Returns the candles of some instruments in a window. A symbol that the source does not know has no
    /// result; one without a candle in the window has an empty series.
    ///
    /// - Parameters:
    ///   - symbols: Each once, at most `chartCapabilities.symbolsPerCall`.
    ///   - window: The window, within `chartCapabilities`.
    ///   - call: The deadline and the recorder of the operation.
    /// - Returns: The series of the known symbols, with the latest candles of each, at most
    ///   `window.maximumCandles`; and the failures of others.
    /// - Throws: `ProviderFailure` if none could be read, with the cause `unsupported` for a window that the
    ///   source does not support.
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
    /// The number of the latest candles; nil for all.
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

    /// The maximum length of a series.
    package static let limit = 10_000

    /// The maximum number of candles: `last`, at most ``limit``; 100 if neither `last` nor `from` is given.
    package var maximumCandles: Int {
        min(max(last ?? (from == nil ? 100 : Self.limit), 0), Self.limit)
    }
}

/// The capabilities of a source of charts.
package struct ChartCapabilities: Hashable, Sendable {
    package var intervals: Set<Interval>
    package var adjustments: Set<Adjustment>
    /// The intervals whose candles can include trades outside of regular hours.
    package var extendedHours: Set<Interval>
    /// The intervals whose candles can be without trades outside of regular hours.
    package var regularHours: Set<Interval>
    /// The maximum number of symbols of one call; at least 1.
    package var symbolsPerCall: Int
    /// The maximum number of candles of one call, over all its symbols; nil if no limit is known.
    package var candlesPerCall: Int?
    /// The maximum age of candles in days; all are available of an interval that is missing here.
    package var reachInDays: [Interval: Int64]

    package init(
        intervals: Set<Interval>, adjustments: Set<Adjustment>, extendedHours: Set<Interval> = [],
        regularHours: Set<Interval> = Set(Interval.allCases), symbolsPerCall: Int = 1,
        candlesPerCall: Int? = nil, reachInDays: [Interval: Int64] = [:]
    ) {
        self.intervals = intervals
        self.adjustments = adjustments
        self.extendedHours = extendedHours
        self.regularHours = regularHours
        self.symbolsPerCall = symbolsPerCall
        self.candlesPerCall = candlesPerCall
        self.reachInDays = reachInDays
    }

    /// The maximum number of symbols of one call for a window; at least 1.
    package func symbolsPerCall(in window: ChartWindow) -> Int {
        guard let candlesPerCall else { return symbolsPerCall }
        return max(min(symbolsPerCall, candlesPerCall / max(window.maximumCandles, 1)), 1)
    }

    /// Whether the source supports a window.
    package func serve(_ window: ChartWindow) -> Bool {
        intervals.contains(window.interval)
            && (window.adjustment.map(adjustments.contains) ?? true)
            && (window.isExtendedHours.map { $0 ? extendedHours : regularHours }?.contains(window.interval)
                ?? true)
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
    /// Adds the candles that are in a window, at most as many as the window allows.
    ///
    /// A candle that the series cannot hold is an unreadable one: a figure has more digits than a column holds beside the
    /// others, or the candle does not begin after the last added one.
    ///
    /// - Parameters:
    ///   - candles: Oldest first. Of several candles with the same time the last one counts: a source that
    ///     identifies an interval by its latest day returns the same interval again.
    ///   - window: The window.
    /// - Throws: `Decimal.Overflow` if more than ``JSONRows/maximumFailures`` candles are unreadable.
    package mutating func append(
        _ candles: [Candle], in window: ChartWindow
    ) throws(Decimal.Overflow) {
        var failures: [(reason: String, notAfter: Int64?)] = []
        for (index, candle) in candles.enumerated() where window.contains(candle.time) {
            let isRepeated = index + 1 < candles.count && candles[index + 1].time == candle.time
            if isRepeated || append(candle) { continue }
            guard failures.count < JSONRows<Candle>.maximumFailures else { throw Decimal.Overflow() }
            let isLate = times.last.map { candle.time <= $0 } ?? false
            let cause = isLate ? "not in the order of time" : "more digits than a series of candles holds"
            let start = Instant(secondsSince1970: candle.time)?.description ?? ""
            failures.append(("candle of \(start): \(cause)", candle.time))
        }
        truncate(toLast: window.maximumCandles)
        append(unreadable: failures, in: window)
    }

    /// Adds the errors of candles that could not be read, after the candles: those of a full series that are older than all of
    /// its candles are not requested ones.
    ///
    /// - Parameters:
    ///   - failures: The error of each, and the start of a candle that is not older, or its own; nil if none is known.
    ///   - window: The window.
    package mutating func append(
        unreadable failures: [(reason: String, notAfter: Int64?)], in window: ChartWindow
    ) {
        let oldest = count >= window.maximumCandles ? times.first : nil
        unreadable += failures.filter { failure in
            guard let oldest, let bound = failure.notAfter else { return true }
            return bound > oldest
        }.map(\.reason)
    }

    /// Whether the last candle's interval has ended.
    ///
    /// - Parameters:
    ///   - moment: The time until which trades have been reported; earlier than now for a delayed source.
    ///   - offset: Seconds to add to UTC for the exchange's time, which determines the length of a month.
    /// - Returns: Nil without a candle.
    package func isLastOver(at moment: Instant, offset: Int) -> Bool? {
        guard let start = times.last, let local = Instant(secondsSince1970: start + Int64(offset)) else {
            return nil
        }
        return start + interval.length(on: local.dateInUTC) <= moment.secondsSince1970
    }
}
