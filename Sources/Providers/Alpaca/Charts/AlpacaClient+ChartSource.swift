package import Brokerage
package import Upstream

extension AlpacaClient: ChartSource {
    /// All intervals; trades outside of regular hours are in all of a day's candles unless they are to be left out.
    package var chartCapabilities: ChartCapabilities {
        ChartCapabilities(
            intervals: Set(Interval.allCases), adjustments: Set(Adjustment.allCases), hasExtendedHours: true,
            symbolsPerCall: symbolsPerCall, candlesPerCall: Self.maximumPages * 10_000 / 2)
    }

    /// The candles of American shares: `GET /v2/stocks/bars`, page by page.
    ///
    /// Prices are corrected for splits unless something else is asked for. Where `from` is not given, one symbol's series
    /// is as long as is wanted; several symbols' start where something that is traded all day has so many candles, so
    /// that of one that is hardly traded fewer may come.
    ///
    /// More than ``pagesBorne`` pages are `overloaded`: what a page says of the symbols behind it is nothing.
    package func charts(
        of symbols: [Symbol], _ window: ChartWindow, in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, CandleSeries> {
        let shares = symbols.filter(\.isAlpacaShare)
        let now = clock.wallTime()
        guard chartCapabilities.serve(window),
            let query = AlpacaBarQuery(window, symbols: shares.count, feed: configuration.feed, now: now)
        else { throw ProviderFailure(.alpaca, .unsupported) }
        let bars = try await bars(of: shares, query, in: context)
        let sessions =
            window.isRegularOnly ? try await sessions(of: bars.bySymbol.values, in: context) : nil
        let cut = AlpacaSeriesBuilder(query: query, sessions: sessions, fetchedAt: clock.wallTime())
        var series = KeyedResults<Symbol, CandleSeries>()
        for (symbol, columns) in bars.bySymbol {
            series[symbol] = cut.series(of: symbol, columns)
            // Pages that were not asked for any more are all of older bars.
            if bars.nextPage != nil { series[symbol]?.isTruncated = true }
        }
        // Alpaca is silent alike about what it does not know and what was not traded.
        let silent = shares.filter { series[$0] == nil }
        for symbol in try await snapshots(of: silent, in: context).keys where silent.contains(symbol) {
            series[symbol] = cut.series(of: symbol, AlpacaBarColumns())
        }
        return series
    }

    /// At most a quarter of a million bars: twice what is asked for at once, since the start of several is a guess.
    private static var maximumPages: Int { 25 }

    private func bars(
        of shares: [Symbol], _ query: AlpacaBarQuery, in context: CallContext
    ) async throws(ProviderFailure) -> AlpacaBars {
        // Nothing begins in the future.
        guard query.start <= query.end ?? clock.wallTime() else { return AlpacaBars() }
        var wanted = AlpacaSymbolList(shares)
        var bars = AlpacaBars()
        for _ in 0..<Self.maximumPages {
            guard let list = try wanted.list() else { return AlpacaBars() }
            let items = query.items(list, page: bars.nextPage)
            let isRead = try await get(
                "charts", from: .data,
                { $0.appending(path: "v2", "stocks", "bars")?.appending(query: items) }, in: context
            ) { response throws(JSONError) in
                if wanted.remove(rejectedIn: response) { return false }
                try bars.append(response.body)
                return true
            }
            if isRead, bars.nextPage == nil || isEnough(bars, of: shares, query) { return bars }
        }
        throw ProviderFailure(.alpaca, .overloaded)
    }

    /// Whether the pages behind only have older bars than are wanted, and of the one symbol.
    private func isEnough(_ bars: AlpacaBars, of shares: [Symbol], _ query: AlpacaBarQuery) -> Bool {
        guard shares.count == 1, let columns = bars.bySymbol.first?.value else { return false }
        return !query.window.isRegularOnly && columns.count >= query.window.maximumCandles
    }

    private func sessions(
        of bars: some Sequence<AlpacaBarColumns>, in context: CallContext
    ) async throws(ProviderFailure) -> [CalendarDate: AlpacaCalendarDay] {
        var years: Set<Int> = []
        for columns in bars {
            for end in [columns.times.first, columns.times.last] {
                guard let instant = end.flatMap({ Instant(secondsSince1970: $0) }) else { continue }
                years.insert(instant.inNewYork.date.year)
            }
        }
        guard let first = years.min(), let last = years.max() else { return [:] }
        var sessions: [CalendarDate: AlpacaCalendarDay] = [:]
        for year in first...last {
            for day in try await calendar(of: year, in: context) { sessions[day.date] = day }
        }
        return sessions
    }
}
