package import Brokerage
package import Upstream

extension AlpacaClient: ChartSource {
    /// All intervals.
    ///
    /// Candles of less than a day include trades outside of regular hours, unless the request excludes
    /// them. Those of an hour always include them: they begin at the full hour, and regular hours do not.
    package var chartCapabilities: ChartCapabilities {
        let intervals = Set(Interval.allCases)
        return ChartCapabilities(
            intervals: intervals, adjustments: Set(Adjustment.allCases), extendedHours: intervals,
            regularHours: intervals.subtracting([.oneHour]), symbolsPerCall: symbolsPerCall,
            candlesPerCall: Self.maximumPages * 10_000 / 2)
    }

    /// The candles of US shares: `GET /v2/stocks/bars`, page by page.
    ///
    /// Prices are adjusted for splits unless the request says otherwise. Without `from`, the series of one
    /// symbol has the requested length. The series of several symbols begin at the time from which a
    /// continuously traded symbol has the requested number of candles, so that the series of a rarely traded
    /// symbol may be shorter.
    ///
    /// More than ``maximumPages`` pages are the failure `tooMany`, because pages are ordered by symbol and the last
    /// symbols would have no data.
    package func charts(
        of symbols: [Symbol], _ window: ChartWindow, in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, CandleSeries> {
        let shares = symbols.filter(\.isAlpacaShare)
        guard chartCapabilities.serve(window) else { throw ProviderFailure(.alpaca, .unsupported) }
        var query = AlpacaBarQuery(
            window, symbols: shares.count, feed: configuration.feed, now: clock.wallTime())
        let bars = try await bars(of: shares, &query, in: context)
        let sessions =
            window.isRegularOnly ? try await sessions(of: bars.bySymbol.values, in: context) : nil
        let cut = AlpacaSeriesBuilder(query: query, sessions: sessions, fetchedAt: clock.wallTime())
        var series = KeyedResults<Symbol, CandleSeries>()
        for (symbol, columns) in bars.bySymbol {
            guard cut.knowsHours(of: columns) else {
                series.failures[symbol] = ProviderFailure(.alpaca, .invalidResponse(nil))
                continue
            }
            series[symbol] = cut.series(of: symbol, columns)
            // All pages that were not requested contain older bars.
            if bars.nextPage != nil { series[symbol]?.isTruncated = true }
        }
        // Alpaca omits both unknown symbols and symbols that were not traded.
        let silent = shares.filter { bars.bySymbol[$0] == nil }
        for symbol in try await snapshots(of: silent, in: context).bySymbol.keys where silent.contains(symbol)
        {
            series[symbol] = cut.series(of: symbol, AlpacaBarColumns())
        }
        return series
    }

    /// At most 250,000 bars: twice the maximum of one request, because the start of several symbols is an
    /// estimate.
    private static var maximumPages: Int { 25 }

    /// The bars of a query, which ends earlier afterwards if the plan does not include the newest bars.
    private func bars(
        of shares: [Symbol], _ query: inout AlpacaBarQuery, in context: CallContext
    ) async throws(ProviderFailure) -> AlpacaBars {
        var wanted = AlpacaSymbolList(shares)
        var bars = AlpacaBars()
        for _ in 0..<Self.maximumPages {
            // No candle begins in the future.
            guard query.start <= query.end ?? clock.wallTime() else { return AlpacaBars() }
            guard let list = try wanted.list() else { return AlpacaBars() }
            let items = query.items(list, page: bars.nextPage)
            let page = try await getPrices(
                "charts", { $0.appending(path: "v2", "stocks", "bars")?.appending(query: items) }, in: context
            ) { response throws(JSONError) -> BarPage in
                if wanted.remove(rejectedIn: response) { return .wrongSymbol }
                if AlpacaErrorBody.isTooRecent(response) { return .tooRecent }
                try bars.append(response.body)
                return .read
            }
            switch page {
            case .read: if bars.nextPage == nil || isEnough(bars, of: shares, query) { return bars }
            case .wrongSymbol: break
            case .tooRecent:
                guard query.delay(at: clock.wallTime()) else { throw ProviderFailure(.alpaca, .notEntitled) }
            }
        }
        throw ProviderFailure(.alpaca, .tooMany(.pagesOfCharts, limit: Self.maximumPages))
    }

    /// The response to a request for a page of bars.
    private enum BarPage {
        case read, wrongSymbol, tooRecent
    }

    /// Whether the following pages have only older bars than requested; for one symbol only.
    private func isEnough(_ bars: AlpacaBars, of shares: [Symbol], _ query: AlpacaBarQuery) -> Bool {
        guard shares.count == 1, let columns = bars.bySymbol.first?.value else { return false }
        // A bar that could not be read is one of the requested bars.
        return !query.window.isRegularOnly
            && columns.count + columns.failures.count >= query.window.maximumCandles
    }

    private func sessions(
        of bars: some Sequence<AlpacaBarColumns>, in context: CallContext
    ) async throws(ProviderFailure) -> AlpacaSessions {
        var years: Set<Int> = []
        for columns in bars {
            for end in [columns.times.first, columns.times.last] {
                guard let instant = end.flatMap({ Instant(secondsSince1970: $0) }) else { continue }
                years.insert(instant.inNewYork.date.year)
            }
        }
        var sessions = AlpacaSessions()
        guard let first = years.min(), let last = years.max() else { return sessions }
        for year in first...last { sessions.add(try await calendar(of: year, in: context)) }
        return sessions
    }
}

/// The query of `GET /v2/stocks/bars`.
struct AlpacaBarQuery: Hashable {
    let window: ChartWindow
    let feed: AlpacaFeed?
    let adjustment: Adjustment
    /// Inclusive.
    let start: Instant
    /// Inclusive; nil for the latest time that the credential may read.
    private(set) var end: Instant?
    /// The minimum age of bars that may be requested; nil if it depends on the credential.
    private(set) var lag: Duration?
    /// Bars of a page, 1 to 10,000, over all symbols together.
    let limit: Int

    init(_ window: ChartWindow, symbols: Int, feed: AlpacaFeed?, now: Instant) {
        self.window = window
        self.feed = feed
        adjustment = window.adjustment ?? .splits
        // Without a subscription, Alpaca refuses requests for the last 15 minutes, but not requests without
        // an end.
        lag = feed?.lag
        let limit = lag.map { now - $0 }
        let wanted = window.to.flatMap { $0 < now ? $0 - .nanoseconds(1) : nil }
        end = [limit, wanted].compactMap(\.self).min()
        start = window.from ?? Self.start(of: window, symbols: symbols, before: end ?? now)
        // The newest bars come first, so one symbol needs only the requested number; several symbols share
        // the limit.
        let isWhole = symbols == 1 && !window.isRegularOnly
        self.limit = isWhole ? min(max(window.maximumCandles, 1), 10_000) : 10_000
    }

    /// Ends the query a quarter of an hour ago, as a plan without the newest bars requires; false if it does already.
    mutating func delay(at now: Instant) -> Bool {
        guard lag == nil else { return false }
        lag = AlpacaFeed.delay
        end = min(end ?? now, now - AlpacaFeed.delay)
        return true
    }

    /// The items of the URL's query.
    func items(_ symbols: String, page: String?) -> [(name: String, value: String?)] {
        [
            ("symbols", symbols), ("timeframe", Self.timeframe(window.interval)),
            ("start", start.description),
            ("end", end?.description), ("limit", String(limit)),
            ("adjustment", Self.queryValue(for: adjustment)),
            ("feed", feed?.historical.rawValue), ("sort", "desc"), ("page_token", page),
        ]
    }

    private static func timeframe(_ interval: Interval) -> String {
        switch interval {
        case .oneMinute: "1Min"
        case .fiveMinutes: "5Min"
        case .fifteenMinutes: "15Min"
        case .thirtyMinutes: "30Min"
        case .oneHour: "1Hour"
        case .oneDay: "1Day"
        case .oneWeek: "1Week"
        case .oneMonth: "1Month"
        }
    }

    /// Spin-offs are dividends in kind.
    private static func queryValue(for adjustment: Adjustment) -> String {
        switch adjustment {
        case .raw: "raw"
        case .splits: "split"
        case .splitsAndDividends: "all"
        }
    }
}

extension AlpacaBarQuery {
    /// The midnight in New York from which on there are as many candles as requested, even if one symbol was not traded
    /// most of the time; its additional candles are not read.
    private static func start(of window: ChartWindow, symbols: Int, before end: Instant) -> Instant {
        let days = daysOf(candles: window.maximumCandles, window.interval)
        let today = end.inNewYork.date
        return Instant(
            newYorkMidnight: today.adding(days: -(symbols == 1 ? days * 10 : days)) ?? .earliest)
    }

    /// The number of calendar days in which a continuously traded symbol has at least this number of candles.
    private static func daysOf(candles: Int, _ interval: Interval) -> Int {
        switch interval {
        case .oneMinute, .fiveMinutes, .fifteenMinutes, .thirtyMinutes, .oneHour:
            // The shortest sessions, before holidays, end at one o'clock.
            let perSession = 210 * 60 / Int(max(interval.length(on: .earliest), 1))
            return daysOf(sessions: candles / perSession + 2)
        case .oneDay: return daysOf(sessions: candles)
        case .oneWeek: return (candles + 1) * 7
        case .oneMonth: return (candles + 1) * 31
        }
    }

    /// Some 252 sessions a year are 1.45 days each; the longest closure since 1933 was of six days.
    private static func daysOf(sessions: Int) -> Int { sessions * 3 / 2 + 7 }
}

extension ChartWindow {
    /// Whether trades outside of regular hours are excluded; candles of a day never include them.
    var isRegularOnly: Bool { isExtendedHours == false && interval.isIntraday }
}
