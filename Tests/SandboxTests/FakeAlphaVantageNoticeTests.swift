import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("Alpha Vantage's refusals, all with the status 200")
struct FakeAlphaVantageNoticeTests {
    static let quote = "function=GLOBAL_QUOTE&symbol=IBM"

    struct Case: Sendable, CustomTestStringConvertible {
        let query: String
        var key: String? = FakeAlphaVantageSettings.demoKey
        let member: String
        let text: String
        var testDescription: String { query }

        static let invalid = "Invalid API call. Please retry or visit the documentation (https://www."
        static let premium = "Thank you for using Alpha Vantage! This is a premium endpoint. You may "
        static let entitled = "Thank you for using Alpha Vantage! You are not yet entitled to "
        static let series = "function=TIME_SERIES_INTRADAY&symbol=IBM"

        static let all: [Case] = [
            Case(
                query: quote, key: nil, member: "Error Message",
                text: "the parameter apikey is invalid or missing. Please claim your free API key on "),
            Case(
                query: quote, key: "", member: "Error Message",
                text: "the parameter apikey is invalid or missing. Please claim your free API key on "),
            Case(
                query: quote, key: "demo", member: "Information",
                text: "The **demo** API key is for demo purposes only. "),
            Case(query: "symbol=IBM", member: "Error Message", text: invalid),
            Case(query: "function=NO_SUCH&symbol=IBM", member: "Error Message", text: invalid),
            Case(query: "function=GLOBAL_QUOTE", member: "Error Message", text: invalid),
            Case(query: "function=SYMBOL_SEARCH", member: "Error Message", text: invalid),
            Case(query: "function=OVERVIEW", member: "Error Message", text: invalid),
            Case(
                query: "function=TIME_SERIES_DAILY&symbol=NOSUCH", member: "Error Message",
                text: invalid + "alphavantage.co/documentation/) for TIME_SERIES_DAILY."),
            Case(query: "function=TIME_SERIES_WEEKLY", member: "Error Message", text: invalid),
            Case(
                query: "function=TIME_SERIES_DAILY&symbol=IBM&outputsize=all", member: "Error Message",
                text: invalid),
            Case(query: series, member: "Error Message", text: invalid),
            Case(query: series + "&interval=2min", member: "Error Message", text: invalid),
            Case(query: series + "&interval=5min&month=2026-13", member: "Error Message", text: invalid),
            Case(query: series + "&interval=5min&month=1999-10", member: "Error Message", text: invalid),
            Case(query: series + "&interval=5min&extended_hours=1", member: "Error Message", text: invalid),
            Case(
                query: "function=TIME_SERIES_DAILY&symbol=IBM&outputsize=full", member: "Information",
                text: premium),
            Case(query: "function=REALTIME_BULK_QUOTES&symbol=IBM", member: "Information", text: premium),
            Case(
                query: "function=REALTIME_BULK_QUOTES&symbol=IBM", key: FakeAlphaVantageSettings.delayedKey,
                member: "Information", text: premium),
            Case(
                query: quote + "&entitlement=delayed", member: "Information",
                text: entitled + "15-minute delayed US market data access."),
            Case(
                query: quote + "&entitlement=realtime", key: FakeAlphaVantageSettings.delayedKey,
                member: "Information", text: entitled + "realtime US market data access."),
            Case(
                query: series + "&interval=5min&entitlement=realtime",
                key: FakeAlphaVantageSettings.endOfDayKey, member: "Information",
                text: entitled + "realtime US market data access."),
            Case(
                query: "function=REALTIME_BULK_QUOTES&symbol="
                    + Array(repeating: "IBM", count: 101).joined(separator: ","),
                key: FakeAlphaVantageSettings.premiumKey, member: "Error Message", text: invalid),
        ]
    }

    @Test("each stands under its key, with its text", arguments: Case.all)
    func refuses(_ wanted: Case) async throws {
        let reply = try await withSandbox { try await $0.alphaVantage(wanted.query, key: wanted.key) }
        #expect(reply.status == 200)
        let document = try JSONValue(parsing: reply.body)
        let schema = try Golden.schema(of: "alphavantage").definition("Notice")
        #expect(schema.violations(in: document) == [])
        let text = document[wanted.member]?.string
        #expect(text?.hasPrefix(wanted.text) == true, "\(reply.body)")
    }

    @Test("a free key has 25 calls a day, and the notice shows the key; midnight in New York begins anew")
    func day() async throws {
        // 23:59:50 in New York.
        try await withClock(at: "2026-11-20T04:59:50Z", { $0.alphaVantage.burstInterval = nil }) {
            fixture, clock in
            for _ in 0..<25 {
                #expect(try await fixture.alphaVantage(Self.quote).body.contains("01. symbol"))
            }
            let refused = try await fixture.alphaVantage(Self.quote)
            #expect(refused.status == 200)
            let text = try JSONValue(parsing: refused.body)["Information"]?.string
            #expect(
                text?.hasPrefix(
                    "We have detected your API key as \(FakeAlphaVantageSettings.demoKey) and our standard API "
                        + "rate limit is 25 requests per day. ") == true)
            let other = try await fixture.alphaVantage(Self.quote, key: FakeAlphaVantageSettings.secondKey)
            #expect(other.body.contains("01. symbol"))
            let premium = try await fixture.alphaVantage(Self.quote, key: FakeAlphaVantageSettings.premiumKey)
            #expect(premium.body.contains("01. symbol"))
            clock.advance(by: .seconds(10))
            #expect(try await fixture.alphaVantage(Self.quote).body.contains("01. symbol"))
        }
    }

    @Test("the day may end in UTC, and the notice may keep the key to itself")
    func dayInUTC() async throws {
        try await withClock(
            at: "2026-11-19T23:59:59Z",
            {
                $0.alphaVantage.burstInterval = nil
                $0.alphaVantage.requestsPerDay = 1
                $0.alphaVantage.dayEnds = .utc
                $0.alphaVantage.dailyNoticeEchoesKey = false
            }
        ) { fixture, clock in
            _ = try await fixture.alphaVantage(Self.quote)
            let refused = try await fixture.alphaVantageDocument(
                Self.quote, key: FakeAlphaVantageSettings.demoKey)
            let text = refused["Information"]?.string
            #expect(
                text?.hasPrefix(
                    "Thank you for using Alpha Vantage! Our standard API rate limit is 1 requests per day. ")
                    == true)
            clock.advance(by: .seconds(1))
            #expect(try await fixture.alphaVantage(Self.quote).body.contains("01. symbol"))
        }
    }

    @Test("calls that follow too closely are refused, and use nothing of the day")
    func burst() async throws {
        try await withClock(at: "2026-11-19T17:00:00Z", { $0.alphaVantage.requestsPerDay = 2 }) {
            fixture, clock in
            #expect(try await fixture.alphaVantage(Self.quote).body.contains("01. symbol"))
            for _ in 0..<3 {
                clock.advance(by: .milliseconds(300))
                let refused = try await fixture.alphaVantageDocument(
                    Self.quote, key: FakeAlphaVantageSettings.demoKey)
                let text = refused["Information"]?.string
                #expect(
                    text?.hasPrefix(
                        "Thank you for using Alpha Vantage! Please consider spreading out your free API "
                            + "requests more sparingly.") == true)
            }
            clock.advance(by: .milliseconds(100))
            #expect(try await fixture.alphaVantage(Self.quote).body.contains("01. symbol"))
            clock.advance(by: .seconds(1))
            #expect(try await fixture.alphaVantage(Self.quote).body.contains("We have detected your API key"))
        }
    }

    @Test("the limits of 2018 to 2023 are told in a note")
    func minute() async throws {
        try await withClock(
            at: "2026-11-19T17:00:58Z",
            {
                $0.alphaVantage.burstInterval = nil
                $0.alphaVantage.requestsPerMinute = 5
                $0.alphaVantage.requestsPerDay = 500
            }
        ) { fixture, clock in
            for _ in 0..<5 { #expect(try await fixture.alphaVantage(Self.quote).body.contains("01. symbol")) }
            let refused = try await fixture.alphaVantageDocument(
                Self.quote, key: FakeAlphaVantageSettings.demoKey)
            let text = refused["Note"]?.string
            #expect(
                text?.hasPrefix(
                    "Thank you for using Alpha Vantage! Our standard API call frequency is 5 calls per minute "
                        + "and 500 calls per day.") == true)
            clock.advance(by: .seconds(2))
            #expect(try await fixture.alphaVantage(Self.quote).body.contains("01. symbol"))
        }
    }

    @Test("a reset gives back what was used")
    func reset() async throws {
        try await withSandbox({ $0.alphaVantage.requestsPerDay = 1 }) { fixture in
            _ = try await fixture.alphaVantage(Self.quote)
            #expect(!(try await fixture.alphaVantage(Self.quote).body.contains("01. symbol")))
            #expect(try await fixture.client.post("/_sandbox/reset", "").status == 204)
            #expect(try await fixture.alphaVantage(Self.quote).body.contains("01. symbol"))
        }
    }

    @Test("a key that was never given out is a free one, or is refused")
    func strangers() async throws {
        let accepted = try await withSandbox { try await $0.alphaVantage(Self.quote, key: "ANYTHING") }
        #expect(accepted.body.contains("01. symbol"))
        let refused = try await withSandbox({
            $0.alphaVantage.acceptsAnyKey = false
            $0.alphaVantage.missingKeyMember = .information
        }) { try await $0.alphaVantageDocument(Self.quote, key: "ANYTHING") }
        #expect(
            refused["Information"]?.string?.hasPrefix("the parameter apikey is invalid or missing.") == true)
    }

    @Test("what belongs to a plan is switched by the settings")
    func plans() async throws {
        try await withSandbox({
            $0.alphaVantage.burstInterval = nil
            $0.alphaVantage.keysWithoutBulkQuotesGetSamples = true
            $0.alphaVantage.fullOutputIsPremium = false
            $0.alphaVantage.premiumFunctions = ["REALTIME_BULK_QUOTES", "TIME_SERIES_INTRADAY"]
            $0.alphaVantage.acceptsDottedSymbols = false
        }) { fixture in
            func free(_ query: String) async throws -> JSONValue {
                try await fixture.alphaVantageDocument(query, key: FakeAlphaVantageSettings.demoKey)
            }
            let sample = try await free("function=REALTIME_BULK_QUOTES&symbol=AAPL")
            #expect(sample["message"]?.string?.hasPrefix("This is sample data") == true)
            #expect(sample["data"]?.elements?.count == 1)
            let full = try await free("function=TIME_SERIES_DAILY&symbol=AAPL&outputsize=full")
            #expect((full["Time Series (Daily)"]?.members?.count ?? 0) > 6_000)
            let premium = try await free("function=TIME_SERIES_INTRADAY&symbol=AAPL&interval=5min")
            #expect(premium["Information"]?.string?.hasPrefix(Case.premium) == true)
            #expect(
                try await fixture.alphaVantage("function=GLOBAL_QUOTE&symbol=BRK.B").body
                    == #"{"Global Quote":{}}"#)
        }
    }

    @Test("calls are counted and faults are addressed by function; paths beside it are unknown")
    func endpoints() async throws {
        try await withSandbox({ $0.alphaVantage.burstInterval = nil }) { fixture in
            let script = Fault(
                .status(503, retryAfter: 3), provider: .alphaVantage, endpoint: "GET /query OVERVIEW")
            #expect(fixture.sandbox.faults.add(script))
            #expect(try await fixture.alphaVantage(Self.quote).status == 200)
            let struck = try await fixture.alphaVantage("function=OVERVIEW&symbol=IBM")
            #expect(struck.status == 503 && struck.headers["retry-after"] == "3")
            #expect(struck.headers["content-type"] == "text/html")
            #expect(try await fixture.alphaVantage("function=NO_SUCH").status == 200)
            #expect(try await fixture.client.get("/alpha-vantage/elsewhere").status == 404)
            let calls = fixture.sandbox.calls
            #expect(calls[.alphaVantage, "GET /query GLOBAL_QUOTE"] == 1)
            #expect(calls[.alphaVantage, "GET /query OVERVIEW"] == 1)
            #expect(calls[.alphaVantage, "GET /query"] == 1)
            #expect(calls[.alphaVantage, "unknown"] == 1)
            #expect(calls.total == 4)
        }
    }

    @Test(
        "a fault of 429 is a notice, one of the credential a complaint about the key",
        arguments: [
            (Fault.Effect.status(429), "Information", "Thank you for using Alpha Vantage! Please consider"),
            (.expiredToken, "Error Message", "the parameter apikey is invalid or missing."),
        ])
    func faults(effect: Fault.Effect, member: String, text: String) async throws {
        try await withSandbox { fixture in
            #expect(fixture.sandbox.faults.add(Fault(effect, provider: .alphaVantage)))
            let reply = try await fixture.alphaVantage(Self.quote)
            #expect(reply.status == 200)
            #expect(try JSONValue(parsing: reply.body)[member]?.string?.hasPrefix(text) == true)
        }
    }

    @Test("the base URL is under the address that was bound")
    func url() async throws {
        try await withSandbox { fixture in
            #expect(fixture.sandbox.alphaVantage.baseURL == "http://\(fixture.sandbox.address)/alpha-vantage")
        }
    }
}
