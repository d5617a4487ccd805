import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("Alpaca's portfolio history")
struct FakeAlpacaPortfolioHistoryTests {
    private func history(
        _ query: String, at moment: String = Moment.midday, hasFuturePoints: Bool = false
    ) async throws -> JSONValue {
        let reply = try await withSandbox(
            at: moment, { $0.alpaca.historyHasFuturePoints = hasFuturePoints }
        ) { fixture in
            try await fixture.trading("/v2/account/portfolio/history?\(query)")
        }
        try #require(reply.status == 200, "\(reply)")
        return try JSONValue(parsing: reply.body)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let query: String
        let count: Int
        /// The number of points that are not in the future.
        let reached: Int
        let timeframe: String
        var moment = Moment.midday
        var testDescription: String { "\(query) at \(moment)" }

        // On Thursday at 12:34:56 in New York, 185 minutes of the day have begun.
        static let all: [Case] = [
            Case(query: "period=1D", count: 390, reached: 185, timeframe: "1Min"),
            Case(query: "period=1D&timeframe=5Min", count: 78, reached: 37, timeframe: "5Min"),
            Case(query: "period=1D&timeframe=1H", count: 7, reached: 4, timeframe: "1H"),
            Case(query: "period=2D&timeframe=15Min", count: 52, reached: 39, timeframe: "15Min"),
            Case(query: "period=1W", count: 5 * 26, reached: 4 * 26 + 13, timeframe: "15Min"),
            Case(query: "period=1W&timeframe=1D", count: 5, reached: 5, timeframe: "1D"),
            Case(query: "", count: 23, reached: 23, timeframe: "1D"),
            Case(query: "period=1A", count: 251, reached: 251, timeframe: "1D"),
            Case(query: "period=999A", count: 1264, reached: 1264, timeframe: "1D"),
            Case(
                query: "period=1D&timeframe=15Min&intraday_reporting=extended_hours", count: 64, reached: 35,
                timeframe: "15Min"),
            Case(query: "period=1D&timeframe=1H&extended_hours=true", count: 16, reached: 9, timeframe: "1H"),
            Case(
                query: "period=1D&timeframe=1H&intraday_reporting=continuous", count: 24, reached: 13,
                timeframe: "1H"),
            Case(
                query: "period=1D&timeframe=1H&intraday_reporting=continuous", count: 36, reached: 36,
                timeframe: "1H", moment: "2026-11-21T16:59:59Z"),
            Case(query: "period=1D", count: 390, reached: 390, timeframe: "1Min", moment: Moment.weekend),
            // Before the market opens, the previous day is the current one.
            Case(query: "period=1D", count: 390, reached: 390, timeframe: "1Min", moment: Moment.morning),
            Case(
                query: "period=1D", count: 210, reached: 210, timeframe: "1Min",
                moment: "2026-11-28T12:00:00Z"),
            Case(
                query: "start=2026-11-16T14:30:00Z&end=2026-11-17T16:00:00Z", count: 390 + 91,
                reached: 390 + 91,
                timeframe: "1Min"),
            Case(
                query: "start=2026-03-02T00:00:00Z&period=1M&timeframe=1D", count: 23, reached: 23,
                timeframe: "1D"),
            Case(query: "date_end=2026-11-12&period=1D&timeframe=1H", count: 7, reached: 7, timeframe: "1H"),
        ]
    }

    @Test(
        "has a point for every interval until now, by the settings also null ones for the rest of the day",
        arguments: Case.all, [false, true])
    func points(_ wanted: Case, hasFuturePoints: Bool) async throws {
        let history = try await history(
            wanted.query, at: wanted.moment, hasFuturePoints: hasFuturePoints)
        let columns = try ["timestamp", "equity", "profit_loss", "profit_loss_pct"].map { name in
            try #require(history[name]?.elements)
        }
        let count = hasFuturePoints ? wanted.count : wanted.reached
        #expect(columns.map(\.count) == Array(repeating: count, count: 4))
        for column in columns.dropFirst() {
            #expect(column.prefix(wanted.reached).allSatisfy { $0.digits != nil })
            #expect(column.dropFirst(wanted.reached).allSatisfy { $0 == .null })
        }
        #expect(history["timeframe"] == .string(wanted.timeframe))
        let stamps = try columns[0].map { try decimal($0) }
        #expect(stamps == stamps.sorted() && Set(stamps).count == count)
    }

    @Test("minutes are labelled with their beginning, from the opening to the last before the close")
    func minutes() async throws {
        let stamps = try await history("period=1D", at: Moment.evening)["timestamp"]?.elements
        let session = try session("2026-11-19")
        #expect(stamps?.first == JSONValue(integerLiteral: session.open))
        #expect(stamps?.last == JSONValue(integerLiteral: session.close - 60))
    }

    @Test("days are labelled 20:00 in New York, in summer, in winter and on half days")
    func days() async throws {
        let history = try await history("period=2A", at: "2026-11-28T17:00:00Z")
        let stamps = try #require(history["timestamp"]?.elements).compactMap(\.digits)
        let dates = stamps.compactMap { stamp -> CalendarDate? in
            guard let seconds = Int64(stamp), let local = Instant(secondsSince1970: seconds)?.inNewYork,
                local.secondOfDay == 72_000
            else { return nil }
            return local.date
        }
        #expect(dates.count == stamps.count)
        #expect(dates.last == (try date("2026-11-27")))
        #expect(dates.allSatisfy { NewYorkCalendar.session(on: $0) != nil })
    }

    @Test(
        "ends at the account's equity and begins from the equity of the close before", arguments: Moment.all)
    func agrees(moment: String) async throws {
        try await withSandbox(at: moment) { fixture in
            let history = try JSONValue(
                parsing: await fixture.trading(
                    "/v2/account/portfolio/history?period=1D&intraday_reporting=extended_hours"
                ).body)
            let account = try JSONValue(parsing: await fixture.trading("/v2/account").body)
            let last = try #require(history["equity"]?.elements).last { $0.digits != nil }
            #expect(try decimal(last) == decimal(account["equity"]))
            let lastEquity = try decimal(account["last_equity"])
            #expect(try decimal(history["base_value"]) == lastEquity.rounded(to: 2, .halfEven))
            #expect(history["base_value_asof"] == account["balance_asof"])
        }
    }

    @Test("profit is reckoned from the close before each day, or before the first one")
    func profit() async throws {
        for (query, isReset) in [("", true), ("&pnl_reset=per_day", true), ("&pnl_reset=no_reset", false)] {
            let history = try await history("period=2D&timeframe=1H" + query)
            let equity = try #require(history["equity"]?.elements).prefix(11).map { try decimal($0) }
            let profit = try #require(history["profit_loss"]?.elements).prefix(11).map { try decimal($0) }
            let base = try decimal(history["base_value"])
            #expect(try profit[0] == equity[0] - base)
            // The seventh hour of the first day ends at its close.
            #expect(try profit[7] == equity[7] - (isReset ? equity[6] : base))
        }
    }

    @Test("the profit of a day is the change since the day before, or the base value")
    func profitOfDays() async throws {
        let history = try await history("period=1W&timeframe=1D")
        let equity = try #require(history["equity"]?.elements).map { try decimal($0) }
        let profit = try #require(history["profit_loss"]?.elements).map { try decimal($0) }
        let before = [try decimal(history["base_value"])] + equity.dropLast()
        let changes = try zip(equity, before).map { try $0 - $1 }
        #expect(equity.count == 5 && profit == changes)
    }

    @Test("a switch fills the days before the account was opened with zeros")
    func zeros() async throws {
        let query = "/v2/account/portfolio/history?period=1M&timeframe=1D"
        let reply = try await withSandbox(
            at: "2021-11-19T17:00:00Z", { $0.alpaca.historyHasLeadingZeros = true }
        ) { fixture in try await fixture.trading(query) }
        let history = try JSONValue(parsing: reply.body)
        let equity = try #require(history["equity"]?.elements).map { try decimal($0) }
        let funded = try #require(equity.firstIndex { !$0.isZero })
        #expect(funded > 5 && equity[funded...].allSatisfy { !$0.isZero })
        #expect(history["base_value"] == 0)
    }

    @Test("an account without a past has none to tell of")
    func empty() async throws {
        let history = try await history("period=1W", at: "2021-11-05T17:00:00Z")
        #expect(history["timestamp"] == .array([]))
        #expect(history["equity"] == .array([]))
        #expect(history["base_value"] == 0)
    }

    @Test("a switch leaves the running day out of daily points")
    func finishedDaysOnly() async throws {
        let reply = try await withSandbox({ $0.alpaca.historyIncludesToday = false }) { fixture in
            try await fixture.trading("/v2/account/portfolio/history?period=1W&timeframe=1D")
        }
        #expect(try JSONValue(parsing: reply.body)["timestamp"]?.elements?.count == 4)
    }

    @Test(
        "refuses what Alpaca refuses",
        arguments: [
            ("period=1Y", "invalid period: 1Y"),
            ("period=D", "invalid period: D"),
            ("period=0D", "invalid period: 0D"),
            ("timeframe=2Min", "invalid timeframe: 2Min"),
            ("period=1A&timeframe=1Min", "only 1D timeframe is accepted for periods longer than 30 days"),
            ("start=yesterday", "invalid start: yesterday"),
            ("date_end=2026-02-30", "invalid date_end: 2026-02-30"),
            ("pnl_reset=never", "invalid pnl_reset: never"),
            (
                "period=1D&start=2026-11-16T14:30:00Z&end=2026-11-17T16:00:00Z",
                "only two of start, end and period can be specified at the same time"
            ),
        ])
    func refuses(query: String, message: String) async throws {
        let reply = try await withSandbox { fixture in
            try await fixture.trading("/v2/account/portfolio/history?\(query)")
        }
        #expect(reply.status == 422)
        #expect(reply.body == #"{"code":42210000,"message":"\#(message)"}"#)
    }
}
