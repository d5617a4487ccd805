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
        if let ranges = shortHistories.ranges(of: spelling, at: clock.now()), query.exceeds(ranges) {
            return try await latestDays(of: symbol, spelling, window, ranges, in: context)
        }
        var missing: [String]?
        var hasOtherWeeks = false
        let series: CandleSeries?
        do throws(ProviderFailure) {
            series = try await self.series(of: symbol, spelling, window, query, in: context) { chart in
                let ranges = chart.meta.validRanges ?? []
                missing = chart.times.isEmpty && query.exceeds(ranges) ? ranges : nil
                hasOtherWeeks = query.interval == .oneWeek && !chart.beginsWeeksOnMondays
            }
        } catch {
            // Weeks that begin on another day, such as those of exchanges that trade on Sundays.
            guard hasOtherWeeks, let days = YahooChartQuery(daysOf: window, now: clock.wallTime()) else {
                throw error
            }
            return try await self.series(of: symbol, spelling, window, days, in: context)
        }
        guard let missing else { return series }
        shortHistories.store(missing, of: spelling, at: clock.now())
        return try await latestDays(of: symbol, spelling, window, missing, in: context)
    }

    /// The part of a window in the days of a listing that has its latest days only.
    ///
    /// - Throws: `unsupported` if it has nothing in the window: it may have had trades then.
    private func latestDays(
        of symbol: Symbol, _ spelling: String, _ window: ChartWindow, _ ranges: [String],
        in context: CallContext
    ) async throws(ProviderFailure) -> CandleSeries? {
        let longest = YahooRange.longest(of: ranges, YahooInterval(window.interval))
        let query = longest.flatMap { YahooChartQuery(window, within: $0, now: clock.wallTime()) }
        guard let query else { throw ProviderFailure(.yahoo, .unsupported) }
        let series = try await series(of: symbol, spelling, window, query, in: context)
        if series?.count == 0, series?.unreadable.isEmpty == true {
            throw ProviderFailure(.yahoo, .unsupported)
        }
        return series
    }

    /// Reads the chart of a query; nil for a symbol that Yahoo does not know.
    private func series(
        of symbol: Symbol, _ spelling: String, _ window: ChartWindow, _ query: YahooChartQuery,
        in context: CallContext, inspect: (YahooChart) -> Void = { _ in }
    ) async throws(ProviderFailure) -> CandleSeries? {
        let read = try await getChart("chart", spelling, query.items, in: context) {
            chart, reader throws(JSONError) -> CandleSeries? in
            inspect(chart)
            guard chart.hasBars(of: YahooInterval(query.interval)),
                query.interval != .oneWeek || chart.beginsWeeksOnMondays
            else { return nil }
            let series = chart.series(of: symbol, window, barsOf: query.interval, fetchedAt: clock.wallTime())
            return try reader.required(series, "prices that a series of candles can hold")
        }
        guard let read else { return nil }
        guard var series = read else { throw ProviderFailure(.yahoo, .unsupported) }
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
