import Alpaca
import Brokerage
import ProviderTestSupport
import Testing
import Upstream

@Suite("A history")
struct HistoryTests {
    private func history(
        _ body: [UInt8], _ range: DateRange = .oneDay, asked: Interval = .oneMinute,
        fetchedAt: Instant = wallTime, accountEquity: Decimal? = nil
    ) throws -> EquityHistory {
        try AlpacaHistory(json: body).history(
            range, requestedInterval: asked, fetchedAt: fetchedAt, accountEquity: accountEquity)
    }

    @Test("leaves out points without a value, and tells profit in per cent")
    func minutes() throws {
        let history = try history(example("history"))
        #expect(history.range == .oneDay)
        #expect(history.interval == .oneMinute)
        #expect(history.currency == "USD")
        #expect(history.baseValue?.description == "103902.11")
        #expect(history.points.map(\.time.description) == ["2025-11-21T14:30:00Z", "2025-11-21T14:31:00Z"])
        #expect(history.points.map(\.equity.description) == ["103950.12", "103961.4"])
        #expect(history.points.map(\.date) == [nil, nil])
        #expect(history.points.map(\.profitLoss?.description) == ["48.01", "59.29"])
        #expect(history.points.map(\.profitLossPercent?.description) == ["0.046", "0.057"])
        #expect(
            history.provenance
                == Provenance(source: .alpaca, fetchedAt: wallTime, asOf: try instant("2025-11-21T14:31:00Z"))
        )
    }

    @Test("by days keeps the stamp of 20:00 in New York, whose date there is the day's")
    func days() throws {
        let history = try history(example("history-daily"), .oneMonth, asked: .oneDay)
        #expect(history.interval == .oneDay)
        #expect(history.baseValue?.description == "103631.52")
        #expect(
            history.points.map(\.time.description) == [
                "2025-11-19T01:00:00Z", "2025-11-20T01:00:00Z", "2025-11-21T01:00:00Z",
            ])
        #expect(
            history.points.map(\.time.inNewYork.date.description) == [
                "2025-11-18", "2025-11-19", "2025-11-20",
            ])
        #expect(
            history.points.map(\.date?.description) == ["2025-11-18", "2025-11-19", "2025-11-20"])
    }

    @Test("by days has the profit since the base, although Alpaca sends the change since the day before")
    func profitOfDays() throws {
        let history = try history(example("history-daily"), .oneMonth, asked: .oneDay)
        #expect(history.points.map(\.profitLoss?.description) == ["-120.5", "270.59", "746.1"])
        #expect(
            history.points.map(\.profitLossPercent?.description) == [
                "-0.11627736", "0.26110782", "0.7199547",
            ])
    }

    @Test("by days has no profit without a base", arguments: ["0", "null", "[]"])
    func profitWithoutBase(base: String) throws {
        let body = try example("history-daily").replacing("103631.52", with: base)
        let history = try history(body, .oneMonth, asked: .oneDay)
        #expect(history.points.count == 3 && history.baseValue == nil)
        #expect(history.points.allSatisfy { $0.profitLoss == nil && $0.profitLossPercent == nil })
    }

    @Test(
        "begins when the account was funded: Alpaca fills the days before with zeros; a later zero is a value",
        arguments: [
            ("[0,0,100]", [100]), ("[0,100,0]", [100, 0]), ("[0,null,100]", [100]), ("[0,0,0]", []),
            ("[100,0,0]", [100, 0, 0]),
        ] as [(String, [Decimal])])
    func leadingZeros(equity: String, expected: [Decimal]) throws {
        for timeframe in ["1D", "1Min"] {
            let body =
                #"{"timestamp":[1763514000,1763600400,1763686800],"equity":\#(equity),"timeframe":"\#(timeframe)"}"#
            let history = try history(Array(body.utf8), .oneMonth)
            #expect(history.points.map(\.equity) == expected)
            #expect(history.baseValue == nil && history.unreadable.isEmpty)
            #expect((history.provenance.asOf == nil) == expected.isEmpty)
        }
    }

    /// The last days of a history, and what is left of them; the last one is stamped 20:00 in New York, 01:00 in UTC.
    struct Repetition: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var equity = "[99,100,100]"
        var now = "2025-11-21T07:22:00Z"
        var account: Decimal? = 101
        let days: Int
    }

    @Test(
        "by days has no point with the equity of the day before, while the account has another equity",
        arguments: [
            Repetition(testDescription: "at night", days: 2),
            Repetition(testDescription: "in the evening", now: "2025-11-21T01:00:30Z", days: 2),
            Repetition(testDescription: "an account with the same equity", account: 100, days: 3),
            Repetition(testDescription: "an unknown account", account: nil, days: 3),
            Repetition(testDescription: "another equity", equity: "[99,100,102]", days: 3),
            Repetition(testDescription: "the next day of trading", now: "2025-11-21T09:00:00Z", days: 3),
            Repetition(testDescription: "a point alone", equity: "[null,null,100]", days: 1),
        ])
    func repetition(_ repetition: Repetition) throws {
        let body =
            #"{"timestamp":[1763514000,1763600400,1763686800],"equity":\#(repetition.equity),"timeframe":"1D"}"#
        let history = try history(
            Array(body.utf8), .oneMonth, fetchedAt: instant(repetition.now),
            accountEquity: repetition.account)
        #expect(history.points.count == repetition.days)
    }

    @Test("reads the account only if the last two days have the same equity", arguments: [true, false])
    func repetitionOverHTTP(isRepeated: Bool) async throws {
        let account = try example("account")
        let last = wallTime.secondsSince1970 - 3_600
        let body =
            #"{"timestamp":[\#(last - 86_400),\#(last)],"equity":[100,\#(isRepeated ? 100 : 101)],"timeframe":"1D"}"#
        try await withAlpaca(answering: { request, _ in
            request.target.contains("history") ? .text(body) : .body(account)
        }) { alpaca, server in
            let history = try await alpaca.history(of: "any", .oneMonth, interval: nil, in: .patient)
            #expect(history.points.count == (isRepeated ? 1 : 2))
            #expect(server.requests.count == (isRepeated ? 2 : 1))
        }
    }

    @Test("of one day by days is the last day's point, though its date in UTC is another")
    func oneDayByDays() throws {
        let history = try history(example("history-daily"), .oneDay, asked: .oneDay)
        #expect(history.points.map(\.time.inNewYork.date.description) == ["2025-11-20"])
        #expect(history.baseValue?.description == "103902.11")
        #expect(history.points.map(\.profitLoss?.description) == ["475.51"])
        #expect(history.points.map(\.profitLossPercent?.description) == ["0.45765192"])
    }

    @Test("says nothing about its age where the stamp of today's point lies ahead")
    func stampAhead() throws {
        let atNoon = try instant("2025-11-20T17:00:00Z")
        let history = try history(example("history-daily"), .oneMonth, asked: .oneDay, fetchedAt: atNoon)
        #expect(history.points.count == 3)
        #expect(history.provenance.asOf == nil)
    }

    @Test("of one day has no point of the day before, and counts from the close between")
    func twoDays() throws {
        // Thursday 15:58, 15:59 and Friday 09:30, 09:31; the base is Wednesday's close.
        let body = Array(
            """
            {"timestamp":[1763672280,1763672340,1763735400,1763735460],"equity":[103900,103902.11,103950.12,null],\
            "profit_loss":[268.48,270.59,48.01,null],"profit_loss_pct":[0.00259,0.00261,0.00046,null],\
            "base_value":103631.52,"timeframe":"1Min"}
            """.utf8)
        let history = try history(body)
        #expect(history.points.map(\.time.description) == ["2025-11-21T14:30:00Z"])
        #expect(history.baseValue?.description == "103902.11")
    }

    @Test("of one day is the day before as long as today has no value")
    func beforeTheFirstValue() throws {
        let body = Array(
            """
            {"timestamp":[1763672280,1763672340,1763735400],"equity":[103900,103902.11,null],\
            "profit_loss":[268.48,270.59,null],"profit_loss_pct":[null,null,null],"base_value":103631.52,\
            "timeframe":"1Min"}
            """.utf8)
        let history = try history(body)
        #expect(history.points.map(\.time.description) == ["2025-11-20T20:58:00Z", "2025-11-20T20:59:00Z"])
        #expect(history.points.map(\.profitLossPercent) == [nil, nil])
        #expect(history.baseValue?.description == "103631.52")
    }

    @Test(
        "may lack anything but a time and a value",
        arguments: [
            #"{"timestamp":[],"equity":[],"profit_loss":[],"profit_loss_pct":[],"base_value":0,"timeframe":"1Min"}"#,
            #"""
            {"timestamp":null,"equity":null,"profit_loss":null,"profit_loss_pct":null,"base_value":null,\#
            "base_value_asof":"0000-00-00","timeframe":null}
            """#,
            #"{"timestamp":[1763735400],"equity":[null]}"#,
            #"{"timestamp":[null],"equity":[1]}"#,
        ])
    func nothing(body: String) throws {
        let history = try history(Array(body.utf8))
        #expect(history.points == [])
        #expect(history.baseValue == nil)
        #expect(history.interval == .oneMinute)
        #expect(history.provenance.asOf == nil)
    }

    @Test("comes oldest first, whatever the order of the answer")
    func order() throws {
        let history = try history(Array(#"{"timestamp":[1763735460,1763735400],"equity":[2,1]}"#.utf8))
        #expect(history.points.map(\.equity) == [1, 2])
    }

    @Test(
        "that cannot be read is named with its place",
        arguments: [
            (
                #"{"timestamp":[1,2],"equity":[1]}"#,
                #"no "value in each column for each timestamp" (byte 32)"#
            ),
            (
                #"{"timestamp":[1],"equity":[1],"profit_loss":[1,2]}"#,
                #"no "value in each column for each timestamp" (byte 50)"#
            ),
            (
                #"{"timestamp":[1],"equity":[1],"profit_loss_pct":[1,2]}"#,
                #"no "value in each column for each timestamp" (byte 54)"#
            ),
            (#"{"timestamp":[1]}"#, #"no "equity" (byte 17)"#),
            (#"{"equity":[1]}"#, #"no "timestamp" (byte 14)"#),
            (
                #"{"timestamp":[],"equity":[],"timeframe":"3Min"}"#,
                "timeframe: expected one of 1Min, 5Min, 15Min, 1H, 1D, found a string that is none (byte 40)"
            ),
        ])
    func refusals(body: String, message: String) {
        let error = #expect(throws: JSONError.self) { try AlpacaHistory(json: Array(body.utf8)) }
        #expect(error?.description == message)
    }

    @Test(
        "has the other points if the time or the equity of one cannot be read, and names its place",
        arguments: [
            (
                #"{"timestamp":[1,2,3],"equity":[1,"x",3]}"#,
                "equity[1]: expected a decimal, found a string that is none (byte 33)"
            ),
            (
                #"{"timestamp":[1,1.5,3],"equity":[1,2,3]}"#,
                "timestamp[1]: expected an integer, found a string that is none (byte 16)"
            ),
            (
                #"{"timestamp":[1,99999999999999,3],"equity":[1,2,3]}"#,
                "timestamp[1]: an instant out of range (byte 16)"
            ),
            (#"{"timestamp":[1,2,3],"equity":[1,{"a":[1]},3]}"#, "equity[1]: expected a decimal"),
        ])
    func unreadablePoint(body: String, message: String) throws {
        let history = try history(Array(body.utf8), .oneMonth)
        #expect(history.points.map(\.equity) == [1, 3])
        #expect(history.unreadable.count == 1)
        #expect(history.unreadable.first?.hasPrefix(message) == true, "\(history.unreadable)")
    }

    @Test(
        "has a point whose other figures cannot be read without these",
        arguments: ["profit_loss", "profit_loss_pct"])
    func unreadableProfit(name: String) throws {
        let body =
            #"{"timestamp":[1,2,3],"equity":[1,2,3],"\#(name)":[0.1,"x",0.3],"base_value":[]}"#
        let history = try history(Array(body.utf8), .oneMonth)
        #expect(history.points.map(\.equity) == [1, 2, 3] && history.unreadable.isEmpty)
        let figures = history.points.map { name == "profit_loss" ? $0.profitLoss : $0.profitLossPercent }
        #expect(figures.map { $0 == nil } == [false, true, false])
        #expect(history.baseValue == nil)
    }
}
