import Brokerage
import PorticoCore
import Testing
import Upstream

@Suite("The circuit breaker")
struct CircuitBreakerTests {
    static func policy() -> BreakerPolicy {
        var policy = BreakerPolicy()
        policy.failures = 3
        policy.jitter = { 1 }
        return policy
    }

    @Test("opens after failures in a row, and says until when")
    func opens() throws {
        let clock = ManualClock()
        let monitor = ProviderMonitor(clock: clock.clock, policy: Self.policy())
        for cause in [ProviderFailure.Cause.unavailable, .timedOut] {
            let pass = try monitor.admit(.saxo, "a")
            clock.advance(by: .seconds(2))
            monitor.didEnd(pass, sentAt: clock.now - .seconds(2), cause)
        }
        monitor.didEnd(try monitor.admit(.saxo, "a"), sentAt: clock.now, .unavailable)
        let open = ProviderFailure(.saxo, .circuitOpen(retryAt: clock.wallTime + .seconds(1)))
        #expect(throws: open) { try monitor.admit(.saxo, "a") }
        #expect(throws: open) { try monitor.check(.saxo, "a") }
        // Another host, and another provider.
        _ = try monitor.admit(.saxo, "b")
        _ = try monitor.admit(.alpaca, "a")
    }

    @Test(
        "an answer of any kind, or a call that says nothing, does not open it",
        arguments: [
            ProviderFailure.Cause.unauthorized, .notFound, .rateLimited(retryAt: nil),
            .quotaExhausted(retryAt: nil),
            .invalidResponse(nil), .notEntitled, .unsupported, .cancelled, .overloaded,
            .tooMany(.watchlists, limit: 100), .timedOut,
        ])
    func staysClosed(_ cause: ProviderFailure.Cause) throws {
        let clock = ManualClock()
        let monitor = ProviderMonitor(clock: clock.clock, policy: Self.policy())
        for _ in 0..<10 { monitor.didEnd(try monitor.admit(.saxo, "a"), sentAt: clock.now, cause) }
        _ = try monitor.admit(.saxo, "a")
    }

    @Test("a success among failures begins the count anew")
    func successResets() throws {
        let clock = ManualClock()
        let monitor = ProviderMonitor(clock: clock.clock, policy: Self.policy())
        for cause in [ProviderFailure.Cause.unavailable, .unavailable, nil, .unavailable, .unavailable] {
            monitor.didEnd(try monitor.admit(.saxo, "a"), sentAt: clock.now, cause)
        }
        _ = try monitor.admit(.saxo, "a")
    }

    static func opened(_ clock: ManualClock) throws -> ProviderMonitor {
        let monitor = ProviderMonitor(clock: clock.clock, policy: policy())
        for _ in 0..<3 { monitor.didEnd(try monitor.admit(.saxo, "a"), sentAt: clock.now, .unavailable) }
        return monitor
    }

    @Test("after the pause one probe goes out, and the rest wait for it")
    func probes() throws {
        let clock = ManualClock()
        let monitor = try Self.opened(clock)
        clock.advance(by: .seconds(1))
        let probe = try monitor.admit(.saxo, "a")
        #expect(throws: ProviderFailure.self) { try monitor.admit(.saxo, "a") }
        monitor.didEnd(probe, sentAt: clock.now, nil)
        for _ in 0..<3 { _ = try monitor.admit(.saxo, "a") }
    }

    @Test("a probe that fails opens it for twice as long, up to the longest pause")
    func doubles() throws {
        let clock = ManualClock()
        let monitor = try Self.opened(clock)
        for seconds in [1, 2, 4, 8, 16, 30, 30] as [Int64] {
            clock.advance(by: .seconds(seconds) - .nanoseconds(1))
            #expect(throws: ProviderFailure.self) { try monitor.check(.saxo, "a") }
            clock.advance(by: .nanoseconds(1))
            monitor.didEnd(try monitor.admit(.saxo, "a"), sentAt: clock.now, .unavailable)
        }
    }

    @Test("a probe that is given up, or has no place in the quota, makes way for the next")
    func probeWithdrawn() throws {
        let clock = ManualClock()
        let monitor = try Self.opened(clock)
        clock.advance(by: .seconds(1))
        monitor.withdraw(try monitor.admit(.saxo, "a"))
        monitor.didEnd(try monitor.admit(.saxo, "a"), sentAt: clock.now, .cancelled)
        monitor.didEnd(try monitor.admit(.saxo, "a"), sentAt: clock.now, nil)
        _ = try monitor.admit(.saxo, "a")
        _ = try monitor.admit(.saxo, "a")
    }

    @Test("a probe that has no outcome for as long as a pause is followed by another one")
    func longProbe() throws {
        let clock = ManualClock()
        let monitor = try Self.opened(clock)
        clock.advance(by: .seconds(1))
        let first = try monitor.admit(.saxo, "a")
        clock.advance(by: .seconds(1) - .nanoseconds(1))
        #expect(throws: ProviderFailure(.saxo, .circuitOpen(retryAt: clock.wallTime + .nanoseconds(1)))) {
            try monitor.admit(.saxo, "a")
        }
        clock.advance(by: .nanoseconds(1))
        let second = try monitor.admit(.saxo, "a")
        #expect(throws: ProviderFailure.self) { try monitor.admit(.saxo, "a") }
        monitor.didEnd(second, sentAt: clock.now, nil)
        monitor.didEnd(first, sentAt: clock.now, .unavailable)
        _ = try monitor.admit(.saxo, "a")
    }

    @Test("a call from before it opened neither closes it nor opens it for longer")
    func latecomers() throws {
        let clock = ManualClock()
        let monitor = ProviderMonitor(clock: clock.clock, policy: Self.policy())
        let late = try (0..<2).map { _ in try monitor.admit(.saxo, "a") }
        for _ in 0..<3 { monitor.didEnd(try monitor.admit(.saxo, "a"), sentAt: clock.now, .unavailable) }
        monitor.didEnd(late[0], sentAt: clock.now, nil)
        #expect(throws: ProviderFailure.self) { try monitor.admit(.saxo, "a") }
        clock.advance(by: .seconds(1))
        let probe = try monitor.admit(.saxo, "a")
        monitor.didEnd(late[1], sentAt: clock.now, .unavailable)
        monitor.didEnd(probe, sentAt: clock.now, nil)
        _ = try monitor.admit(.saxo, "a")
    }

    @Test("tells how a provider does: up, degraded, down and up again")
    func health() throws {
        let clock = ManualClock()
        let monitor = ProviderMonitor(clock: clock.clock, policy: Self.policy())
        #expect(
            monitor.health(of: .saxo)
                == ProviderHealth(state: .up, latency: nil, failure: nil, lastSuccessAt: nil))
        func call(_ cause: ProviderFailure.Cause?, taking duration: Duration = .milliseconds(100)) throws {
            let pass = try monitor.admit(.saxo, "a")
            let start = clock.now
            clock.advance(by: duration)
            monitor.didEnd(pass, sentAt: start, cause)
        }
        try call(nil)
        let success = clock.wallTime
        #expect(monitor.health(of: .saxo).latency == .milliseconds(100))
        try call(nil, taking: .milliseconds(200))
        #expect(monitor.health(of: .saxo).latency == .milliseconds(110))
        #expect(monitor.health(of: .saxo).state == .up)
        try call(.unavailable)
        let since = clock.wallTime
        #expect(monitor.health(of: .saxo).state == .degraded)
        try call(.unavailable)
        try call(.unavailable)
        let health = monitor.health(of: .saxo)
        #expect(health.state == .down)
        #expect(
            health.failure
                == ProviderHealth.Failure(
                    cause: .unavailable, since: since, retryAt: clock.wallTime + .seconds(1)))
        #expect(health.lastSuccessAt == success + .milliseconds(200))
        clock.advance(by: .seconds(1))
        try call(nil)
        #expect(monitor.health(of: .saxo).failure == nil)
        for _ in 0..<10 { try call(nil) }
        #expect(monitor.health(of: .saxo).state == .up)
        try call(.unauthorized)
        #expect(monitor.health(of: .saxo).state == .up)
        #expect(monitor.health(of: .alpaca).state == .up)
    }

    @Test("what listens on another port of a host is another server")
    func ports() async throws {
        let clock = ManualClock()
        let monitor = ProviderMonitor(clock: clock.clock, policy: Self.policy())
        try await HTTPClientTests.with { _ in
            .status(503)
        } _: { broken, transport in
            let sound = try TestServer { _ in .status(200, body: Array("1".utf8)) }
            let channel = ProviderChannel(
                QuotaAccount(.saxo), over: transport, clock: clock.clock,
                retry: ProviderHTTPClientTests.policy(attempts: 1), monitor: monitor)
            let caller = channel.client()
            for _ in 0..<3 { #expect(await QuotaCallTests.get(caller, broken, clock) != nil) }
            let retryAt = clock.wallTime + .seconds(1)
            #expect(await QuotaCallTests.get(caller, broken, clock)?.cause == .circuitOpen(retryAt: retryAt))
            #expect(await QuotaCallTests.get(caller, sound, clock) == nil)
            #expect(monitor.health(of: .saxo).state == .down)
            sound.stop()
        }
    }

    @Test(
        "all channels to a provider together have no more calls in flight than it bears, and others their own"
    )
    func concurrency() async throws {
        let monitor = ProviderMonitor(concurrency: 2)
        // Longer than any machine is busy: what ends these calls is the test alone.
        let patience = Duration.seconds(3_600)
        try await HTTPClientTests.with { request in
            request.target == "/slow" ? .silence : .status(200, body: Array("1".utf8))
        } _: { server, transport in
            @Sendable func call(
                _ provider: ProviderID, of user: String, _ target: String = "/"
            ) async throws -> String {
                var retry = ProviderHTTPClientTests.policy(attempts: 1)
                retry.attemptTimeout = patience
                let channel = ProviderChannel(
                    QuotaAccount(provider, credential: user), over: transport, retry: retry, monitor: monitor)
                return try await channel.client().call(
                    "quote", HTTPClientTests.request(server, target, within: patience),
                    in: ReadCacheTests.context(in: patience), read: ProviderHTTPClientTests.text)
            }
            // Two channels of two users, each with a call that does not end.
            let hanging = ["alice", "bob"].map { user in
                Task { try await call(.saxo, of: user, "/slow") }
            }
            await server.received(2)
            let third = Task { try await call(.saxo, of: "carol") }
            // Another provider's call goes out meanwhile.
            #expect((try? await call(.alpaca, of: "carol")) == "1")
            #expect(server.requests.map(\.target) == ["/slow", "/slow", "/"])
            // One that leaves makes room.
            hanging[0].cancel()
            #expect((try? await third.value) == "1")
            #expect(server.requests.count == 4)
            hanging[1].cancel()
            for task in hanging { _ = await task.result }
        }
    }

    @Test("no call goes to a host whose circuit is open")
    func notSent() async throws {
        try await HTTPClientTests.with { _ in
            .status(503)
        } _: { server, transport in
            let clock = ManualClock()
            let monitor = ProviderMonitor(clock: clock.clock, policy: Self.policy())
            let channel = ProviderChannel(
                QuotaAccount(.saxo), over: transport, clock: clock.clock,
                retry: ProviderHTTPClientTests.policy(attempts: 1), monitor: monitor)
            let caller = channel.client()
            for _ in 0..<3 {
                #expect(await QuotaCallTests.get(caller, server, clock)?.cause == .unavailable)
            }
            let retryAt = clock.wallTime + .seconds(1)
            #expect(await QuotaCallTests.get(caller, server, clock)?.cause == .circuitOpen(retryAt: retryAt))
            #expect(server.requests.count == 3)
        }
    }
}
