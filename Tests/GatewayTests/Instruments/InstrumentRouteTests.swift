import Brokerage
import Gateway
import GraphQL
import Storage
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("A value of an instrument that the first source of a route does not have")
struct InstrumentRouteTests {
    private static let routes = ProviderRoutes([
        .instruments: [.polygon, .yahoo], .fundamentals: [.polygon, .alphaVantage, .yahoo],
    ])

    @Test("is requested from the next sources, up to the first one that has it: the description of a company")
    func descriptions() async throws {
        try await withGateway { gateway in
            let sources = [
                ScriptedCompany(.polygon), ScriptedCompany(.alphaVantage, about: "Makes phones."),
                ScriptedCompany(.yahoo, about: "Sells phones."),
            ]
            let backends = gateway.market(sources.map(\.marketSource), routes: Self.routes)
            for _ in 0..<2 {
                let answer = try await gateway.ask(
                    "{ instrument(symbol: \"AAPL\") { description } }", as: nil, backends)
                #expect(answer["data"]?["instrument"]?["description"] == "Makes phones.", "\(answer)")
            }
            #expect(sources.map(\.reports) == [1, 1, 0])
        }
    }

    @Test("is null if no other source has it")
    func noDescription() async throws {
        try await withGateway { gateway in
            let sources = [ScriptedCompany(.polygon), ScriptedCompany(.yahoo)]
            let backends = gateway.market(sources.map(\.marketSource), routes: Self.routes)
            let answer = try await gateway.ask(
                "{ instrument(symbol: \"AAPL\") { description } }", as: nil, backends)
            #expect(answer.failures.isEmpty, "\(answer)")
            #expect(answer["data"]?["instrument"]?["description"] == .null)
            #expect(sources.map(\.reports) == [1, 1])
        }
    }

    @Test(
        "is requested from the next source before the broker's guess is used: the asset class of a position",
        arguments: [
            ([AssetClass.etf, .fund], AssetClass?.none, AssetClass.etf), ([.other, .etf], nil, .etf),
            ([.other, .etf], .equity, .etf), ([.other, .other], .equity, .equity),
            ([.other, .other], nil, .other),
        ])
    func assetClasses(told: [AssetClass], probable: AssetClass?, expected: AssetClass) async throws {
        try await withGateway { gateway in
            let sources = [
                ScriptedCompany(.polygon, assetClass: told[0]), ScriptedCompany(.yahoo, assetClass: told[1]),
            ]
            let scope = RequestScope(
                session: Session(owner: alice, scopes: [.read]),
                services: gateway.market(sources.map(\.marketSource), routes: Self.routes),
                call: CallContext(deadline: .now + .seconds(60)))
            var position = Position(
                symbol: .example, side: .long, quantity: 1, currency: "USD",
                provenance: Provenance(source: .alpaca, fetchedAt: .now))
            position.probableAssetClass = probable
            let connected = ConnectedPosition(
                in: [position], at: 0, connection: try gateway.connection("demo", of: alice))
            #expect(try await InstrumentService(scope).assetClasses(of: [connected]).value() == [expected])
        }
    }
}

/// A source that returns the same values for every instrument and company.
private final class ScriptedCompany: InstrumentSource, FundamentalsSource {
    private struct Spelling: SymbolMapping {
        func providerSymbol(for symbol: Symbol) -> String? { symbol.text }
        func symbol(for spelling: String) -> Symbol? { Symbol(spelling) }
    }

    private let provider: ProviderID
    private let assetClass: AssetClass
    private let about: String?
    private let count = Atomic(0)

    init(_ provider: ProviderID, assetClass: AssetClass = .equity, about: String? = nil) {
        self.provider = provider
        self.assetClass = assetClass
        self.about = about
    }

    /// The number of requests for figures of a company.
    var reports: Int { count.load(ordering: .relaxed) }

    var marketSource: MarketDataSource {
        MarketDataSource(
            self, symbolMapping: Spelling(), provider: provider, environment: .sandbox, for: .everybody)
    }

    func search(_ text: String, limit: Int, in call: CallContext) async throws(ProviderFailure) -> SearchHits
    {
        []
    }

    func instrument(_ symbol: Symbol, in call: CallContext) async throws(ProviderFailure) -> Instrument {
        Instrument(
            symbol: symbol, assetClass: assetClass, provenance: Provenance(source: provider, fetchedAt: .now))
    }

    func fundamentals(
        of symbol: Symbol, in call: CallContext
    ) async throws(ProviderFailure) -> Fundamentals {
        count.add(1, ordering: .relaxed)
        var report = Fundamentals(symbol: symbol, provenance: Provenance(source: provider, fetchedAt: .now))
        report.about = about
        return report
    }
}
