import Alpaca
import Brokerage
import Testing

@Suite("What a history is asked for by")
struct HistoryQueryTests {
    @Test(
        "without an interval is what draws the range in some hundred points",
        arguments: [
            (DateRange.oneDay, "1D", "1Min"), (.fiveDays, "1W", "15Min"),
            (.oneMonth, "1M", "1D"), (.threeMonths, "3M", "1D"), (.sixMonths, "6M", "1D"),
            (.oneYear, "1A", "1D"),
            (.fiveYears, "5A", "1D"), (.max, "12A", "1D"),
        ])
    func usual(range: DateRange, period: String, timeframe: String) throws {
        let query = try #require(AlpacaHistoryQuery(range, nil, now: wallTime))
        #expect(query.items.map(\.name) == ["period", "timeframe", "pnl_reset"])
        let reset = timeframe == "1D" || range == .oneDay ? nil : "no_reset"
        #expect(query.items.map(\.value) == [period, timeframe, reset])
    }

    @Test(
        "counts profits from one base, also within a day",
        arguments: [
            (DateRange.oneDay, Interval.oneMinute, nil), (.fiveDays, .fiveMinutes, "no_reset"),
            (.fiveDays, .oneHour, "no_reset"), (.oneMonth, .oneHour, "no_reset"), (.oneMonth, .oneDay, nil),
        ] as [(DateRange, Interval, String?)])
    func reset(range: DateRange, interval: Interval, value: String?) throws {
        let query = try #require(AlpacaHistoryQuery(range, interval, now: wallTime))
        #expect(query.items.last?.value == value)
    }

    @Test("since the beginning of the year is a start, midnight in New York")
    func yearToDate() throws {
        let query = try #require(AlpacaHistoryQuery(.yearToDate, nil, now: wallTime))
        #expect(query.items.map(\.name) == ["start", "timeframe", "pnl_reset"])
        let year = wallTime.inNewYork.date.year
        #expect(query.items.map(\.value) == ["\(year)-01-01T05:00:00Z", "1D", nil])
    }

    @Test(
        "is nothing for intervals that Alpaca does not have, nor for less than a day over more than a month")
    func unsupported() {
        for range in DateRange.allCases {
            for interval in Interval.allCases {
                let timeframe = AlpacaHistoryQuery(range, interval, now: wallTime)?.timeframe.interval
                #expect(timeframe == (Self.supported[range]?.contains(interval) == true ? interval : nil))
            }
        }
    }

    private static let supported: [DateRange: Set<Interval>] = {
        let all: Set<Interval> = [.oneMinute, .fiveMinutes, .fifteenMinutes, .oneHour, .oneDay]
        return [
            .oneDay: all, .fiveDays: all, .oneMonth: all, .threeMonths: [.oneDay],
            .sixMonths: [.oneDay], .yearToDate: [.oneDay], .oneYear: [.oneDay], .fiveYears: [.oneDay],
            .max: [.oneDay],
        ]
    }()
}
