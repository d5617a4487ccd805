import Coordination
import EngineTestSupport
import Redis
import Storage
import Testing
import Upstream

@Suite("What processes share")
struct CoordinationTests {
    private static let redisMetrics = [
        "up", "peers", "connections_total", "commands_total", "failures_total", "refusals_total",
        "hits_total",
        "misses_total", "waits_total", "writes_total", "drops_total", "merged_clients_total",
    ].map { "portico_redis_" + $0 }

    /// Redis at a port where nobody listens.
    private static func redis(sharesStreams: Bool) throws -> SharedRedis {
        SharedRedis(
            try RedisURL("redis://127.0.0.1:1"), RedisClient.Limits(), masterKey: .random(), isSandbox: true,
            sharesStreams: sharesStreams, onChange: { _ in })
    }

    @Test("is nothing for a process alone, which holds every name")
    func alone() async throws {
        let alone = Coordination.singleProcess()
        #expect(alone.metrics.isEmpty && alone.states.isEmpty)
        #expect(alone.membership.id == nil && alone.membership.liveCount == 1)
        #expect(!alone.leases.isShared)
        #expect(alone.sharedCache.cache(of: []) == nil)
        let result = try await alone.leases.exclusively("a", for: .seconds(1), before: .now) {
            // Also while the name is held.
            try await alone.leases.exclusively("a", for: .seconds(1), before: .now) { 1 }
        }
        #expect(result == 1)
        try await alone.refresh()
        try await alone.deleteOld()
    }

    @Test("has the metrics and the state of each server that is used")
    func operations() async throws {
        try await TestEngine.postgresql.with { test in
            let (one, other) = (
                try Coordination.replicated(
                    try test.open(), redis: Self.redis(sharesStreams: true), version: "1"),
                try Coordination.replicated(try test.open(), version: "2")
            )
            #expect(
                other.metrics.map(\.name)
                    == ["portico_replicas", "portico_clock_difference_seconds", "portico_leases"])
            #expect(other.states.isEmpty)
            #expect(one.metrics.map(\.name) == other.metrics.map(\.name) + Self.redisMetrics)
            #expect(one.states.map(\.name) == ["redis"] && one.states.map(\.isUp) == [nil])
            try await one.refresh()
            #expect(one.metrics.first?.value == 2)
            try await other.membership.leave()
            try await one.refresh()
            #expect(one.metrics.first?.value == 1)
            try await one.deleteOld()
            let single = Coordination.singleProcess(redis: try Self.redis(sharesStreams: false))
            #expect(single.metrics.map(\.name) == Self.redisMetrics)
            #expect(single.sharedCache.cache(of: ["alpaca=sandbox"])?.isShared == true)
        }
    }

    @Test("counts the rates of a process alone while Redis does not respond")
    func withoutRedis() async throws {
        let coordination = Coordination.singleProcess(redis: try Self.redis(sharesStreams: false))
        #expect(await coordination.rateLimits.add(["4:1": .seconds(1)]) == nil)
        #expect(await coordination.rateLimits.add([:]) == nil)
        #expect(coordination.rateLimits.processes == 1)
    }
}
