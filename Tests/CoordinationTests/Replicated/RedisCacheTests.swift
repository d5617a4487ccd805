import Brokerage
import Coordination
import Cryptography
import EngineTestSupport
import Foundation
import Redis
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("The cache that replicas share")
struct RedisCacheTests {
    /// Runs a test with two replicas at one server, whose keys are the test's.
    private func withReplicas(
        at server: RedisServer? = nil, limits: RedisCache.Limits = Replica.limits,
        _ body: (Replica, Replica) async throws -> Void
    ) async throws {
        let server = try server ?? RedisServer.shared.get()
        let (keyspace, calls) = (RedisKeyspace.ofTest(), Replica.Calls())
        try await RunningClient.with(server.url()) { one in
            try await RunningClient.with(server.url()) { other in
                try await body(
                    Replica(one, keyspace, calls, limits: limits),
                    Replica(other, keyspace, calls, limits: limits))
            }
        }
    }

    private func symbol(_ text: String) throws -> Symbol { try #require(Symbol(text)) }

    @Test("a value that one replica has read costs the other no call, of any provider")
    func hit() async throws {
        try await withReplicas { one, other in
            for (number, provider) in [ProviderID.alpaca, .saxo, .yahoo, .alphaVantage].enumerated() {
                let aapl = try symbol("AAPL")
                let read = try await one.read(aapl, in: .shared(provider))
                try await one.waitForWrites(number + 1)
                #expect(try await other.read(aapl, in: .shared(provider)) == read)
                #expect(one.calls.count == number + 1)
            }
            #expect(other.cache.counts.hits == 4)
            #expect(one.cache.counts.misses == 4)
        }
    }

    @Test("equal reads at two replicas at the same time are one call, for which the other waits")
    func coalescing() async throws {
        try await withReplicas { one, other in
            let aapl = try symbol("AAPL")
            let (isCalled, mayRespond) = (Event<Void>(), Event<Void>())
            async let first = one.read(aapl) {
                isCalled.happen()
                await mayRespond.wait()
            }
            await isCalled.wait()
            async let second = other.read(aapl)
            // The other replica has found the claim.
            try await waitUntil { other.client.client.counts.commands >= 4 }
            mayRespond.happen()
            let quotes = try await [first, second]
            #expect(quotes[0] == quotes[1])
            #expect(one.calls.count == 1)
            #expect(other.cache.counts.waits == 1)
        }
    }

    @Test("a hundred symbols that two replicas read at the same time cost each symbol one call")
    func manySymbols() async throws {
        try await withReplicas { one, other in
            let symbols = try (0..<100).map { try symbol("S\($0)") }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for symbol in symbols {
                    for replica in [one, other] {
                        group.addTask { _ = try await replica.read(symbol) }
                    }
                }
                try await group.waitForAll()
            }
            #expect(one.calls.count == 100)
        }
    }

    @Test("a replica whose call fails releases its claim, and the one that waits calls the provider")
    func failedCall() async throws {
        try await withReplicas { one, other in
            let aapl = try symbol("AAPL")
            let (isCalled, mayRespond) = (Event<Void>(), Event<Void>())
            let first = Task {
                try await one.read(aapl, failing: .unavailable) {
                    isCalled.happen()
                    await mayRespond.wait()
                }
            }
            await isCalled.wait()
            async let second = other.read(aapl)
            try await waitUntil { other.client.client.counts.commands >= 4 }
            mayRespond.happen()
            let error = await #expect(throws: ProviderFailure.self) { try await first.value }
            #expect(error?.cause == .unavailable)
            #expect(try await second.price == 2)
        }
    }

    @Test("a replica waits for another one no longer than its limit, then calls the provider itself")
    func boundedWait() async throws {
        var limits = Replica.limits
        limits.wait = .milliseconds(20)
        try await withReplicas(limits: limits) { one, other in
            let aapl = try symbol("AAPL")
            let (isCalled, mayRespond) = (Event<Void>(), Event<Void>())
            async let first = one.read(aapl) {
                isCalled.happen()
                await mayRespond.wait()
            }
            await isCalled.wait()
            #expect(try await other.read(aapl).price == 2)
            #expect(other.cache.counts.misses == 1)
            mayRespond.happen()
            #expect(try await first.price == 1)
        }
    }

    @Test("a claim of a replica that was killed ends by itself")
    func expiredClaim() async throws {
        var limits = Replica.limits
        limits.claim = .milliseconds(50)
        try await withReplicas(limits: limits) { one, other in
            let aapl = try symbol("AAPL")
            let key = try #require(
                PersistentCacheKey(kind: Quote.persistentFormat, in: .shared(.alpaca), subject: "AAPL"))
            // Nothing ends this claim.
            #expect(await one.cache.load([key]).isEmpty)
            #expect(try await other.read(aapl).price == 1)
        }
    }

    @Test("ending an expired claim does not end the claim of another replica")
    func foreignClaim() async throws {
        var limits = Replica.limits
        limits.claim = .milliseconds(20)
        let server = try RedisServer.shared.get()
        let (keyspace, calls) = (RedisKeyspace.ofTest(), Replica.Calls())
        try await RunningClient.with(server.url()) { client in
            let short = Replica(client, keyspace, calls, limits: limits)
            let long = Replica(client, keyspace, calls)
            let key = try #require(
                PersistentCacheKey(kind: Quote.persistentFormat, in: .shared(.alpaca), subject: "AAPL"))
            _ = await short.cache.load([key])
            // It waits until the first claim has expired.
            _ = await long.cache.load([key])
            let claim = keyspace.name("claim:\(Quote.persistentFormat):alpaca", "AAPL")
            let before = try await client.client.send([RedisCommand(["GET", claim])])
            let commands = client.client.counts.commands
            short.cache.release([key])
            try await waitUntil { client.client.counts.commands > commands }
            #expect(before.first?.bytes != nil)
            #expect(try await client.client.send([RedisCommand(["GET", claim])]) == before)
        }
    }

    @Test("a renewal uses the newer value of another replica")
    func renewal() async throws {
        let server = try RedisServer.shared.get()
        let (keyspace, calls) = (RedisKeyspace.ofTest(), Replica.Calls())
        let clock = ShiftedClock()
        try await RunningClient.with(server.url()) { client in
            let one = Replica(client, keyspace, calls, clock: clock.clock)
            let other = Replica(client, keyspace, calls, clock: clock.clock)
            let aapl = try symbol("AAPL")
            #expect(try await one.read(aapl).price == 1)
            try await one.waitForWrites(1)
            #expect(try await other.read(aapl).price == 1)
            clock.advance(by: .seconds(61))
            // The value is served once more while it is renewed.
            #expect(try await one.read(aapl).price == 1)
            try await one.waitForWrites(2)
            #expect(try await other.read(aapl).price == 1)
            try await waitUntil { try await other.read(aapl).price == 2 }
            #expect(calls.count == 2)
        }
    }

    @Test("a value of a replica whose clock is ahead by up to a second is used as if it was read now")
    func clockSkew() async throws {
        let server = try RedisServer.shared.get()
        let (keyspace, calls) = (RedisKeyspace.ofTest(), Replica.Calls())
        try await RunningClient.with(server.url()) { client in
            let aapl = try symbol("AAPL")
            let (ahead, farAhead) = (ShiftedClock(), ShiftedClock())
            ahead.advance(by: .milliseconds(900))
            farAhead.advance(by: .seconds(5))
            let replica = Replica(client, keyspace, calls)
            let fast = Replica(client, keyspace, calls, clock: ahead.clock)
            #expect(try await fast.read(aapl).price == 1)
            try await fast.waitForWrites(1)
            #expect(try await replica.read(aapl).price == 1)
            let msft = try symbol("MSFT")
            let tooFast = Replica(client, keyspace, calls, clock: farAhead.clock)
            #expect(try await tooFast.read(msft).price == 2)
            try await tooFast.waitForWrites(1)
            #expect(try await replica.read(msft).price == 3)
        }
    }

    @Test("values too large are not stored")
    func tooLarge() async throws {
        var limits = Replica.limits
        limits.valueBytes = 40
        try await withReplicas(limits: limits) { one, other in
            let aapl = try symbol("AAPL")
            _ = try await one.read(aapl)
            try await waitUntil { one.cache.counts.drops == 1 }
            #expect(try await other.read(aapl).price == 2)
            #expect(one.cache.counts.writes == 0)
        }
    }

    @Test("values and claims expire in Redis")
    func expiry() async throws {
        let server = try RedisServer()
        try await withReplicas(at: server) { one, _ in
            _ = try await one.read(try symbol("AAPL"))
            try await one.waitForWrites(1)
            let keys = try server.execute("KEYS *").split(separator: "\n")
            #expect(keys.count == 1)
            let lifetime = try #require(Int(server.execute("PTTL \(keys[0])")))
            #expect((1...660_000).contains(lifetime))
        }
    }

    @Test("private values are neither stored nor searched, and values of clients are in no key")
    func privacy() async throws {
        let server = try RedisServer()
        try await withReplicas(at: server) { one, other in
            let owner = try #require(OwnerID("ann"))
            let secret = CacheScope.connection("connection-1", of: owner, at: .alpaca)
            #expect(PersistentCacheKey(kind: "quote.1", in: secret, subject: "AAPL") == nil)
            let aapl = try symbol("AAPL")
            let commands = one.client.client.counts.commands
            #expect(try await one.read(aapl, in: secret).price == 1)
            #expect(one.client.client.counts.commands == commands)
            #expect(try server.execute("DBSIZE") == "0")
            // A public value is not used for a private scope.
            _ = try await one.read(aapl)
            try await one.waitForWrites(1)
            #expect(try await other.read(aapl, in: secret).price == 3)
            let keys = try server.execute("KEYS *")
            #expect(keys.hasPrefix("portico:1:"))
            #expect(keys.contains(":value:quote.1:alpaca:"))
            for text in ["AAPL", "ann", "connection-1"] { #expect(!keys.contains(text)) }
        }
    }

    @Test("installations with another key, and other environments, do not use each other's values")
    func namespaces() async throws {
        let server = try RedisServer.shared.get()
        let (key, calls) = (SymmetricKey(), Replica.Calls())
        let keyspaces = [
            RedisKeyspace(key, environment: "SAXO=SIM"), RedisKeyspace(key, environment: "SAXO=LIVE"),
            RedisKeyspace(SymmetricKey(), environment: "SAXO=SIM"),
        ]
        try await RunningClient.with(server.url()) { client in
            for (number, keyspace) in keyspaces.enumerated() {
                let replica = Replica(client, keyspace, calls)
                #expect(try await replica.read(try symbol("AAPL")).price == Decimal(number + 1))
                try await replica.waitForWrites(1)
            }
            // The same key and environment.
            let replica = Replica(client, RedisKeyspace(key, environment: "SAXO=SIM"), calls)
            #expect(try await replica.read(try symbol("AAPL")).price == 1)
        }
    }

    @Test(
        "damaged bytes in Redis are no value",
        arguments: ["SETRANGE KEY 3 xyz", "SETRANGE KEY 70 xyz", "SETRANGE KEY 0 xyz", "SET KEY x"])
    func damaged(command: String) async throws {
        let server = try RedisServer()
        try await withReplicas(at: server) { one, other in
            let aapl = try symbol("AAPL")
            _ = try await one.read(aapl)
            try await one.waitForWrites(1)
            _ = try server.execute(command.replacing("KEY", with: server.execute("KEYS *")))
            #expect(try await other.read(aapl).price == 2)
        }
    }

    @Test("without Redis each replica calls the provider, and shares values again when Redis is back")
    func outage() async throws {
        let server = try RedisServer()
        try await withReplicas(at: server) { one, other in
            try server.stop()
            try await waitUntil { !one.client.client.isUp && !other.client.client.isUp }
            #expect(try await one.read(try symbol("AAPL")).price == 1)
            #expect(try await other.read(try symbol("AAPL")).price == 2)
            try server.start()
            try await waitUntil { one.client.client.isUp && other.client.client.isUp }
            #expect(try await one.read(try symbol("MSFT")).price == 3)
            try await one.waitForWrites(1)
            #expect(try await other.read(try symbol("MSFT")).price == 3)
        }
    }

    @Test("a paused Redis delays the reads that wait for it until their time limit, and no later ones")
    func paused() async throws {
        let server = try RedisServer()
        var limits = RunningClient.limits
        limits.reply = .milliseconds(50)
        limits.connect = .milliseconds(500)
        let (keyspace, calls) = (RedisKeyspace.ofTest(), Replica.Calls())
        try await RunningClient.with(server.url(), limits) { running in
            let replica = Replica(running, keyspace, calls)
            try server.pause()
            defer { try? server.resume() }
            for number in 1...20 {
                #expect(try await replica.read(try symbol("S\(number)")).price == Decimal(number))
            }
            #expect(running.client.counts.failures >= 1)
            #expect(running.client.counts.refusals >= 1)
        }
    }
}

/// The system's clocks, moved forward.
private final class ShiftedClock: Sendable {
    private let offset = Mutex(Duration.zero)

    var clock: TimeSource {
        TimeSource(
            now: { [self] in .now + offset.withLock { $0 } },
            wallTime: { [self] in .now + offset.withLock { $0 } },
            sleep: { [self] in try await ContinuousClock().sleep(until: $0 - offset.withLock { $0 }) })
    }

    func advance(by duration: Duration) { offset.withLock { $0 += duration } }
}
