package import Brokerage
package import Upstream

extension SaxoClient: ChartSource {
    /// All intervals, one instrument a call.
    ///
    /// Saxo does not say what its past prices are corrected for.
    package var chartCapabilities: ChartCapabilities {
        ChartCapabilities(intervals: Set(Interval.allCases), adjustments: [], hasExtendedHours: false)
    }

    /// The candles of instruments: `GET /chart/v3/charts`, backwards page by page.
    ///
    /// FX has two sides, whose exact middle the prices are.
    package func charts(
        of symbols: [Symbol], _ window: ChartWindow, in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, CandleSeries> {
        guard chartCapabilities.serve(window) else { throw ProviderFailure(.saxo, .unsupported) }
        let listings = await listings(for: symbols, in: context)
        let wanted = listings.found.map { symbol, listing in listing.named(symbol) }
        let results = await concurrently(wanted, atMost: 4) { listing async throws(ProviderFailure) in
            try await chart(of: listing, window, in: context)
        }
        var charts = KeyedResults<Symbol, CandleSeries>(failures: listings.failures)
        for (listing, result) in zip(wanted, results) { charts.add(result, for: listing.symbol) }
        return charts
    }

    /// Nil where Saxo does not know the instrument.
    private func chart(
        of listing: SaxoListing, _ window: ChartWindow, in context: CallContext
    ) async throws(ProviderFailure) -> CandleSeries? {
        // Once more where the series changed under way.
        for _ in 0..<2 {
            do throws(ProviderFailure) {
                if let series = try await collect(listing, window, in: context) { return series }
            } catch {
                guard error.cause == .notFound else { throw error }
                return nil
            }
        }
        throw ProviderFailure(.saxo, .unavailable)
    }

    /// Nil where the series changed between two pages.
    private func collect(
        _ listing: SaxoListing, _ window: ChartWindow, in context: CallContext
    ) async throws(ProviderFailure) -> CandleSeries? {
        var pages = SaxoChartPager(window)
        var next = pages.first
        var last = SaxoChart()
        while let query = next {
            let page = try await page(query, of: listing, window.interval, in: context)
            // How it is shown, and how late it is, is told by each page.
            last = page
            switch pages.receive(page) {
            case .next(let query): next = query
            case .complete: next = nil
            case .changed: return nil
            }
        }
        guard
            var series = CandleSeries(
                saxo: pages.samples, of: listing, window.interval, format: last.format,
                delayMinutes: last.delayMinutes, fetchedAt: clock.wallTime())
        else { throw ProviderFailure(.saxo, .invalidResponse(nil)) }
        series.isTruncated = pages.hasOlder
        return series
    }

    private func page(
        _ query: SaxoChartPager.Query, of listing: SaxoListing, _ interval: Interval, in context: CallContext
    ) async throws(ProviderFailure) -> SaxoChart {
        let url = try address(
            .chart, ["v3", "charts"],
            [
                ("AssetType", listing.key.assetType), ("Uic", String(listing.key.uic)),
                ("Horizon", String(SaxoHorizon.minutes(of: interval))), ("Count", String(query.count)),
                ("Mode", query.upTo.map { _ in "UpTo" }), ("Time", query.upTo?.description),
                ("FieldGroups", "Data,ChartInfo,DisplayAndFormat"),
            ])
        return try await get("chart", .chart, url, in: context) { response throws(JSONError) in
            guard response.status != 204, !response.body.isEmpty else { return SaxoChart() }
            return try JSONReader.read(response.body) { reader throws(JSONError) in
                try SaxoChart(json: &reader)
            }
        }
    }
}
