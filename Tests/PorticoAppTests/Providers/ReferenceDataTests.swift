import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("The identity of an instrument")
struct InstrumentIdentityTests {
    private static func identity(
        _ gateway: TestGateway, _ fields: String, symbol: String = "AAPL"
    ) async throws -> (identity: JSONValue, failures: [FieldFailure]) {
        let answer = try await gateway.ask("{ instrument(symbol: \"\(symbol)\") { identity { \(fields) } } }")
        return (try #require(answer["data"]?["instrument"]?["identity"], "\(answer)"), answer.failures)
    }

    private static let all = """
        isin figi shareClassFigi exchange assetClass sector industry country website
        parts { source fields stale }
        """

    @Test(
        "has each value from the first source that has it, and names the source; a second read costs no call")
    func merged() async throws {
        try await withTestGateway { gateway in
            let identifiers = try #require(FakeIdentifiers(of: "AAPL"))
            let (identity, failures) = try await Self.identity(gateway, Self.all)
            #expect(failures.isEmpty, "\(failures)")
            #expect(identity["isin"] == .string(identifiers.isin))
            #expect(identity["figi"] == .string(identifiers.figi))
            #expect(identity["shareClassFigi"] == .string(identifiers.shareClassFIGI))
            #expect(identity["exchange"] == "XNAS" && identity["assetClass"] == "EQUITY")
            #expect(identity["sector"] == "TECHNOLOGY" && identity["country"] == "USA")
            #expect(identity["industry"] == "CONSUMER ELECTRONICS")
            #expect(identity["website"] == "https://aapl.example/")
            let parts = try #require(identity["parts"]?.elements).map { part in
                let fields = part["fields"]?.elements?.compactMap(\.string) ?? []
                return "\(part["source"]?.string ?? ""): \(fields.joined(separator: " "))"
            }
            #expect(
                parts == [
                    "alpaca: exchange assetClass", "polygon: figi shareClassFigi",
                    "polygon: industry website",
                    "alpha-vantage: sector country", "alpaca: isin",
                ])
            let calls = gateway.sandbox.calls
            #expect(try await Self.identity(gateway, Self.all).identity == identity)
            #expect(gateway.sandbox.calls == calls)
        }
    }

    struct Request: CustomTestStringConvertible, Sendable {
        let fields: String
        /// Calls beside that for the instrument itself.
        let calls: [String]
        var testDescription: String { fields }
    }

    @Test(
        "costs calls only for the values that are requested",
        arguments: [
            Request(fields: "__typename", calls: []),
            Request(fields: "exchange assetClass", calls: []),
            Request(fields: "isin parts { fields }", calls: ["alpaca GET /v1/corporate-actions"]),
            Request(fields: "figi", calls: ["polygon GET /v3/reference/tickers/{ticker}"]),
            Request(fields: "industry website", calls: ["polygon GET /v3/reference/tickers/{ticker}"]),
            Request(fields: "country", calls: ["alpha-vantage GET /query OVERVIEW"]),
        ])
    func calls(_ request: Request) async throws {
        try await withTestGateway { gateway in
            _ = try await gateway.ask("{ instrument(symbol: \"AAPL\") { name } }")
            let before = gateway.sandbox.calls
            let (_, failures) = try await Self.identity(gateway, request.fields)
            #expect(failures.isEmpty)
            let added = ProviderID.allCases.flatMap { provider in
                let known = Dictionary(
                    uniqueKeysWithValues: before.all(of: provider).map { ($0.name, $0.count) })
                return gateway.sandbox.calls.all(of: provider).flatMap { name, count in
                    Array(repeating: "\(provider.name.text) \(name)", count: count - (known[name] ?? 0))
                }
            }
            #expect(added == request.calls)
        }
    }

    @Test("keeps the values of the other sources if one fails, and names the one that could have had a value")
    func failed() async throws {
        try await withTestGateway { gateway in
            #expect(gateway.sandbox.faults.add(Fault(.status(500), provider: .polygon)))
            let (identity, failures) = try await Self.identity(gateway, Self.all)
            #expect(identity["exchange"] == "XNAS" && identity["sector"] == "TECHNOLOGY")
            // Alpha Vantage has these too.
            #expect(identity["industry"] == "CONSUMER ELECTRONICS" && identity["website"] != .null)
            #expect(identity["figi"] == .null && identity["shareClassFigi"] == .null)
            #expect(failures.map(\.code) == ["PROVIDER_UNAVAILABLE", "PROVIDER_UNAVAILABLE"])
            #expect(
                failures.map(\.path) == ["instrument.identity.figi", "instrument.identity.shareClassFigi"])
        }
    }

    @Test("is null without an error where no provider has a value")
    func unknown() async throws {
        try await withTestGateway { gateway in
            // A fund has no business, and one that pays no dividend has no ISIN at Alpaca.
            let (fund, failures) = try await Self.identity(
                gateway, "isin figi assetClass sector industry country website", symbol: "GLD")
            #expect(failures.isEmpty, "\(failures)")
            #expect(fund["figi"]?.string?.hasPrefix("BBG") == true)
            for field in ["isin", "sector", "industry", "country", "website"] {
                #expect(fund[field] == .null, "\(field): \(fund)")
            }
            let (pair, none) = try await Self.identity(gateway, Self.all, symbol: "EUR/USD")
            #expect(none.isEmpty, "\(none)")
            #expect(pair["assetClass"] == "FX" && pair["isin"] == .null && pair["sector"] == .null)
        }
    }

    @Test("of several instruments costs pages of one list, and not a call for each instrument")
    func batches() async throws {
        try await withTestGateway { gateway in
            let answer = try await gateway.ask(
                "{ positions(provider: \"alpaca\") { instrument { identity { isin exchange } } } }")
            #expect(answer.failures.isEmpty, "\(answer.failures)")
            let positions = try #require(answer["data"]?["positions"]?.elements)
            #expect(positions.allSatisfy { $0["instrument"]?["identity"]?["exchange"] != .null })
            let calls = try #require(gateway.calls(of: .alpaca)["GET /v1/corporate-actions"])
            // A page has a thousand actions, and a share has at most four a year.
            #expect(calls < positions.count, "\(calls) calls for \(positions.count) positions")
        }
    }
}

@Suite("The increments of an order")
struct OrderIncrementTests {
    @Test(
        "are those of the first broker, for the price of the order",
        arguments: [("price: \"150\"", "0.01"), ("price: \"0.5\"", "0.0001"), ("", "0.01")])
    func tickSize(argument: String, expected: String) async throws {
        try await withTestGateway { gateway in
            let arguments = argument.isEmpty ? "" : "(\(argument))"
            let answer = try await gateway.ask(
                "{ instrument(symbol: \"AAPL\") { tickSize\(arguments) lotSize } }")
            #expect(answer.failures.isEmpty, "\(answer.failures)")
            #expect(answer["data"]?["instrument"]?["tickSize"] == .string(expected))
            #expect(answer["data"]?["instrument"]?["lotSize"] == "0.000000001")
            let quotes = gateway.calls(of: .alpaca)["GET /v2/stocks/snapshots"]
            #expect(quotes == (argument.isEmpty ? 1 : nil))
        }
    }

    @Test("are Saxo's for what Alpaca does not have, and null for what no broker trades")
    func others() async throws {
        try await withTestGateway { gateway in
            let answer = try await gateway.ask(
                """
                { pair: instrument(symbol: "EUR/USD") { tickSize lotSize }
                  index: instrument(symbol: "^SPX") { tickSize lotSize } }
                """)
            #expect(answer.failures.isEmpty, "\(answer.failures)")
            #expect(answer["data"]?["pair"]?["tickSize"]?.string != nil, "\(answer)")
            #expect(answer["data"]?["index"]?["tickSize"] == .null, "\(answer)")
            #expect(answer["data"]?["index"]?["lotSize"] == .null, "\(answer)")
        }
    }

    @Test("of a price that is not above zero are refused")
    func refused() async throws {
        try await withTestGateway { gateway in
            let answer = try await gateway.ask("{ instrument(symbol: \"AAPL\") { tickSize(price: \"0\") } }")
            #expect(answer.failures.map(\.code) == ["BAD_USER_INPUT"])
            #expect(answer.failures.map(\.path) == ["instrument.tickSize"])
            #expect(
                answer["errors"]?.elements?.compactMap { $0["message"]?.string } == [
                    "Argument \"price\": It is 0. Give a price above zero."
                ])
        }
    }
}
