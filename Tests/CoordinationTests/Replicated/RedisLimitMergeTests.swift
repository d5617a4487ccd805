import Coordination
import EngineTestSupport
import Foundation
import PorticoCore
import Redis
import TestSupport
import Testing

@Suite("The merge of clients' limits")
struct RedisLimitMergeTests {
    @Test("adds what a client spent at all replicas, for each client apart")
    func addition() async throws {
        let server = try RedisServer.shared.get()
        let keyspace = RedisKeyspace.ofTest()
        try await RunningClient.with(server.url()) { running in
            let (one, other) = (
                RedisLimitMerge(running.client, keyspace), RedisLimitMerge(running.client, keyspace)
            )
            // Hours, so that the time of the test has no effect.
            let first = try await one.add(["a": .seconds(3_600), "b": .seconds(7_200)])
            let second = try await other.add(["a": .seconds(3_600)])
            let hours = { (duration: Duration?) in
                duration.map { ($0 / .seconds(3_600)).rounded() }
            }
            #expect(hours(first["a"]) == 1)
            #expect(hours(first["b"]) == 2)
            #expect(hours(second["a"]) == 2)
            #expect(second.count == 1)
            #expect(try await other.add([:]).isEmpty)
        }
    }

    @Test("merges more clients than one script takes")
    func manyClients() async throws {
        let server = try RedisServer.shared.get()
        try await RunningClient.with(server.url()) { running in
            let merge = RedisLimitMerge(running.client, .ofTest())
            let spent = Dictionary(
                uniqueKeysWithValues: (0..<1_000).map { ("client \($0)", Duration.seconds(3_600)) })
            let debts = try await merge.add(spent)
            #expect(debts.count == 1_000)
        }
    }

    @Test("adds as a token bucket does, to full buckets and to others")
    func tokenBuckets() async throws {
        let server = try RedisServer.shared.get()
        let keyspace = RedisKeyspace.ofTest()
        var random = SplitMix(seed: 118)
        try await RunningClient.with(server.url()) { running in
            let merge = RedisLimitMerge(running.client, keyspace)
            // In microseconds, by the clock of Redis.
            var fullAt: [String: Int64] = [:]
            var comparisons = 0
            for _ in 0..<500 {
                // Some buckets are full again before the next merge, others never.
                let longest: Int64 = [1_000, 10_000, 100_000, 10_000_000].randomElement(using: &random) ?? 1
                let taken = Duration.microseconds(Int64.random(in: 1...longest, using: &random))
                let client = "up to \(longest)"
                let debt = try #require(try await merge.add([client: taken])[client])
                let key = keyspace.name("limit", client)
                let stored = try await running.client.send([RedisCommand(["GET", key])]).first?.bytes
                guard let after = stored.flatMap({ Int64(String(decoding: $0, as: UTF8.self)) }) else {
                    fullAt[client] = nil
                    continue
                }
                // The time at which the script ran.
                let now = Duration.microseconds(after) - debt
                var bucket = TokenBucket(untilFull: .microseconds(fullAt[client] ?? 0) - now)
                bucket = TokenBucket(untilFull: bucket.untilFull + taken)
                #expect(bucket.untilFull == debt)
                fullAt[client] = after
                comparisons += 1
            }
            #expect(comparisons > 100)
        }
    }

    @Test("stores each time until the bucket is full, under hashes, and replaces what is no number")
    func keys() async throws {
        let server = try RedisServer()
        try await RunningClient.with(server.url()) { running in
            let merge = RedisLimitMerge(running.client, .ofTest())
            _ = try await merge.add(["4:planted": .seconds(100)])
            let key = try server.execute("KEYS *")
            #expect(key.hasPrefix("portico:1:"))
            #expect(!key.contains("planted"))
            let lifetime = try #require(Int(server.execute("PTTL \(key)")))
            #expect((1...100_001).contains(lifetime))
            _ = try server.execute("SET \(key) planted")
            let debt = try #require(try await merge.add(["4:planted": .seconds(50)])["4:planted"])
            #expect(debt <= .seconds(50))
        }
    }

    @Test("fails if Redis is down, or refuses the script")
    func failures() async throws {
        let server = try RedisServer()
        try await RunningClient.with(server.url()) { running in
            let merge = RedisLimitMerge(running.client, .ofTest())
            _ = try await merge.add(["a": .seconds(100)])
            let key = try server.execute("KEYS *")
            _ = try server.execute("DEL \(key)")
            _ = try server.execute("LPUSH \(key) x")
            let refused = await #expect(throws: RedisFailure.self) {
                try await merge.add(["a": .seconds(1)])
            }
            #expect(refused == .refused(code: "WRONGTYPE"))
            try server.stop()
            try await waitUntil { !running.client.isUp }
            let down = await #expect(throws: RedisFailure.self) { try await merge.add(["a": .seconds(1)]) }
            #expect(down == .notConnected)
        }
    }
}

@Suite("The report of a replica to the others")
struct RedisHeartbeatTests {
    @Test("counts the other replicas, and those that reach the database, until they leave")
    func peers() async throws {
        let server = try RedisServer.shared.get()
        let keyspace = RedisKeyspace.ofTest()
        try await RunningClient.with(server.url()) { running in
            let replicas = ["one", "two", "three"].map {
                RedisHeartbeat(running.client, keyspace, id: $0)
            }
            let alone = try await replicas[0].report(reachesDatabase: true)
            #expect(alone == RedisHeartbeat.Peers(count: 0, countWithDatabase: 0))
            let second = try await replicas[1].report(reachesDatabase: false)
            #expect(second == RedisHeartbeat.Peers(count: 1, countWithDatabase: 1))
            let third = try await replicas[2].report(reachesDatabase: true)
            #expect(third == RedisHeartbeat.Peers(count: 2, countWithDatabase: 1))
            // The database of the first replica is lost.
            _ = try await replicas[0].report(reachesDatabase: false)
            let later = try await replicas[2].report(reachesDatabase: true)
            #expect(later == RedisHeartbeat.Peers(count: 2, countWithDatabase: 0))
            await replicas[1].leave()
            let last = try await replicas[0].report(reachesDatabase: true)
            #expect(last == RedisHeartbeat.Peers(count: 1, countWithDatabase: 1))
        }
    }

    @Test("has counts that are safe in sums, whatever the server replies")
    func bounds() {
        let peers = RedisHeartbeat.Peers(count: .max, countWithDatabase: -1)
        #expect(peers == RedisHeartbeat.Peers(count: 1_000_000, countWithDatabase: 0))
    }
}
