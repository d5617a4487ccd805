import Brokerage
import Sandbox
import Testing

@Suite("The trading calendar")
struct NewYorkCalendarTests {
    @Test(
        "is closed at weekends and on holidays",
        arguments: [
            "2026-11-21", "2026-11-22",  // a weekend
            "2025-01-01", "2023-01-02",  // New Year, and made up for on Monday
            "2026-01-19", "2026-02-16",  // third Mondays
            "2024-03-29", "2025-04-18", "2026-04-03", "2038-04-23",  // Good Friday, at its latest too
            "2026-05-25", "2021-05-31",  // last Monday of May
            "2026-06-19", "2022-06-20",  // Juneteenth, and made up for on Monday
            "2025-07-04", "2026-07-03", "2027-07-05",  // Independence Day, made up for on Friday or Monday
            "2026-09-07", "2026-11-26", "2025-11-27",
            "2026-12-25", "2021-12-24", "2022-12-26",
            "2001-09-11", "2012-10-30", "2025-01-09",
        ])
    func closed(_ text: String) throws {
        #expect(try NewYorkCalendar.session(on: date(text)) == nil)
    }

    struct Day: Sendable, CustomTestStringConvertible {
        let date: String
        let open: String
        let close: String
        let end: String
        var testDescription: String { date }
    }

    @Test(
        "opens and closes by New York's clock, in summer, in winter and on half days",
        arguments: [
            Day(date: "2026-11-20", open: "14:30", close: "21:00", end: "2026-11-21T01:00:00Z"),
            Day(date: "2026-07-02", open: "13:30", close: "20:00", end: "2026-07-03T00:00:00Z"),
            Day(date: "2026-03-09", open: "13:30", close: "20:00", end: "2026-03-10T00:00:00Z"),
            Day(date: "2026-11-02", open: "14:30", close: "21:00", end: "2026-11-03T01:00:00Z"),
            Day(date: "2026-11-27", open: "14:30", close: "18:00", end: "2026-11-27T22:00:00Z"),
            Day(date: "2026-12-24", open: "14:30", close: "18:00", end: "2026-12-24T22:00:00Z"),
            Day(date: "2025-07-03", open: "13:30", close: "17:00", end: "2025-07-03T21:00:00Z"),
            Day(date: "2021-12-31", open: "14:30", close: "21:00", end: "2022-01-01T01:00:00Z"),
            Day(date: "2026-07-06", open: "13:30", close: "20:00", end: "2026-07-07T00:00:00Z"),
        ])
    func hours(_ day: Day) throws {
        let session = try SandboxTests.session(day.date)
        #expect(session.open == seconds("\(day.date)T\(day.open):00Z"))
        #expect(session.close == seconds("\(day.date)T\(day.close):00Z"))
        #expect(session.postMarketClose == seconds(day.end))
        #expect(session.open - session.preMarketOpen == 19_800)
    }

    @Test(
        "has as many sessions in a year as the exchange had",
        arguments: [(2018, 251), (2019, 252), (2022, 251), (2023, 250), (2024, 252), (2025, 250)])
    func count(year: Int, sessions: Int) throws {
        let first = try #require(CalendarDate(year: year, month: 1, day: 1))
        let last = try #require(CalendarDate(year: year, month: 12, day: 31))
        // Juneteenth is applied to years before 2022 as well, on a weekday of 2018 and 2019.
        let rule = year < 2022 ? sessions - 1 : sessions
        #expect(TradingHours.exchanges.sessions(from: first, through: last).count == rule)
    }

    @Test("steps over closed days in both directions")
    func neighbours() throws {
        let monday = try date("2026-11-23")
        let friday = try date("2026-11-20")
        #expect(TradingHours.exchanges.session(before: monday)?.date == friday)
        #expect(TradingHours.exchanges.session(after: friday)?.date == monday)
        #expect(TradingHours.exchanges.session(onOrBefore: try date("2026-11-22"))?.date == friday)
        #expect(TradingHours.exchanges.session(before: .earliest) == nil)
    }

    private func seconds(_ text: String) -> Int? {
        Instant(text).map { Int($0.secondsSince1970) }
    }
}
