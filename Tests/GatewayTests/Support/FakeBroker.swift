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
        /// By the ids of the accounts; the history of an account without one is not supported.
        var histories: [String: EquityHistory] = [:]
        var activities: Result<[Activity], ProviderFailure> = .success([])
        /// Nil for an estimate without values.
        var previewMethod: OrderPreviewMethod?
        var placing = Placing.accepted
        var disclaimers: [OrderDisclaimer] = []
        /// The id of the order that replaces another one; nil if orders cannot be replaced.
        var successor: String?
        var replacesPartlyFilled = true
        /// What is filled of each order after it has been read once; nil for no change.
        var filledAfterRead: Brokerage.Decimal?
    }

    /// What happens to an order that is placed.
    enum Placing {
        case accepted
        case rejected(OrderRejection)
        /// It is sent, and the broker does not respond in time.
        case unanswered
        /// It is not sent.
        case unsent(ProviderFailure.Cause)
    }

    let provider: ProviderID
    private let values: Mutex<Values>
    private let callCounts = Mutex<[String: Int]>([:])
    private let sent = Mutex(Sent())

    /// What the broker has received.
    private struct Sent {
        var tickets: [OrderTicket] = []
        var acceptances: [Acceptance] = []
    }

    /// A disclaimer that was accepted, and the text that was typed.
    struct Acceptance: Equatable {
        let token: String
        let text: String?
    }

    init(_ provider: ProviderID = .alpaca, _ values: Values = Values()) {
        self.provider = provider
        self.values = Mutex(values)
    }

    /// How often each method was called.
    var calls: [String: Int] { callCounts.withLock(\.self) }

    /// The orders that were sent to be placed, in their order.
    var placed: [OrderTicket] { sent.withLock(\.tickets) }

    /// The disclaimers that were accepted, in their order.
    var acceptances: [Acceptance] { sent.withLock(\.acceptances) }

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
        guard let history = called().histories[account] else {
            throw ProviderFailure(provider, .unsupported)
        }
        return history
    }

    fileprivate func activities() throws(ProviderFailure) -> [Activity] { try called().activities.get() }

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
            acceptsNotional: true, acceptsExtendedHours: true, replaces: true,
            replacesPartlyFilled: values.withLock(\.replacesPartlyFilled), endedOrders: .all)
    }

    var previewMethod: OrderPreviewMethod {
        values.withLock(\.previewMethod)
            ?? .estimate { [provenance] _, _ in OrderPreview(isEstimate: true, provenance: provenance) }
    }

    func orders(_ query: OrderQuery, in call: CallContext) async throws(ProviderFailure) -> OrderPage {
        let orders = called().orders.values.filter { order in
            query.isOpen.map { $0 != order.state.hasEnded } ?? true
        }
        return OrderPage(orders: Array(orders), hasMore: false)
    }

    func order(
        _ id: String, of account: String?, in call: CallContext
    ) async throws(ProviderFailure) -> Order {
        let known = called()
        guard let order = known.orders[id] else { throw ProviderFailure(provider, .notFound) }
        if let filled = known.filledAfterRead { set { $0.orders[id]?.filledQuantity = filled } }
        return order
    }

    func outcomes(of orders: [Order], in call: CallContext) async throws(ProviderFailure) -> [Order] {
        orders.compactMap { order in values.withLock { $0.orders[order.id] } }
    }

    func order(
        clientID: String, of account: String?, in call: CallContext
    ) async throws(ProviderFailure) -> OrderLookup { .unknown }

    func place(_ ticket: OrderTicket, in call: CallContext) async throws(ProviderFailure) -> OrderResult {
        let placing = called().placing
        if case .unsent(let cause) = placing { throw ProviderFailure(provider, cause) }
        do {
            try await call.writeObserver?.willSend()
        } catch {
            throw ProviderFailure(provider, .overloaded)
        }
        let number = sent.withLock {
            $0.tickets.append(ticket)
            return $0.tickets.count
        }
        switch placing {
        case .rejected(let rejection): return .rejected(rejection)
        case .unanswered, .unsent: throw ProviderFailure(provider, .timedOut)
        case .accepted:
            var order = Order(
                id: "broker-\(number)", symbol: ticket.symbol, side: ticket.side, state: .open,
                provenance: provenance)
            (order.accountID, order.clientOrderID) = (ticket.accountID, ticket.clientOrderID)
            set { [order] in $0.orders[order.id] = order }
            return .accepted(order)
        }
    }

    func replace(
        _ order: Order, by change: OrderReplacement, clientOrderID: String, in call: CallContext
    ) async throws(ProviderFailure) -> OrderResult {
        guard let successor = values.withLock(\.successor) else { return try write() }
        do {
            try await call.writeObserver?.willSend()
        } catch {
            throw ProviderFailure(provider, .overloaded)
        }
        var new = order
        (new.id, new.clientOrderID, new.state, new.replaces) = (successor, clientOrderID, .accepted, order.id)
        set { [new] in
            $0.orders[order.id]?.state = .replaced
            $0.orders[new.id] = new
        }
        return .accepted(new)
    }

    func cancel(_ order: Order, in call: CallContext) async throws(ProviderFailure) -> OrderResult {
        try write()
    }

    func disclaimers(
        _ references: [OrderDisclaimer.Reference], in call: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<OrderDisclaimer.Reference, OrderDisclaimer> {
        let known = called().disclaimers.filter { references.contains($0.reference) }
        return KeyedResults(Dictionary(known.map { ($0.reference, $0) }) { first, _ in first })
    }

    func accept(
        _ disclaimer: OrderDisclaimer.Reference, typing text: String?, in call: CallContext
    ) async throws(ProviderFailure) {
        sent.withLock { $0.acceptances.append(Acceptance(token: disclaimer.token, text: text)) }
    }

    private func write() throws(ProviderFailure) -> OrderResult {
        _ = called()
        throw ProviderFailure(provider, .unsupported)
    }
}

extension FakeBroker {
    /// A connection to the broker, which reports activities or not.
    func connection(
        _ id: String, of owner: OwnerID = alice, reportsActivities: Bool = false
    ) -> BrokerConnection {
        BrokerConnection(
            id: id, owner: owner, provider: provider, environment: .sandbox,
            accounts: reportsActivities ? FakeActivities(broker: self) : self, orders: self)
    }

    /// The broker as a source of the server's own market data.
    var market: MarketDataSource {
        MarketDataSource(
            self, symbolMapping: SameSymbols(), provider: provider, environment: .sandbox, for: .everybody)
    }
}

/// The accounts of a broker in memory that reports activities.
private struct FakeActivities: AccountSource, ActivitySource {
    let broker: FakeBroker

    func accounts(in call: CallContext) async throws(ProviderFailure) -> [Account] {
        try await broker.accounts(in: call)
    }

    func positions(in call: CallContext) async throws(ProviderFailure) -> PositionList {
        try await broker.positions(in: call)
    }

    func history(
        of account: String, _ range: DateRange, interval: Interval?, in call: CallContext
    ) async throws(ProviderFailure) -> EquityHistory {
        try await broker.history(of: account, range, interval: interval, in: call)
    }

    var activityReportInterval: Duration { .seconds(1) }

    func activities(
        of account: String, _ query: ActivityQuery, in call: CallContext
    ) async throws(ProviderFailure) -> ActivityPage {
        ActivityPage(activities: try broker.activities())
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
///   - clock: The clock of the caches, which is that of the request.
/// - Returns: A scope with an empty cache and an empty database.
/// - Throws: `StorageError` if the database cannot be opened.
func requestScope(
    of owner: OwnerID? = alice, connections: [BrokerConnection] = [], market: [FakeBroker] = [],
    sources: [MarketDataSource] = [], clock: TimeSource = .system
) throws -> RequestScope {
    let userData = try UserData(in: .temporary(), .random())
    for user in [alice, bob] { try UserStore(in: userData.file).ensure(user) }
    let sources = market.map(\.market) + sources
    let routes = MarketDataCapability.allCases.map { ($0, sources.map(\.provider)) }
    let services = GatewayServices(
        connections: connections.map { ProviderConnection($0) }, market: sources,
        routes: ProviderRoutes(Dictionary(uniqueKeysWithValues: routes)), reads: ReadCaches(clock: clock),
        userData: userData,
        condition: { provider in
            ProviderHealthReport(health: ProviderMonitor().health(of: provider), rateLimits: [])
        })
    return RequestScope(
        session: owner.map { Session(owner: $0, scopes: [.read, .write, .trade]) } ?? .anonymous,
        services: services, call: CallContext(deadline: .now + .seconds(3_600)))
}
