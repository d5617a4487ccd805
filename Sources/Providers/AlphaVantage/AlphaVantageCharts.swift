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
    /// Without a premium plan the latest 100 candles of a day or less are all there is; with one, candles of less than a day
    /// are those of the last 30 days, or of the calendar month in which an older window ends. A series that goes further back
    /// is marked as truncated. Weeks and months come whole.
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
            let query = AlphaVantageSeriesQuery(window, plan: configuration.plan, now: clock.wallTime())
            let unit = try await unit(of: symbol, in: context)
            var items = [("symbol", try Optional(providerSymbol(for: symbol)))] + query.items
            let entitlement = window.interval.isIntraday ? entitlement(for: symbol) : nil
            if window.interval.isIntraday { items.append(("entitlement", entitlement?.rawValue)) }
            return try await get("chart", query.function, items, in: context) {
                reader throws(JSONError) -> CandleSeries? in
                let subject = AlphaVantageSeries.Target(
                    symbol: symbol, unit: unit, window: window, isCompact: query.isCompact,
                    reach: query.reach, delayMinutes: entitlement?.delayMinutes ?? 0,
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
    /// The time from which on there are candles; nil for all.
    let reach: Instant?

    init(_ window: ChartWindow, plan: AlphaVantagePlan, now: Instant) {
        // Series of weeks and months are always returned completely.
        let canBeCut = window.interval != .oneWeek && window.interval != .oneMonth
        isCompact = canBeCut && !(plan.isPremium && Self.mayNeedMore(window))
        let size = canBeCut ? (isCompact ? "compact" : "full") : nil
        let month = isCompact || !window.interval.isIntraday ? nil : Self.month(of: window, now: now)
        reach =
            isCompact || !window.interval.isIntraday ? nil : month?.start ?? now - .seconds(30 * 86_400)
        switch window.interval {
        case .oneMinute: (function, items) = Self.intraday("1min", size, month?.name, window)
        case .fiveMinutes: (function, items) = Self.intraday("5min", size, month?.name, window)
        case .fifteenMinutes: (function, items) = Self.intraday("15min", size, month?.name, window)
        case .thirtyMinutes: (function, items) = Self.intraday("30min", size, month?.name, window)
        case .oneHour: (function, items) = Self.intraday("60min", size, month?.name, window)
        case .oneDay: (function, items) = ("TIME_SERIES_DAILY", [("outputsize", size)])
        case .oneWeek: (function, items) = ("TIME_SERIES_WEEKLY", [])
        case .oneMonth: (function, items) = ("TIME_SERIES_MONTHLY", [])
        }
    }

    /// The month in New York in which a window ends; nil if the last 30 days have its end.
    private static func month(of window: ChartWindow, now: Instant) -> (name: String, start: Instant)? {
        guard let end = window.to, end < now - .seconds(30 * 86_400) else { return nil }
        let last = (end - .nanoseconds(1)).inNewYork.date
        let first = Interval.oneMonth.firstDay(around: last)
        return (String(first.description.prefix(7)), Instant(newYorkMidnight: first))
    }

    private static func intraday(
        _ interval: String, _ size: String?, _ month: String?, _ window: ChartWindow
    ) -> (String, [(name: String, value: String?)]) {
        (
            "TIME_SERIES_INTRADAY",
            [
                ("interval", interval), ("adjusted", "false"),
                ("extended_hours", window.isExtendedHours == false ? "false" : "true"), ("outputsize", size),
                ("month", month),
            ]
        )
    }

    /// A hundred rows up to now may not be enough.
    private static func mayNeedMore(_ window: ChartWindow) -> Bool {
        window.from != nil || window.to != nil || window.maximumCandles > AlphaVantageSeries.compactCount
    }
}
