import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("Polygon's refusals")
struct FakePolygonErrorTests {
    static let previous = "/v2/aggs/ticker/AAPL/prev"

    struct Case: Sendable, CustomTestStringConvertible {
        let path: String
        var key: String? = FakePolygonSettings.realtimeKey
        let status: Int
        let word: String
        let member: String
        let text: String
        var testDescription: String { path }

        static func bad(_ path: String, _ text: String) -> Case {
            Case(path: path, status: 400, word: "ERROR", member: "error", text: text)
        }

        static func forbidden(_ path: String, _ text: String) -> Case {
            Case(
                path: "/v2/aggs/ticker/" + path, key: FakePolygonSettings.demoKey, status: 403,
                word: "NOT_AUTHORIZED", member: "message", text: text)
        }

        static let timeframe = "Your plan doesn't include this data timeframe."
        static let range = "/v2/aggs/ticker/AAPL/range/"
        static let all: [Case] = [
            Case(
                path: previous, key: nil, status: 401, word: "ERROR", member: "error",
                text: "API Key was not provided"),
            Case(
                path: previous + "?apiKey=", key: nil, status: 401, word: "ERROR", member: "error",
                text: "API Key was not provided"),
            Case(
                path: previous, key: "x", status: 401, word: "ERROR", member: "error", text: "Unknown API Key"
            ),
            Case(
                path: "/v3/reference/tickers/NOSUCH", status: 404, word: "NOT_FOUND", member: "message",
                text: "Ticker not found."),
            Case(path: "/v9/nowhere", status: 404, word: "ERROR", member: "error", text: "Not Found"),
            bad(range + "0/day/2026-11-01/2026-11-02", "could not parse the multiplier '0'"),
            bad(range + "1/fortnight/2026-11-01/2026-11-02", "could not parse the timespan 'fortnight'"),
            bad(range + "1/day/yesterday/2026-11-02", "could not parse the time 'yesterday' for 'from'"),
            bad(range + "1/day/2026-11-01/2026-02-30", "could not parse the time '2026-02-30' for 'to'"),
            bad(range + "1/day/2026-11-02/2026-11-01", "'to' cannot be before 'from'"),
            bad(
                range + "1/day/2026-11-01/2026-11-02?limit=50001",
                "the limit must be a number from 1 to 50000"),
            bad(range + "1/day/2026-11-01/2026-11-02?sort=up", "could not parse 'up' for 'sort'"),
            bad(range + "1/day/2026-11-01/2026-11-02?adjusted=1", "could not parse '1' for 'adjusted'"),
            bad("/v2/reference/news?limit=1001", "the limit must be a number from 1 to 1000"),
            bad("/v2/reference/news?order=up", "could not parse 'up' for 'order'"),
            bad("/v2/reference/news?sort=title", "could not parse 'title' for 'sort'"),
            bad(
                "/v2/reference/news?published_utc.gte=now",
                "could not parse the time 'now' for 'published_utc.gte'"),
            bad("/v3/reference/tickers?limit=0", "the limit must be a number from 1 to 1000"),
            bad("/v3/reference/tickers?sort=age", "could not parse 'age' for 'sort'"),
            bad("/v3/reference/tickers?order=up", "could not parse 'up' for 'order'"),
            forbidden("AAPL/range/1/day/2024-11-18/2026-11-02", timeframe),
            forbidden("AAPL/range/1/minute/2026-11-19/2026-11-19", timeframe),
            forbidden("AAPL/range/1/second/2026-11-18/2026-11-18", "You are not entitled to this data."),
        ]
    }

    @Test("each has its status, its word and its text", arguments: Case.all)
    func refuses(_ wanted: Case) async throws {
        let reply = try await withSandbox { try await $0.polygon(wanted.path, key: wanted.key) }
        #expect(reply.status == wanted.status)
        let document = try JSONValue(parsing: reply.body)
        let schema = try Golden.schema(of: "polygon").definition("Error")
        #expect(schema.violations(in: document) == [])
        #expect(document["status"] == .string(wanted.word))
        #expect(document[wanted.member]?.string?.hasPrefix(wanted.text) == true, "\(reply.body)")
        #expect(document["request_id"]?.string?.count == 32)
    }

    @Test("a key is good in the query and in the header")
    func keys() async throws {
        try await withSandbox { fixture in
            let inHeader = try await fixture.polygon(Self.previous)
            let inQuery = try await fixture.polygon(
                Self.previous + "?apiKey=\(FakePolygonSettings.realtimeKey)", key: nil)
            #expect(inHeader.status == 200 && inHeader.body == inQuery.body)
        }
    }

    @Test("a free key has five calls a minute, whatever they ask for; others have no limit")
    func limit() async throws {
        try await withClock(at: "2026-11-19T17:34:58Z") { fixture, clock in
            for path in [Self.previous, "/v3/reference/tickers", "/v2/reference/news"] + [Self.previous] {
                #expect(try await fixture.polygon(path, key: FakePolygonSettings.demoKey).status == 200)
            }
            let missing = try await fixture.polygon(
                "/v3/reference/tickers/NOSUCH", key: FakePolygonSettings.demoKey)
            #expect(missing.status == 404)
            let refused = try await fixture.polygon(Self.previous, key: FakePolygonSettings.demoKey)
            #expect(refused.status == 429)
            let document = try JSONValue(parsing: refused.body)
            let schema = try Golden.schema(of: "polygon").definition("Error")
            #expect(schema.violations(in: document) == [])
            #expect(
                document["error"]?.string?.hasPrefix(
                    "You've exceeded the maximum requests per minute, please wait or upgrade") == true)
            #expect(
                try await fixture.polygon(Self.previous, key: FakePolygonSettings.secondKey).status == 200)
            for _ in 0..<6 { #expect(try await fixture.polygon(Self.previous).status == 200) }
            clock.advance(by: .seconds(2))
            #expect(try await fixture.polygon(Self.previous, key: FakePolygonSettings.demoKey).status == 200)
        }
    }

    @Test("what is known from reports only is switched by the settings")
    func settings() async throws {
        try await withSandbox({
            $0.polygon.missingKeyStatus = 400
            $0.polygon.requestsPerMinute = 0
            $0.polygon.tooManyRequestsHasBody = false
            $0.polygon.tickerNotFoundMessage = "no such thing"
            $0.polygon.barsHaveTrades = false
            $0.polygon.linkBase = "https://api.polygon.io:443"
        }) { fixture in
            #expect(try await fixture.polygon(Self.previous, key: nil).status == 400)
            let refused = try await fixture.polygon(Self.previous, key: FakePolygonSettings.demoKey)
            #expect(refused.status == 429 && refused.body.isEmpty)
            #expect(try await fixture.polygon("/v3/reference/tickers/x").body.contains("no such thing"))
            let bar = try await fixture.polygonDocument(Self.previous)["results"]?[0]?.members?.keys
            #expect(bar?.sorted() == ["T", "c", "h", "l", "o", "t", "v"])
            let news = try await fixture.polygonDocument("/v2/reference/news")
            #expect(
                news["next_url"]?.string?.hasPrefix("https://api.polygon.io:443/v2/reference/news?") == true)
        }
    }

    @Test("faults strike an endpoint with Polygon's bodies, and calls are counted by it")
    func faults() async throws {
        try await withSandbox { fixture in
            let endpoint = "GET /v2/aggs/ticker/{ticker}/prev"
            func struck(_ effect: Fault.Effect) async throws -> Client.Reply {
                let fault = Fault(effect, provider: .polygon, endpoint: endpoint, remaining: 1)
                #expect(fixture.sandbox.faults.add(fault))
                #expect(try await fixture.polygon("/v3/reference/tickers/AAPL").status == 200)
                return try await fixture.polygon(Self.previous)
            }
            let tooMany = try await struck(.status(429, retryAfter: 9))
            #expect(tooMany.status == 429 && tooMany.headers["retry-after"] == "9")
            let expired = try await struck(.expiredToken)
            #expect(expired.status == 401 && expired.body.contains("Unknown API Key"))
            #expect(try await struck(.status(502)).headers["content-type"] == "text/html")
            let schema = try Golden.schema(of: "polygon").definition("Error")
            let failed = try await struck(.status(500))
            #expect(try schema.violations(in: JSONValue(parsing: failed.body)) == [])
            #expect(fixture.sandbox.calls[.polygon, endpoint] == 4)
        }
    }

    @Test("the base URL is under the address that was bound")
    func url() async throws {
        try await withSandbox { fixture in
            #expect(fixture.sandbox.polygon.baseURL == "http://\(fixture.sandbox.address)/polygon")
        }
    }
}
