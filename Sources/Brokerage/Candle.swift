/// One candle of a series.
package struct Candle: Hashable, Sendable {
    /// The start of the interval, in seconds since 1970.
    package var time: Int64
    package var prices: OHLC
    package var volume: Decimal?
    /// The two sides of an FX candle, whose ``prices`` are the mid.
    package var bid: OHLC?
    package var ask: OHLC?

    package init(
        time: Int64, prices: OHLC, volume: Decimal?, bid: OHLC? = nil, ask: OHLC? = nil
    ) {
        self.time = time
        self.prices = prices
        self.volume = volume
        self.bid = bid
        self.ask = ask
    }
}

/// First, highest, lowest and last price of an interval.
package struct OHLC: Hashable, Sendable {
    package var open: Decimal
    package var high: Decimal
    package var low: Decimal
    package var close: Decimal

    package init(open: Decimal, high: Decimal, low: Decimal, close: Decimal) {
        self.open = open
        self.high = high
        self.low = low
        self.close = close
    }
}

/// Price bars by column; all columns are equally long.
package struct OHLCColumns: Hashable, Sendable {
    package private(set) var open: DecimalColumn
    package private(set) var high: DecimalColumn
    package private(set) var low: DecimalColumn
    package private(set) var close: DecimalColumn

    package init(reserving capacity: Int = 0) {
        open = DecimalColumn(reserving: capacity)
        high = DecimalColumn(reserving: capacity)
        low = DecimalColumn(reserving: capacity)
        close = DecimalColumn(reserving: capacity)
    }

    /// Columns that are there already; nil unless they are equally long.
    package init?(open: DecimalColumn, high: DecimalColumn, low: DecimalColumn, close: DecimalColumn) {
        guard [high, low, close].allSatisfy({ $0.count == open.count }) else { return nil }
        (self.open, self.high, self.low, self.close) = (open, high, low, close)
    }

    package var count: Int { open.count }

    /// The bar at a place below the columns' count.
    package subscript(index: Int) -> OHLC {
        OHLC(
            open: open[index] ?? .zero, high: high[index] ?? .zero, low: low[index] ?? .zero,
            close: close[index] ?? .zero)
    }

    /// Adds a bar; false if a value has too many digits for the columns.
    mutating func append(_ bar: OHLC) -> Bool {
        open.append(bar.open) && high.append(bar.high) && low.append(bar.low) && close.append(bar.close)
    }

    mutating func truncate(to count: Int) {
        open.truncate(to: count)
        high.truncate(to: count)
        low.truncate(to: count)
        close.truncate(to: count)
    }

    mutating func removeFirst(_ surplus: Int) {
        open.removeFirst(surplus)
        high.removeFirst(surplus)
        low.removeFirst(surplus)
        close.removeFirst(surplus)
    }
}

/// Candles of an instrument, oldest first, by column.
///
/// An interval without trades has no candle; nothing is filled in. All columns are equally long.
package struct CandleSeries: Hashable, Sendable {
    package let symbol: Symbol
    package let interval: Interval
    /// ISO 4217, never a minor unit.
    package var currency: String?
    /// The adjustment of the prices; nil if the source does not report it.
    package var adjustment: Adjustment?
    /// Whether trades outside of regular hours are included; nil if the source does not report it.
    package var isExtendedHours: Bool?
    /// The time zone of the exchange, an IANA name; days are counted in it.
    package var timeZone: String?
    /// The range has older candles than these.
    package var isTruncated = false
    /// The error of each candle that could not be read, with its place in the provider's response and without a value.
    ///
    /// Such a candle may be of any interval of the series that has none: an interval without a candle may then have had
    /// trades.
    package var unreadable: [String] = []
    /// False while the last interval has not ended; nil if it is unknown.
    ///
    /// All other candles are complete.
    package var isLastComplete: Bool?
    package var provenance: Provenance

    /// Starts of the intervals, in seconds since 1970; for a day and longer, midnight in ``timeZone``.
    package private(set) var times: [Int64]
    package private(set) var prices: OHLCColumns
    /// The volumes; empty elements if the source has none.
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

    /// Removes all but the latest candles, and records that there were more.
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
