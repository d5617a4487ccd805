package import Brokerage
package import Upstream

/// The bars of one symbol by column, in the order in which they came.
struct AlpacaBarColumns: Hashable {
    /// Starts, in seconds since 1970.
    private(set) var times: [Int64] = []
    private var open = DecimalColumn()
    private var high = DecimalColumn()
    private var low = DecimalColumn()
    private var close = DecimalColumn()
    private var volume = DecimalColumn()
    /// The bars that could not be read.
    private(set) var failures: [Failure] = []

    struct Failure: Hashable {
        let error: JSONError
        /// The start of the newer bar before it; nil if there is none.
        let newer: Int64?
    }

    var count: Int { times.count }

    /// The bar at a place below ``count``, as one of a series.
    ///
    /// Every bar that came in has its prices, so none is left at zero.
    func candle(at index: Int) -> Candle {
        let prices = OHLC(
            open: open[index] ?? .zero, high: high[index] ?? .zero, low: low[index] ?? .zero,
            close: close[index] ?? .zero)
        return Candle(time: times[index], prices: prices, volume: volume[index])
    }

    /// Reads `{"t":"2026-11-20T14:30:00Z","o":226.1,"h":226.9,"l":225.8,"c":226.4,"v":90211,…}`.
    mutating func append(json reader: inout JSONReader) throws(JSONError) {
        var time: Instant?
        var (open, high, low, close) = (Decimal?.none, Decimal?.none, Decimal?.none, Decimal?.none)
        var volume: Decimal?
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "t": time = try reader.instant()
            case "o": open = try reader.decimal()
            case "h": high = try reader.decimal()
            case "l": low = try reader.decimal()
            case "c": close = try reader.decimal()
            case "v": volume = try reader.decimalOrNil()
            default: try reader.skip()
            }
        }
        let start = try reader.required(time, "t")
        let prices = OHLC(
            open: try reader.required(open, "o"), high: try reader.required(high, "h"),
            low: try reader.required(low, "l"), close: try reader.required(close, "c"))
        let areFitting =
            [prices.open, prices.high, prices.low, prices.close].allSatisfy(Self.isPrice)
            && volume.map(Self.isVolume) ?? true
        let isKept =
            areFitting
            && self.open.append(prices.open) && self.high.append(prices.high) && self.low.append(prices.low)
            && self.close.append(prices.close) && self.volume.append(volume)
        if !isKept { removeIncompleteBar() }
        _ = try reader.required(isKept ? true : nil, "figures of at most 18 digits")
        times.append(start.secondsSince1970)
    }

    /// Whether a number can be a price, so that it makes no column too narrow for the others.
    private static func isPrice(_ price: Decimal) -> Bool {
        price < 1_000_000_000_000 && price.withoutTrailingZeros.scale <= 12
    }

    private static func isVolume(_ volume: Decimal) -> Bool {
        volume < 1_000_000_000_000 && volume.withoutTrailingZeros.scale <= 6
    }

    fileprivate mutating func addFailure(_ error: JSONError) {
        failures.append(Failure(error: error, newer: times.last))
    }

    /// Removes the part of a bar that could not be stored as a whole.
    private mutating func removeIncompleteBar() {
        open.truncate(to: count)
        high.truncate(to: count)
        low.truncate(to: count)
        close.truncate(to: count)
        volume.truncate(to: count)
    }
}

/// Pages of `GET /v2/stocks/bars`: sorted by symbol first, so a page may have some of the symbols only, and the bars of
/// one may continue on the next page.
package struct AlpacaBars {
    private(set) var bySymbol: [Symbol: AlpacaBarColumns] = [:]
    /// The token of the next page; nil at the end.
    private(set) var nextPage: String?
    /// The unreadable bars of all pages and symbols.
    private var failureCount = 0

    /// The bars of all symbols that could be read.
    package var candles: [Candle] {
        bySymbol.values.flatMap { columns in (0..<columns.count).map(columns.candle(at:)) }
    }

    /// The errors of the others.
    package var unreadable: [String] { bySymbol.values.flatMap { $0.failures.map(\.error.description) } }

    package init() {}

    /// Reads one more page.
    package mutating func append(_ body: [UInt8]) throws(JSONError) {
        // No page comes after one that cannot be read.
        nextPage = nil
        nextPage = try JSONReader.page(body, of: "bars") { reader throws(JSONError) in
            try append(json: &reader)
        }
    }

    private mutating func append(json reader: inout JSONReader) throws(JSONError) {
        try reader.object { key, reader throws(JSONError) in
            // A key that is not a symbol was not requested.
            guard let symbol = Symbol(key.string) else { return try reader.skip() }
            guard try !reader.null() else { return }
            var index = 0
            try reader.array { reader throws(JSONError) in
                let row = try reader.row { reader throws(JSONError) in
                    try bySymbol[symbol, default: AlpacaBarColumns()].append(json: &reader)
                }
                if case .failure(let error) = row {
                    guard failureCount < JSONRows<Candle>.maximumFailures else { throw error }
                    failureCount += 1
                    let place = error.inside(.index(index)).inside(.key(symbol.text)).inside(.key("bars"))
                    bySymbol[symbol, default: AlpacaBarColumns()].addFailure(place)
                }
                index &+= 1
            }
        }
    }
}

/// The trading days of some years.
struct AlpacaSessions: Sendable {
    private var byDate: [CalendarDate: AlpacaCalendarDay] = [:]
    /// Whether all days of these years could be read.
    private(set) var isComplete = true

    subscript(date: CalendarDate) -> AlpacaCalendarDay? { byDate[date] }

    mutating func add(_ calendar: AlpacaCalendar) {
        for day in calendar.days { byDate[day.date] = day }
        isComplete = isComplete && calendar.isComplete
    }
}

/// Creates series of bars, oldest first and limited in length, without bars outside of the window or of
/// regular hours.
struct AlpacaSeriesBuilder {
    let query: AlpacaBarQuery
    /// The trading days, if trades outside of regular hours are excluded; nil if they are included.
    let sessions: AlpacaSessions?
    let fetchedAt: Instant

    /// Whether the regular hours of the day of each bar are known.
    func knowsHours(of columns: AlpacaBarColumns) -> Bool {
        guard let sessions, !sessions.isComplete else { return true }
        return columns.times.allSatisfy { time in
            Instant(secondsSince1970: time).map { sessions[$0.inNewYork.date] != nil } ?? true
        }
    }

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
        // The response begins with the newest bar. Older bars beyond the limit are ignored, except for one
        // that shows that there are more.
        let selected = columns.times.indices.filter { isInside(columns.times[$0]) }.prefix(
            window.maximumCandles + 1)
        for index in selected.reversed() {
            var candle = columns.candle(at: index)
            candle.time = start(candle.time)
            // A candle that does not begin after the previous one is the same candle, sent twice.
            _ = series.append(candle)
        }
        series.truncate(toLast: window.maximumCandles)
        series.append(
            unreadable: columns.failures.map { ($0.error.description, $0.newer.map(start)) }, in: window)
        let asOf = fetchedAt - (query.lag ?? .zero)
        series.isLastComplete = series.isLastOver(at: asOf, offset: asOf.newYorkOffset)
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
        Instant(secondsSince1970: time)?.newYorkStart(of: query.window.interval) ?? time
    }
}
