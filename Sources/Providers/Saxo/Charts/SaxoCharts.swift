package import Brokerage
package import Upstream

extension SaxoClient: ChartSource {
    /// All intervals, one instrument for each call.
    ///
    /// Saxo does not state by which events its past prices are adjusted.
    package var chartCapabilities: ChartCapabilities {
        ChartCapabilities(intervals: Set(Interval.allCases), adjustments: [])
    }

    /// The candles of instruments: `GET /chart/v3/charts`, backwards page by page.
    ///
    /// FX has two sides, whose exact middle the prices are. The unit of prices that may be in hundredths of the currency is that
    /// of the instrument's details. An instrument whose details do not state it has no chart.
    package func charts(
        of symbols: [Symbol], _ window: ChartWindow, in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, CandleSeries> {
        guard chartCapabilities.serve(window) else { throw ProviderFailure(.saxo, .unsupported) }
        await takeTradeLevel(in: context)
        let listings = await withPriceUnits(pricedListings(for: symbols, in: context), in: context)
        let wanted = listings.found.map { symbol, listing in listing.named(symbol) }
        let results = await concurrently(wanted, atMost: 4) { listing async throws(ProviderFailure) in
            try await chart(of: listing, window, in: context)
        }
        var charts = KeyedResults<Symbol, CandleSeries>(failures: listings.failures)
        for (listing, result) in zip(wanted, results) { charts.add(result, for: listing.symbol) }
        return charts
    }

    /// Nil if Saxo does not know the instrument.
    private func chart(
        of listing: SaxoListing, _ window: ChartWindow, in context: CallContext
    ) async throws(ProviderFailure) -> CandleSeries? {
        // A second attempt if the series changed between two pages.
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

    /// Returns nil if the series changed between two pages.
    private func collect(
        _ listing: SaxoListing, _ window: ChartWindow, in context: CallContext
    ) async throws(ProviderFailure) -> CandleSeries? {
        var pages = SaxoChartPager(window)
        var next = pages.first
        var last = SaxoChart()
        while let query = next {
            let page = try await page(query, of: listing, window.interval, in: context)
            // Each page has the display format and the delay.
            last = page
            switch pages.receive(page) {
            case .next(let query): next = query
            case .complete: next = nil
            case .changed: return nil
            }
        }
        var priced = listing.stating(last.format.currency)
        if listing.currencyName == nil, priced.priceUnit == nil, !pages.samples.isEmpty {
            priced = try await withPriceUnit(priced, in: context)
        }
        guard !priced.lacksPriceUnit || pages.samples.isEmpty else {
            throw ProviderFailure(.saxo, .invalidResponse(nil))
        }
        var series = CandleSeries(
            saxo: pages.samples, of: priced, window.interval, delayMinutes: last.delayMinutes,
            fetchedAt: clock.wallTime())
        series.append(
            unreadable: pages.unreadable.map { error, newer in
                (error.description, newer.map { SaxoHorizon.start($0, window.interval) })
            }, in: window)
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
            return try SaxoChart(json: response.body)
        }
    }
}

/// Collects a series from pages that go back in time.
///
/// A page contains the time at which it ends: each page except the first overlaps the previous one by one
/// sample. The pager sends no calls; it returns the next query.
package struct SaxoChartPager {
    /// The next query.
    package struct Query: Hashable {
        var count: Int
        /// The latest sample is at this time or before; nil for now.
        var upTo: Instant?
    }

    package private(set) var samples: [SaxoChart.Sample] = []
    /// The errors of the samples of the pages that could not be read, each with the time of the newer sample behind it.
    package private(set) var unreadable: [(error: JSONError, newer: Instant?)] = []
    /// There are older ones in the window than were collected.
    package private(set) var hasOlder = false
    private let window: ChartWindow
    private let requestedCount: Int
    private var currentQuery: Query
    private var version: Int?

    /// The outcome of a page.
    package enum Outcome: Hashable {
        case next(Query)
        case complete
        /// The series changed after the previous page: the collected samples are invalid.
        case changed
    }

    /// As many as Saxo gives at once.
    static let maximumSamples = 1_200

    package init(_ window: ChartWindow) {
        self.window = window
        requestedCount = window.maximumCandles
        // One more than requested shows whether there are older samples; another one is for the end, which
        // is outside of the window.
        let spare = window.to == nil ? 1 : 2
        currentQuery = Query(count: min(requestedCount + spare, Self.maximumSamples), upTo: window.to)
    }

    /// Nil if no candle is requested.
    package var first: Query? { requestedCount > 0 ? currentQuery : nil }

    package mutating func receive(_ page: SaxoChart) -> Outcome {
        if let version, let newer = page.version, version != newer { return .changed }
        version = version ?? page.version
        let oldest = samples.first?.time
        let fresh = page.samples.filter { sample in
            window.to.map { sample.time < $0 } ?? true && oldest.map { sample.time < $0 } ?? true
        }
        let inside = fresh.filter { sample in window.from.map { sample.time >= $0 } ?? true }
        samples = inside + samples
        unreadable += page.unreadable
        if samples.count > requestedCount {
            samples.removeFirst(samples.count - requestedCount)
            hasOlder = true
            return .complete
        }
        // Older than the window, the last that there are, or a page that brought nothing new.
        guard inside.count == fresh.count, page.samples.count + page.failures.count >= currentQuery.count,
            let start = fresh.first?.time
        else {
            return .complete
        }
        if samples.count == requestedCount, window.from == nil, let first = page.firstSampleTime {
            hasOlder = first < start
            return .complete
        }
        // The next page has the ones before its oldest sample again.
        unreadable.removeAll { $0.newer == start }
        // One that is known already, and one more than is missing.
        currentQuery = Query(count: min(requestedCount - samples.count + 2, Self.maximumSamples), upTo: start)
        return .next(currentQuery)
    }
}

/// The length of a sample in minutes, as Saxo's parameter.
package enum SaxoHorizon {
    static func minutes(of interval: Interval) -> Int {
        switch interval {
        case .oneMinute: 1
        case .fiveMinutes: 5
        case .fifteenMinutes: 15
        case .thirtyMinutes: 30
        case .oneHour: 60
        case .oneDay: 1_440
        case .oneWeek: 10_080
        case .oneMonth: 43_200
        }
    }

    /// A day and longer, where candles are named by a date.
    static func isDaily(_ interval: Interval) -> Bool {
        switch interval {
        case .oneMinute, .fiveMinutes, .fifteenMinutes, .thirtyMinutes, .oneHour: false
        case .oneDay, .oneWeek, .oneMonth: true
        }
    }

    /// The start of a candle in seconds since 1970: Saxo's time, or midnight UTC of its date.
    ///
    /// Since the third version samples begin at the opening of the exchange. A market that opens at 21:00 UTC or later
    /// opens for the next day: FX at 17:00 in New York, Sydney and Wellington in the morning.
    package static func start(_ time: Instant, _ interval: Interval) -> Int64 {
        let seconds = time.secondsSince1970
        guard isDaily(interval) else { return seconds }
        let shifted = seconds + 3 * 3_600
        let rest = shifted % 86_400
        return shifted - (rest < 0 ? rest + 86_400 : rest)
    }
}
