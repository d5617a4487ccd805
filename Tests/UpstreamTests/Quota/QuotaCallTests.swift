import Brokerage
import Testing

@testable import Upstream

@Suite("Calls within a quota")
struct QuotaCallTests {
    static let window = QuotaWindow("requests", limit: 2, per: .rolling(seconds: 60))

    static func get(_ caller: ProviderCaller, _ server: TestServer, _ clock: ManualClock) async
        -> ProviderFailure?
    {
        do {
            let request = try TransportTests.request(server)
            let context = ReadsTests.context(from: clock.now)
            _ = try await caller.call("quote", request, in: context, read: ProviderCallerTests.text)
            return nil
        } catch {
            return error as? ProviderFailure
        }
    }

    @Test("a call without a place is not sent")
    func notSent() async throws {
        try await TransportTests.with { _ in
            .status(200)
        } _: { server, transport in
            let clock = ManualClock()
            let holder = QuotaHolder(.polygon)
            let line = ProviderLine(
                holder, over: transport, clock: clock.clock, retry: ProviderCallerTests.policy(attempts: 1))
            let caller = line.caller(within: [Self.window])
            #expect(await Self.get(caller, server, clock) == nil)
            #expect(await Self.get(caller, server, clock) == nil)
            let retryAt = clock.wallTime + .seconds(60)
            #expect(
                await Self.get(caller, server, clock)
                    == ProviderFailure(.polygon, .quotaExhausted(retryAt: retryAt)))
            #expect(server.requests.count == 2)
        }
    }

    @Test("each attempt takes a place, and none is made without")
    func attempts() async throws {
        try await TransportTests.with { _ in
            .status(503)
        } _: { server, transport in
            let clock = ManualClock()
            let line = ProviderLine(
                QuotaHolder(.polygon), over: transport, clock: clock.clock,
                retry: ProviderCallerTests.policy())
            let caller = line.caller(within: [Self.window])
            let task = Task { await Self.get(caller, server, clock) }
            await clock.somebodySleeps()
            clock.advance(by: .milliseconds(1))
            await clock.somebodySleeps()
            clock.advance(by: .milliseconds(2))
            guard case .quotaExhausted? = await task.value?.cause else {
                Issue.record("\(String(describing: await task.value))")
                return
            }
            #expect(server.requests.count == 2)
        }
    }

    @Test("a call that cannot have reached the provider gives its places back")
    func unreachable() async throws {
        let transport = try Transport(userAgent: "portico-test")
        let line = ProviderLine(
            QuotaHolder(.polygon), over: transport, retry: ProviderCallerTests.policy(attempts: 1))
        let caller = line.caller(within: [Self.window])
        let request = try TransportTests.request(port: TestServer.deadPort)
        for _ in 0..<5 {
            let failure = await ProviderCallerTests.failure {
                try await caller.call(
                    "quote", request, in: ReadsTests.context(), read: ProviderCallerTests.text)
            }
            #expect(failure == ProviderFailure(.polygon, .unavailable))
        }
        #expect(line.ledger.status(of: line.holder).map(\.remaining) == [2])
        await transport.shutDown()
    }

    @Test("lines of one holder share a ledger's count, and what responses say of it")
    func shared() async throws {
        try await TransportTests.with { _ in
            .status(200, headers: ["X-Remaining: 0"])
        } _: { server, transport in
            let clock = ManualClock()
            let ledger = QuotaLedger(clock: clock.clock)
            let lines = (0..<2).map { _ in
                ProviderLine(
                    QuotaHolder(.saxo, connection: "1"), over: transport, clock: clock.clock,
                    retry: ProviderCallerTests.policy(), ledger: ledger)
            }
            let caller = lines[0].caller(within: [Self.window]) { response, now in
                response["X-Remaining"].flatMap { Int($0) }.map {
                    [QuotaReading(name: "requests", limit: nil, remaining: $0, resetsAt: now + .seconds(7))]
                } ?? []
            }
            #expect(await Self.get(caller, server, clock) == nil)
            let retryAt = clock.wallTime + .seconds(7)
            let other = lines[1].caller(within: [Self.window])
            #expect(await Self.get(other, server, clock)?.cause == .quotaExhausted(retryAt: retryAt))
            #expect(server.requests.count == 1)
        }
    }
}
