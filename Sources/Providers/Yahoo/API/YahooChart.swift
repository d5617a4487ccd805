import Brokerage
package import Upstream

/// The response of `GET /v8/finance/chart/{symbol}`: parallel columns, each with nulls at any index.
package struct YahooChart {
    package var meta: Meta
    /// Seconds since 1970; empty for a range without trading, and 0 for one that could not be read.
    package var times: [Int64] = []
    /// The errors of the times that could not be read, by their indices.
    private var timeFailures: [Int: JSONError] = [:]
    package var columns = Columns()
    /// The dividends and splits of the range, if they were requested.
    var events = YahooEvents()

    package struct Meta: Hashable {
        /// The figures that the quotes have too.
        var quote = YahooQuote()
        /// The interval of the bars, which is not the requested one if a range is too long for it.
        var granularity: String?
        /// An IANA name.
        var timeZone: String?
        /// The current offset from UTC in seconds.
        ///
        /// An offset above one day is invalid and is reduced to one day, so that sums stay in range.
        var offset: Int?
        /// When regular trading begins today, or did on the last day, in seconds since 1970.
        var open: Int64?
        /// The names of the ranges that the listing has; nil if they are missing or unreadable.
        var validRanges: [String]?
        /// The regular hours of the days of an intraday chart; nil if they are missing or unreadable.
        var tradingPeriods: [YahooTradingPeriod]?
    }

    package struct Columns: Hashable {
        var open = Column()
        var high = Column()
        var low = Column()
        var close = Column()
        var volume = Column()

        fileprivate var all: [Column] { [open, high, low, close, volume] }

        /// Whether each has a place for each time, or is not there at all.
        func areParallel(to count: Int) -> Bool {
            all.allSatisfy { $0.values.isEmpty || $0.values.count == count }
        }
    }

    /// A column; a value that could not be read is nil, with its error by its index.
    package struct Column: Hashable {
        fileprivate(set) var values: [Decimal?] = []
        fileprivate(set) var failures: [Int: JSONError] = [:]

        var isEmpty: Bool { values.isEmpty }
        subscript(index: Int) -> Decimal? { values[index] }
    }

    /// Reads the whole response; nil if Yahoo does not know the symbol, or if it is no longer listed.
    package static func response(json reader: inout JSONReader) throws(JSONError) -> YahooChart? {
        var (chart, problem) = (YahooChart?.none, YahooErrorBody())
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "chart":
                try reader.object { key, reader throws(JSONError) in
                    switch key {
                    case "result":
                        if try reader.null() { return }
                        try reader.array { reader throws(JSONError) in chart = try YahooChart(json: &reader) }
                    case "error": try problem.readError(&reader)
                    default: try reader.skip()
                    }
                }
            default: try reader.skip()
            }
        }
        if chart == nil, problem.code == "Not Found" { return nil }
        if chart == nil, problem.isWindowBeforeFirstTrade { return YahooChart() }
        let listed = try reader.required(chart, "chart.result[0]")
        return listed.isDelisted ? nil : listed
    }

    private init() {
        meta = Meta()
    }

    /// Whether only the name of the listing is left: its exchange is `YHD`, and it has no bars.
    private var isDelisted: Bool { times.isEmpty && meta.quote.exchange == "YHD" }
}

extension YahooChart: JSONDecodable {
    package init(json reader: inout JSONReader) throws(JSONError) {
        var (meta, times, columns) = (Meta?.none, [Int64](), Columns())
        var timeFailures: [Int: JSONError] = [:]
        var events = YahooEvents()
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "meta": meta = try Meta(json: &reader)
            case "timestamp":
                if try reader.null() { return }
                try reader.array { reader throws(JSONError) in
                    let time = try reader.row { reader throws(JSONError) in
                        try reader.instant(since1970: .seconds).secondsSince1970
                    }
                    times.append(try timeFailures.value(of: time, at: times.count) ?? 0)
                }
            case "events": events = try reader.optional(YahooEvents.init(json:)) ?? YahooEvents()
            case "indicators":
                try reader.object { key, reader throws(JSONError) in
                    switch key {
                    case "quote":
                        try reader.array { reader throws(JSONError) in columns = try Columns(json: &reader) }
                    default: try reader.skip()
                    }
                }
            default: try reader.skip()
            }
        }
        self.meta = try reader.required(meta, "meta")
        self.times = times
        self.timeFailures = timeFailures
        self.columns = columns
        self.events = events
        _ = try reader.required(
            columns.areParallel(to: times.count) ? true : nil, "value in each column for each timestamp")
    }
}

extension YahooChart.Meta: JSONDecodable {
    package init(json reader: inout JSONReader) throws(JSONError) {
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "symbol": quote.symbol = try reader.stringOrNil() ?? ""
            case "currency": quote.currency = try reader.stringOrNil()
            case "priceHint": quote.digits = try reader.intOrNil()
            case "instrumentType": quote.type = try reader.stringOrNil()
            case "longName": quote.name.long = try reader.stringOrNil()
            case "shortName": quote.name.short = try reader.stringOrNil()
            case "exchangeName": quote.exchange = try reader.stringOrNil()
            case "fullExchangeName": quote.exchangeName = try reader.stringOrNil()
            case "regularMarketTime": quote.time = try reader.secondsOrNil()
            case "regularMarketPrice": quote.price = try reader.optional(JSONReader.nonzeroPrice) ?? nil
            case "regularMarketDayHigh": quote.high = try reader.optional(JSONReader.nonzeroPrice) ?? nil
            case "regularMarketDayLow": quote.low = try reader.optional(JSONReader.nonzeroPrice) ?? nil
            case "regularMarketVolume": quote.volume = try reader.decimalOrNil()
            case "chartPreviousClose":
                quote.previousClose = try reader.optional(JSONReader.nonzeroPrice) ?? nil
            case "dataGranularity": granularity = try reader.stringOrNil()
            case "exchangeTimezoneName": timeZone = try reader.stringOrNil()
            case "gmtoffset": offset = try reader.intOrNil().map { min(max($0, -86_400), 86_400) }
            case "currentTradingPeriod": open = try reader.regularOpen()
            case "validRanges":
                let ranges = try reader.row { reader throws(JSONError) in try reader.array(of: String.self) }
                validRanges = try? ranges.get()
            // Its form is not the same in all responses; without it, no bar is left out.
            case "tradingPeriods":
                let periods = try reader.row(YahooTradingPeriod.list(json:))
                tradingPeriods = try? periods.get()
            default: try reader.skip()
            }
        }
    }
}

extension YahooChart.Columns: JSONObjectDecodable {
    package static let json = JSONFields(Self()) {
        $0.nonnull("open", \.open) { reader throws(JSONError) in try reader.column() }
        $0.nonnull("high", \.high) { reader throws(JSONError) in try reader.column() }
        $0.nonnull("low", \.low) { reader throws(JSONError) in try reader.column() }
        $0.nonnull("close", \.close) { reader throws(JSONError) in try reader.column() }
        $0.nonnull("volume", \.volume) { reader throws(JSONError) in try reader.column() }
    }
}

extension JSONReader {
    /// Reads an array; null counts as an empty one.
    fileprivate mutating func column() throws(JSONError) -> YahooChart.Column {
        var column = YahooChart.Column()
        if try null() { return column }
        try array { reader throws(JSONError) in
            let value = try reader.row { reader throws(JSONError) in try reader.decimalOrNil() }
            column.values.append(try column.failures.value(of: value, at: column.values.count) ?? nil)
        }
        return column
    }

    fileprivate mutating func secondsOrNil() throws(JSONError) -> Instant? {
        try optional { reader throws(JSONError) in try reader.instant(since1970: .seconds) }
    }

    /// Reads the sessions of a day for the beginning of the regular one.
    fileprivate mutating func regularOpen() throws(JSONError) -> Int64? {
        var open: Instant?
        if try null() { return nil }
        try object { key, reader throws(JSONError) in
            switch key {
            case "regular":
                try reader.object { key, reader throws(JSONError) in
                    switch key {
                    case "start": open = try reader.secondsOrNil()
                    default: try reader.skip()
                    }
                }
            default: try reader.skip()
            }
        }
        return open?.secondsSince1970
    }
}

extension [Int: JSONError] {
    /// The value of a row; nil for one that could not be read, whose error is stored.
    ///
    /// - Throws: The error, if there are too many.
    fileprivate mutating func value<Item: Sendable>(
        of row: Result<Item, JSONError>, at index: Int
    ) throws(JSONError) -> Item? {
        switch row {
        case .success(let value): return value
        case .failure(let error):
            guard count < JSONRows<Item>.maximumFailures else { throw error }
            self[index] = error
            return nil
        }
    }
}

extension YahooChart {
    /// The error of a bar; nil for one that could be read.
    private func failure(at index: Int) -> String? {
        if let error = timeFailures[index] { return "timestamp[\(index)]: \(error)" }
        let names = ["open", "high", "low", "close", "volume"]
        for (name, column) in zip(names, columns.all) {
            if let error = column.failures[index] { return "quote[0].\(name)[\(index)]: \(error)" }
        }
        return nil
    }

    /// Whether its bars, if it has any, are of this interval; Yahoo sends months for a range of decades.
    func hasBars(of interval: YahooInterval) -> Bool {
        guard let granularity = meta.granularity, !times.isEmpty else { return true }
        return interval.names.contains(granularity)
    }

    /// Whether the bars, which are weeks, begin on Mondays at the exchange.
    ///
    /// The last one may be that of the running moment. The first one may begin with the range, within its week: it is of that
    /// week only if the one after it begins on a Monday.
    var beginsWeeksOnMondays: Bool {
        let days = YahooTradingDays(meta)
        let weeks = times.indices.dropLast().filter { timeFailures[$0] == nil }.map { times[$0] }
        return weeks.dropFirst(weeks.count > 1 ? 1 : 0).allSatisfy(days.isMonday)
    }

    /// The candles of a window.
    ///
    /// - Parameters:
    ///   - symbol: The instrument.
    ///   - window: The window.
    ///   - interval: The interval of the bars: that of the window, or days that are combined to its weeks.
    ///   - fetchedAt: The time of the response.
    /// - Returns: Nil if the prices have an unknown unit, or too many of them too many digits, or if a day of unknown weeks
    ///   is unreadable.
    func series(
        of symbol: Symbol, _ window: ChartWindow, barsOf interval: Interval, fetchedAt: Instant
    ) -> CandleSeries? {
        let asOf = meta.quote.time.flatMap { $0 <= fetchedAt ? $0 : nil }
        var series = CandleSeries(
            symbol: symbol, interval: window.interval,
            provenance: Provenance(source: .yahoo, fetchedAt: fetchedAt, asOf: asOf), reserving: times.count)
        series.currency = meta.quote.currency.flatMap(PriceUnit.init)?.currency
        series.adjustment = .splits
        series.isExtendedHours = window.interval.isIntraday ? window.isExtendedHours ?? false : nil
        series.timeZone = meta.timeZone
        // A range without trading needs no unit, and may have none.
        if times.isEmpty { return series }
        guard
            let scale = YahooPriceScale(of: symbol, currency: meta.quote.currency, digits: meta.quote.digits)
        else { return nil }
        let days = YahooTradingDays(meta)
        let indices = indices(in: window)
        let failures = indices.compactMap { index in
            failure(at: index).map { error in
                // The time of a bar whose stamp is unreadable is not known.
                (
                    reason: error,
                    notAfter: timeFailures[index] == nil ? start(at: index, window.interval, days) : nil
                )
            }
        }
        do throws(Decimal.Overflow) {
            var candles = try candles(at: indices, interval, scale, days)
            if interval != window.interval {
                let incomplete = failures.compactMap(\.notAfter)
                guard incomplete.count == failures.count else { return nil }
                candles = try days.combined(candles, every: window.interval, omitting: incomplete)
            }
            try series.append(candles, in: window)
        } catch {
            return nil
        }
        series.append(unreadable: failures, in: window)
        // `asOf` is the last trade of regular hours.
        let lastBar = window.isExtendedHours == true ? times.last : nil
        let lastTrade = [asOf, lastBar.flatMap { Instant(secondsSince1970: $0) }].compactMap(\.self).max()
        let known =
            window.interval.isIntraday ? tradesKnownUntil(lastTrade, fetchedAt: fetchedAt) : fetchedAt
        series.isLastComplete = series.isLastOver(at: known, offset: meta.offset ?? 0)
        return series
    }

    /// The bars of the hours of a window: Yahoo also sends others, which were not requested.
    private func indices(in window: ChartWindow) -> [Int] {
        guard window.interval.isIntraday, window.isExtendedHours != true, let hours = YahooRegularHours(meta)
        else { return Array(times.indices) }
        let length = window.interval.length(on: .earliest)
        return times.indices.filter { timeFailures[$0] != nil || !hours.exclude(times[$0], length: length) }
    }

    /// The assumed maximum delay of Yahoo's trades: twice the 15 minutes that are reported (ranaroussi/yfinance#1050).
    private static var longestDelay: Duration { .seconds(1_800) }

    /// The time until which the trades of parts of a day are known.
    private func tradesKnownUntil(_ lastTrade: Instant?, fetchedAt: Instant) -> Instant {
        let delayed = fetchedAt - Self.longestDelay
        return max(lastTrade ?? delayed, delayed)
    }

    /// Bars without a price are left out, and a bar of the running moment is made part of the interval that it is in.
    private func candles(
        at indices: [Int], _ interval: Interval, _ scale: YahooPriceScale, _ days: YahooTradingDays
    ) throws(Decimal.Overflow) -> [Candle] {
        var candles: [Candle] = []
        candles.reserveCapacity(indices.count)
        for index in indices {
            guard failure(at: index) == nil, let prices = try prices(at: index, scale) else { continue }
            let volume = columns.volume.isEmpty ? nil : columns.volume[index]
            let candle = Candle(time: start(at: index, interval, days), prices: prices, volume: volume)
            if index == times.count - 1, let last = candles.last, last.time == candle.time {
                candles[candles.count - 1] = last.including(candle)
            } else {
                candles.append(candle)
            }
        }
        return candles
    }

    /// The beginning of the interval that a stamp is of: the stamp before the last may begin the one that runs.
    private func start(at index: Int, _ interval: Interval, _ days: YahooTradingDays) -> Int64 {
        let stamp = times[index]
        guard index > 0, index == times.count - 1 else { return days.start(of: interval, stamp) }
        let before = times[index - 1]
        guard interval.isIntraday else {
            let (own, earlier) = (days.start(of: interval, stamp), days.start(of: interval, before))
            // A week or a month in which clocks changed begins at the midnight before the change.
            return abs(own - earlier) <= 3_600 ? earlier : own
        }
        // The length of a minute or an hour is that of any day; an instant's seconds are far from the ends of 64 bits.
        return (0..<interval.length(on: .earliest)).contains(stamp - before) ? before : stamp
    }

    private func prices(at index: Int, _ scale: YahooPriceScale) throws(Decimal.Overflow) -> OHLC? {
        // Zero is a price that Yahoo does not have.
        guard !columns.open.isEmpty, !columns.high.isEmpty, !columns.low.isEmpty, !columns.close.isEmpty,
            let open = columns.open[index], let high = columns.high[index], let low = columns.low[index],
            let close = columns.close[index], ![open, high, low, close].contains(where: \.isZero)
        else { return nil }
        return OHLC(
            open: try scale.amount(open), high: try scale.amount(high), low: try scale.amount(low),
            close: try scale.amount(close))
    }
}

extension Candle {
    /// The interval up to the later bar.
    ///
    /// Whether the later volume is a part of the other or comes on top differs, so that of the interval stays.
    fileprivate func including(_ later: Candle) -> Candle {
        let prices = OHLC(
            open: prices.open, high: max(prices.high, later.prices.high),
            low: min(prices.low, later.prices.low), close: later.prices.close)
        return Candle(time: time, prices: prices, volume: volume ?? later.volume)
    }
}
