import Brokerage
import ProviderTestSupport
import Testing
import Upstream
import Yahoo

@Suite("A crumb")
struct PassTests {
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

    @Test("that Yahoo refuses again is given up")
    func refused() async throws {
        try await withYahoo(Self.stale, status: 401) { client, server in
            await #expect(throws: ProviderFailure(.yahoo, .notEntitled)) {
                try await client.quotes(for: [symbol("AAPL")], in: .patient)
            }
            #expect(server.targets.count == 2)
        }
    }

    @Test("does not help where Yahoo wants no programs")
    func notEntitled() async throws {
        let body = Self.stale.replacing(
            "Invalid Crumb",
            with: "User is unable to access this feature - https://bit.ly/yahoo-finance-api-feedback")
        try await withYahoo(body, status: 401) { client, server in
            await #expect(throws: ProviderFailure(.yahoo, .notEntitled)) {
                try await client.quotes(for: [symbol("AAPL")], in: .patient)
            }
            #expect(server.targets.count == 1)
        }
    }

    @Test(
        "is never an error in its place: the next who asks fetches anew",
        arguments: [
            ("Too Many Requests", ProviderFailure.Cause.rateLimited(retryAt: wallTime + .seconds(300))),
            ("Edge: Too Many Requests", .rateLimited(retryAt: wallTime + .seconds(300))),
            ("<html><body>Sign in</body></html>", .invalidResponse(nil)), ("", .invalidResponse(nil)),
            ("Unauthorized", .invalidResponse(nil)), (#"{"finance":{}}"#, .invalidResponse(nil)),
            (String(repeating: "a", count: 33), .invalidResponse(nil)),
            ("a\nb\nc\nd\ne", .invalidResponse(nil)),
        ])
    func errorText(text: String, cause: ProviderFailure.Cause) async throws {
        let quote = try example("quote")
        let answers = Answers(
            crumb: { number in .text(number == 1 ? text : "aB.c/D_e-f2") }, others: { _ in .text(quote) })
        try await withYahoo(answers) { client, server in
            await #expect(throws: ProviderFailure(.yahoo, cause)) {
                try await client.quotes(for: [symbol("AAPL")], in: .patient)
            }
            #expect(server.targets.isEmpty)
            let quotes = try await client.quotes(for: [symbol("AAPL")], in: .patient).found
            #expect(quotes.count == 1)
        }
    }

    @Test(
        "needs a cookie, and a page of consent is not filled in",
        arguments: [
            (307, ProviderFailure.Cause.notEntitled), (200, .notEntitled), (404, .notEntitled),
            (401, .notEntitled),
            (429, .rateLimited(retryAt: wallTime + .seconds(300))), (503, .unavailable),
        ])
    func noCookie(status: Int, cause: ProviderFailure.Cause) async throws {
        let answers = Answers(cookie: { .text("", status: status) }, others: { _ in .text("{}") })
        try await withYahoo(answers) { client, server in
            await #expect(throws: ProviderFailure(.yahoo, cause)) {
                try await client.quotes(for: [symbol("AAPL")], in: .patient)
            }
            #expect(server.requests.map(\.target) == ["/fc"])
        }
    }

    @Test("is not shown")
    func silence() {
        let pass = YahooCrumb(cookie: "A3=secret", crumb: "secret")
        #expect(!everythingShown(of: pass).contains("secret"))
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
