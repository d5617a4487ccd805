import Brokerage
import TestSupport
import Testing
import Upstream

@Suite("Calls within a quota")
struct QuotaCallTests {
    static let window = QuotaWindow("requests", limit: 2, per: .rolling(seconds: 60))

    static func get(_ caller: ProviderHTTPClient, _ server: TestServer, _ clock: ManualClock) async
        -> ProviderFailure?
    {
        do {
            let request = try HTTPClientTests.request(server, within: .seconds(120))
            let context = ReadCacheTests.context(from: clock.now)
            _ = try await caller.call("quote", request, in: context, read: ProviderHTTPClientTests.text)
            return nil
        } catch {
            return error as? ProviderFailure
        }
    }

    @Test("a call without a slot is not sent")
    func notSent() async throws {
        try await HTTPClientTests.with { _ in
            .status(200)
        } _: { server, transport in
            let clock = ManualClock()
            let account = QuotaAccount(.polygon)
            let channel = ProviderChannel(
                account, over: transport, clock: clock.clock,
                retry: ProviderHTTPClientTests.policy(attempts: 1))
            let caller = channel.client(within: [Self.window])
            #expect(await Self.get(caller, server, clock) == nil)
            #expect(await Self.get(caller, server, clock) == nil)
            let retryAt = clock.wallTime + .seconds(62)
            #expect(
                await Self.get(caller, server, clock)
                    == ProviderFailure(.polygon, .quotaExhausted(retryAt: retryAt)))
            #expect(server.requests.count == 2)
        }
    }

    @Test("each attempt takes a slot, and none is made without")
    func attempts() async throws {
        try await HTTPClientTests.with { _ in
            .status(503)
        } _: { server, transport in
            let clock = ManualClock()
            let channel = ProviderChannel(
                QuotaAccount(.polygon), over: transport, clock: clock.clock,
                retry: ProviderHTTPClientTests.policy())
            let caller = channel.client(within: [Self.window])
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

    @Test("a call that cannot have reached the provider gives its slots back")
    func unreachable() async throws {
        let transport = try HTTPClient(userAgent: "portico-test")
        let channel = ProviderChannel(
            QuotaAccount(.polygon), over: transport, retry: ProviderHTTPClientTests.policy(attempts: 1))
        let caller = channel.client(within: [Self.window])
        let request = try HTTPClientTests.request(port: TestServer.deadPort)
        for _ in 0..<5 {
            let failure = await ProviderHTTPClientTests.failure {
                try await caller.call(
                    "quote", request, in: ReadCacheTests.context(), read: ProviderHTTPClientTests.text)
            }
            #expect(failure == ProviderFailure(.polygon, .unavailable))
        }
        #expect(channel.ledger.status(of: channel.quotaAccount).map(\.remaining) == [2])
        await transport.shutDown()
    }

    @Test("channels of one account share a ledger's count, and what responses say of it")
    func shared() async throws {
        try await HTTPClientTests.with { _ in
            .status(200, headers: ["X-Remaining: 0"])
        } _: { server, transport in
            let clock = ManualClock()
            let ledger = QuotaLedger(clock: clock.clock)
            let channels = (0..<2).map { _ in
                ProviderChannel(
                    QuotaAccount(.saxo, credential: "1"), over: transport, clock: clock.clock,
                    retry: ProviderHTTPClientTests.policy(), ledger: ledger)
            }
            let caller = channels[0].client(within: [Self.window]) { response, now in
                response["X-Remaining"].flatMap { Int($0) }.map {
                    [ReportedQuota(name: "requests", limit: nil, remaining: $0, resetsAt: now + .seconds(7))]
                } ?? []
            }
            #expect(await Self.get(caller, server, clock) == nil)
            let retryAt = clock.wallTime + .seconds(7)
            let other = channels[1].client(within: [Self.window])
            #expect(await Self.get(other, server, clock)?.cause == .quotaExhausted(retryAt: retryAt))
            #expect(server.requests.count == 1)
        }
    }

    /// One connection, so that a call waits for it until the test releases it, and a ledger whose calls wait
    /// for slots.
    private static func withOneConnection(
        _ windows: [QuotaWindow],
        _ test: (
            TestServer, ProviderChannel, ProviderHTTPClient, ManualClock, Journal<ContinuousClock.Instant>
        )
            async throws -> Void
    ) async throws {
        let clock = ManualClock()
        let arrivals = Journal<ContinuousClock.Instant>()
        var limits = HTTPClientLimits()
        limits.connectionsPerHost = 1
        try await HTTPClientTests.with(limits: limits) { request in
            arrivals.note(clock.now)
            return request.number == 1 ? .silence : .status(200)
        } _: { server, transport in
            var limits = QuotaLedger.Limits()
            limits.maximumWait = .seconds(600)
            let channel = ProviderChannel(
                QuotaAccount(.polygon), over: transport, clock: clock.clock,
                retry: ProviderHTTPClientTests.policy(attempts: 1),
                ledger: QuotaLedger(clock: clock.clock, limits: limits))
            try await test(server, channel, channel.client(within: windows), clock, arrivals)
        }
    }

    /// A call that waits in the transport for its connection, and has taken its slots.
    private static func waiting(
        _ caller: ProviderHTTPClient, _ server: TestServer, _ channel: ProviderChannel, _ clock: ManualClock,
        leaving remaining: Int
    ) async -> Task<ProviderFailure?, Never> {
        let task = Task { await Self.get(caller, server, clock) }
        try? await waitUntil {
            channel.ledger.status(of: channel.quotaAccount).map(\.remaining) == [remaining]
        }
        return task
    }

    @Test(
        "a read replaces a slot that is too old at its first byte, or is sent later if it is much too old",
        arguments: [2, 9, 13])
    func tooOld(seconds: Int) async throws {
        try await Self.withOneConnection([Self.window]) { server, channel, caller, clock, arrivals in
            let start = clock.now
            let first = await Self.waiting(caller, server, channel, clock, leaving: 1)
            await server.received(1)
            let second = await Self.waiting(caller, server, channel, clock, leaving: 0)
            clock.advance(by: .seconds(seconds))
            first.cancel()
            #expect(await second.value == nil)
            #expect(arrivals.entries.map { start.duration(to: $0) } == [.zero, .seconds(seconds)])
            // The second call counts from its new slot.
            #expect(
                channel.ledger.status(of: channel.quotaAccount).first?.resetsAt == clock.wallTime
                    + .seconds(62))
        }
    }

    @Test(
        "a provider counts no interval with more calls than the limit, when calls wait in the process"
    )
    func countedAtTheProvider() async throws {
        let window = QuotaWindow("requests", limit: 2, per: .rolling(seconds: 10))
        try await Self.withOneConnection([window]) { server, channel, caller, clock, arrivals in
            let start = clock.now
            let first = await Self.waiting(caller, server, channel, clock, leaving: 1)
            await server.received(1)
            var calls = [await Self.waiting(caller, server, channel, clock, leaving: 0)]
            // The slots of both are free again, and two more calls take them, before the second is sent.
            clock.advance(by: .milliseconds(10_500))
            for remaining in [1, 0] {
                calls.append(await Self.waiting(caller, server, channel, clock, leaving: remaining))
            }
            first.cancel()
            await server.received(3)
            await clock.somebodySleeps(atMost: .seconds(30))
            clock.advance(by: try #require(clock.remaining))
            for call in calls { #expect(await call.value == nil) }
            let moments = arrivals.entries.map { start.duration(to: $0) }
            #expect(moments.count == 4)
            for index in moments.indices where index >= 2 {
                #expect(moments[index] - moments[index - 2] >= .seconds(10), "\(moments)")
            }
        }
    }

    @Test("a slot of a short window that is too old is replaced at the first byte if another one is free")
    func renewed() async throws {
        let window = QuotaWindow("second", limit: 2, per: .rolling(seconds: 1))
        try await Self.withOneConnection([window]) { server, channel, caller, clock, arrivals in
            let start = clock.now
            let first = await Self.waiting(caller, server, channel, clock, leaving: 1)
            await server.received(1)
            let second = await Self.waiting(caller, server, channel, clock, leaving: 0)
            clock.advance(by: .milliseconds(400))
            first.cancel()
            #expect(await second.value == nil)
            #expect(arrivals.entries.map { start.duration(to: $0) } == [.zero, .milliseconds(400)])
            #expect(
                channel.ledger.status(of: channel.quotaAccount).first?.resetsAt == clock.wallTime
                    + .milliseconds(1_250))
        }
    }
}
