package import Brokerage
package import Upstream

extension AlphaVantageClient: ChartSource {
    /// Prices as they were traded; corrected ones are paid for, under functions of their own.
    package var chartCapabilities: ChartCapabilities {
        ChartCapabilities(
            intervals: Set(Interval.allCases), adjustments: [.raw], hasExtendedHours: true, symbolsPerCall: 1)
    }

    /// `TIME_SERIES_INTRADAY`, `_DAILY`, `_WEEKLY` and `_MONTHLY`.
    ///
    /// Without a premium plan the latest 100 candles of a day or less are all there is; a series that goes further back is
    /// marked as truncated. Weeks and months come whole.
    package func charts(
        of symbols: [Symbol], _ window: ChartWindow, in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, CandleSeries> {
        guard chartCapabilities.serve(window), window.interval.isIntraday || window.isExtendedHours != true
        else {
            throw ProviderFailure(.alphaVantage, .unsupported)
        }
        var charts = KeyedResults<Symbol, CandleSeries>()
        for symbol in symbols { charts[symbol] = try await chart(of: symbol, window, in: context) }
        return charts
    }

    /// Nil for a symbol that Alpha Vantage does not know.
    private func chart(
        of symbol: Symbol, _ window: ChartWindow, in context: CallContext
    ) async throws(ProviderFailure) -> CandleSeries? {
        do throws(ProviderFailure) {
            let query = AlphaVantageSeriesQuery(window, plan: configuration.plan)
            let unit = try await unit(of: symbol, in: context)
            let items = [("symbol", try Optional(providerSymbol(for: symbol)))] + query.items
            return try await get("chart", query.function, items, in: context) {
                reader throws(JSONError) -> CandleSeries? in
                let subject = AlphaVantageSeries.Target(
                    symbol: symbol, unit: unit, window: window, isCompact: query.isCompact,
                    fetchedAt: clock.wallTime())
                let series = try AlphaVantageSeries(json: &reader)
                do throws(Decimal.Overflow) {
                    return try series.candles(subject)
                } catch {
                    return try reader.required(nil, "prices that a series of candles can hold")
                }
            }
        } catch {
            if error.cause == .notFound { return nil }
            throw error
        }
    }
}
