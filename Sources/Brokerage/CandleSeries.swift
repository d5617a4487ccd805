/// Candles of an instrument, oldest first, by column.
///
/// An interval without trades has no candle; nothing is filled in. All columns are equally long.
package struct CandleSeries: Hashable, Sendable {
    package let symbol: Symbol
    package let interval: Interval
    /// ISO 4217, never a minor unit.
    package var currency: String?
    /// What was delivered; nil where the source does not say.
    package var adjustment: Adjustment?
    /// Whether it has trades outside of regular hours; nil where the source does not say.
    package var isExtendedHours: Bool?
    /// Of the exchange, an IANA name: what a day means here.
    package var timeZone: String?
    /// There are older candles in the window than are here.
    package var isTruncated = false
    /// False while the last interval still runs; nil where nobody can say.
    ///
    /// All others are complete.
    package var isLastComplete: Bool?
    package var provenance: Provenance

    /// Starts of the intervals, in seconds since 1970; for a day and longer, midnight in ``timeZone``.
    package private(set) var times: [Int64]
    package private(set) var prices: OHLCColumns
    /// An empty place where the source has no volume.
    package private(set) var volume: DecimalColumn
    /// The two sides of an FX series, whose ``prices`` are the mid; nil elsewhere.
    package private(set) var bid: OHLCColumns?
    package private(set) var ask: OHLCColumns?

    package init(symbol: Symbol, interval: Interval, provenance: Provenance, reserving capacity: Int = 0) {
        self.symbol = symbol
        self.interval = interval
        self.provenance = provenance
        times = []
        times.reserveCapacity(capacity)
        prices = OHLCColumns(reserving: capacity)
        volume = DecimalColumn(reserving: capacity)
    }

    /// A series of columns that are there already; nil unless all are equally long and each time is after the one before.
    package init?(
        symbol: Symbol, interval: Interval, provenance: Provenance, times: [Int64], prices: OHLCColumns,
        volume: DecimalColumn, bid: OHLCColumns? = nil, ask: OHLCColumns? = nil
    ) {
        let counts = [prices.count, volume.count] + [bid, ask].compactMap { $0?.count }
        guard counts.allSatisfy({ $0 == times.count }), zip(times, times.dropFirst()).allSatisfy({ $0 < $1 })
        else { return nil }
        self.init(symbol: symbol, interval: interval, provenance: provenance)
        (self.times, self.prices, self.volume) = (times, prices, volume)
        (self.bid, self.ask) = (bid, ask)
    }

    package var count: Int { times.count }

    /// The candle at a place below ``count``.
    package subscript(index: Int) -> Candle {
        Candle(
            time: times[index], prices: prices[index], volume: volume[index], bid: bid?[index],
            ask: ask?[index])
    }

    /// Adds a candle that begins after all others.
    ///
    /// - Returns: false, and adds nothing, where its time is not after the last one's, it has sides and the others have
    ///   none or the other way round, or a figure has more digits than a column holds.
    package mutating func append(_ candle: Candle) -> Bool {
        if let last = times.last, candle.time <= last { return false }
        if times.isEmpty {
            bid = candle.bid.map { _ in OHLCColumns() }
            ask = candle.ask.map { _ in OHLCColumns() }
        }
        guard (candle.bid == nil) == (bid == nil), (candle.ask == nil) == (ask == nil) else { return false }
        guard
            prices.append(candle.prices), volume.append(candle.volume),
            candle.bid.map({ bid?.append($0) == true }) ?? true,
            candle.ask.map({ ask?.append($0) == true }) ?? true
        else {
            truncate(to: times.count)
            return false
        }
        times.append(candle.time)
        return true
    }

    /// Keeps the latest candles, and says that there were more.
    package mutating func truncate(toLast count: Int) {
        guard count < self.count else { return }
        let surplus = self.count - max(count, 0)
        times.removeFirst(surplus)
        prices.removeFirst(surplus)
        volume.removeFirst(surplus)
        bid?.removeFirst(surplus)
        ask?.removeFirst(surplus)
        isTruncated = true
    }

    private mutating func truncate(to count: Int) {
        prices.truncate(to: count)
        volume.truncate(to: count)
        bid?.truncate(to: count)
        ask?.truncate(to: count)
    }
}

/// What past prices were corrected for.
package enum Adjustment: String, Sendable, CaseIterable {
    case raw = "RAW"
    case splits = "SPLITS"
    case splitsAndDividends = "SPLITS_AND_DIVIDENDS"
}
