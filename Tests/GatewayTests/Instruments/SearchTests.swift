import Brokerage
import Gateway
import Sandbox
import TestSupport
import Testing
import Upstream

import struct Sandbox.FakeInstrument

@Suite("A search")
struct SearchTests {
    private func search(
        _ text: String, first: Int = 50, _ gateway: TestGateway, _ backends: GatewayServices
    ) async throws -> JSONValue {
        try await gateway.ask(
            "{ search(text: \"\(text)\", first: \(first)) { instrument { symbol } } }", as: alice, backends)
    }

    private func symbols(_ answer: JSONValue) -> [String?] {
        (answer["data"]?["search"]?.elements ?? []).map { $0["instrument"]?["symbol"]?.string }
    }

    @Test("has the results of all providers: the pairs of Saxo, although Alpaca finds nothing")
    func pairs() async throws {
        try await withGateway { gateway in
            let answer = try await search("euro", gateway, gateway.marketWithSaxo())
            #expect(answer.failures.isEmpty, "\(answer)")
            let found = Set(symbols(answer).compactMap(\.self))
            let expected = FakeInstrument.currencyPairs.map(\.symbol).filter { $0.hasPrefix("EUR/") }
            #expect(expected.count == 7)
            #expect(found.isSuperset(of: expected), "\(answer)")
        }
    }

    @Test(
        "has each instrument once, the best of each provider first, with one call to each, and none to those with few calls"
    )
    func order() async throws {
        try await withGateway { gateway in
            let backends = try gateway.marketWithSaxo()
            let answer = try await search("apple", gateway, backends)
            #expect(answer.failures.isEmpty, "\(answer)")
            // Alpaca's only result is also the first of Saxo and of Yahoo.
            #expect(symbols(answer) == ["AAPL", "AAPL:XNAS:CfdOnStock"], "\(answer)")
            #expect(gateway.calls(of: .alpaca)["GET /v2/assets"] == 1)
            #expect(gateway.calls(of: .saxo)["GET /ref/v1/instruments"] == 1)
            #expect(gateway.calls(of: .yahoo)["GET /v1/finance/search"] == 1)
            #expect(gateway.calls(of: .polygon).isEmpty && gateway.calls(of: .alphaVantage).isEmpty)
            let again = try await search("apple", gateway, backends)
            #expect(again == answer)
            #expect(gateway.calls(of: .saxo)["GET /ref/v1/instruments"] == 1)
            let one = try await search("apple", first: 1, gateway, backends)
            #expect(symbols(one) == ["AAPL"])
        }
    }

    @Test(
        "has the currency and the decimals that `instrument` has, with one call more to a provider that omits them"
    )
    func details() async throws {
        try await withGateway { gateway in
            let backends = try gateway.marketWithSaxo()
            let answer = try await gateway.ask(
                """
                { search(text: "tsco") { currency instrument { id currency decimals } }
                  instrument(symbol: "TSCO:XLON") { id currency decimals } }
                """, as: alice, backends)
            #expect(answer.failures.isEmpty, "\(answer)")
            let instrument = try #require(answer["data"]?["instrument"])
            // Prices are sent in pence, with two decimals.
            #expect(instrument["currency"] == "GBP" && instrument["decimals"] == 4, "\(answer)")
            let hits = answer["data"]?["search"]?.elements ?? []
            let hit = hits.first { $0["instrument"]?["id"] == instrument["id"] }
            #expect(hit?["instrument"] == instrument && hit?["currency"] == "GBP", "\(answer)")
            #expect(gateway.calls(of: .yahoo)["GET /v7/finance/quote"] ?? 0 <= 1)
            let details = "GET /ref/v1/instruments/details"
            let before = gateway.calls(of: .saxo)[details] ?? 0
            let pairs = try await gateway.ask(
                "{ search(text: \"euro\", provider: \"saxo\") { instrument { symbol currency decimals } } }",
                as: alice, backends)
            let found = pairs["data"]?["search"]?.elements ?? []
            #expect(found.count >= 7 && pairs.failures.isEmpty, "\(pairs)")
            #expect(
                found.allSatisfy {
                    $0["instrument"]?["currency"] != .null && $0["instrument"]?["decimals"] != .null
                },
                "\(pairs)")
            #expect(gateway.calls(of: .saxo)[details] == before + 1)
        }
    }

    @Test(
        "whose currencies cannot be read has the results without them, and without a selected currency they are not read"
    )
    func detailsFailure() async throws {
        try await withGateway { gateway in
            let quotes = "GET /v7/finance/quote"
            #expect(gateway.sandbox.faults.add(Fault(.status(503), endpoint: quotes)))
            let backends = try gateway.marketWithSaxo()
            let names = try await gateway.ask(
                "{ search(text: \"tsco\", provider: \"yahoo\") { instrument { id name } } }", as: alice,
                backends)
            #expect(
                names.failures.isEmpty && names["data"]?["search"]?.elements?.isEmpty == false, "\(names)")
            #expect(gateway.calls(of: .yahoo)[quotes] == nil)
            let answer = try await gateway.ask(
                "{ search(text: \"tsco\", provider: \"yahoo\") { currency instrument { id name currency } } }",
                as: alice, backends)
            #expect(answer.failures.isEmpty, "\(answer)")
            let hit = try #require(answer["data"]?["search"]?[0])
            #expect(hit["instrument"]?["currency"] == .null && hit["currency"] == .null, "\(answer)")
            #expect(
                hit["instrument"]?["id"]
                    == names["data"]?["search"]?[0]?["instrument"]?["id"])
        }
    }

    @Test("without a result of the others asks those with few calls, one after the other")
    func scarce() async throws {
        try await withGateway { gateway in
            let answer = try await search("nothing like it", gateway, gateway.marketWithSaxo())
            #expect(answer.failures.isEmpty, "\(answer)")
            #expect(answer["data"]?["search"] == .array([]))
            #expect(gateway.calls(of: .polygon).values.reduce(0, +) == 1)
            #expect(gateway.calls(of: .alphaVantage).values.reduce(0, +) == 1)
        }
    }

    @Test("has an error behind the others' results for each provider that fails")
    func failure() async throws {
        try await withGateway { gateway in
            #expect(gateway.sandbox.faults.add(Fault(.status(503), endpoint: "GET /ref/v1/instruments")))
            let answer = try await search("apple", gateway, gateway.marketWithSaxo())
            #expect(symbols(answer) == ["AAPL", nil], "\(answer)")
            #expect(answer.failures == [FieldFailure("search.1", "PROVIDER_UNAVAILABLE", "saxo")])
        }
    }

    @Test("that no provider could answer is an error, and not an empty list")
    func failures() async throws {
        try await withGateway { gateway in
            for provider in ProviderID.allCases {
                #expect(gateway.sandbox.faults.add(Fault(.status(503), provider: provider)))
            }
            let answer = try await search("apple", gateway, gateway.marketWithSaxo())
            #expect(answer["data"]?["search"] == .null)
            #expect(answer.failures == [FieldFailure("search", "PROVIDER_UNAVAILABLE", "alpaca")])
        }
    }

    @Test(
        "for a symbol in Portico's form finds its instrument at the providers that can have it",
        arguments: [
            ("EUR/DKK", "EUR/DKK"), ("eur/dkk", "EUR/DKK"), ("TSCO:XLON", "TSCO:XLON"), ("^SPX", "^SPX"),
            ("^GSPC", "^SPX"), ("NDX.I:CfdOnIndex", "NDX.I:CfdOnIndex"), ("BTC/USD", "BTC/USD"),
            ("AAPL:XNAS:CfdOnStock", "AAPL:XNAS:CfdOnStock"), ("AAPL:xnas", "AAPL"),
        ])
    func symbol(text: String, expected: String) async throws {
        try await withGateway { gateway in
            let answer = try await search(text, gateway, gateway.marketWithSaxo())
            #expect(answer.failures.isEmpty, "\(answer)")
            #expect(symbols(answer) == [expected], "\(answer)")
            #expect(gateway.calls(of: .polygon).isEmpty && gateway.calls(of: .alphaVantage).isEmpty)
        }
    }

    @Test(
        "for a symbol that no provider knows is empty, without a call to a provider that cannot have it",
        arguments: [
            // In the order of the providers with few calls: Polygon, Alpha Vantage.
            ("NOSUCH.I:CfdOnIndex", [0, 0]), ("NOSUCH:XLON", [0, 1]), ("NOSUCH:XHKG", [0, 0]),
            ("UIC=999999:CfdOnStock", [0, 0]), ("ZZZ/DKK", [1, 0]),
        ])
    func unknownSymbol(text: String, calls: [Int]) async throws {
        try await withGateway { gateway in
            let answer = try await search(text, gateway, gateway.marketWithSaxo())
            #expect(answer.failures.isEmpty, "\(answer)")
            #expect(answer["data"]?["search"] == .array([]))
            let counts = [ProviderID.polygon, .alphaVantage].map {
                gateway.calls(of: $0).values.reduce(0, +)
            }
            #expect(counts == calls)
        }
    }

    @Test("for a symbol is an error, and not an empty list, if the only provider that can have it fails")
    func failedSymbol() async throws {
        try await withGateway { gateway in
            #expect(gateway.sandbox.faults.add(Fault(.status(503), provider: .saxo)))
            let answer = try await search("NDX.I:CfdOnIndex", gateway, gateway.marketWithSaxo())
            #expect(answer["data"]?["search"] == .null)
            #expect(answer.failures == [FieldFailure("search", "PROVIDER_UNAVAILABLE", "saxo")])
        }
    }
}
