import Brokerage
import ProviderTestSupport
import Saxo
import Testing
import Upstream

@Suite("Saxo's history of an account")
struct HistoryTests {
    private static let account = "uQ7xN3c-5m1Y8aFz2LQw4A=="
    private static let path = "/hist/v4/performance/timeseries"
    /// A response with the members that Saxo documents; the points are not in the order of time, and one has a time of day.
    private static let body = """
        {"Balance":{"AccountValue":[{"Date":"2026-11-17T00:00:00Z","Value":106410.4},
        {"Date":"2026-11-16","Value":106380.12},{"Date":"2026-11-18","Value":106295.07}],
        "CashTransfer":[{"Date":"2026-11-16","Value":0}]},"TimeWeighted":{"Accumulated":[]},"KeyFigures":{}}
        """

    private static func bodies(_ body: String?) throws -> [String: String] {
        var bodies = try AccountTests.identity.mapValues(goldenText)
        bodies[path] = body
        return bodies
    }

    @Test("has the value of each day, oldest first, in the currency of the account")
    func values() async throws {
        try await withSaxo(try Self.bodies(Self.body)) { saxo, server in
            let history = try await saxo.history(of: Self.account, .max, interval: nil, in: .patient)
            #expect(history.range == .max && history.interval == .oneDay && history.currency == "EUR")
            #expect(history.points.map(\.date?.description) == ["2026-11-16", "2026-11-17", "2026-11-18"])
            #expect(history.points.map(\.equity.description) == ["106380.12", "106410.4", "106295.07"])
            #expect(history.points.map(\.time.description).first == "2026-11-16T00:00:00Z")
            #expect(history.provenance == Provenance(source: .saxo, fetchedAt: wallTime))
            #expect(
                server.requests.last?.query == [
                    "ClientKey": "b2Zf|0kq9bXc2-7hTTa1Vg==", "AccountKey": Self.account,
                    "FieldGroups": "Balance_AccountValue", "StandardPeriod": "AllTime",
                ])
        }
    }

    @Test(
        "of a range is requested from its first day",
        arguments: [
            (DateRange.fiveDays, "2026-11-13"), (.oneMonth, "2026-10-20"), (.yearToDate, "2026-01-01"),
            (.oneYear, "2025-11-20"), (.fiveYears, "2021-11-20"),
        ])
    func ranges(range: DateRange, first: String) async throws {
        try await withSaxo(try Self.bodies(Self.body)) { saxo, server in
            _ = try await saxo.history(of: Self.account, range, interval: .oneDay, in: .patient)
            let query = try #require(server.requests.last?.query)
            #expect(query["FromDate"] == first && query["ToDate"] == "2026-11-20")
            #expect(query["StandardPeriod"] == nil)
        }
    }

    @Test("is empty for an account without performance, for which Saxo returns 404")
    func none() async throws {
        try await withSaxo(try Self.bodies(nil)) { saxo, _ in
            let history = try await saxo.history(of: Self.account, .oneYear, interval: nil, in: .patient)
            #expect(history.points.isEmpty)
        }
        try await withSaxo(try Self.bodies("{}")) { saxo, _ in
            let history = try await saxo.history(of: Self.account, .oneYear, interval: nil, in: .patient)
            #expect(history.points.isEmpty)
        }
    }

    @Test("of the current day, and by other intervals than a day, is unsupported without a call")
    func unsupported() async throws {
        try await withSaxo([:]) { saxo, server in
            for (range, interval) in [(DateRange.oneDay, Interval?.none), (.oneYear, .oneHour)] {
                await #expect(throws: ProviderFailure(.saxo, .unsupported)) {
                    try await saxo.history(of: Self.account, range, interval: interval, in: .patient)
                }
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test(
        "that cannot be read is named with its place",
        arguments: [
            (
                #"{"Balance":{"AccountValue":[{"Date":"2026-11-16"}]}}"#,
                #"Balance.AccountValue[0]: no "Value" (byte 49)"#
            ),
            (
                #"{"Balance":{"AccountValue":[{"Date":"today","Value":1}]}}"#,
                #"Balance.AccountValue[0].Date: no "date like "2026-11-20"" (byte 43)"#
            ),
        ])
    func invalid(body: String, problem: String) async throws {
        try await withSaxo(try Self.bodies(body)) { saxo, _ in
            let history = try await saxo.history(of: Self.account, .max, interval: nil, in: .patient)
            #expect(history.points.isEmpty && history.unreadable == [problem])
        }
    }
}
