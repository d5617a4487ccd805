import Brokerage
import PorticoCore
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("The limit of calls of an operation")
struct OperationCallBudgetTests {
    /// A client's budget of calls.
    private final class Budget: Sendable {
        private let rest: Mutex<Int>
        static let refusal = CallRefusal.client(limit: 3, retryAt: .latest)

        init(_ calls: Int) {
            rest = Mutex(calls)
        }

        var left: Int { rest.withLock(\.self) }

        func callBudget(limit: Int) -> OperationCallBudget {
            OperationCallBudget(limit: limit) { [self] isSpent in
                rest.withLock { rest in
                    guard rest > 0 else { return Self.refusal }
                    if isSpent { rest -= 1 }
                    return nil
                }
            }
        }
    }

    private enum Outcome {
        case sent, shareIsUsedUp, quotaIsUsedUp, failed
    }

    private static func context(_ callBudget: OperationCallBudget) -> CallContext {
        CallContext(deadline: .now + .seconds(60), callBudget: callBudget)
    }

    @Test(
        "calls up to the limit are sent, and the next is refused before it takes a slot of the quota")
    func limit() async throws {
        try await HTTPClientTests.with { _ in
            .status(200, body: Array("ok".utf8))
        } _: { server, transport in
            let channel = ProviderChannel(
                QuotaAccount(.alpaca), over: transport, retry: ProviderHTTPClientTests.policy())
            let caller = channel.client(within: [
                QuotaWindow("requests", limit: 9, per: .rolling(seconds: 60))
            ])
            let context = Self.context(OperationCallBudget(limit: 2))
            func call() async throws -> String {
                try await caller.call(
                    "quote", HTTPClientTests.request(server), in: context, read: ProviderHTTPClientTests.text)
            }
            let answers = [try await call(), try await call()]
            #expect(answers == ["ok", "ok"])
            await #expect(throws: ProviderFailure(.alpaca, .notAllowed(.operation(limit: 2)))) {
                try await call()
            }
            #expect(server.requests.count == 2)
            #expect(channel.ledger.status(of: channel.quotaAccount).map(\.remaining) == [7])
        }
    }

    @Test("clients without a session together leave half of a quota to clients with a session")
    func leavesQuota() async throws {
        try await HTTPClientTests.with { _ in
            .status(200, body: Array("ok".utf8))
        } _: { server, transport in
            let channel = ProviderChannel(
                QuotaAccount(.alphaVantage), over: transport, retry: ProviderHTTPClientTests.policy())
            let caller = channel.client(within: [QuotaWindow("day", limit: 5, per: .rolling(seconds: 86_400))]
            )
            let request = try HTTPClientTests.request(server)
            func call(_ callBudget: OperationCallBudget) async -> Outcome {
                do throws(ProviderFailure) {
                    _ = try await caller.call(
                        "quote", request, in: Self.context(callBudget), read: ProviderHTTPClientTests.text)
                    return .sent
                } catch {
                    switch error.cause {
                    case .notAllowed(.sharedQuota(.some)): return .shareIsUsedUp
                    case .quotaExhausted(.some): return .quotaIsUsedUp
                    default: return .failed
                    }
                }
            }
            var anonymous: [Outcome] = []
            // Each call is from another client, whose own budget is not used up.
            for _ in 0..<4 { anonymous.append(await call(Budget(9).callBudget(limit: 9))) }
            #expect(anonymous == [.sent, .sent, .sent, .shareIsUsedUp])
            var sessions: [Outcome] = []
            for _ in 0..<3 { sessions.append(await call(OperationCallBudget(limit: 9))) }
            #expect(sessions == [.sent, .sent, .quotaIsUsedUp])
            #expect(await call(Budget(9).callBudget(limit: 9)) == .quotaIsUsedUp)
            #expect(server.requests.count == 5)
        }
    }

    @Test("a repeated call counts once for its operation, and each time for its client")
    func retries() async throws {
        try await HTTPClientTests.with { request in
            request.number < 3 ? .status(503) : .status(200, body: Array("ok".utf8))
        } _: { server, transport in
            let caller = ProviderHTTPClient(.alpaca, over: transport, retry: ProviderHTTPClientTests.policy())
            let budget = Budget(5)
            let answer = try await caller.call(
                "quote", HTTPClientTests.request(server), in: Self.context(budget.callBudget(limit: 1)),
                read: ProviderHTTPClientTests.text)
            #expect(answer == "ok")
            #expect(budget.left == 2)
        }
    }

    @Test("a client without calls left gets this error, and nothing is sent")
    func spent() async throws {
        try await HTTPClientTests.with { _ in
            .status(200)
        } _: { server, transport in
            let caller = ProviderHTTPClient(.alpaca, over: transport, retry: ProviderHTTPClientTests.policy())
            let failure = await ProviderHTTPClientTests.failure {
                try await caller.call(
                    "quote", HTTPClientTests.request(server),
                    in: Self.context(Budget(0).callBudget(limit: 9)),
                    read: ProviderHTTPClientTests.text)
            }
            #expect(failure == ProviderFailure(.alpaca, .notAllowed(Budget.refusal)))
            #expect(server.requests.isEmpty)
        }
    }

    @Test("an operation without calls left gets cached values, and begins no call")
    func cached() async throws {
        let clock = ManualClock()
        let (reads, source) = (ReadsAgeingTests.reads(clock), ReadsAgeingTests.Source(1))
        #expect(try await ReadsAgeingTests.read(reads, source, clock) == 1)
        let context = Self.context(Budget(0).callBudget(limit: 9))
        let other = ExactText("MSFT")
        let results = await reads.read(
            [ReadsAgeingTests.aapl, other], in: ReadsAgeingTests.scope, for: context
        ) {
            _, _ throws(ProviderFailure) in
            Issue.record("A call was started.")
            return [:]
        }
        #expect(results[0] == .success(1))
        #expect(results[1] == .failure(ProviderFailure(.alpaca, .notAllowed(Budget.refusal))))
        // An expired value is returned too, and not renewed for such an operation.
        clock.advance(by: .seconds(2))
        let late = await reads.read([ReadsAgeingTests.aapl], in: ReadsAgeingTests.scope, for: context) {
            _, _ throws(ProviderFailure) in
            Issue.record("A call was started.")
            return [:]
        }
        #expect(late[0] == .success(1))
        #expect(try await ReadsAgeingTests.read(reads, source, clock) == 1)
    }

    @Test("an operation that waits for a call that its starter may not make makes the call itself")
    func joined() async throws {
        let clock = ManualClock()
        let reads = ReadsAgeingTests.reads(clock)
        let (gate, secondGate) = (Gate(), Gate())
        let first = Task {
            try await reads.read(
                ReadsAgeingTests.aapl, in: ReadsAgeingTests.scope,
                for: Self.context(Budget(1).callBudget(limit: 9))
            ) {
                _ throws(ProviderFailure) in
                await gate.pass()
                throw ProviderFailure(.alpaca, .notAllowed(Budget.refusal))
            }
        }
        await gate.arrived(1)
        let second = Task {
            try await reads.read(
                ReadsAgeingTests.aapl, in: ReadsAgeingTests.scope,
                for: Self.context(OperationCallBudget(limit: 9))
            ) {
                _ throws(ProviderFailure) in
                // Its value would be returned to the first operation, too.
                await secondGate.pass()
                return 2
            }
        }
        let key = CacheKey(ReadsAgeingTests.aapl, in: ReadsAgeingTests.scope)
        try await waitUntil {
            reads.state.withLock { $0.inFlightReads.waiterCount(of: key) } >= 2
        }
        gate.open()
        await #expect(throws: ProviderFailure(.alpaca, .notAllowed(Budget.refusal))) { try await first.value }
        secondGate.open()
        #expect(try await second.value == 2)
    }
}
