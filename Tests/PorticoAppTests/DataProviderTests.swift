import Brokerage
import Foundation
import Sandbox
import TestSupport
import Testing

@Suite("A market-data provider")
struct DataProviderTests {
    private static let quotes = """
        { alpaca: quote(symbol: "BRK.B", provider: "alpaca") { symbol price }
          alphaVantage: quote(symbol: "BRK.B", provider: "alpha-vantage") { symbol price }
          yahoo: quote(symbol: "BRK.B", provider: "yahoo") { symbol price } }
        """
    private static let others = """
        { charts: chart(symbol: "BRK.B", last: 3, provider: "polygon") { symbol }
          news(first: 1, provider: "polygon") { nodes { provider } }
          company: instrument(symbol: "BRK-B", provider: "yahoo") { symbol }
          search(text: "berkshire", first: 1, provider: "yahoo") { instrument { symbol } } }
        """
    private static let configured = "{ providers { provider: name configured environment } }"

    /// The variables that `portico sandbox` prints.
    private func variables(_ program: Program) async throws -> [String: String] {
        let text = await program.output.first { $0.contains("portico serve") ? $0 : nil }
        let pairs = try #require(text).matches(of: #/(PORTICO_[A-Z_]+)=([^ ]+) /#)
        return Dictionary(pairs.map { (String($0.1), String($0.2)) }, uniquingKeysWith: { $1 })
    }

    @Test("responds if the variables that the sandbox prints are set")
    func printed() async throws {
        try await withProgram(["sandbox", "--port", "0"]) { program, port in
            try await RunningSandbox(port: port).closeMarket()
            let variables = try await variables(program)
            try await withServer(environment: variables) { server in
                let quotes = try await server.ask(Self.quotes, token: nil)
                #expect(quotes.failures.isEmpty, "\(quotes.body)")
                let answers = ["alpaca", "alphaVantage", "yahoo"].map { quotes.json?["data"]?[$0] }
                #expect(answers[0]?["price"]?.string != nil)
                // One market, whoever tells of it.
                let prices = answers.map { Foundation.Decimal(string: $0?["price"]?.string ?? "") }
                #expect(prices[1] == prices[0] && prices[2] == prices[0], "\(quotes.body)")
                #expect(answers.map { $0?["symbol"] } == ["BRK.B", "BRK.B", "BRK.B"])
                let others = try await server.ask(Self.others, token: nil)
                #expect(others.failures.isEmpty, "\(others.body)")
                let data = try #require(others.json?["data"])
                #expect(data["charts"]?["symbol"] == "BRK.B")
                #expect(data["news"]?["nodes"]?[0]?["provider"] == "polygon")
                #expect(data["company"]?["symbol"] == "BRK.B")
                #expect(data["search"]?[0]?["instrument"]?["symbol"]?.string?.hasPrefix("BRK.") == true)
            }
        }
    }

    @Test("is part of the embedded sandbox")
    func embedded() async throws {
        try await withServer { server in
            let answer = try await server.ask(Self.configured)
            let providers = try #require(answer.json?["data"]?["providers"]?.elements)
            for name in ["alpaca", "alpha-vantage", "polygon", "yahoo"] {
                let provider = try #require(providers.first { $0["provider"]?.string == name })
                #expect(provider["configured"] == .bool(true))
                #expect(provider["environment"] == "SANDBOX")
            }
        }
    }

    @Test("that is not configured is not called, including Yahoo")
    func off() async throws {
        try await withSandboxProgram { sandbox in
            try await withServer(before: Upstream(sandbox)) { server in
                let answer = try await server.ask(
                    "{ quote(symbol: \"AAPL\", provider: \"yahoo\") { price } }", token: nil)
                #expect(answer.failures == [FieldFailure("quote", "UNSUPPORTED", "yahoo")])
                let providers = try await server.ask(Self.configured, token: nil).json?["data"]?["providers"]?
                    .elements
                let on = providers?.filter { $0["configured"] == .bool(true) }.map { $0["provider"] }
                #expect(on == ["alpaca"])
                #expect(try await sandbox.calls(of: "yahoo").isEmpty)
            }
        }
    }

    @Test("does not reveal its key, although an error response contains it")
    func secrets() async throws {
        try await withSandbox(configured: { $0.alphaVantage.requestsPerDay = 0 }) { sandbox in
            let keys = ["PLANTEDKEY000001", "planted-key-of-polygon"]
            let environment = [
                "PORTICO_ALPHA_VANTAGE_KEY": keys[0],
                "PORTICO_ALPHA_VANTAGE_BASE_URL": sandbox.alphaVantage.baseURL,
                "PORTICO_POLYGON_KEY": keys[1], "PORTICO_POLYGON_BASE_URL": sandbox.polygon.baseURL,
            ]
            var written: [String] = []
            let program = try await withServer(["--log-level", "trace"], environment: environment) { server in
                for query in [
                    "{ quote(symbol: \"AAPL\", provider: \"alpha-vantage\") { price } }",
                    "{ chart(symbol: \"AAPL\", provider: \"polygon\") { symbol } }",
                    "{ providers { health failure { code message } } }",
                ] {
                    written.append(try await server.ask(query, token: nil).body)
                }
                return server.program
            }
            #expect(written[0].contains("QUOTA_EXHAUSTED") && written[1].contains("RECONNECT_REQUIRED"))
            written += [await program.output.whole(), await program.errors.whole()]
            #expect(sandbox.calls.all(of: .alphaVantage).map(\.count) == [1])
            for key in keys { #expect(!written.joined().contains(key)) }
        }
    }

    @Test("is not called above the limit that is set for it")
    func limit() async throws {
        try await withSandboxProgram { sandbox in
            let environment = [
                "PORTICO_POLYGON_KEY": "sandbox-polygon-demo", "PORTICO_POLYGON_PER_MINUTE": "1",
                "PORTICO_POLYGON_BASE_URL": "http://127.0.0.1:\(sandbox.port)/polygon",
            ]
            try await withServer(environment: environment) { server in
                let first = try await server.ask("{ news(first: 1) { nodes { provider } } }", token: nil)
                #expect(first.failures.isEmpty, "\(first.body)")
                let second = try await server.ask("{ chart(symbol: \"AAPL\") { symbol } }", token: nil)
                #expect(second.failures == [FieldFailure("chart", "QUOTA_EXHAUSTED", "polygon")])
                #expect(second.json?["errors"]?[0]?["extensions"]?["retryAt"]?.string != nil)
                #expect(try await sandbox.calls(of: "polygon") == ["GET /v2/reference/news": 1])
            }
        }
    }
}
