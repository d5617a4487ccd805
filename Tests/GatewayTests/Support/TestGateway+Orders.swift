import Brokerage
import Gateway
import GraphQL
import Sandbox
import Saxo
import TestSupport
import Testing
import Upstream

extension TestGateway {
    /// A connection of an owner to a user's Saxo accounts, with streams if the test moves the time.
    func saxo(
        of owner: OwnerID, _ user: SandboxUser = .demo, id: String = "saxo", isStreaming: Bool = false,
        instrumentCache: SaxoInstrumentCache? = nil
    ) throws -> BrokerConnection {
        let user = try #require(user.saxo)
        let streaming = try #require(HTTPURL(sandbox.saxo.streamingAuthorizeURL))
        let configuration = try SaxoConfiguration(
            environment: .sandbox, restURL: #require(HTTPURL(sandbox.saxo.gatewayURL)),
            streamingURL: isStreaming ? streaming : nil)
        // The wall clock of the sandbox, whose times are compared with it.
        let wallTime = clock.calls.wallTime
        let time = TimeSource(
            now: TimeSource.system.now, wallTime: wallTime, runningTime: TimeSource.system.runningTime,
            sleep: TimeSource.system.sleep)
        let channel = ProviderChannel(
            QuotaAccount(.saxo, credential: "saxo"), over: transport, clock: time, retry: .once)
        let client = SaxoClient(
            configuration, access: .token(try SaxoToken(user.credentials.accessToken)), over: channel,
            instrumentCache: instrumentCache ?? SaxoInstrumentCache(clock: channel.clock))
        return BrokerConnection(
            id: id, owner: owner, provider: .saxo, environment: .sandbox, accounts: client,
            orders: client, watchlists: client,
            market: MarketDataSource(
                client, symbolMapping: configuration.symbolMapping, provider: .saxo, environment: .sandbox,
                for: .owner(owner, connection: id)))
    }

    /// The id of an owner's first account with a provider.
    func account(
        of owner: OwnerID = alice, with provider: ProviderID = .alpaca, _ backends: GatewayServices
    ) async throws -> String {
        let answer = try await ask(
            "{ account(provider: \"\(provider.name.text)\") { id } }", as: owner, backends)
        return try #require(answer["data"]?["account"]?["id"]?.string, "\(answer)")
    }

    /// Asks the brokers about every order whose answer was lost, as of a time at which all have arrived.
    func reconcile(_ backends: GatewayServices) async throws -> Bool {
        var settings = OrderReconciliation.Settings()
        settings.arrival = .zero
        // Long enough for a machine with many tests.
        settings.timeout = .seconds(300)
        return try await OrderReconciliation(backends, settings: settings).round()
    }

    /// How often Alpaca was asked to take an order.
    var placings: Int { calls["POST /v2/orders"] ?? 0 }
}

/// What is placed in tests: a purchase that nothing but its price and size tells from others.
struct TestOrder {
    var account: String
    var key = "key-1"
    var symbol = "AMD"
    var side = "BUY"
    var size = "{ quantity: \"2\" }"
    var price = "null"
    var rest = ""

    static let fields = """
        id state providerOrderId clientOrderId symbol side type timeInForce extendedHours quantity notional limitPrice
        stopPrice trailPercentage trailAmount filledQuantity rejection { reason message } stale reconciliation
        """

    var mutation: String {
        """
        mutation { placeOrder(input: { idempotencyKey: "\(key)" accountId: "\(account)"
            instrument: { symbol: "\(symbol)" } side: \(side) size: \(size) price: \(price) \(rest) }) {
            order { \(Self.fields) }
        } }
        """
    }

    /// The preview of the order, with some fields.
    func preview(_ fields: String) -> String {
        mutation.replacing(
            "mutation { placeOrder(input: { idempotencyKey: \"\(key)\"", with: "{ previewOrder(input: {"
        )
        .replacing("order { \(Self.fields) }", with: fields)
    }
}

extension TestGateway {
    func place(_ order: TestOrder, as owner: OwnerID = alice, _ backends: GatewayServices) async throws
        -> JSONValue
    {
        try await ask(order.mutation, as: owner, backends)
    }

    /// Places an order that must be taken.
    func placed(_ order: TestOrder, as owner: OwnerID = alice, _ backends: GatewayServices) async throws
        -> JSONValue
    {
        let answer = try await place(order, as: owner, backends)
        return try #require(answer["data"]?["placeOrder"]?["order"], "\(answer)")
    }

    func cancel(_ id: String, as owner: OwnerID = alice, _ backends: GatewayServices) async throws
        -> JSONValue
    {
        try await ask("mutation { cancelOrder(id: \"\(id)\") { order { id state } } }", as: owner, backends)
    }

    func order(_ id: String, as owner: OwnerID = alice, _ backends: GatewayServices) async throws -> JSONValue
    {
        try await ask("{ order(id: \"\(id)\") { \(TestOrder.fields) } }", as: owner, backends)
    }
}
