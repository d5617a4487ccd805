package import Brokerage
package import Upstream

extension AlphaVantageClient: ChartSource {
    /// Prices as they were traded; corrected ones are paid for, under functions of their own.
    package var chartCapabilities: ChartCapabilities {
        ChartCapabilities(
            intervals: Set(Interval.allCases), adjustments: [.raw], extendedHours: Interval.intraday)
    }

    /// `TIME_SERIES_INTRADAY`, `_DAILY`, `_WEEKLY` and `_MONTHLY`.
    ///
    /// Without a premium plan the latest 100 candles of a day or less are all there is; a series that goes further back is
    /// marked as truncated. Weeks and months come whole.
    package func charts(
        of symbols: [Symbol], _ window: ChartWindow, in context: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, CandleSeries> {
        guard chartCapabilities.serve(window) else { throw ProviderFailure(.alphaVantage, .unsupported) }
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

/// Which function to call for a window, and how.
struct AlphaVantageSeriesQuery {
    let function: String
    let items: [(name: String, value: String?)]
    /// Only the newest hundred rows come.
    let isCompact: Bool

    init(_ window: ChartWindow, plan: AlphaVantagePlan) {
        // Series of weeks and months are always returned completely.
        let canBeCut = window.interval != .oneWeek && window.interval != .oneMonth
        isCompact = canBeCut && !(plan.isPremium && Self.mayNeedMore(window))
        let size = canBeCut ? (isCompact ? "compact" : "full") : nil
        switch window.interval {
        case .oneMinute: (function, items) = Self.intraday("1min", size, window)
        case .fiveMinutes: (function, items) = Self.intraday("5min", size, window)
        case .fifteenMinutes: (function, items) = Self.intraday("15min", size, window)
        case .thirtyMinutes: (function, items) = Self.intraday("30min", size, window)
        case .oneHour: (function, items) = Self.intraday("60min", size, window)
        case .oneDay: (function, items) = ("TIME_SERIES_DAILY", [("outputsize", size)])
        case .oneWeek: (function, items) = ("TIME_SERIES_WEEKLY", [])
        case .oneMonth: (function, items) = ("TIME_SERIES_MONTHLY", [])
        }
    }

    private static func intraday(
        _ interval: String, _ size: String?, _ window: ChartWindow
    ) -> (String, [(name: String, value: String?)]) {
        (
            "TIME_SERIES_INTRADAY",
            [
                ("interval", interval), ("adjusted", "false"),
                ("extended_hours", window.isExtendedHours == false ? "false" : "true"), ("outputsize", size),
            ]
        )
    }

    /// A hundred rows up to now may not be enough.
    private static func mayNeedMore(_ window: ChartWindow) -> Bool {
        window.from != nil || window.to != nil || window.maximumCandles > AlphaVantageSeries.compactCount
    }
}
