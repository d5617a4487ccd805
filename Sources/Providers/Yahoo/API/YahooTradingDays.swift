import Brokerage

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

    /// Combines days to longer intervals.
    ///
    /// - Parameters:
    ///   - candles: The days, oldest first.
    ///   - interval: The longer interval.
    ///   - starts: The intervals of which a day is missing; they get no candle.
    /// - Returns: The intervals; one of them has a volume if all of its days have one.
    /// - Throws: `Decimal.Overflow` if a sum of volumes has too many digits.
    func combined(
        _ candles: [Candle], every interval: Interval, omitting starts: [Int64]
    ) throws(Decimal.Overflow) -> [Candle] {
        var combined: [Candle] = []
        for day in candles {
            let start = start(of: interval, day.time)
            // A week in which clocks changed begins at the midnight before the change.
            if let last = combined.last, abs(last.time - start) <= 3_600 {
                combined[combined.count - 1] = try last.followed(by: day)
            } else {
                var first = day
                first.time = start
                combined.append(first)
            }
        }
        return combined.filter { candle in !starts.contains { abs($0 - candle.time) <= 3_600 } }
    }

    /// Whether a stamp is of a Monday, as the one of a week must be.
    ///
    /// In the other half of the year, the exchange's midnight may be an hour off.
    func isMonday(_ stamp: Int64) -> Bool {
        func isMonday(local second: Int64) -> Bool {
            Instant(secondsSince1970: second)?.dateInUTC.weekday == .monday
        }
        if isNewYork, let instant = Instant(secondsSince1970: stamp) {
            return instant.inNewYork.date.weekday == .monday
        }
        return [0, 3_600].contains { isMonday(local: stamp + offset + $0) }
    }

    private func midnight(before stamp: Int64) -> Int64 {
        let second = Self.second(of: stamp + offset)
        // Clocks of the other half of the year are an hour off.
        if [0, 3_600, 82_800].contains(second) { return stamp }
        if let opening, [0, 3_600].contains(abs(second - opening)) { return stamp - opening }
        return stamp - second
    }
}

extension Candle {
    /// The interval of both candles; the volume is nil if one of them has none.
    fileprivate func followed(by later: Candle) throws(Decimal.Overflow) -> Candle {
        var volume: Decimal?
        if let own = self.volume, let added = later.volume { volume = try own + added }
        let prices = OHLC(
            open: prices.open, high: max(prices.high, later.prices.high),
            low: min(prices.low, later.prices.low), close: later.prices.close)
        return Candle(time: time, prices: prices, volume: volume)
    }
}
