package import Brokerage
package import Upstream

extension PolygonClient: ChartSource {
    /// Bars of less than a day include all trading hours, and Polygon cannot leave out the extended ones.
    package var chartCapabilities: ChartCapabilities {
        let intervals = Set(Interval.allCases)
        return ChartCapabilities(
            intervals: intervals, adjustments: [.raw, .splits], extendedHours: Interval.intraday,
            regularHours: intervals.subtracting(Interval.intraday))
    }

    /// `GET /v2/aggs/ticker/…`.
    ///
    /// Polygon returns the same empty response for an unknown ticker and for a time without trades, so the
    /// reference data is read too if a response is empty, or if the plan does not include the time. A window that begins before
    /// the two years of the free plan is read once more from then on, and for an hour only from then on; a series that lacks
    /// older candles is marked as truncated.
    package func charts(
        of symbols: [Symbol], _ window: ChartWindow, in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, CandleSeries> {
        guard chartCapabilities.serve(window) else { throw ProviderFailure(.polygon, .unsupported) }
        var charts = KeyedResults<Symbol, CandleSeries>()
        for symbol in symbols {
            guard let ticker = symbolMapping.providerSymbol(for: symbol) else { continue }
            charts[symbol] = try await chart(of: symbol, ticker, window, in: context)
        }
        return charts
    }

    /// Each page costs a call.
    private static var maximumPages: Int { 3 }

    private func chart(
        of symbol: Symbol, _ ticker: String, _ window: ChartWindow, in context: CallContext
    ) async throws(ProviderFailure) -> CandleSeries? {
        var (bars, status, isCut) = ([Candle](), PolygonStatus.current, false)
        var unreadable: [(reason: String, notAfter: Int64?)] = []
        if var query = PolygonChartQuery(ticker, window, now: clock.wallTime()) {
            if !plan.hasHistory(of: PolygonPlan.Market(symbol), from: query.range.from, at: clock.now()) {
                _ = query.shortenToFreePlan(at: clock.wallTime())
            }
            for _ in 1...Self.maximumPages {
                guard let page = try await aggregates(&query, of: symbol, in: context) else { return nil }
                status = page.status
                unreadable += page.unreadable
                isCut = page.hasMore
                bars += isCut && query.isComposed ? page.bars.dropLast() : page.bars[...]
                // A bar that could not be read is one of the requested bars.
                guard isCut, bars.count + unreadable.count < window.maximumCandles, let oldest = bars.last,
                    query.range.end(before: oldest)
                else { break }
                // The next page has the ones behind the oldest bar again.
                unreadable.removeAll { $0.notAfter.map { $0 <= oldest.time } ?? false }
            }
            if bars.isEmpty, unreadable.isEmpty, try await isUnknown(symbol, in: context) { return nil }
            // Without a beginning, the requested number of candles is enough.
            isCut = isCut || query.isShortened && (window.from != nil || bars.count < window.maximumCandles)
        }
        var series = try series(of: symbol, bars, status, isCut, window)
        series.append(unreadable: unreadable, in: window)
        return series
    }

    /// Whether the directory does not have the symbol, and never had it: a share that is not listed any more has bars of
    /// earlier times, although this range may have none.
    ///
    /// - Throws: `ProviderFailure` if the directory cannot be read: an unknown symbol is not an empty chart.
    func isUnknown(
        _ symbol: Symbol, in context: CallContext
    ) async throws(ProviderFailure) -> Bool {
        do throws(ProviderFailure) {
            _ = try await details(of: symbol, in: context)
            return false
        } catch {
            guard error.cause == .notFound else { throw error }
        }
        return try await !isDelisted(symbol, in: context)
    }

    /// Nil for a ticker that Polygon does not know.
    private func aggregates(
        _ query: inout PolygonChartQuery, of symbol: Symbol, in context: CallContext
    ) async throws(ProviderFailure) -> PolygonAggregates? {
        do throws(ProviderFailure) {
            return try await get("chart", query.address, in: context) { reader throws(JSONError) in
                try PolygonAggregates(json: &reader)
            }
        } catch {
            switch error.cause {
            case .notFound: return nil
            case .notEntitled:
                let refused = query.range.from
                if query.shortenToFreePlan(at: clock.wallTime()) {
                    let page = try await aggregates(&query, of: symbol, in: context)
                    if page != nil {
                        plan.recordRefusalOfHistory(
                            of: PolygonPlan.Market(symbol), from: refused, at: clock.now())
                    }
                    return page
                }
                // Polygon examines the plan before the ticker, so that a refusal does not mean that the ticker exists. If
                // the directory cannot be read either, the refusal is the error.
                if (try? await isUnknown(symbol, in: context)) == true { return nil }
                throw error
            default: throw error
            }
        }
    }

    private func series(
        of symbol: Symbol, _ newestFirst: [Candle], _ status: PolygonStatus, _ isCut: Bool,
        _ window: ChartWindow
    ) throws(ProviderFailure) -> CandleSeries {
        let fetchedAt = clock.wallTime()
        let days: CandleCalendar.Days =
            switch SymbolKind(symbol) {
            case .currencies, .crypto: .candles
            case .listing, .index, .future, nil: .newYork
            }
        let calendar = CandleCalendar(days, window.interval, newestFirst)
        var series = CandleSeries(
            symbol: symbol, interval: window.interval,
            provenance: Provenance(source: .polygon, fetchedAt: fetchedAt),
            reserving: newestFirst.count)
        series.currency = symbolMapping.currency(of: symbol)
        series.adjustment = window.adjustment ?? .splits
        series.isExtendedHours = window.interval.isIntraday ? true : nil
        series.timeZone = calendar.timeZone
        do throws(Decimal.Overflow) {
            try series.append(calendar.oldestFirst(newestFirst, isNewestFirst: true), in: window)
        } catch {
            throw ProviderFailure(.polygon, .invalidResponse(nil))
        }
        // Trades of a delayed plan are known a quarter of an hour later.
        let delay = status == .delayed ? PolygonStatus.delayMinutes : 0
        let known = fetchedAt - .seconds(60 * Int64(delay))
        series.isLastComplete = series.isLastOver(at: known, offset: calendar.offset(at: fetchedAt))
        if isCut { series.isTruncated = true }
        return series
    }
}

/// The parameters of `GET /v2/aggs/…`.
struct PolygonChartQuery {
    let ticker: String
    let interval: Interval
    let isAdjusted: Bool
    var range: ChartQueryRange
    /// Whether it begins later than the window, because the free plan has no earlier prices.
    private(set) var isShortened = false

    /// Nil where nothing can lie in the window.
    init?(_ ticker: String, _ window: ChartWindow, now: Instant) {
        guard let range = ChartQueryRange(window, now: now) else { return nil }
        self.ticker = ticker
        self.range = range
        interval = window.interval
        isAdjusted = window.adjustment != .raw
    }

    /// Begins the query with the history of the free plan, two years; false if it does not begin earlier, or has ended by then.
    mutating func shortenToFreePlan(at now: Instant) -> Bool {
        // A day less than two years: whose days these are is not documented.
        let first = now.inNewYork.date.adding(months: -24)?.adding(days: 1)
        guard !isShortened, let start = first.map(Instant.init(newYorkMidnight:)), range.from < start,
            start <= range.to
        else { return false }
        (range.from, isShortened) = (start, true)
        return true
    }

    /// The path and query after the base address; newest first, because a limit must omit the oldest bars.
    func address(_ base: HTTPURL) -> HTTPURL? {
        base.appending(
            path: "v2", "aggs", "ticker", ticker, "range", String(multiplier), timespan,
            String(range.from.millisecondsSince1970), String(range.to.millisecondsSince1970)
        )?.appending(query: [
            ("adjusted", isAdjusted ? "true" : "false"), ("sort", "desc"), ("limit", String(Self.limit)),
        ])
    }

    /// The maximum that Polygon accepts; it counts the smaller bars from which the others are computed.
    static let limit = 50_000

    private var multiplier: Int {
        switch interval {
        case .oneMinute, .oneHour, .oneDay, .oneWeek, .oneMonth: 1
        case .fiveMinutes: 5
        case .fifteenMinutes: 15
        case .thirtyMinutes: 30
        }
    }

    private var timespan: String {
        switch interval {
        case .oneMinute, .fiveMinutes, .fifteenMinutes, .thirtyMinutes: "minute"
        case .oneHour: "hour"
        case .oneDay: "day"
        case .oneWeek: "week"
        case .oneMonth: "month"
        }
    }

    /// Whether a bar is made of several of those that the limit counts, so that the limit may cut one in two.
    var isComposed: Bool {
        switch interval {
        case .oneMinute, .oneDay: false
        case .fiveMinutes, .fifteenMinutes, .thirtyMinutes, .oneHour, .oneWeek, .oneMonth: true
        }
    }
}

/// The response of `GET /v2/aggs/…`; without data there are no `results`.
struct PolygonAggregates: JSONDecodable {
    /// In the requested order.
    var bars: [Candle] { rows.elements.map(\.candle) }
    /// The errors of the bars that could not be read, each with the start of the newer bar before it.
    var unreadable: [(reason: String, notAfter: Int64?)] {
        rows.failures.enumerated().map { number, error in
            var newer: Int64?
            if case .index(let index)? = error.path.first, rows.elements.indices.contains(index - number - 1)
            {
                newer = rows.elements[index - number - 1].candle.time
            }
            return (error.inside(.key("results")).description, newer)
        }
    }
    var failures: [JSONError] { rows.failures }
    private let rows: JSONRows<PolygonBar>
    var status: PolygonStatus
    /// True if the limit shortened the response.
    let hasMore: Bool

    init(json reader: inout JSONReader) throws(JSONError) {
        var (status, rows, hasMore) = (PolygonStatus?.none, JSONRows<PolygonBar>(), false)
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "status": status = try reader.goodStatus()
            case "results":
                if try reader.null() { return }
                rows = try reader.rows()
            case "next_url": hasMore = try reader.stringOrNil() != nil
            default: try reader.skip()
            }
        }
        self.status = try reader.required(status, "status")
        self.rows = rows
        self.hasMore = hasMore
    }
}

/// An element of the aggregates.
struct PolygonBar: JSONDecodable {
    let candle: Candle

    /// The digits after the point of a volume: it is a sum of binary numbers, in which further digits are errors of rounding.
    private static let volumeDigits = 8

    init(json reader: inout JSONReader) throws(JSONError) {
        var (open, high, low) = (Decimal?.none, Decimal?.none, Decimal?.none)
        var (close, volume, start) = (Decimal?.none, Decimal?.none, Instant?.none)
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "o": open = try reader.decimal()
            case "h": high = try reader.decimal()
            case "l": low = try reader.decimal()
            case "c": close = try reader.decimal()
            case "v": volume = try reader.decimalOrNil()
            case "t": start = try reader.instant(since1970: .milliseconds)
            default: try reader.skip()
            }
        }
        let prices = OHLC(
            open: try reader.required(open, "o"), high: try reader.required(high, "h"),
            low: try reader.required(low, "l"), close: try reader.required(close, "c"))
        candle = Candle(
            time: try reader.required(start, "t").secondsSince1970, prices: prices,
            volume: volume?.rounded(to: Self.volumeDigits, .halfEven))
    }
}
