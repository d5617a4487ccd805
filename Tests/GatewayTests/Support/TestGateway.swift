import Alpaca
import Brokerage
import Contract
import Coordination
import Gateway
import GraphQL
import PorticoCore
import Sandbox
import Storage
import Synchronization
import TestSupport
import Testing
import Upstream

/// The schema and what stands behind it: real clients, over HTTP, of a sandbox whose clock stands still.
struct TestGateway: Sendable {
    let sandbox: Sandbox
    let transport: HTTPClient
    let clock: TestClock
    let userData: UserData
    private let schema: ExecutableSchema<RequestScope>

    /// A Friday, 11:00 in New York.
    static let now = "2026-11-20T16:00:00Z"

    fileprivate init(
        sandbox: Sandbox, transport: HTTPClient, people: UserPolicy, file: UserDatabase?,
        coordination: Coordination?
    ) throws {
        self.sandbox = sandbox
        self.transport = transport
        clock = TestClock()
        let file = try file ?? UserDatabase.temporary()
        for user in [alice, bob] { try UserStore(in: file).ensure(user) }
        userData = try UserData(in: file, .random(), userPolicy: people, coordination: coordination)
        schema = try ExecutableSchema(contract: Contract.schemaText)
    }

    /// A user's client of the sandbox, or of a port where nobody listens.
    func client(_ user: SandboxUser, isReachable: Bool = true) throws -> AlpacaClient {
        let (trading, data) =
            isReachable
            ? (sandbox.alpaca.tradingURL, sandbox.alpaca.dataURL)
            : ("http://127.0.0.1:1/alpaca", "http://127.0.0.1:1/alpaca-data")
        // Without a probe of the plan, so that tests count the calls of their operations only.
        return AlpacaClient(
            try AlpacaConfiguration(
                environment: .sandbox, tradingURL: #require(HTTPURL(trading)),
                dataURL: #require(HTTPURL(data)),
                credential: .token(user.alpaca.token)),
            over: ProviderChannel(QuotaAccount(.alpaca), over: transport, retry: .once),
            plans: .fixed(.unknown))
    }

    /// A connection of an owner to a user's account.
    func connection(
        _ id: String, of owner: OwnerID, _ user: SandboxUser = .demo, isReachable: Bool = true
    ) throws -> BrokerConnection {
        let client = try client(user, isReachable: isReachable)
        return BrokerConnection(
            id: id, owner: owner, provider: .alpaca, environment: .sandbox, accounts: client, orders: client,
            watchlists: client)
    }

    /// What stands behind the schema, with nothing in memory; prices come through the demo user's credential.
    ///
    /// `clock` measures the pauses between two readings of what is followed.
    func backends(
        _ connections: [BrokerConnection], clock: TimeSource = .system,
        toolOrderLimits: [String: Brokerage.Decimal] = [:]
    ) throws -> GatewayServices {
        GatewayServices(
            connections: connections.map { ProviderConnection($0) },
            market: [
                MarketDataSource(
                    try client(.demo), symbolMapping: AlpacaSymbols(), provider: .alpaca,
                    environment: .sandbox,
                    for: .everybody)
            ],
            reads: ReadCaches(clock: self.clock.calls), userData: userData, clock: clock,
            toolOrders: ToolOrders(limits: toolOrderLimits, clock: self.clock.calls),
            condition: { provider in
                ProviderHealthReport(health: ProviderMonitor().health(of: provider), rateLimits: [])
            })
    }

    func respond(
        to query: String, as owner: OwnerID?, _ backends: GatewayServices,
        within patience: Duration = .seconds(3_600),
        variables: InputObject = InputObject()
    ) -> MaybeAsync<GraphQLResponse> {
        let session = owner.map { Session(owner: $0, scopes: [.read, .write, .trade]) } ?? .anonymous
        return respond(to: query, in: session, backends, within: patience, variables: variables)
    }

    func respond(
        to query: String, in session: Session, _ backends: GatewayServices,
        from origin: ClientOrigin = .unknown,
        within patience: Duration = .seconds(3_600), variables: InputObject = InputObject(),
        isToolCall: Bool = false
    ) -> MaybeAsync<GraphQLResponse> {
        let scope = RequestScope(
            session: session, services: backends, call: CallContext(deadline: .now + patience),
            client: origin, isToolCall: isToolCall)
        return schema.respond(to: GraphQLRequest(query, variables: variables), context: scope)
    }

    func ask(
        _ query: String, as owner: OwnerID?, _ backends: GatewayServices,
        within patience: Duration = .seconds(3_600),
        variables: InputObject = InputObject()
    ) async throws -> JSONValue {
        let loading = respond(to: query, as: owner, backends, within: patience, variables: variables)
        return try JSONValue(parsing: try await loading.value().body)
    }

    /// Begins a subscription.
    func subscribe(
        _ query: String, as owner: OwnerID?, _ backends: GatewayServices
    ) async throws -> FollowedAnswers {
        let scope = RequestScope(
            session: owner.map { Session(owner: $0, scopes: [.read]) } ?? .anonymous, services: backends,
            call: CallContext(deadline: .now + .seconds(3_600)))
        switch await schema.subscribe(to: GraphQLRequest(query), context: scope) {
        case .failure(let refused): return FollowedAnswers(refused: refused.response)
        case .success(let responses): return FollowedAnswers(responses)
        }
    }

    /// The first responses of a subscription, in the order in which they come; fewer where it ends before.
    func follow(
        _ query: String, as owner: OwnerID?, _ backends: GatewayServices, count: Int
    ) async throws -> [JSONValue] {
        var answers = try await subscribe(query, as: owner, backends)
        var told: [JSONValue] = []
        while told.count < count, let answer = try await answers.next() { told.append(answer) }
        return told
    }

    /// How often the sandbox was called, by endpoint.
    var calls: [String: Int] {
        Dictionary(uniqueKeysWithValues: sandbox.calls.all(of: .alpaca).map { ($0.name, $0.count) })
    }
}

/// The answers of a subscription, one after the other.
struct FollowedAnswers {
    private var responses: ResponseStream.Iterator?
    private var refusal: GraphQLResponse?
    /// The number of responses that may still arrive, so that a test that waits in vain ends.
    private var rest = 10_000

    fileprivate init(_ responses: ResponseStream) {
        self.responses = responses.makeAsyncIterator()
    }

    fileprivate init(refused: GraphQLResponse) {
        refusal = refused
    }

    /// The next one; nil at the end.
    mutating func next() async throws -> JSONValue? {
        if let refusal {
            self.refusal = nil
            return try JSONValue(parsing: refusal.body)
        }
        guard rest > 0 else { throw Endless() }
        rest -= 1
        guard let response = await responses?.next() else { return nil }
        return try JSONValue(parsing: response.body)
    }

    /// The next value of a field that is as it is to be; what comes before is passed over.
    mutating func value(
        of field: String, where isMeant: (JSONValue) -> Bool = { _ in true }
    ) async throws -> JSONValue {
        while let answer = try await next() {
            if let value = answer["data"]?[field], value != .null, isMeant(value) { return value }
        }
        throw Ended()
    }

    struct Ended: Error {}
    struct Endless: Error {}
}

/// Time for what is kept in memory: it passes when a test says so, and whoever sleeps does so for as long in truth.
///
/// A lock, because reads on many tasks look at it.
final class TestClock: Sendable {
    private struct Time {
        var now = ContinuousClock.now
        var running = SuspendingClock.now
        /// By how much the wall clock differs from ``TestGateway/now``.
        var wallOffset = Duration.zero
    }

    private let time = Mutex(Time())

    /// Brings it to the present, for deadlines of transports, whose time is real, that are counted from it.
    func catchUp() {
        time.withLock { $0 = Time(wallOffset: $0.wallOffset) }
    }

    func advance(by duration: Duration) {
        time.withLock { time in
            time.now += duration
            time.running += duration
        }
    }

    /// Advances the wall clock only, as to another time of the day.
    func advanceWallClock(by duration: Duration) { time.withLock { $0.wallOffset += duration } }

    /// Advances the time as if the machine slept for the duration.
    func suspend(for duration: Duration) {
        time.withLock { $0.now += duration }
    }

    var calls: TimeSource {
        TimeSource(
            now: { self.time.withLock(\.now) },
            wallTime: { (Instant(TestGateway.now) ?? .earliest) + self.time.withLock(\.wallOffset) },
            runningTime: { self.time.withLock(\.running) },
            sleep: { until in
                let rest = self.time.withLock(\.now).duration(to: until)
                try await ContinuousClock().sleep(for: max(rest, .zero))
            })
    }
}

func withGateway<Value>(
    users: [SandboxUser] = [.demo, .second], seed: UInt64 = 1, people: UserPolicy = .test,
    clock: ManualClock? = nil, in file: UserDatabase? = nil, coordination: Coordination? = nil,
    _ configure: (inout SandboxConfiguration) -> Void = { _ in },
    _ test: (TestGateway) async throws -> Value
) async throws -> Value {
    let now = try #require(Instant(TestGateway.now))
    var configuration = SandboxConfiguration(
        seed: seed, clock: clock?.clock ?? .fixed(now), users: users)
    // What the tests ask in a moment is more than Alpaca would bear in a minute.
    configuration.alpaca.tradingRequestsPerMinute = 1_000_000
    configuration.alpaca.dataRequestsPerMinute = 1_000_000
    configuration.saxo.requestsPerMinute = 1_000_000
    configuration.saxo.ordersPerSecond = nil
    configure(&configuration)
    let sandbox = try await Sandbox.start(configuration)
    let result = await Result.of {
        try await HTTPClient.with(userAgent: "gateway-tests") { transport in
            try await test(
                TestGateway(
                    sandbox: sandbox, transport: transport, people: people, file: file,
                    coordination: coordination))
        }
    }
    await sandbox.stop()
    return try result.get()
}

extension RetryPolicy {
    /// One attempt, which nothing but the operation's deadline ends.
    static var once: RetryPolicy {
        var retry = RetryPolicy()
        retry.attempts = 1
        retry.attemptTimeout = .seconds(3_600)
        return retry
    }
}

extension UserPolicy {
    /// Passwords that are cheap to hash.
    static var test: UserPolicy {
        var settings = UserPolicy()
        if let cost = PasswordCost(log2: 4) { settings.passwordCost = cost }
        return settings
    }
}

/// Two users of one gateway.
let alice = owner("alice")
let bob = owner("bob")

private func owner(_ name: String) -> OwnerID {
    guard let owner = OwnerID(name) else { preconditionFailure("an owner needs a name") }
    return owner
}

/// The query of the first walk.
let homeScreen = """
    { account { equity cash buyingPower }
      positions { symbol quantity marketValue quote { price change changePercentage } }
      account2: account { history(range: ONE_DAY) { points { time equity } } } }
    """

/// The one call of each kind that it needs.
let callsOfHomeScreen = [
    "GET /v2/account": 1, "GET /v2/positions": 1, "GET /v2/stocks/snapshots": 1,
    "GET /v2/account/portfolio/history": 1,
]
