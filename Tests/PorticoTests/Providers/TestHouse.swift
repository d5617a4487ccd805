import Brokerage
import Contract
import Gateway
import GraphQL
import Sandbox
import Storage
import TestSupport
import Testing
import Upstream

@testable import Portico

/// All providers of one sandbox, wired as the program wires them, without a front door.
struct TestHouse: Sendable {
    let sandbox: Sandbox
    let clock: HouseClock
    private let backends: Backends
    private let schema: ExecutableSchema<GatewayContext>
    /// Whose the brokers' accounts are.
    private let owner: OwnerID

    fileprivate init(_ sandbox: Sandbox, over transport: Transport, clock: HouseClock) throws {
        var retry = RetryPolicy()
        retry.attempts = 1
        // So that nothing but the operation's deadline ends a call.
        retry.attemptTimeout = .seconds(3_600)
        var wiring = Wiring(over: transport, clock: clock.calls, retry: retry)
        owner = try #require(OwnerID("owner"))
        try wiring.add(sandbox, of: owner)
        self.sandbox = sandbox
        self.clock = clock
        backends = try wiring.backends(.standard, household: Household(in: .temporary()))
        schema = try ExecutableSchema(contract: Contract.schemaText)
    }

    func ask(_ query: String, within patience: Duration = .seconds(60)) async throws -> JSONValue {
        let context = GatewayContext(
            session: Session(owner: owner, scopes: [.read, .write, .trade]), backends: backends,
            call: CallContext(deadline: clock.calls.now() + patience))
        let answer = try await schema.respond(to: GraphQL.Request(query), context: context).value()
        return try JSONValue(parsing: answer.body)
    }

    /// How often each endpoint of a provider was called.
    func calls(of provider: Provider) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: sandbox.calls.all(of: provider).map { ($0.name, $0.count) })
    }
}

/// Time for the house and its sandbox: it passes as it does, and in leaps where a test says so.
///
/// It begins on a Friday at 11:00 in New York, whenever the test runs.
final class HouseClock: Sendable {
    private let start = ContinuousClock.now
    private let leaps = SettableClock(HouseClock.opening)

    private static let opening = Instant("2026-11-20T16:00:00Z") ?? .earliest

    func advance(by duration: Duration) {
        leaps.advance(by: duration)
    }

    private var leapt: Duration { leaps.now.duration(since: HouseClock.opening) }

    var now: Instant { leaps.now + start.duration(to: .now) }

    var market: SandboxClock { SandboxClock { self.now } }

    var calls: CallClock {
        CallClock(
            now: { .now + self.leapt }, wallTime: { self.now },
            sleep: { try await ContinuousClock().sleep(until: $0 - self.leapt) })
    }
}

/// Runs a test with a house of its own.
func withHouse<Value>(
    users: [SandboxUser] = [.demo, .second], configure: (inout SandboxConfiguration) -> Void = { _ in },
    _ test: (TestHouse) async throws -> Value
) async throws -> Value {
    let clock = HouseClock()
    var configuration = SandboxConfiguration(clock: clock.market, users: users)
    // What a test asks in a moment is more than providers would bear in a minute.
    configuration.alpaca.tradingRequestsPerMinute = 1_000_000
    configuration.alpaca.dataRequestsPerMinute = 1_000_000
    configure(&configuration)
    let sandbox = try await Sandbox.start(configuration)
    let transport = try Transport(userAgent: "house-tests")
    let result: Result<Value, any Error>
    do {
        result = .success(try await test(TestHouse(sandbox, over: transport, clock: clock)))
    } catch {
        result = .failure(error)
    }
    await transport.shutDown()
    await sandbox.stop()
    return try result.get()
}
