import Sandbox
import TestSupport
import Testing

@Suite("Alpha Vantage's stand-in answers in Alpha Vantage's shapes")
struct AlphaVantageWireTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let query: String
        let shape: String
        var testDescription: String { query }

        static let all: [Case] = [
            Case(query: "function=GLOBAL_QUOTE&symbol=IBM", shape: "GlobalQuote"),
            Case(query: "function=GLOBAL_QUOTE&symbol=BRK-B", shape: "GlobalQuote"),
            Case(query: "function=SYMBOL_SEARCH&keywords=micro", shape: "SymbolSearch"),
            Case(query: "function=TIME_SERIES_INTRADAY&symbol=AAPL&interval=60min", shape: "IntradayHourly"),
            Case(
                query: "function=TIME_SERIES_INTRADAY&symbol=AAPL&interval=60min&extended_hours=false",
                shape: "IntradayHourly"),
            Case(
                query: "function=TIME_SERIES_INTRADAY&symbol=AAPL&interval=60min&month=2026-10"
                    + "&outputsize=full", shape: "IntradayHourly"),
            Case(query: "function=TIME_SERIES_DAILY&symbol=AAPL", shape: "Daily"),
            Case(query: "function=TIME_SERIES_DAILY&symbol=AAPL&outputsize=full", shape: "Daily"),
            Case(query: "function=TIME_SERIES_WEEKLY&symbol=AAPL", shape: "Weekly"),
            Case(query: "function=TIME_SERIES_MONTHLY&symbol=AAPL", shape: "Monthly"),
            Case(query: "function=OVERVIEW&symbol=AAPL", shape: "Overview"),
            Case(query: "function=REALTIME_BULK_QUOTES&symbol=AAPL,BRK-B,NOSUCH", shape: "BulkQuotes"),
            Case(query: "function=DIVIDENDS&symbol=AAPL", shape: "Dividends"),
            Case(query: "function=DIVIDENDS&symbol=TSLA", shape: "Dividends"),
            Case(query: "function=SPLITS&symbol=NVDA", shape: "Splits"),
        ]

        /// The responses without data.
        static let empty: [(query: String, shape: String, body: String)] = [
            ("function=GLOBAL_QUOTE&symbol=NOSUCH", "GlobalQuote", #"{"Global Quote":{}}"#),
            ("function=SYMBOL_SEARCH&keywords=zzzz", "SymbolSearch", #"{"bestMatches":[]}"#),
            ("function=OVERVIEW&symbol=NOSUCH", "Overview", "{}"),
            ("function=OVERVIEW&symbol=SPY", "Overview", "{}"),
            (
                "function=REALTIME_BULK_QUOTES&symbol=NOSUCH", "BulkQuotes",
                #"{"endpoint":"Realtime Bulk Quotes","message":"success","data":[]}"#
            ),
        ]
    }

    private func reply(
        _ query: String, at moment: String = Moment.midday,
        _ change: (inout SandboxConfiguration) -> Void = { _ in },
        script: MarketScript = MarketScript()
    ) async throws -> Client.Reply {
        try await withSandbox(at: moment, change) { fixture in
            fixture.sandbox.script = script
            return try await fixture.alphaVantage(query, key: FakeAlphaVantageSettings.premiumKey)
        }
    }

    @Test(
        "every answer is valid by the schema, at any time of the week", arguments: Case.all, Moment.all)
    func valid(_ wanted: Case, moment: String) async throws {
        let reply = try await reply(wanted.query, at: moment)
        try reply.check(by: "alphavantage", wanted.shape)
    }

    @Test("and is valid where the market has no price", arguments: Case.all)
    func validWithoutPrices(_ wanted: Case) async throws {
        let script = MarketScript(unpriced: ["AAPL", "BRK.B", "IBM"])
        let reply = try await reply(wanted.query, script: script)
        try reply.check(by: "alphavantage", wanted.shape)
    }

    @Test("what is not there is empty, and a success", arguments: Case.empty)
    func empty(query: String, shape: String, body: String) async throws {
        let reply = try await reply(query)
        #expect(reply.body == body)
        try reply.check(by: "alphavantage", shape)
    }

    @Test("the same seed and clock give the same bytes, another seed gives others", arguments: Case.all)
    func deterministic(_ wanted: Case) async throws {
        let first = try await reply(wanted.query)
        #expect(try await reply(wanted.query) == first)
        let other = try await reply(wanted.query, { $0.seed = 8 })
        let isFixed = ["SYMBOL_SEARCH", "DIVIDENDS", "SPLITS"].contains { wanted.query.contains($0) }
        #expect((other == first) == isFixed)
    }

    @Test(
        "every interval has series and metadata under its own name",
        arguments: ["1min", "5min", "15min", "30min", "60min"])
    func intervals(_ interval: String) async throws {
        let reply = try await reply("function=TIME_SERIES_INTRADAY&symbol=AAPL&interval=\(interval)")
        // The schema is that of the hourly series; the others differ only in the interval's name.
        let hourly = reply.body.replacing("(\(interval))", with: "(60min)")
        let schema = try Golden.schema(of: "alphavantage").definition("IntradayHourly")
        #expect(try schema.violations(in: JSONValue(parsing: hourly)) == [])
        let document = try JSONValue(parsing: reply.body)
        #expect(document["Meta Data"]?["4. Interval"] == .string(interval))
        #expect(document["Time Series (\(interval))"]?.members?.count == 100)
    }
}
