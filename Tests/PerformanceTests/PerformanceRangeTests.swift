import Brokerage
import Performance
import Testing

@Suite("The range of a performance")
struct PerformanceRangeTests {
    @Test(
        "starts at the end of a day",
        arguments: [
            (DateRange.oneDay, "2026-11-24"), (.fiveDays, "2026-11-18"), (.oneMonth, "2026-10-25"),
            (.threeMonths, "2026-08-25"), (.sixMonths, "2026-05-25"), (.yearToDate, "2025-12-31"),
            (.oneYear, "2025-11-25"), (.fiveYears, "2021-11-25"),
        ])
    func start(_ range: DateRange, day: String) throws {
        #expect(range.start(until: try date("2026-11-25"))?.description == day)
    }

    @Test("has no start without a bound, and ends in the shorter month")
    func ends() throws {
        #expect(DateRange.max.start(until: try date("2026-11-25")) == nil)
        #expect(
            DateRange.threeMonths.start(until: try date("2026-05-31"))?.description == "2026-02-28")
        #expect(
            DateRange.allCases.map(\.rawValue) == [
                "ONE_DAY", "FIVE_DAYS", "ONE_MONTH", "THREE_MONTHS", "SIX_MONTHS", "YEAR_TO_DATE", "ONE_YEAR",
                "FIVE_YEARS", "MAX",
            ])
    }
}
