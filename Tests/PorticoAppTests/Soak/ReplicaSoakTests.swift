import Brokerage
import Dispatch
import Foundation
import Sandbox
import TestSupport
import Testing

/// Orders at three replicas with one database, one Redis server and one broker.
@Suite("Soak: orders at several replicas")
struct ReplicaSoakTests {
    private static let count = 3
    /// The number of clients that place orders at the same time.
    private static let clients: UInt64 = 4

    /// The servers of a test, and the replicas that use them.
    private struct Site {
        let cluster: PostgresCluster
        let redis: RedisServer
        let database: String
        let group: ReplicaGroup

        /// The role of a replica in the database.
        static func role(_ index: Int) -> String { "replica_\(index)" }

        /// Executes one disturbance, and ends it.
        func disturb(_ kind: Disturbance, _ number: Int, at index: Int) async throws {
            func wait() async throws { try await Task.sleep(for: kind.time(number)) }
            switch kind {
            case .kill: try await group.kill(index)
            case .terminate: try await group.terminate(index)
            case .pause:
                group.pause(index)
                try await wait()
                group.resume(index)
            case .restartDatabase:
                try cluster.stop()
                try await wait()
                try cluster.start()
            case .pauseDatabase:
                try cluster.pause()
                try await wait()
                try cluster.resume()
            case .cutFromDatabase:
                let role = Self.role(index)
                _ = try cluster.execute("ALTER ROLE \(role) NOLOGIN")
                _ = try cluster.execute(
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = '\(role)'")
                try await wait()
                _ = try cluster.execute("ALTER ROLE \(role) LOGIN")
            case .restartRedis:
                try redis.stop()
                try redis.start()
            case .pauseRedis:
                try redis.pause()
                try await wait()
                try redis.resume()
            }
        }

        /// The state of each order in the journal, by its key.
        func journal() throws -> [String: String] {
            let rows = try cluster.execute(
                """
                SELECT idempotency_key, journal_write.state FROM journal_write
                JOIN journal_order ON journal_order.id = journal_write.order_id
                """, in: database)
            let pairs = rows.split(separator: "\n").map { $0.split(separator: "|").map(String.init) }
            return pairs.reduce(into: [:]) { if $1.count == 2 { $0[$1[0]] = $1[1] } }
        }
    }

    private func run(
        _ sandbox: Sandbox, _ rounds: Int, _ test: (Site) async throws -> Void
    ) async throws {
        let (cluster, redis) = (try PostgresCluster(), try RedisServer())
        try await withFolder { folder in
            var upstream = Upstream(sandbox)
            upstream.credential["PORTICO_ALPACA_PER_MINUTE"] = "100000"
            upstream.credential["PORTICO_REDIS_URL"] = redis.url()
            let environment = Replicas.impatient(
                try Replicas.environment(upstream.environment, folder, in: cluster))
            let database = try #require(Replicas.database(environment))
            var settings: [[String: String]] = []
            for index in 0..<Self.count {
                let role = Site.role(index)
                _ = try cluster.execute("CREATE ROLE \(role) SUPERUSER LOGIN")
                let url = cluster.url(database).replacing("postgres@", with: "\(role)@")
                settings.append(environment.merging(["PORTICO_DATABASE_URL": url]) { $1 })
            }
            // A disturbance takes 20 s at most.
            let life = DispatchTimeInterval.seconds(400 + rounds * 20)
            try await ReplicaGroup.run(settings, longestLife: life) { group in
                try await test(Site(cluster: cluster, redis: redis, database: database, group: group))
            }
        }
    }

    /// Disturbs one replica after the other; those that are stopped continue by themselves.
    private func disturb(_ site: Site, _ kinds: [Disturbance], _ rounds: Int, _ orders: ReplicatedOrders)
        async throws
    {
        var random = SplitMix(seed: UInt64(kinds.count))
        try await withThrowingTaskGroup { tasks in
            for round in 0..<rounds {
                let placed = orders.count
                // Two of three are not stopped, and clients go on with them.
                try await waitUntil(timeout: .seconds(150)) {
                    orders.count >= placed + 2 && site.group.running.count > 1
                }
                let kind = kinds[round % kinds.count]
                let index = try #require(site.group.running.randomElement(using: &random))
                // Disturbances come at any point of an order.
                try await Task.sleep(for: .milliseconds(Int.random(in: 0..<60, using: &random)))
                guard kind == .pause else {
                    try await site.disturb(kind, round / kinds.count, at: index)
                    continue
                }
                site.group.pause(index)
                tasks.addTask { try await site.disturb(kind, round / kinds.count, at: index) }
            }
            try await tasks.waitForAll()
        }
    }

    @Test(
        "none is placed twice or lost, and each outcome becomes known, whatever happens to replicas and their servers",
        arguments: [Disturbance.ofReplicas, Disturbance.ofServers])
    func disturbed(kinds: [Disturbance]) async throws {
        let rounds = Soak.disturbances(of: kinds)
        try await withSandbox { configuration in
            configuration.alpaca.tradingRequestsPerMinute = 1_000_000
            configuration.alpaca.dataRequestsPerMinute = 1_000_000
        } _: { sandbox in
            try await run(sandbox, rounds) { site in
                let orders = try await ReplicatedOrders(at: site.group)
                // Replicas are disturbed while the broker has the request.
                let latency = Fault(
                    .latency(.milliseconds(40)), provider: .alpaca, endpoint: "POST /v2/orders")
                #expect(sandbox.faults.add(latency))
                try await withThrowingTaskGroup { tasks in
                    for client in 0..<Self.clients {
                        tasks.addTask { try await orders.place(as: client) }
                    }
                    try await disturb(site, kinds, rounds, orders)
                    orders.end()
                    try await tasks.waitForAll()
                }
                try await waitUntil(timeout: .seconds(150)) {
                    try await Task.sleep(for: .milliseconds(200))
                    let pending: Set<String> = ["PENDING", "SENT", "UNCONFIRMED"]
                    return try pending.isDisjoint(with: site.journal().values)
                }
                try await orders.check(sandbox, site.journal())
                #expect(!orders.codes.contains("INTERNAL_SERVER_ERROR"), "\(orders.codes)")
            }
        }
    }
}
