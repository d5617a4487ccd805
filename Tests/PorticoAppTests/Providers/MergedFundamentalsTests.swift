import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("Figures of a company from several sources")
struct MergedFundamentalsTests {
    private static let query = """
        { instrument(symbol: "AAPL") { fundamentals {
            currency sector industry country website marketCap peRatio earningsPerShare dividendPerShare yearHigh yearLow
            source stale parts { source fields stale } } } }
        """

    private static func figures(_ gateway: TestGateway) async throws -> JSONValue {
        let answer = try await gateway.ask(query)
        #expect(answer.failures.isEmpty, "\(answer.failures)")
        return try #require(answer["data"]?["instrument"]?["fundamentals"])
    }

    @Test("have each field from the first source of the route that has it, and name the source")
    func merged() async throws {
        try await withTestGateway { gateway in
            let figures = try await Self.figures(gateway)
            // Polygon has none of these; Alpha Vantage has them.
            for field in ["sector", "peRatio", "yearHigh", "yearLow", "earningsPerShare"] {
                #expect(figures[field] != .null, "\(field): \(figures)")
            }
            #expect(figures["source"] == "polygon")
            let parts = try #require(figures["parts"]?.elements)
            #expect(parts.prefix(2).map { $0["source"] } == ["polygon", "alpha-vantage"])
            #expect(parts[0]["fields"]?.elements?.contains("marketCap") == true, "\(parts)")
            #expect(parts[1]["fields"]?.elements?.contains("peRatio") == true, "\(parts)")
            let fields = parts.flatMap { $0["fields"]?.elements?.compactMap(\.string) ?? [] }
            #expect(Set(fields).count == fields.count, "each field comes from one source")
            for field in fields { #expect(figures[field] != .null) }
            // One call is enough for a day.
            let calls = gateway.sandbox.calls
            #expect(try await Self.figures(gateway) == figures)
            #expect(gateway.sandbox.calls == calls)
        }
    }

    @Test("skip a source without quota: the next one of the route supplies the rest")
    func withinQuota() async throws {
        try await withTestGateway { gateway in
            let spent = Fault(.status(429), provider: .alphaVantage)
            #expect(gateway.sandbox.faults.add(spent))
            let figures = try await Self.figures(gateway)
            // Yahoo reports no ratios.
            #expect(figures["sector"] == "Technology" && figures["peRatio"] == .null, "\(figures)")
            #expect(figures["parts"]?.elements?.map { $0["source"] } == ["polygon", "yahoo"], "\(figures)")
        }
    }
}

@Suite("The asset class of a position")
struct AssetClassTests {
    private static let query = """
        { positions(provider: "alpaca") { symbol assetClass }
          account(provider: "alpaca") { allocation(by: ASSET_CLASS) { key } }
          portfolio { allocation(by: ASSET_CLASS) { key } } }
        """

    private static func keys(_ list: JSONValue?) -> Set<String> {
        Set(list?.elements?.compactMap { $0["key"]?.string } ?? [])
    }

    @Test("is that of the instrument if the broker has none, in every allocation of the holdings")
    func known() async throws {
        try await withTestGateway { gateway in
            let answer = try await gateway.ask(Self.query)
            #expect(answer.failures.isEmpty, "\(answer.failures)")
            let positions = try #require(answer["data"]?["positions"]?.elements)
            #expect(positions.contains { $0["symbol"] == "AAPL" && $0["assetClass"] == "EQUITY" })
            #expect(positions.allSatisfy { $0["assetClass"] != .null && $0["assetClass"] != "OTHER" })
            let account = Self.keys(answer["data"]?["account"]?["allocation"])
            #expect(account.contains("EQUITY") && !account.contains("OTHER"), "\(account)")
            let portfolio = Self.keys(answer["data"]?["portfolio"]?["allocation"])
            #expect(portfolio.isSuperset(of: account) && !portfolio.contains("OTHER"), "\(portfolio)")
            // The asset class of an instrument does not change within an hour.
            let assets = gateway.calls(of: .alpaca).filter { $0.key.contains("assets") }
            gateway.clock.advance(by: .seconds(3_600))
            _ = try await gateway.ask(Self.query)
            #expect(gateway.calls(of: .alpaca).filter { $0.key.contains("assets") } == assets)
        }
    }

    @Test("is EQUITY if no provider knows the instrument and the broker lists it among US equities")
    func probable() async throws {
        try await withTestGateway { gateway in
            for endpoint in ["GET /v2/assets", "GET /v2/assets/{symbol_or_asset_id}"] {
                #expect(
                    gateway.sandbox.faults.add(Fault(.status(500), provider: .alpaca, endpoint: endpoint)))
            }
            // All of Saxo: the instruments of its own positions can arrive before those of Alpaca are looked up.
            for provider in [ProviderID.saxo, .yahoo, .polygon, .alphaVantage] {
                #expect(gateway.sandbox.faults.add(Fault(.status(500), provider: provider)))
            }
            let answer = try await gateway.ask(Self.query)
            let positions = try #require(answer["data"]?["positions"]?.elements)
            #expect(positions.allSatisfy { $0["assetClass"] == "EQUITY" }, "\(positions)")
            let account = Self.keys(answer["data"]?["account"]?["allocation"])
            #expect(account == ["EQUITY", "CASH"], "\(answer)")
        }
    }
}
