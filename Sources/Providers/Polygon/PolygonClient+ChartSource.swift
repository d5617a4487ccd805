package import Brokerage
package import Upstream

extension PolygonClient: ChartSource {
    package var chartCapabilities: ChartCapabilities {
        ChartCapabilities(
            intervals: Set(Interval.allCases), adjustments: [.raw, .splits], hasExtendedHours: true,
            symbolsPerCall: 1)
    }

    /// `GET /v2/aggs/ticker/…`.
    ///
    /// Bars of less than a day are of all hours, and cannot be had without: that is `unsupported`. Polygon is
    /// silent alike about a ticker that it does not know and a time without trades: where it has told of nothing, its
    /// directory is asked too.
    package func charts(
        of symbols: [Symbol], _ window: ChartWindow, in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, CandleSeries> {
        let isOfAllHours = window.interval.isIntraday
        guard chartCapabilities.serve(window), window.isExtendedHours.map({ $0 == isOfAllHours }) ?? true
        else {
            throw ProviderFailure(.polygon, .unsupported)
        }
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
        if var query = PolygonChartQuery(ticker, window, now: clock.wallTime()) {
            for _ in 1...Self.maximumPages {
                guard let page = try await aggregates(query, in: context) else { return nil }
                status = page.status
                isCut = page.hasMore
                bars += isCut && query.isComposed ? page.bars.dropLast() : page.bars[...]
                guard isCut, bars.count < window.maximumCandles, let oldest = bars.last,
                    let end = Instant(secondsSince1970: oldest.time).map({ $0 - .milliseconds(1) }),
                    query.from <= end, end < query.to
                else { break }
                query.to = end
            }
            if bars.isEmpty, try await isUnknown(symbol, in: context) { return nil }
        }
        return try series(of: symbol, bars, status, isCut, window)
    }

    /// Whether the directory does not have the symbol.
    ///
    /// - Throws: `ProviderFailure` if the directory cannot be read: an unknown symbol is not an empty chart.
    private func isUnknown(
        _ symbol: Symbol, in context: CallContext
    ) async throws(ProviderFailure) -> Bool {
        do throws(ProviderFailure) {
            _ = try await details(of: symbol, in: context)
            return false
        } catch {
            guard error.cause == .notFound else { throw error }
            return true
        }
    }

    /// Nil for a ticker that Polygon says that it does not know.
    private func aggregates(
        _ query: PolygonChartQuery, in context: CallContext
    ) async throws(ProviderFailure) -> PolygonAggregates? {
        do throws(ProviderFailure) {
            return try await get("chart", query.address, in: context) { reader throws(JSONError) in
                try PolygonAggregates(json: &reader)
            }
        } catch {
            if error.cause == .notFound { return nil }
            throw error
        }
    }

    private func series(
        of symbol: Symbol, _ newestFirst: [Candle], _ status: PolygonStatus, _ isCut: Bool,
        _ window: ChartWindow
    ) throws(ProviderFailure) -> CandleSeries {
        let fetchedAt = clock.wallTime()
        let calendar = PolygonCalendar(symbol, window.interval, newestFirst)
        var series = CandleSeries(
            symbol: symbol, interval: window.interval,
            provenance: Provenance(source: .polygon, fetchedAt: fetchedAt),
            reserving: newestFirst.count)
        series.currency = symbolMapping.currency(of: symbol)
        series.adjustment = window.adjustment ?? .splits
        series.isExtendedHours = window.interval.isIntraday ? true : nil
        series.timeZone = calendar.timeZone
        do throws(Decimal.Overflow) {
            try series.append(calendar.oldestFirst(newestFirst), in: window)
        } catch {
            throw ProviderFailure(.polygon, .invalidResponse(nil))
        }
        // Trades of a delayed plan are known a quarter of an hour later.
        let known = status == .delayed ? fetchedAt - .seconds(900) : fetchedAt
        series.isLastComplete = series.isLastOver(at: known, offset: calendar.offset(at: fetchedAt))
        if isCut { series.isTruncated = true }
        return series
    }
}
