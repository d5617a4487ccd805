import Brokerage
import Upstream

/// The regular hours of the days of a chart, by which unrequested bars outside of them are recognized.
///
/// Yahoo sends the trades after an early close, and those before the opening of some London listings, though only regular hours
/// were requested (yfinance's fix_Yahoo_returning_prepost_unrequested).
struct YahooRegularHours {
    /// By days of the exchange in its standard time, in seconds since 1970.
    private let hours: [CalendarDate: ClosedRange<Int64>]
    /// Seconds to add to UTC for the standard time.
    private let offset: Int64
    /// Whether the end is that of regular trading: of other exchanges it is often before the closing auction.
    private let hasReliableEnd: Bool
    /// The last trade in regular hours.
    private let lastTrade: Int64?

    /// Nil if the hours are unknown, or not reliable: all bars are kept.
    init?(_ meta: YahooChart.Meta) {
        let offset: Int64
        switch meta.timeZone {
        case "America/New_York": (offset, hasReliableEnd) = (-18_000, true)
        case "Europe/London": (offset, hasReliableEnd) = (0, false)
        default: return nil
        }
        self.offset = offset
        lastTrade = meta.quote.time?.secondsSince1970
        var hours: [CalendarDate: ClosedRange<Int64>] = [:]
        for period in meta.tradingPeriods ?? [] where period.start < period.end {
            let (start, end) = (period.start.secondsSince1970, period.end.secondsSince1970)
            // Currencies and futures trade around the clock: they have no other hours, and their days begin at midnight.
            guard end - start < 20 * 3_600, let day = Self.day(of: start, offset) else { continue }
            let known = hours[day] ?? start...end
            hours[day] = min(known.lowerBound, start)...max(known.upperBound, end)
        }
        if hours.isEmpty { return nil }
        self.hours = hours
    }

    /// Whether a bar is outside of the regular hours of its day.
    ///
    /// The bar that begins at the end has the closing auction.
    ///
    /// - Parameters:
    ///   - stamp: Its start, in seconds since 1970.
    ///   - length: Its length in seconds.
    /// - Returns: False also if the hours of the day are unknown.
    func exclude(_ stamp: Int64, length: Int64) -> Bool {
        guard let hours = Self.day(of: stamp, offset).flatMap({ hours[$0] }) else { return false }
        let isEarly = stamp + length <= hours.lowerBound
        return isEarly || (hasReliableEnd && stamp > hours.upperBound && stamp != lastTrade)
    }

    /// Trading is far from midnight, so that an hour of summer time does not change the day.
    private static func day(of second: Int64, _ offset: Int64) -> CalendarDate? {
        Instant(secondsSince1970: second + offset)?.dateInUTC
    }
}

/// The regular hours of a day.
struct YahooTradingPeriod: JSONObjectDecodable, Hashable {
    fileprivate var start = Instant.earliest
    fileprivate var end = Instant.earliest

    static let json = JSONFields(Self()) {
        $0.required("start", \.start) { reader throws(JSONError) in
            try reader.instant(since1970: .seconds)
        }
        $0.required("end", \.end) { reader throws(JSONError) in
            try reader.instant(since1970: .seconds)
        }
    }

    /// Reads `tradingPeriods`: lists in a list, or with extended hours an object of those.
    static func list(json reader: inout JSONReader) throws(JSONError) -> [YahooTradingPeriod] {
        guard try reader.kind() == .object else { return try days(&reader) }
        return try reader.member("regular") { reader throws(JSONError) in try days(&reader) } ?? []
    }

    private static func days(_ reader: inout JSONReader) throws(JSONError) -> [YahooTradingPeriod] {
        var periods: [YahooTradingPeriod] = []
        try reader.array { reader throws(JSONError) in
            if try reader.kind() == .array {
                periods += try reader.array(of: YahooTradingPeriod.self)
            } else {
                periods.append(try YahooTradingPeriod(json: &reader))
            }
        }
        return periods
    }
}
