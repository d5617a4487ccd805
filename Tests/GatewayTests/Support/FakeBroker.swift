import Brokerage
import Gateway
import GraphQL
import Storage
import Synchronization
import Testing
import Upstream

/// A broker in memory, with the values that a test sets, which counts its calls.
final class FakeBroker: AccountSource, QuoteSource, TradingAPI {
    struct Values: Sendable {
        var accounts: Result<[Account], ProviderFailure> = .success([])
        var positions: Result<PositionList, ProviderFailure> = .success([])
        /// A symbol without a price is unknown.
        var prices: [Symbol: Brokerage.Decimal] = [:]
        /// By their ids.
        var orders: [String: Order] = [:]
    }

    let provider: ProviderID
    private let values: Mutex<Values>
    private let callCounts = Mutex<[String: Int]>([:])

    init(_ provider: ProviderID = .alpaca, _ values: Values = Values()) {
        self.provider = provider
        self.values = Mutex(values)
    }

    /// How often each method was called.
    var calls: [String: Int] { callCounts.withLock(\.self) }

    var provenance: Provenance { Provenance(source: provider, fetchedAt: .now) }

    func set(_ change: (inout Values) -> Void) { values.withLock { change(&$0) } }

    private func called(_ method: String = #function) -> Values {
        let name = String(method.prefix { $0 != "(" })
        callCounts.withLock { $0[name, default: 0] += 1 }
        return values.withLock(\.self)
    }

    // MARK: Accounts and quotes

    func accounts(in call: CallContext) async throws(ProviderFailure) -> [Account] {
        try called().accounts.get()
    }

    func positions(in call: CallContext) async throws(ProviderFailure) -> PositionList {
        try called().positions.get()
    }

    func history(
        of account: String, _ range: DateRange, interval: Interval?, in call: CallContext
    ) async throws(ProviderFailure) -> EquityHistory {
        throw ProviderFailure(provider, .unsupported)
    }

    var symbolsPerCall: Int { 200 }

    func quotes(
        for symbols: [Symbol], in call: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, Quote> {
        let prices = called().prices
        var quotes = KeyedResults<Symbol, Quote>()
        for symbol in symbols {
            guard let price = prices[symbol] else { continue }
            var quote = Quote(symbol: symbol, provenance: provenance)
            quote.price = price
            quotes[symbol] = quote
        }
        return quotes
    }

    // MARK: Orders

    var orderCapabilities: OrderCapabilities {
        OrderCapabilities(
            types: Set(OrderType.allCases), timesInForce: Set(TimeInForce.allCases), acceptsFractions: true,
            acceptsNotional: true, acceptsExtendedHours: true, replaces: true, endedOrders: .all)
    }

    var previewMethod: OrderPreviewMethod {
        .estimate { [provenance] _, _ in OrderPreview(isEstimate: true, provenance: provenance) }
    }

    func orders(_ query: OrderQuery, in call: CallContext) async throws(ProviderFailure) -> OrderPage {
        OrderPage(orders: Array(called().orders.values), hasMore: false)
    }

    func order(
        _ id: String, of account: String?, in call: CallContext
    ) async throws(ProviderFailure) -> Order {
        guard let order = called().orders[id] else { throw ProviderFailure(provider, .notFound) }
        return order
    }

    func outcomes(of orders: [Order], in call: CallContext) async throws(ProviderFailure) -> [Order] { [] }

    func order(
        clientID: String, of account: String?, in call: CallContext
    ) async throws(ProviderFailure) -> OrderLookup { .unknown }

    func place(_ ticket: OrderTicket, in call: CallContext) async throws(ProviderFailure) -> OrderResult {
        try write()
    }

    func replace(
        _ order: Order, by change: OrderReplacement, clientOrderID: String, in call: CallContext
    ) async throws(ProviderFailure) -> OrderResult {
        try write()
    }

    func cancel(_ order: Order, in call: CallContext) async throws(ProviderFailure) -> OrderResult {
        try write()
    }

    private func write() throws(ProviderFailure) -> OrderResult {
        _ = called()
        throw ProviderFailure(provider, .unsupported)
    }
}

extension FakeBroker {
    /// A connection to the broker.
    func connection(_ id: String, of owner: OwnerID = alice) -> BrokerConnection {
        BrokerConnection(
            id: id, owner: owner, provider: provider, environment: .sandbox, accounts: self, orders: self)
    }

    /// The broker as a source of the server's own market data.
    var market: MarketDataSource {
        MarketDataSource(
            self, symbolMapping: SameSymbols(), provider: provider, environment: .sandbox, for: .everybody)
    }
}

/// The symbols of Portico.
struct SameSymbols: SymbolMapping {
    func providerSymbol(for symbol: Symbol) -> String? { symbol.text }
    func symbol(for text: String) -> Symbol? { Symbol(text) }
}

/// The scope of a request, for tests of one service: without HTTP, sandbox and schema.
///
/// - Parameters:
///   - owner: The user of the request; nil for none.
///   - connections: The connections of all users.
///   - market: The server's own sources of quotes, in the order of the route.
///   - sources: Its other sources of market data, behind those in the order of each route.
/// - Returns: A scope with an empty cache and an empty database.
/// - Throws: `StorageError` if the database cannot be opened.
func requestScope(
    of owner: OwnerID? = alice, connections: [BrokerConnection] = [], market: [FakeBroker] = [],
    sources: [MarketDataSource] = []
) throws -> RequestScope {
    let userData = try UserData.temporary()
    for user in [alice, bob] { try UserStore(in: userData.file).ensure(user) }
    let sources = market.map(\.market) + sources
    let routes = MarketDataCapability.allCases.map { ($0, sources.map(\.provider)) }
    let services = GatewayServices(
        connections: connections.map { ProviderConnection($0) }, market: sources,
        routes: ProviderRoutes(Dictionary(uniqueKeysWithValues: routes)), reads: ReadCaches(),
        userData: userData,
        condition: { provider in
            ProviderHealthReport(health: ProviderMonitor().health(of: provider), rateLimits: [])
        })
    return RequestScope(
        session: owner.map { Session(owner: $0, scopes: [.read, .write, .trade]) } ?? .anonymous,
        services: services, call: CallContext(deadline: .now + .seconds(3_600)))
}
