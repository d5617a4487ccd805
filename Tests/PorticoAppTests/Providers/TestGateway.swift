import Brokerage
import Contract
import Gateway
import GraphQL
import PorticoApp
import PorticoCore
import Sandbox
import Storage
import TestSupport
import Testing
import Upstream
import portico

/// All providers of one sandbox, wired as the program wires them, without a front door.
struct TestGateway: Sendable {
    let sandbox: Sandbox
    let clock: GatewayClock
    /// What users have entrusted to it, and what seals their secrets.
    let file: UserDatabase
    let master: MasterKey
    /// The ledger that counts the calls to providers.
    let ledger: QuotaLedger
    private let transport: HTTPClient
    private let backends: GatewayServices
    /// The services of the schema.
    var services: GatewayServices { backends }
    private let schema: ExecutableSchema<RequestScope>
    /// Whose the brokers' accounts are.
    let owner: OwnerID

    fileprivate init(
        _ sandbox: Sandbox, over transport: HTTPClient, clock: GatewayClock, people: UserPolicy,
        webhooks: WebhookPolicy, settings: [String: String]
    ) async throws {
        try await self.init(
            sandbox, over: transport, clock: clock, keptIn: .temporary(), sealedWith: .random(),
            people: people, webhooks: webhooks, settings: settings)
    }

    private init(
        _ sandbox: Sandbox, over transport: HTTPClient, clock: GatewayClock, keptIn file: UserDatabase,
        sealedWith master: MasterKey, people: UserPolicy = UserPolicy(),
        webhooks: WebhookPolicy = WebhookPolicy(), settings: [String: String] = [:]
    ) async throws {
        var retry = RetryPolicy()
        retry.attempts = 1
        // So that nothing but the operation's deadline ends a call.
        retry.attemptTimeout = .seconds(3_600)
        ledger = QuotaLedger(clock: clock.calls)
        var wiring = ProviderAssembly(
            over: transport, counting: ledger, clock: clock.calls, environment: .sandbox, retry: retry)
        owner = try #require(OwnerID("owner"))
        let values = try SettingsLoader.load(
            environment: SandboxService(sandbox).environment.merging(settings) { _, given in given })
        try wiring.add(ProviderSettings(values, in: .sandbox), of: owner)
        self.sandbox = sandbox
        self.clock = clock
        self.transport = transport
        self.file = file
        self.master = master
        try UserStore(in: file).ensure(owner)
        backends = try wiring.services(
            .standard, userData: UserData(in: file, master, userPolicy: people, webhookPolicy: webhooks),
            symbolsPerClient: QuoteFeedPolicy().symbolsPerClient)
        schema = try ExecutableSchema(contract: Contract.schemaText)
    }

    /// Asks as the owner of the brokers' accounts, or as another user.
    func ask(
        _ query: String, variables: InputObject = InputObject(), as user: OwnerID? = nil,
        within patience: Duration? = nil
    ) async throws -> JSONValue {
        let scope = RequestScope(
            session: Session(owner: user ?? owner, scopes: [.read, .write, .trade]), services: backends,
            call: CallContext(deadline: clock.calls.now() + (patience ?? clock.patience)))
        let answer = try await schema.respond(
            to: GraphQLRequest(query, variables: variables), context: scope
        ).value()
        return try JSONValue(parsing: answer.body)
    }

    /// Follows as the owner of the brokers' accounts, or as another user.
    func follow(
        _ query: String, variables: InputObject = InputObject(), as user: OwnerID? = nil
    ) async throws -> FollowedResponses {
        let scope = RequestScope(
            session: Session(owner: user ?? owner, scopes: [.read]), services: backends,
            call: CallContext(deadline: clock.calls.now() + clock.patience))
        return FollowedResponses(
            await schema.subscribe(
                to: GraphQLRequest(query, variables: variables), context: scope))
    }

    /// A user who has nothing yet.
    func user(_ name: String) throws -> OwnerID {
        let user = try #require(OwnerID(name))
        try UserStore(in: file).ensure(user)
        return user
    }

    /// The gateway as it is after a restart: with what is kept, and nothing in memory.
    func restarted() async throws -> TestGateway {
        await backends.connectionService.close()
        let gateway = try await TestGateway(
            sandbox, over: transport, clock: clock, keptIn: file, sealedWith: master)
        try await gateway.backends.connectionService.openAll()
        return gateway
    }

    fileprivate func close() async { await backends.connectionService.close() }

    /// How often each endpoint of a provider was called.
    func calls(of provider: ProviderID) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: sandbox.calls.all(of: provider).map { ($0.name, $0.count) })
    }
}

/// The responses of a subscription, one after the other.
struct FollowedResponses {
    private var responses: ResponseStream.Iterator?
    private var refusal: GraphQLResponse?
    /// The number of responses that may still arrive, so that a test that waits in vain ends.
    private var rest = 10_000

    private struct Endless: Error {}

    fileprivate init(_ outcome: Result<ResponseStream, SubscriptionError>) {
        switch outcome {
        case .success(let responses): self.responses = responses.makeAsyncIterator()
        case .failure(let refused): refusal = refused.response
        }
    }

    /// The next one; nil at the end.
    mutating func next() async throws -> JSONValue? {
        guard rest > 0 else { throw Endless() }
        rest -= 1
        let response: GraphQLResponse?
        if let refusal { response = refusal } else { response = await responses?.next() }
        refusal = nil
        return try response.map { try JSONValue(parsing: $0.body) }
    }
}

/// The clock of the gateway and its sandbox: it runs with the machine's clock, and a test can advance it.
///
/// It begins on a Friday at 11:00 in New York, whenever the test runs. A stopped clock moves only when a test
/// advances it: no value expires and no poll is made while a slow machine works, so that counts of calls are
/// the same in every run.
final class GatewayClock: Sendable {
    private let start = ContinuousClock.now
    private let leaps = ManualClock(GatewayClock.opening)
    private let isStopped: Bool

    init(isStopped: Bool = false) {
        self.isStopped = isStopped
    }

    /// The time limit of an operation.
    ///
    /// Transports measure in the machine's time from the moment at which a clock was stopped.
    var patience: Duration { isStopped ? .seconds(3_600) : .seconds(60) }

    private static let opening = Instant("2026-11-20T16:00:00Z") ?? .earliest

    func advance(by duration: Duration) {
        leaps.advance(by: duration)
    }

    private var leapt: Duration { leaps.now.duration(since: GatewayClock.opening) }

    private var present: ContinuousClock.Instant { isStopped ? start : .now }

    var now: Instant { leaps.now + start.duration(to: present) }

    var market: SandboxClock { SandboxClock { self.now } }

    var calls: TimeSource {
        TimeSource(
            now: { self.present + self.leapt }, wallTime: { self.now },
            sleep: { [isStopped] end in
                if isStopped { try await Task.sleep(for: .seconds(3_600)) }
                try await ContinuousClock().sleep(until: end - self.leapt)
            })
    }
}

/// Runs a test with a gateway of its own.
func withTestGateway<Value>(
    users: [SandboxUser] = [.demo, .second], people: UserPolicy = UserPolicy(),
    webhooks: WebhookPolicy = WebhookPolicy(),
    clock: GatewayClock = GatewayClock(), settings: [String: String] = [:],
    configure: (inout SandboxConfiguration) -> Void = { _ in },
    _ test: (TestGateway) async throws -> Value
) async throws -> Value {
    var configuration = SandboxConfiguration(clock: clock.market, users: users)
    // What a test asks in a moment is more than providers would bear in a minute.
    configuration.alpaca.tradingRequestsPerMinute = 1_000_000
    configuration.alpaca.dataRequestsPerMinute = 1_000_000
    configure(&configuration)
    let sandbox = try await Sandbox.start(configuration)
    let result = await Result.of {
        try await HTTPClient.with(userAgent: "gateway-tests") { transport in
            let gateway = try await TestGateway(
                sandbox, over: transport, clock: clock, people: people, webhooks: webhooks, settings: settings
            )
            let result = await Result.of { try await test(gateway) }
            await gateway.close()
            return try result.get()
        }
    }
    await sandbox.stop()
    return try result.get()
}

/// The settings with which Portico has no rate limits of Polygon and Alpha Vantage.
let settingsWithoutLimits = [
    "PORTICO_POLYGON_PER_MINUTE": "100000", "PORTICO_ALPHA_VANTAGE_PREMIUM": "true",
    "PORTICO_ALPHA_VANTAGE_PER_MINUTE": "100000",
]

/// Runs a test with a gateway whose clock is stopped, and whose providers have no rate limits: the limits of a second and a
/// minute do not end while the clock is stopped.
func withTestGatewayWithoutLimits(
    settings: [String: String] = settingsWithoutLimits, _ test: (TestGateway) async throws -> Void
) async throws {
    try await withTestGateway(clock: GatewayClock(isStopped: true), settings: settings) { configuration in
        configuration.saxo.requestsPerMinute = 1_000_000
        configuration.polygon.requestsPerMinute = 1_000_000
        configuration.yahoo.requestsPerMinute = nil
        configuration.alphaVantage.requestsPerDay = nil
        configuration.alphaVantage.burstInterval = nil
    } _: { gateway in
        try await test(gateway)
    }
}
