import Brokerage
import ProviderTestSupport
import Testing
import Upstream
import Yahoo

@Suite("A crumb")
struct CrumbTests {
    private static let stale =
        #"{"finance":{"result":null,"error":{"code":"Unauthorized","description":"Invalid Crumb"}}}"#

    @Test("is fetched once for all who wait, and sent with its cookie")
    func singleFlight() async throws {
        let quote = try example("quote")
        let answers = Answers(
            cookie: {
                .text("", status: 404, headers: [("Set-Cookie", "A1=x; Path=/"), ("Set-Cookie", "A3=y")])
            },
            others: { _ in .text(quote) })
        try await withYahoo(answers) { client, server in
            let aapl = try symbol("AAPL")
            await withTaskGroup(of: Int?.self) { group in
                for _ in 1...20 {
                    group.addTask { try? await client.quotes(for: [aapl], in: .patient).found.count }
                }
                for await count in group { #expect(count == 1) }
            }
            #expect(server.requests.count { $0.target == "/fc" } == 1)
            #expect(server.requests.count { $0.target.hasSuffix("getcrumb") } == 1)
            #expect(server.targets.count == 20)
            #expect(
                server.requests.filter { $0.target != "/fc" }.allSatisfy {
                    $0.headers["cookie"] == "A1=x; A3=y"
                })
            // Portico says who it is.
            #expect(server.requests.allSatisfy { $0.headers["user-agent"] == "portico-tests" })
        }
    }

    @Test("that Yahoo refuses is renewed once")
    func renewed() async throws {
        let quote = try example("quote")
        let answers = Answers(others: { request in
            request.target.contains("f1") ? .text(Self.stale, status: 401) : .text(quote)
        })
        try await withYahoo(answers) { client, server in
            for _ in 1...2 {
                let quotes = try await client.quotes(for: [symbol("AAPL")], in: .patient).found
                #expect(quotes.count == 1)
            }
            #expect(server.requests.count { $0.target.hasSuffix("getcrumb") } == 2)
            #expect(server.targets.map { $0.suffix(2) } == ["f1", "f2", "f2"])
        }
    }

    /// What a chart has of a quote.
    private func expectChartQuote(_ quote: Quote?) {
        #expect(quote?.price == Decimal("227.45"))
        #expect(quote?.previousClose == 226)
        #expect(quote?.currency == "USD")
        #expect(quote?.provenance.asOf == Instant(secondsSince1970: 1_795_208_400))
    }

    @Test(
        "that Yahoo refuses, for whatever reason, is renewed once; then prices come from charts, and no other is requested",
        arguments: [401, 403],
        [
            "Invalid Crumb", "Invalid Cookie",
            "User is unable to access this feature - https://bit.ly/feedback",
        ])
    func refused(status: Int, reason: String) async throws {
        let chart = try example("chart")
        let answers = Answers(others: { request in
            request.target.contains("/chart/")
                ? .text(chart) : .text(Self.stale.replacing("Invalid Crumb", with: reason), status: status)
        })
        try await withYahoo(answers) { client, server in
            let aapl = try symbol("AAPL")
            for _ in 1...2 {
                expectChartQuote(try await client.quotes(for: [aapl], in: .patient)[aapl])
            }
            #expect(server.requests.count { $0.target.hasSuffix("getcrumb") } == 2)
            #expect(
                server.targets.map { $0.prefix(17) } == [
                    "/q/v7/finance/quo", "/q/v7/finance/quo", "/q/v8/finance/cha", "/q/v8/finance/cha",
                ])
            await #expect(throws: ProviderFailure(.yahoo, .notEntitled)) {
                try await client.fundamentals(of: aapl, in: .patient)
            }
        }
    }

    @Test("is kept for an hour")
    func lifetime() async throws {
        let quote = try example("quote")
        let clock = ManualCallClock()
        try await withYahoo(Answers(others: { _ in .text(quote) }), clock: clock.source) { client, server in
            for minutes in [0, 59, 2] {
                clock.advance(by: .seconds(60 * minutes))
                let call = CallContext(deadline: clock.source.now() + .seconds(60))
                _ = try await client.quotes(for: [symbol("AAPL")], in: call)
            }
            #expect(server.requests.count { $0.target.hasSuffix("getcrumb") } == 2)
        }
    }

    @Test(
        "is never an error in its place",
        arguments: [
            "Too Many Requests", "Edge: Too Many Requests", "<html><body>Sign in</body></html>", "",
            "Unauthorized", #"{"finance":{}}"#, String(repeating: "a", count: 33), "a\nb\nc\nd\ne",
        ])
    func errorText(text: String) async throws {
        let chart = try example("chart")
        let answers = Answers(crumb: { _ in .text(text) }, others: { _ in .text(chart) })
        try await withYahoo(answers) { client, server in
            let aapl = try symbol("AAPL")
            for _ in 1...2 {
                expectChartQuote(try await client.quotes(for: [aapl], in: .patient)[aapl])
            }
            #expect(server.requests.count { $0.target.hasSuffix("getcrumb") } == 1)
            #expect(
                server.targets == Array(repeating: "/q/v8/finance/chart/AAPL?interval=1d&range=1d", count: 2))
        }
    }

    @Test("that is refused costs a long list ten charts at most")
    func bounded() async throws {
        let chart = try example("chart")
        let answers = Answers(crumb: { _ in .text("", status: 429) }, others: { _ in .text(chart) })
        // A 429 for a crumb does not use up the quota of other calls.
        try await withYahoo(answers, windows: YahooConfiguration.restraint) { client, server in
            let symbols = try (0..<50).map {
                try symbol("A\(UnicodeScalar(UInt8(65 + $0 / 10)))\(UnicodeScalar(UInt8(65 + $0 % 10)))")
            }
            let quotes = try await client.quotes(for: symbols, in: .patient)
            #expect(quotes.found.count == 10)
            #expect(quotes.failures.count == 40)
            #expect(quotes.failures.values.allSatisfy { $0 == ProviderFailure(.yahoo, .notEntitled) })
            #expect(server.targets.count == 10)
        }
    }

    @Test("that cannot be fetched because of a fault is a failure, and is fetched by the next call")
    func fault() async throws {
        let quote = try example("quote")
        let answers = Answers(
            crumb: { number in number == 1 ? .text("", status: 503) : .text("aB.c/D_e-f2") },
            others: { _ in .text(quote) })
        try await withYahoo(answers) { client, _ in
            let aapl = try symbol("AAPL")
            await #expect(throws: ProviderFailure(.yahoo, .unavailable)) {
                try await client.quotes(for: [aapl], in: .patient)
            }
            #expect(try await client.quotes(for: [aapl], in: .patient).found.count == 1)
        }
    }

    @Test(
        "needs a cookie, and a page of consent is not filled in",
        arguments: [
            (307, ProviderFailure.Cause.notEntitled), (200, .notEntitled), (404, .notEntitled),
            (401, .notEntitled), (429, .notEntitled), (503, .unavailable),
        ])
    func noCookie(status: Int, cause: ProviderFailure.Cause) async throws {
        let answers = Answers(cookie: { .text("", status: status) }, others: { _ in .text("{}") })
        try await withYahoo(answers) { client, server in
            await #expect(throws: ProviderFailure(.yahoo, cause)) {
                try await client.fundamentals(of: symbol("AAPL"), in: .patient)
            }
            #expect(server.requests.map(\.target) == ["/fc"])
        }
    }

    @Test("is not shown")
    func silence() {
        let crumb = YahooCrumb(cookie: "A3=secret", crumb: "secret")
        #expect(!everythingShown(of: crumb).contains("secret"))
    }
}

@Suite("A failure")
struct FailureTests {
    @Test(
        "is told apart by status and body",
        arguments: [
            (
                429, "Edge: Too Many Requests",
                ProviderFailure.Cause.rateLimited(retryAt: wallTime + .seconds(300))
            ),
            (429, "<html>", .rateLimited(retryAt: wallTime + .seconds(300))),
            (999, "", .rateLimited(retryAt: wallTime + .seconds(300))),
            (200, "Too Many Requests\r\n", .rateLimited(retryAt: wallTime + .seconds(300))),
            (400, #"{"chart":{"result":null,"error":{"code":"Bad Request"}}}"#, .unsupported),
            (422, #"{"chart":{"result":null,"error":{"code":"Unprocessable Entity"}}}"#, .unsupported),
            (403, "", .notEntitled), (404, "", .notFound), (500, "", .unavailable),
        ])
    func table(status: Int, body: String, cause: ProviderFailure.Cause) async throws {
        try await withYahoo(body, status: status) { client, server in
            await #expect(throws: ProviderFailure(.yahoo, cause)) {
                try await client.search("apple", limit: 5, in: .patient)
            }
            #expect(server.requests.count == 1)
        }
    }

    @Test("of the golden response is about the crumb")
    func golden() async throws {
        try await withYahoo(example("finance-error"), status: 401) { client, server in
            await #expect(throws: ProviderFailure(.yahoo, .notEntitled)) {
                try await client.fundamentals(of: symbol("AAPL"), in: .patient)
            }
            #expect(server.requests.count == 6)
        }
    }
}
