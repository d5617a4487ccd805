import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("Alpaca's refusals")
struct FakeAlpacaErrorTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let path: String
        var headers = RunningSandbox.demo
        let status: Int
        let body: String
        var testDescription: String { "\(path) \(headers)" }

        static let unauthorized = #"{"code":40110000,"message":"request is not authorized"}"#
        static let all: [Case] = [
            Case(path: "/alpaca/v2/account", headers: [:], status: 403, body: #"{"message":"forbidden."}"#),
            Case(
                path: "/alpaca-data/v2/stocks/snapshots", headers: [:], status: 403,
                body: #"{"message":"forbidden."}"#),
            Case(
                path: "/alpaca/v2/account", headers: ["APCA-API-KEY-ID": "PKSANDBOXDEMO0000001"], status: 403,
                body: #"{"message":"forbidden."}"#),
            Case(
                path: "/alpaca/v2/account", headers: ["Authorization": "Bearer x"], status: 401,
                body: unauthorized),
            Case(
                path: "/alpaca/v2/account", headers: ["Authorization": "Bearer"], status: 401,
                body: unauthorized),
            Case(
                path: "/alpaca/v2/account", headers: ["Authorization": "Basic sandbox-demo-token"],
                status: 401,
                body: unauthorized),
            Case(
                path: "/alpaca/v2/account",
                headers: [
                    "APCA-API-KEY-ID": "PKSANDBOXDEMO0000001", "APCA-API-SECRET-KEY": "sandbox-second-secret",
                ], status: 401, body: unauthorized),
            Case(
                path: "/alpaca/v2/positions/MCD", status: 404,
                body: #"{"code":40410000,"message":"position does not exist"}"#),
            Case(
                path: "/alpaca/v2/positions/aapl", status: 404,
                body: #"{"code":40410000,"message":"position does not exist"}"#),
            Case(
                path: "/alpaca/v2/nowhere", status: 404,
                body: #"{"code":40410000,"message":"endpoint not found"}"#),
            Case(
                path: "/alpaca/v2/positions/", status: 404,
                body: #"{"code":40410000,"message":"endpoint not found"}"#),
            Case(path: "/alpaca-data/v2/nowhere", status: 404, body: #"{"message":"Not Found"}"#),
            Case(
                path: "/alpaca-data/v2/stocks/snapshots?symbols=AAPL,aapl", status: 400,
                body: #"{"message":"code=400, message=invalid symbol: aapl"}"#),
            Case(
                path: "/alpaca-data/v2/stocks/quotes/latest?symbols=BRK-B", status: 400,
                body: #"{"message":"code=400, message=invalid symbol: BRK-B"}"#),
            Case(
                path: "/alpaca-data/v2/stocks/quotes/latest?symbols=AAPL,", status: 400,
                body: #"{"message":"code=400, message=invalid symbol: "}"#),
            Case(
                path: "/alpaca-data/v2/stocks/quotes/latest?symbols=%22%0A", status: 400,
                body: #"{"message":"code=400, message=invalid symbol: \"\u000a"}"#),
            Case(
                path: "/alpaca-data/v2/stocks/quotes/latest", status: 400,
                body: #"{"message":"symbols is required"}"#),
            Case(
                path: "/alpaca-data/v2/stocks/quotes/latest?symbols=AAPL&currency=EUR", status: 400,
                body: #"{"message":"invalid currency: EUR"}"#),
        ]
    }

    @Test("each has its status and body", arguments: Case.all)
    func refuses(_ wanted: Case) async throws {
        let reply = try await withSandbox { try await $0.client.get(wanted.path, wanted.headers) }
        #expect(reply.status == wanted.status)
        #expect(reply.body == wanted.body)
        let schema = try Golden.schema(of: "alpaca").definition("Error")
        #expect(try schema.violations(in: JSONValue(parsing: reply.body)) == [])
    }

    @Test("keys and token open the same account")
    func keys() async throws {
        let keys = [
            "APCA-API-KEY-ID": SandboxUser.demo.alpaca.keyID,
            "APCA-API-SECRET-KEY": SandboxUser.demo.alpaca.secretKey,
        ]
        try await withSandbox { fixture in
            let byKeys = try await fixture.trading("/v2/account", keys)
            let byToken = try await fixture.trading("/v2/account", RunningSandbox.demo)
            #expect(byKeys.status == 200 && byKeys.body == byToken.body)
        }
    }

    @Test("keys of the other environment are forbidden, tokens are good in both")
    func environments() async throws {
        let keys = [
            "APCA-API-KEY-ID": SandboxUser.demo.alpaca.keyID,
            "APCA-API-SECRET-KEY": SandboxUser.demo.alpaca.secretKey,
        ]
        try await withSandbox({ $0.alpaca.environment = .live }) { fixture in
            let refused = try await fixture.trading("/v2/account", keys)
            #expect(refused.status == 403)
            #expect(refused.body == #"{"message":"forbidden."}"#)
            #expect(try await fixture.trading("/v2/account", RunningSandbox.demo).status == 200)
        }
    }

    @Test("symbols that are not listed are absent, doubles are one, order is the request's")
    func symbols() async throws {
        let reply = try await withSandbox { fixture in
            try await fixture.data("/v2/stocks/quotes/latest?symbols=TSLA,NOSUCH,AAPL,TSLA")
        }
        #expect(reply.status == 200)
        let quotes = try JSONValue(parsing: reply.body)["quotes"]?.members
        #expect(quotes.map { Set($0.keys) } == ["TSLA", "AAPL"])
        #expect(reply.body.hasPrefix(#"{"quotes":{"TSLA":"#))
    }

    @Test("a side that nobody takes is 0", arguments: [(Moment.evening, false), (Moment.weekend, true)])
    func noQuote(moment: String, isEmpty: Bool) async throws {
        let reply = try await withSandbox(at: moment) { fixture in
            try await fixture.data("/v2/stocks/quotes/latest?symbols=BRK.B")
        }
        let quote = try JSONValue(parsing: reply.body)["quotes"]?["BRK.B"]
        #expect(quote?["ap"] == 0 && quote?["as"] == 0)
        #expect((quote?["bp"] == 0) == isEmpty)
    }

    @Test(
        "requests of a minute count down; then comes 429 until the minute is over; each credential has its own"
    )
    func rateLimit() async throws {
        let clock = ManualClock(try instant("2026-11-19T17:34:56Z"))
        let reset = "1795109700"
        try await withSandbox({
            $0.clock = clock.clock
            $0.alpaca.tradingRequestsPerMinute = 3
        }) { fixture in
            for remaining in ["2", "1", "0"] {
                let reply = try await fixture.trading("/v2/account")
                #expect(reply.status == 200)
                #expect(reply.headers["x-ratelimit-limit"] == "3")
                #expect(reply.headers["x-ratelimit-remaining"] == remaining)
                #expect(reply.headers["x-ratelimit-reset"] == reset)
            }
            let refused = try await fixture.trading("/v2/positions")
            #expect(refused.status == 429)
            #expect(refused.body == #"{"code":42910000,"message":"rate limit exceeded"}"#)
            #expect(refused.headers["x-ratelimit-remaining"] == "0")
            #expect(refused.headers["x-ratelimit-reset"] == reset)
            #expect(try await fixture.trading("/v2/account", RunningSandbox.second).status == 200)
            #expect(try await fixture.data("/v2/stocks/snapshots?symbols=AAPL").status == 200)
            clock.advance(by: .seconds(4))
            #expect(try await fixture.trading("/v2/account").headers["x-ratelimit-remaining"] == "2")
        }
    }

    @Test("the usual limit is 200 a minute, and errors count")
    func usualLimit() async throws {
        try await withSandbox { fixture in
            for _ in 0..<199 { _ = try await fixture.trading("/v2/positions/NOSUCH") }
            #expect(try await fixture.trading("/v2/account").headers["x-ratelimit-remaining"] == "0")
            #expect(try await fixture.trading("/v2/account").status == 429)
        }
    }
}
