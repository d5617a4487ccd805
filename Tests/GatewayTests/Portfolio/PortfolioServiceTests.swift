import Brokerage
import Gateway
import GraphQL
import Testing
import Upstream

@Suite("The service of the portfolio")
struct PortfolioServiceTests {
    private static func broker(
        _ provider: ProviderID, equity: Brokerage.Decimal, in currency: String
    ) -> FakeBroker {
        let broker = FakeBroker(provider)
        var account = Account(id: "1", number: "1", currency: currency, provenance: broker.provenance)
        account.equity = equity
        broker.set { $0.accounts = .success([account]) }
        return broker
    }

    private let brokers = [
        broker(.alpaca, equity: 1_000, in: "USD"), broker(.saxo, equity: 200, in: "EUR"),
    ]

    private func equity(market: [FakeBroker]) async throws -> Brokerage.Decimal? {
        let scope = try requestScope(
            connections: brokers.map { $0.connection($0.provider.name.text) }, market: market)
        let portfolio = try await PortfolioService(scope).portfolio(in: "USD").value()
        return try portfolio?.sum(\.equity)
    }

    @Test("sums the accounts of all brokers in one currency, by the rate of now")
    func sum() async throws {
        let pair = try #require(Symbol("EUR/USD"))
        let rates = FakeBroker(.yahoo, .init(prices: [pair: 2]))
        #expect(try await equity(market: [rates]) == 1_400)
        #expect(rates.calls == ["quotes": 1])
    }

    @Test("has no sum without a rate: a sum never omits a part")
    func missingRate() async throws {
        let error = await #expect(throws: FieldError.self) {
            try await equity(market: [FakeBroker(.yahoo)])
        }
        #expect(error?.code == .noExchangeRate)
    }

    @Test("has no sum if a broker fails")
    func failingBroker() async throws {
        brokers[1].set { $0.accounts = .failure(ProviderFailure(.saxo, .unavailable)) }
        let error = await #expect(throws: FieldError.self) {
            try await equity(market: [FakeBroker(.yahoo)])
        }
        #expect(error?.provider == .saxo)
    }
}
