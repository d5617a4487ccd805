package import Brokerage
package import Upstream

extension YahooClient: ChartSource {
    /// Past prices are corrected for splits, always.
    package var chartCapabilities: ChartCapabilities {
        ChartCapabilities(
            intervals: Set(Interval.allCases), adjustments: [.splits], hasExtendedHours: true,
            symbolsPerCall: 1)
    }

    /// `GET /v8/finance/chart/{symbol}`, which wants no crumb.
    ///
    /// Minutes go back a week, other parts of an hour 60 days, hours two years; a series that the window wants more of is
    /// marked as truncated.
    package func charts(
        of symbols: [Symbol], _ window: ChartWindow, in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, CandleSeries> {
        guard chartCapabilities.serve(window), window.interval.isIntraday || window.isExtendedHours != true
        else {
            throw ProviderFailure(.yahoo, .unsupported)
        }
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
        do throws(ProviderFailure) {
            return try await get(
                "chart",
                { $0.appending(path: "v8", "finance", "chart", spelling)?.appending(query: query.items) },
                in: context
            ) { reader throws(JSONError) -> CandleSeries? in
                guard let chart = try YahooChart.response(json: &reader) else { return nil }
                let series = chart.series(of: symbol, window, fetchedAt: clock.wallTime())
                var told = try reader.required(series, "prices that a series of candles can hold")
                if query.isTruncated { told.isTruncated = true }
                return told
            }
        } catch {
            if error.cause == .notFound { return nil }
            throw error
        }
    }
}
