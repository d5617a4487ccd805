import Brokerage

/// Where the days of an exchange begin.
///
/// Yahoo stamps a day with the opening of its trading, a week and a month with a midnight, and what still runs with the time
/// of the last trade. Of the exchange's clock it tells only by how much it differs from UTC now, so days of the other half
/// of a year are found by the hour of the opening, which is the same all year round.
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
        let midnight = midnight(before: stamp)
        guard let date = date(of: midnight) else { return midnight }
        let first = interval.firstDay(around: date)
        if isNewYork, let local = LocalTime(date: first, hour: 0) {
            return Instant(newYork: local).secondsSince1970
        }
        return midnight - Int64(date.daysSince1970 - first.daysSince1970) * 86_400
    }

    /// The day that begins at a midnight: two hours later it is that day by the clocks of summer and of winter.
    private func date(of midnight: Int64) -> CalendarDate? {
        if isNewYork { return Instant(secondsSince1970: midnight)?.inNewYork.date }
        return Instant(secondsSince1970: midnight + offset + 7_200)?.dateInUTC
    }

    private func midnight(before stamp: Int64) -> Int64 {
        if isNewYork, let instant = Instant(secondsSince1970: stamp),
            let local = LocalTime(date: instant.inNewYork.date, hour: 0)
        {
            return Instant(newYork: local).secondsSince1970
        }
        let second = Self.second(of: stamp + offset)
        // Clocks of the other half of the year are an hour off.
        if [0, 3_600, 82_800].contains(second) { return stamp }
        if let opening, [0, 3_600].contains(abs(second - opening)) { return stamp - opening }
        return stamp - second
    }
}
