package import Brokerage
package import Upstream

extension YahooClient: ChartSource {
    /// Past prices are corrected for splits, always.
    package var chartCapabilities: ChartCapabilities {
        ChartCapabilities(
            intervals: Set(Interval.allCases), adjustments: [.splits], extendedHours: Interval.intraday,
            reachInDays: Dictionary(
                uniqueKeysWithValues: Interval.allCases.compactMap { interval in
                    YahooInterval(interval).reachInDays.map { (interval, $0) }
                }))
    }

    /// `GET /v8/finance/chart/{symbol}`, which needs no crumb.
    ///
    /// Minutes reach back a week, other parts of an hour 60 days, hours two years; a series of a longer window is
    /// marked as truncated.
    package func charts(
        of symbols: [Symbol], _ window: ChartWindow, in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, CandleSeries> {
        guard chartCapabilities.serve(window) else { throw ProviderFailure(.yahoo, .unsupported) }
        var charts = KeyedResults<Symbol, CandleSeries>()
        for symbol in symbols {
            guard let spelling = symbolMapping.providerSymbol(for: symbol) else { continue }
            charts[symbol] = try await chart(of: symbol, spelling, window, in: context)
        }
        return charts
    }

    /// Nil for a symbol that Yahoo does not know.
    private func chart(
        of symbol: Symbol, _ spelling: String, _ window: ChartWindow, in context: CallContext
    ) async throws(ProviderFailure) -> CandleSeries? {
        guard let query = YahooChartQuery(window, now: clock.wallTime()) else {
            return CandleSeries(
                symbol: symbol, interval: window.interval,
                provenance: Provenance(source: .yahoo, fetchedAt: clock.wallTime()))
        }
        var hasInterval = true
        let read = try await getChart("chart", spelling, query.items, in: context) {
            chart, reader throws(JSONError) -> CandleSeries in
            hasInterval = chart.hasBars(of: YahooInterval(window.interval))
            let series = chart.series(of: symbol, window, fetchedAt: clock.wallTime())
            return try reader.required(series, "prices that a series of candles can hold")
        }
        guard hasInterval else { throw ProviderFailure(.yahoo, .unsupported) }
        guard var series = read else { return nil }
        if query.isTruncated { series.isTruncated = true }
        return series
    }

    /// Reads `GET /v8/finance/chart/{symbol}`, which needs no crumb; nil for a symbol that Yahoo does not know.
    func getChart<Value>(
        _ operation: String, _ spelling: String, _ items: [(name: String, value: String?)],
        in context: CallContext, read: (YahooChart, inout JSONReader) throws(JSONError) -> Value
    ) async throws(ProviderFailure) -> Value? {
        do throws(ProviderFailure) {
            return try await get(
                operation,
                { $0.appending(path: "v8", "finance", "chart", spelling)?.appending(query: items) },
                in: context
            ) { reader throws(JSONError) -> Value? in
                guard let chart = try YahooChart.response(json: &reader) else { return nil }
                return try read(chart, &reader)
            }
        } catch {
            if error.cause == .notFound { return nil }
            throw error
        }
    }
}

/// The parameters of `GET /v8/finance/chart/{symbol}`.
struct YahooChartQuery {
    let items: [(name: String, value: String?)]
    /// The window goes further back than Yahoo does.
    let isTruncated: Bool

    /// The beginning of 1900: no listing has earlier prices.
    private static let firstTrades = Instant(secondsSince1970: -2_208_988_800) ?? .earliest

    /// Nil where nothing can lie in the window.
    init?(_ window: ChartWindow, now: Instant) {
        let scale = YahooInterval(window.interval)
        var items: [(name: String, value: String?)] = [("interval", scale.name)]
        if window.interval.isIntraday {
            items.append(("includePrePost", window.isExtendedHours == true ? "true" : "false"))
        }
        if window.from == nil, window.to == nil, let range = scale.range(of: window.maximumCandles) {
            self.items = items + [("range", range.name)]
            isTruncated = range.isTooShort
            return
        }
        let to = min(window.to ?? now, now)
        let wanted =
            window.from ?? to - .seconds(Int64(scale.sessions(of: window.maximumCandles)) * 2 * 86_400)
        // A minute less than the reach, because Yahoo's clock has advanced when it reads the request.
        let limit = scale.reachInDays.map { now - .seconds($0 * 86_400 - 60) }
        let from = max(wanted, limit ?? wanted, Self.firstTrades)
        guard from < to else { return nil }
        self.items =
            items + [
                ("period1", String(from.secondsSince1970)), ("period2", String(to.secondsSince1970)),
            ]
        isTruncated = limit.map { $0 > wanted } ?? false
    }
}

/// Yahoo's properties of one interval.
struct YahooInterval {
    private let interval: Interval

    init(_ interval: Interval) {
        self.interval = interval
    }

    /// Yahoo's name of it.
    var name: String {
        switch interval {
        case .oneMinute: "1m"
        case .fiveMinutes: "5m"
        case .fifteenMinutes: "15m"
        case .thirtyMinutes: "30m"
        case .oneHour: "60m"
        case .oneDay: "1d"
        case .oneWeek: "1wk"
        case .oneMonth: "1mo"
        }
    }

    /// Yahoo's names of it in responses: an hour has two.
    var names: [String] { interval == .oneHour ? [name, "1h"] : [name] }

    /// The maximum age in days; nil if all prices are available.
    var reachInDays: Int64? {
        switch interval {
        case .oneMinute: 7
        case .fiveMinutes, .fifteenMinutes, .thirtyMinutes: 60
        case .oneHour: 730
        case .oneDay, .oneWeek, .oneMonth: nil
        }
    }

    /// The number of trading days with at least this number of bars, by the regular hours of American exchanges, which
    /// are among the shortest.
    func sessions(of count: Int) -> Int {
        switch interval {
        case .oneMinute: count / 390 + 2
        case .fiveMinutes: count / 78 + 2
        case .fifteenMinutes: count / 26 + 2
        case .thirtyMinutes: count / 13 + 2
        case .oneHour: count / 6 + 2
        case .oneDay: count + 1
        case .oneWeek: count * 5 + 5
        case .oneMonth: count * 21 + 21
        }
    }

    /// The shortest of Yahoo's ranges with this number of bars, or the longest range of an interval with a maximum age.
    ///
    /// Nil if the bars need a longer range than ten years: the range `max` has months, whatever interval is requested.
    func range(of count: Int) -> (name: String, isTooShort: Bool)? {
        let sessions = sessions(of: count)
        let known = Self.ranges.filter { $0.days <= reachInDays ?? .max }
        if let range = known.first(where: { $0.sessions >= sessions }) { return (range.name, false) }
        return reachInDays.map { _ in (known.last?.name ?? "1d", true) }
    }

    /// Names with calendar days and trading days, less some holidays.
    private static let ranges: [(name: String, days: Int64, sessions: Int)] = [
        ("1d", 1, 1), ("5d", 7, 5), ("1mo", 31, 19), ("3mo", 92, 60), ("6mo", 184, 121), ("1y", 366, 248),
        ("2y", 731, 497), ("5y", 1_827, 1_240), ("10y", 3_653, 2_480),
    ]
}

/// The start of an exchange's trading days.
///
/// The time of a daily bar is the opening of trading, that of a week or a month is a midnight, and that of
/// an incomplete bar is the last trade. Yahoo returns only the exchange's current difference from UTC, so
/// days in the other half of the year are found by the opening time, which is constant over the year.
struct YahooTradingDays {
    private let isNewYork: Bool
    /// Seconds to add to UTC now.
    private let offset: Int64
    /// Seconds from midnight to the opening.
    private let opening: Int64?

    init(_ meta: YahooChart.Meta) {
        isNewYork = meta.timeZone == "America/New_York"
        let offset = Int64(meta.offset ?? 0)
        self.offset = offset
        opening = meta.open.map { Self.second(of: $0 + offset) }
    }

    private static func second(of local: Int64) -> Int64 {
        let rest = local % 86_400
        return rest < 0 ? rest + 86_400 : rest
    }

    /// The beginning of the interval that a stamp is of, in seconds since 1970.
    func start(of interval: Interval, _ stamp: Int64) -> Int64 {
        guard !interval.isIntraday else { return stamp }
        if isNewYork, let instant = Instant(secondsSince1970: stamp) {
            return instant.newYorkStart(of: interval)
        }
        let midnight = midnight(before: stamp)
        // Two hours later it is that day by the clocks of summer and of winter.
        guard let date = Instant(secondsSince1970: midnight + offset + 7_200)?.dateInUTC else {
            return midnight
        }
        let first = interval.firstDay(around: date)
        return midnight - Int64(date.daysSince1970 - first.daysSince1970) * 86_400
    }

    private func midnight(before stamp: Int64) -> Int64 {
        let second = Self.second(of: stamp + offset)
        // Clocks of the other half of the year are an hour off.
        if [0, 3_600, 82_800].contains(second) { return stamp }
        if let opening, [0, 3_600].contains(abs(second - opening)) { return stamp - opening }
        return stamp - second
    }
}
