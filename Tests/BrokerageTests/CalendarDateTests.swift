import Brokerage
import Testing

@Suite("Calendar dates")
struct CalendarDateTests {
    static func date(_ text: String) throws -> CalendarDate { try #require(CalendarDate(text)) }

    @Test(
        "counts days from 1970",
        arguments: [
            ("1970-01-01", 0), ("1969-12-31", -1), ("2000-02-29", 11_016), ("2000-03-01", 11_017),
            ("2026-11-20", 20_777), ("0001-01-01", -719_162), ("9999-12-31", 2_932_896),
            ("1900-03-01", -25_508),
        ])
    func days(_ text: String, _ days: Int) throws {
        let date = try Self.date(text)
        #expect(date.daysSince1970 == days)
        #expect(CalendarDate(daysSince1970: days) == date)
        #expect(date.description == text)
    }

    @Test("every day of ten thousand years follows the one before it")
    func everyDay() throws {
        var expected = CalendarDate.earliest
        var weekday = try #require(CalendarDate.Weekday.allCases.firstIndex(of: expected.weekday))
        #expect(expected.weekday == .monday)
        for days in (CalendarDate.earliest.daysSince1970 + 1)...CalendarDate.latest.daysSince1970 {
            guard let date = CalendarDate(daysSince1970: days) else {
                Issue.record("no date \(days) days from 1970")
                return
            }
            let lastDay = CalendarDate.dayCount(ofMonth: expected.month, year: expected.year)
            let isNext =
                expected.day < lastDay
                ? date.day == expected.day + 1 && date.month == expected.month && date.year == expected.year
                : date.day == 1
                    && (expected.month < 12
                        ? date.month == expected.month + 1 && date.year == expected.year
                        : date.month == 1 && date.year == expected.year + 1)
            weekday = (weekday + 1) % 7
            if !isNext || date.daysSince1970 != days || date <= expected
                || date.weekday != CalendarDate.Weekday.allCases[weekday]
            {
                Issue.record("\(date) after \(expected)")
                return
            }
            expected = date
        }
        #expect(expected == .latest)
    }

    @Test(
        "refuses what is no date",
        arguments: [
            "2023-02-29", "1900-02-29", "2026-00-10", "2026-13-01", "2026-04-31", "2026-01-00", "0000-01-01",
            "2026-1-01", "2026/01/01", "20260101", "2026-01-01T", "+026-01-01", "", "２０２６-01-01",
        ])
    func refuses(_ text: String) {
        #expect(CalendarDate(text) == nil)
    }

    @Test(
        "adds days and months",
        arguments: [
            ("2026-01-31", 1, "2026-02-28"), ("2024-01-31", 1, "2024-02-29"),
            ("2026-11-20", 12, "2027-11-20"),
            ("2026-11-20", -11, "2025-12-20"), ("2026-03-31", -1, "2026-02-28"),
        ])
    func months(_ text: String, _ months: Int, _ expected: String) throws {
        #expect(try Self.date(text).adding(months: months)?.description == expected)
    }

    @Test(
        "does not leave its range, and does not trap", arguments: [Int.max, Int.min, 10_000_000, -10_000_000])
    func bounds(_ distance: Int) throws {
        let date = try Self.date("2026-11-20")
        #expect(date.adding(days: distance) == nil)
        #expect(date.adding(months: distance) == nil)
        #expect(CalendarDate(daysSince1970: distance) == nil)
        #expect(CalendarDate(year: distance, month: 1, day: 1) == nil)
        #expect(CalendarDate(year: 2026, month: distance, day: 1) == nil)
        #expect(CalendarDate(year: 2026, month: 1, day: distance) == nil)
    }

    @Test("knows the day of the week")
    func weekday() throws {
        #expect(try Self.date("2026-11-20").weekday == .friday)
        #expect(try Self.date("2026-11-21").weekday.isWeekend)
        #expect(try !Self.date("2026-11-20").weekday.isWeekend)
    }
}
