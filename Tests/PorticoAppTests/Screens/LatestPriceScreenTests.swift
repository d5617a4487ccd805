import Brokerage
import TestSupport
import Testing

/// Title and description of a symbol, and the latest prices of all that is tracked, from Yahoo.
@Suite("Screens: latest prices and descriptions by Yahoo")
struct LatestPriceScreenTests {
    private static let tracked = """
        AAPL ADBE AMD AMZN AVGO BA BAC BRK.B C CAT COST CRM CSCO CVX DIS GOOGL HD IBM INTC JNJ JPM KO MA MCD META MSFT
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    private static var variables: String {
        "{\"symbols\":[\(tracked.map { "\"\($0)\"" }.joined(separator: ","))]}"
    }

    /// Yahoo as it is today.
    private func today(_ sandbox: RunningSandbox) -> [String: String] {
        let base = "http://127.0.0.1:\(sandbox.port)"
        return [
            "PORTICO_YAHOO": "true", "PORTICO_YAHOO_BASE_URL": "\(base)/yahoo",
            "PORTICO_YAHOO_COOKIE_URL": "\(base)/yahoo-cookie/",
        ]
    }

    /// The prices of all that is tracked.
    private func prices(
        _ server: RunningServer, source: String = "yahoo"
    ) async throws -> [Brokerage.Decimal] {
        let answer = try await server.show(Screen("markets/latest-prices"), Self.variables, token: nil)
        #expect(answer.failures.isEmpty, "\(answer.body)")
        let quotes = try #require(answer.json?.at("data.quotes")?.elements)
        #expect(quotes.map { $0["symbol"]?.string } == Self.tracked)
        #expect(quotes.allSatisfy { $0["source"]?.string == source && $0["stale"] == .bool(false) })
        return quotes.compactMap { $0["price"]?.exact }
    }

    @Test("look-up: the name and the description of a symbol")
    func lookUp() async throws {
        try await withSandboxProgram { sandbox in
            try await withServer(environment: today(sandbox)) { server in
                let answer = try await server.show(
                    Screen("markets/describe-instrument"), #"{"symbol":"AAPL"}"#, token: nil)
                #expect(answer.failures.isEmpty, "\(answer.body)")
                let instrument = try #require(answer.json?.at("data.instrument"))
                #expect(instrument["symbol"] == "AAPL")
                #expect(instrument["name"]?.string?.hasPrefix("Apple Inc") == true)
                #expect(instrument["description"]?.string?.contains("phones") == true)
                let unknown = try await server.show(
                    Screen("markets/describe-instrument"), #"{"symbol":"NOSUCH"}"#, token: nil)
                #expect(unknown.failures == [FieldFailure("instrument", "NOT_FOUND", "yahoo")])
            }
        }
    }

    @Test("prices: those of many symbols in one call, in the order of the request")
    func latestPrices() async throws {
        try await withSandboxProgram { sandbox in
            try await sandbox.closeMarket()
            let now = try await withServer(environment: today(sandbox)) { try await prices($0) }
            #expect(now.count == Self.tracked.count)
            #expect(try await sandbox.calls(of: "yahoo")["GET /v7/finance/quote"] == 1)
        }
    }

    @Test("prices: the next provider has them if Yahoo cannot be reached")
    func secondRoute() async throws {
        try await withSandboxProgram { sandbox in
            let environment = today(sandbox).merging([
                // Nobody listens on port 1.
                "PORTICO_YAHOO_BASE_URL": "http://127.0.0.1:1", "PORTICO_ROUTE_QUOTES": "yahoo,alpaca",
            ]) { $1 }
            let both = environment.merging(Upstream(sandbox).environment) { $1 }
            try await withServer(environment: both) { server in
                let known = try await prices(server, source: "alpaca")
                #expect(known.count == Self.tracked.count)
            }
        }
    }

    @Test("prices: an unknown symbol is null at its index, and does not affect the others")
    func unknown() async throws {
        try await withSandboxProgram { sandbox in
            try await withServer(environment: today(sandbox)) { server in
                let answer = try await server.show(
                    Screen("markets/latest-prices"), #"{"symbols":["KO","NOSUCH","AAPL"]}"#, token: nil)
                #expect(answer.failures == [FieldFailure("quotes.1", "NOT_FOUND", "yahoo")])
                let quotes = try #require(answer.json?.at("data.quotes")?.elements)
                #expect(quotes.map { $0["symbol"]?.string } == ["KO", nil, "AAPL"])
            }
        }
    }
}
