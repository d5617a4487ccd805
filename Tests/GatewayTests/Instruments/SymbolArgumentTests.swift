import Brokerage
import Gateway
import GraphQL
import Sandbox
import TestSupport
import Testing
import Upstream

@Suite("Symbols as people type them")
struct SymbolArgumentTests {
    private func totals(_ gateway: TestGateway) -> [ProviderID: Int] {
        Dictionary(
            uniqueKeysWithValues: ProviderID.allCases.map { ($0, gateway.calls(of: $0).values.reduce(0, +)) })
    }

    @Test(
        "find their instrument, whose symbol has Portico's form",
        arguments: [
            ("aapl", "AAPL"), ("Aapl", "AAPL"), ("brk-b", "BRK.B"), ("BRK-B", "BRK.B"), ("^GSPC", "^SPX"),
            ("EURUSD", "EUR/USD"), ("EURUSD=X", "EUR/USD"), ("eur/usd", "EUR/USD"), ("BTC-USD", "BTC/USD"),
            ("TSCO.LON", "TSCO:XLON"), ("tsco:xlon", "TSCO:XLON"), ("AAPL:xnas", "AAPL"),
        ])
    func found(text: String, symbol: String) async throws {
        try await withGateway { gateway in
            let backends = try gateway.marketWithSaxo()
            let query = """
                { quote(symbol: "\(text)") { symbol price } instrument(symbol: "\(text)") { symbol }
                  chart(symbol: "\(text)", last: 2) { symbol } quotes(symbols: ["\(text)", "\(symbol)"]) { symbol } }
                """
            let answer = try await gateway.ask(query, as: alice, backends)
            #expect(answer.failures.isEmpty, "\(answer)")
            for name in ["quote", "instrument", "chart"] {
                #expect(answer["data"]?[name]?["symbol"]?.string == symbol, "\(name): \(answer)")
            }
            #expect(
                answer["data"]?["quotes"]?.elements?.map { $0["symbol"]?.string } == [symbol, symbol])
            // Portico's form has the same keys in the caches.
            let calls = totals(gateway)
            let again = try await gateway.ask(
                query.replacing("\"\(text)\"", with: "\"\(symbol)\""), as: alice, backends)
            #expect(again == answer)
            #expect(totals(gateway) == calls)
        }
    }

    @Test(
        "that nobody knows cost at most one call to each provider, which is not repeated, and the error has Portico's form",
        arguments: [
            ("nosuch", "\"NOSUCH\""), ("SWDA.MI", "\"SWDA:XMIL\""), ("0700.HK", "\"0700:XHKG\""),
            ("M&M.NS", "\"M&M:XNSE\""), ("GC=F", "\"GC=F\""), ("ABC.L", "\"ABC.L\" (did you mean ABC:XLON?)"),
            ("XYZ-USD", "\"XYZ/USD\""), ("^nosuch", "\"^NOSUCH\""),
            ("NOS/B", "\"NOS/B\" (did you mean NOS.B?)"),
            ("SPX", "\"SPX\" (did you mean ^SPX?)"), ("AAPL.US", "\"AAPL.US\" (did you mean AAPL?)"),
            ("NASDAQ:AAPL", "\"NASDAQ:AAPL\" (did you mean AAPL?)"),
        ])
    func missing(text: String, phrase: String) async throws {
        try await withGateway { gateway in
            let backends = try gateway.marketWithSaxo()
            // The first call to Yahoo also gets a cookie and a crumb.
            _ = try await gateway.ask(
                "{ quote(symbol: \"AAPL\", provider: \"yahoo\") { price } }", as: alice, backends)
            for field in [
                "instrument(symbol: \"\(text)\") { symbol }", "quote(symbol: \"\(text)\") { symbol }",
                "quotes(symbols: [\"\(text)\"]) { symbol }",
            ] {
                let before = totals(gateway)
                let answer = try await gateway.ask("{ it: \(field) }", as: alice, backends)
                #expect(answer.failures.map(\.code) == ["NOT_FOUND"], "\(answer)")
                #expect(
                    answer["errors"]?[0]?["message"]?.string?.contains("symbol \(phrase)") == true,
                    "\(answer)")
                let after = totals(gateway)
                for (provider, count) in after {
                    #expect(count - (before[provider] ?? 0) <= 1, "\(provider): \(field)")
                }
                _ = try await gateway.ask("{ it: \(field) }", as: alice, backends)
                #expect(totals(gateway) == after, "\(field)")
            }
        }
    }

    @Test("that are no symbols are null items with the index in their path, and do not affect the others")
    func invalid() async throws {
        try await withGateway { gateway in
            let query = """
                query($symbols: [String!]!) {
                  quotes(symbols: $symbols) { symbol price } charts(symbols: $symbols, last: 1) { symbol }
                  providers { id } }
                """
            let symbols = InputValue.list(["AAPL", " msft", "KO"].map { .string($0) })
            let answer = try await gateway.ask(
                query, as: nil, gateway.wholeMarket(), variables: ["symbols": symbols])
            for name in ["quotes", "charts"] {
                #expect(
                    answer["data"]?[name]?.elements?.map { $0["symbol"]?.string } == ["AAPL", nil, "KO"],
                    "\(answer)")
            }
            #expect(answer["data"]?["providers"]?.elements != nil)
            #expect(
                answer.failures == ["charts.1", "quotes.1"].map { FieldFailure($0, "BAD_USER_INPUT", nil) }
                    || answer.failures
                        == ["quotes.1", "charts.1"].map { FieldFailure($0, "BAD_USER_INPUT", nil) }
            )
            let error = answer["errors"]?[0]
            #expect(error?["extensions"]?["argument"] == "symbols[1]")
            #expect(
                error?["message"]
                    == """
                    Argument "symbols[1]": " msft" is not a symbol: a symbol has 1 to 32 letters, digits and the \
                    characters . - / : = ^ _ + &; did you mean MSFT?
                    """)
        }
    }

    @Test("in ids that are invalid are null items, too")
    func ids() async throws {
        try await withGateway { gateway in
            let answer = try await gateway.ask(
                #"{ nodes(ids: ["Instrument:AAPL", "Order:a\u0000b", "Instrument:aapl"]) { id } providers { id } }"#,
                as: alice, gateway.wholeMarket())
            #expect(
                answer["data"]?["nodes"]?.elements?.map { $0["id"]?.string } == ["Instrument:AAPL", nil, nil])
            #expect(answer.failures == [FieldFailure("nodes.1", "BAD_USER_INPUT", nil)], "\(answer)")
            #expect(
                answer["errors"]?[0]?["message"]
                    == "Argument \"ids[1]\": It contains the character U+0000. Remove this character.")
            #expect(answer["data"]?["providers"]?.elements != nil)
        }
    }

    @Test(
        "about which no provider can have news have none; in a list with others, those of the others are there",
        arguments: ["TSCO:XLON", "AAPL:XNAS:CfdOnStock", "NDX.I:CfdOnIndex", "EUR/DKK", "^SPX", "GC=F"])
    func news(symbol: String) async throws {
        try await withGateway { gateway in
            let data = try await gateway.data(
                """
                { news(symbols: ["\(symbol)"], first: 2) { nodes { id } edges { cursor } pageInfo { hasNextPage endCursor } }
                  mixture: news(symbols: ["AAPL", "\(symbol)"], first: 2) { nodes { symbols } }
                  none: news(symbols: []) { nodes { id } } }
                """, gateway.marketWithSaxo())
            let empty = data["news"]
            #expect(empty?["nodes"] == .array([]) && empty?["edges"] == .array([]), "\(data)")
            #expect(
                empty?["pageInfo"]?["hasNextPage"] == .bool(false)
                    && empty?["pageInfo"]?["endCursor"] == .null)
            #expect(data["mixture"]?["nodes"]?.elements?.isEmpty == false, "\(data)")
            #expect(data["none"]?["nodes"] == .array([]), "\(data)")
        }
    }
}
