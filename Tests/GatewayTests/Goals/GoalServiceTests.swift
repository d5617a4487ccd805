import Brokerage
import Gateway
import GraphQL
import Storage
import Testing
import Upstream

@Suite("The service of goals")
struct GoalServiceTests {
    private let broker = FakeBroker()

    init() {
        var position = Position(
            symbol: .example, side: .long, quantity: 10, currency: "USD", provenance: broker.provenance)
        position.marketValue = 2_000
        broker.set { [position] in $0.positions = .success([position]) }
    }

    private func value(
        of share: GoalAllocation.Share, _ symbol: Symbol = .example, in currency: String = "USD",
        market: [FakeBroker] = []
    ) async throws -> Brokerage.Decimal? {
        let goals = GoalService(
            try requestScope(connections: [broker.connection("a")], market: market))
        let request = AllocationValuation.Request(
            allocation: GoalAllocation(symbol: symbol, account: nil, share: share), currency: currency)
        let appraisals = try await goals.appraisals(of: [request]).value()
        return try #require(appraisals.first).value.get()
    }

    @Test("values a share of what the brokers hold")
    func shares() async throws {
        // Not arguments of the test: with an Int128 in a tuple of arguments, the process crashes (Swift 6.3).
        let values: [(share: GoalAllocation.Share, expected: Brokerage.Decimal)] = [
            (.all, 2_000), (.percent(25), 500), (.quantity(4), 800), (.quantity(99), 2_000),
        ]
        for (share, expected) in values {
            #expect(try await value(of: share) == expected, "\(share)")
        }
        #expect(broker.calls == ["positions": values.count])
    }

    @Test("values in the currency of the goal, by the rate of now")
    func currency() async throws {
        let pair = try #require(Symbol("EUR/USD"))
        let rates = FakeBroker(.yahoo, .init(prices: [pair: 2]))
        #expect(try await value(of: .all, in: "EUR", market: [rates]) == 1_000)
    }

    @Test("counts what is not held as zero, and fails if the broker does")
    func absence() async throws {
        #expect(try await value(of: .all, #require(Symbol("SPY"))) == .zero)
        broker.set { $0.positions = .failure(ProviderFailure(.alpaca, .unavailable)) }
        let error = await #expect(throws: FieldError.self) { try await value(of: .all) }
        #expect(error?.provider == .alpaca)
    }
}
