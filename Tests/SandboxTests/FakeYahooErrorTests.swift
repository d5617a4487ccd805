import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("Yahoo's refusals")
struct FakeYahooErrorTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let path: String
        let status: Int
        let shape: String
        let envelope: String
        let code: String
        let description: String
        var testDescription: String { path }

        static func chart(_ query: String, _ description: String) -> Case {
            Case(
                path: "/v8/finance/chart/AAPL?" + query, status: 422, shape: "ChartError", envelope: "chart",
                code: "Unprocessable Entity", description: description)
        }

        static func bad(_ path: String, _ description: String) -> Case {
            Case(
                path: path, status: 400, shape: "FinanceError", envelope: "finance", code: "Bad Request",
                description: description)
        }

        static func noSummary(_ path: String, _ modules: String) -> Case {
            Case(
                path: "/v10/finance/quoteSummary/" + path, status: 404, shape: "QuoteSummaryError",
                envelope: "quoteSummary", code: "Not Found",
                description: "No fundamentals data found for any of the summaryTypes=\(modules)")
        }

        static func noChart(_ symbol: String) -> Case {
            Case(
                path: "/v8/finance/chart/\(symbol)", status: 404, shape: "ChartError", envelope: "chart",
                code: "Not Found", description: "No data found, symbol may be delisted")
        }

        static let all: [Case] = [
            noChart("NOSUCH"), noChart("BRK.B"), noChart("SPX"), noChart("EUR%2FUSD"), noChart("%3DX"),
            chart("range=2d", "Invalid input - range=2d is not supported. Valid ranges: [1d, 5d, 1mo,"),
            chart("interval=3m", "Invalid input - interval=3m is not supported. Valid intervals: [1m, 2m,"),
            chart("period1=x", "Invalid input - period1 and period2 must be seconds since 1970"),
            chart("period1=20&period2=10", "Invalid input - start date cannot be after end date."),
            chart("range=1mo&interval=1m", "1m data not available for startTime="),
            chart("range=3mo&interval=5m", "5m data not available for startTime="),
            chart("range=5y&interval=1h", "1h data not available for startTime="),
            bad("/v7/finance/quote", #"Missing value for the "symbols" argument"#),
            bad(
                "/v7/finance/quote?symbols=" + Array(repeating: "AAPL", count: 101).joined(separator: ","),
                #"The "symbols" argument has too many values"#),
            bad("/v10/finance/quoteSummary/AAPL", #"Missing value for the "modules" argument"#),
            bad("/v1/finance/search", #"Missing value for the "q" argument"#),
            noSummary("AAPL?modules=earnings,secFilings", "earnings,secFilings"),
            noSummary("SPY?modules=assetProfile", "assetProfile"),
            noSummary("NOSUCH?modules=price", "price"),
        ]
    }

    @Test("each has its status, its envelope and its text", arguments: Case.all)
    func refuses(_ wanted: Case) async throws {
        let reply = try await withSandbox { try await $0.yahooWithCrumb(wanted.path) }
        #expect(reply.status == wanted.status)
        let document = try JSONValue(parsing: reply.body)
        let schema = try Golden.schema(of: "yahoo").definition(wanted.shape)
        #expect(schema.violations(in: document) == [])
        let error = document[wanted.envelope]?["error"]
        #expect(error?["code"] == .string(wanted.code))
        #expect(error?["description"]?.string?.hasPrefix(wanted.description) == true, "\(reply.body)")
    }

    static let unauthorized =
        #"{"finance":{"result":null,"error":{"code":"Unauthorized","description":"Invalid Crumb"}}}"#

    @Test(
        "quotes and summaries take cookie and crumb of one another",
        arguments: ["/v7/finance/quote?symbols=AAPL", "/v10/finance/quoteSummary/AAPL?modules=price"])
    func crumb(path: String) async throws {
        try await withClock { fixture, clock in
            let credentials = try await fixture.yahooCrumb()
            clock.advance(by: .seconds(1))
            let other = try await fixture.yahooCrumb()
            #expect(credentials.crumb.count == 11 && credentials.crumb != other.crumb)
            func call(_ crumb: String?, _ cookie: String?) async throws -> Client.Reply {
                let escaped = crumb?.replacing("/", with: "%2F")
                return try await fixture.yahoo(
                    path + (escaped.map { "&crumb=\($0)" } ?? ""), cookie.map { ["Cookie": $0] } ?? [:])
            }
            #expect(try await call(credentials.crumb, credentials.cookie).status == 200)
            #expect(try await call(credentials.crumb, "B=1; " + credentials.cookie).status == 200)
            let forged = credentials.cookie.dropLast() + (credentials.cookie.hasSuffix("x") ? "y" : "x")
            let refusals: [(String?, String?)] = [
                (nil, nil), (credentials.crumb, nil), (nil, credentials.cookie),
                ("wrong", credentials.cookie),
                (other.crumb, credentials.cookie), (credentials.crumb, String(forged)),
                (credentials.crumb, "A3="),
            ]
            for (crumb, cookie) in refusals {
                let refused = try await call(crumb, cookie)
                #expect(refused.status == 401)
                #expect(refused.body == Self.unauthorized)
            }
        }
    }

    @Test("the cookie comes with a 404, and getcrumb wants it back")
    func cookie() async throws {
        try await withSandbox { fixture in
            let given = try await fixture.client.get("/yahoo-cookie/")
            #expect(given.status == 404)
            #expect(given.headers["set-cookie"]?.hasPrefix("A3=d=") == true)
            #expect(given.headers["set-cookie"]?.hasSuffix("; SameSite=None; HttpOnly") == true)
            let refused = try await fixture.yahoo("/v1/test/getcrumb")
            #expect(refused.status == 401)
            let schema = try Golden.schema(of: "yahoo").definition("FinanceError")
            #expect(try schema.violations(in: JSONValue(parsing: refused.body)) == [])
        }
    }

    @Test("cookie and crumb may run out")
    func lifetime() async throws {
        try await withClock({
            $0.yahoo.crumbLifetime = .seconds(60)
            $0.yahoo.unauthorizedDescription = "User is unable to access this feature"
        }) { fixture, clock in
            let credentials = try await fixture.yahooCrumb()
            let path = "/v7/finance/quote?symbols=AAPL&crumb=\(credentials.crumb.replacing("/", with: "%2F"))"
            clock.advance(by: .seconds(59))
            #expect(try await fixture.yahoo(path, ["Cookie": credentials.cookie]).status == 200)
            clock.advance(by: .seconds(1))
            let refused = try await fixture.yahoo(path, ["Cookie": credentials.cookie])
            #expect(refused.status == 401)
            #expect(refused.body.contains("User is unable to access this feature"))
        }
    }

    @Test("where the crumb should be there may be a refusal or a page")
    func noCrumb() async throws {
        func crumb(_ crumb: FakeYahooSettings.CrumbResponse) async throws -> Client.Reply {
            try await withSandbox({ $0.yahoo.crumbResponse = crumb }) {
                try await $0.yahoo("/v1/test/getcrumb")
            }
        }
        let early = try await crumb(.tooManyRequests(status: 200))
        #expect(early.status == 200 && early.body == "Too Many Requests")
        #expect(try await crumb(.tooManyRequests(status: 429)).status == 429)
        let page = try await crumb(.page)
        #expect(page.status == 200 && page.headers["content-type"] == "text/html")
    }

    @Test("an address that asks too often gets text, until the minute is over; so does an agent unwelcome")
    func tooMany() async throws {
        try await withClock(
            at: "2026-11-19T17:34:58Z",
            {
                $0.yahoo.requestsPerMinute = 2
                $0.yahoo.rejectedUserAgents = ["python-requests/"]
            }
        ) { fixture, clock in
            func call(_ agent: String) async throws -> Client.Reply {
                try await fixture.yahoo("/v1/finance/search?q=apple", ["User-Agent": agent])
            }
            #expect(try await call("python-requests/2.31").status == 429)
            #expect(try await call("portico").status == 200)
            #expect(try await call("portico").status == 200)
            let refused = try await call("portico")
            #expect(refused.status == 429)
            #expect(refused.body == "Edge: Too Many Requests")
            #expect(refused.headers["content-type"] == "text/plain; charset=UTF-8")
            clock.advance(by: .seconds(2))
            #expect(try await call("portico").status == 200)
        }
    }

    @Test("what is known from reports only is switched by the settings")
    func settings() async throws {
        try await withSandbox({
            $0.yahoo.needsCrumb = false
            $0.yahoo.unknownSymbolStatus = 200
            $0.yahoo.badRangeStatus = 400
            $0.yahoo.maximumSymbols = 1
            $0.yahoo.delisted = ["GONE"]
        }) { fixture in
            #expect(try await fixture.yahoo("/v7/finance/quote?symbols=AAPL").status == 200)
            #expect(try await fixture.yahoo("/v7/finance/quote?symbols=AAPL,MSFT").status == 400)
            #expect(try await fixture.yahoo("/v7/finance/quote?symbols=GONE").body.contains("NONE"))
            let unknown = try await fixture.yahoo("/v8/finance/chart/NOSUCH")
            #expect(unknown.status == 200 && unknown.body.contains("No data found"))
            let range = try await fixture.yahoo("/v8/finance/chart/AAPL?range=2d")
            #expect(range.status == 400 && range.body.contains(#""code":"Bad Request""#))
        }
    }

    @Test("faults strike an endpoint with Yahoo's bodies")
    func faults() async throws {
        try await withSandbox { fixture in
            func struck(_ effect: Fault.Effect) async throws -> Client.Reply {
                let fault = Fault(
                    effect, provider: .yahoo, endpoint: "GET /v8/finance/chart/{symbol}", remaining: 1)
                #expect(fixture.sandbox.faults.add(fault))
                #expect(try await fixture.yahoo("/v1/finance/search?q=apple").status == 200)
                return try await fixture.yahoo("/v8/finance/chart/AAPL")
            }
            let tooMany = try await struck(.status(429))
            #expect(tooMany.status == 429 && tooMany.body == "Edge: Too Many Requests")
            let expired = try await struck(.expiredToken)
            #expect(expired.status == 401 && expired.body == Self.unauthorized)
            #expect(try await struck(.status(503)).headers["content-type"] == "text/html")
            let schema = try Golden.schema(of: "yahoo").definition("FinanceError")
            let failed = try await struck(.status(500))
            #expect(try schema.violations(in: JSONValue(parsing: failed.body)) == [])
            #expect(fixture.sandbox.calls[.yahoo, "GET /v8/finance/chart/{symbol}"] == 4)
        }
    }

    @Test("the base URLs are under the address that was bound")
    func urls() async throws {
        try await withSandbox { fixture in
            let base = "http://\(fixture.sandbox.address)"
            #expect(fixture.sandbox.yahoo.queryURL == base + "/yahoo")
            #expect(fixture.sandbox.yahoo.cookieURL == base + "/yahoo-cookie/")
        }
    }
}
