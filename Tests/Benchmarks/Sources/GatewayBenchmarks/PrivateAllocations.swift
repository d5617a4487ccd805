import Alpaca
import Brokerage
import CMallocCounter
import Contract
import Gateway
import GraphQL
import Storage
import Upstream

/// The allocations of a user's own values, from the plan of the operation to the source's values: the broker is in this
/// process, so that the counts have no part of libcurl or of sockets.
struct PrivateAllocations {
    /// What is counted, with the most allocations that it may need.
    private enum Budget: Int, CaseIterable {
        /// A home screen with twelve positions, all values in memory.
        case cached = 60
        /// The same, with no value in memory: three calls, and fourteen values that are stored.
        case cold = 420
        /// A call's place in a window of a minute; its stored entry has room for it.
        case quota = 12

        var name: String {
            switch self {
            case .cached: "a home screen from memory"
            case .cold: "a home screen without a value in memory"
            case .quota: "a slot in a quota's window"
            }
        }
    }

    private let schema: ExecutableSchema<RequestScope>
    private let services: GatewayServices
    private let owner: OwnerID
    private let clock = LeapingClock(by: .seconds(10))

    private static let query = GraphQLRequest(
        """
        { account { equity cash buyingPower } positions { symbol quantity marketValue unrealizedProfitLoss
          quote { price changePercentage } } }
        """)

    private init() throws {
        guard let owner = OwnerID("owner") else { throw BenchmarkError("no owner") }
        self.owner = owner
        schema = try ExecutableSchema(contract: Contract.schemaText)
        let broker = Broker()
        let market = MarketDataSource(
            broker, symbolMapping: AlpacaSymbols(), provider: .alpaca, environment: .sandbox,
            for: .owner(owner, connection: "alpaca"))
        let monitor = ProviderMonitor()
        services = try GatewayServices(
            connections: [
                ProviderConnection(
                    BrokerConnection(
                        id: "alpaca", owner: owner, provider: .alpaca, environment: .sandbox,
                        accounts: broker,
                        market: market))
            ],
            market: [], reads: ReadCaches(clock: clock.calls),
            userData: UserData(in: .temporary(), .random()),
            condition: { ProviderHealthReport(health: monitor.health(of: $0), rateLimits: []) })
    }

    /// - Throws: each count that exceeds its budget.
    static func check() async throws {
        let benchmark = try PrivateAllocations()
        let ledger = QuotaLedger(clock: benchmark.clock.calls)
        let window = QuotaWindow("trading", limit: 200, per: .rolling(seconds: 60))
        let account = QuotaAccount(.alpaca, credential: "a keyed hash of a credential")
        var faults: [String] = []
        for budget in Budget.allCases {
            let count = try await ChartAllocations.allocations {
                switch budget {
                case .cached: try await benchmark.ask()
                case .cold:
                    benchmark.clock.leap()
                    try await benchmark.ask()
                case .quota:
                    let now = benchmark.clock.calls.now()
                    _ = try await ledger.reserve([window], of: account, before: now + .seconds(1))
                }
            }
            print("\(budget.name): \(count) allocations (at most \(budget.rawValue))")
            if count > budget.rawValue {
                faults.append("\(budget.name): \(count) allocations; at most \(budget.rawValue) are allowed")
            }
        }
        guard faults.isEmpty else { throw BenchmarkError(faults.joined(separator: "\n")) }
    }

    private func ask() async throws {
        let scope = RequestScope(
            session: Session(owner: owner, scopes: [.read]), services: services,
            call: CallContext(deadline: clock.calls.now() + .seconds(60)))
        let answer = try await schema.respond(to: Self.query, context: scope).value()
        guard answer.body.starts(with: "{\"data\":{\"account\":{\"equity\":\"".utf8) else {
            throw BenchmarkError(String(decoding: answer.body.prefix(500), as: UTF8.self))
        }
    }

    /// A broker with one account and twelve positions, which responds at once.
    private struct Broker: AccountSource, QuoteSource {
        private let provenance = Provenance(source: .alpaca, fetchedAt: .now)
        private let symbols = (0..<12).compactMap { Symbol("SYMB" + String(UnicodeScalar(UInt8(65 + $0)))) }

        func accounts(in call: CallContext) async throws(ProviderFailure) -> [Account] {
            var account = Account(id: "1", number: "1", currency: "USD", provenance: provenance)
            (account.equity, account.cash, account.buyingPower) = (100, 10, 20)
            return [account]
        }

        func positions(in call: CallContext) async throws(ProviderFailure) -> PositionList {
            PositionList(
                symbols.map { symbol in
                    var position = Position(
                        symbol: symbol, side: .long, quantity: 3, currency: "USD", provenance: provenance)
                    (position.marketValue, position.unrealizedProfitLoss) = (300, 5)
                    return position
                })
        }

        func history(
            of account: String, _ range: DateRange, interval: Interval?, in call: CallContext
        ) async throws(ProviderFailure) -> EquityHistory {
            throw ProviderFailure(.alpaca, .unsupported)
        }

        var symbolsPerCall: Int { 200 }

        func quotes(
            for symbols: [Symbol], in call: CallContext
        ) async throws(ProviderFailure) -> KeyedResults<Symbol, Quote> {
            var quotes = KeyedResults<Symbol, Quote>()
            for symbol in symbols {
                var quote = Quote(symbol: symbol, provenance: provenance)
                (quote.price, quote.previousClose) = (100, 99)
                quotes[symbol] = quote
            }
            return quotes
        }
    }
}
