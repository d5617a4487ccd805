import Foundation
import TestSupport
import Testing

/// The statements and commands that responses cost, as PostgreSQL and Redis count them.
@Suite("The cost of a hot response of a replica")
struct ReplicaCostTests {
    /// The number of requests of which each must cost nothing.
    private static let requests = 100
    /// The number of new sessions, each of which may cost one statement.
    private static let sessions = 20

    /// The servers of a test.
    private struct Site {
        let cluster: PostgresCluster
        let database: String
        let redis: RedisServer

        /// The number of executions of each statement in the database, by its text.
        func statements() throws -> [String: Int] {
            let rows = try cluster.execute(
                """
                SELECT replace(query, chr(10), ' ') || '|' || sum(calls) FROM pg_stat_statements JOIN pg_database
                ON pg_database.oid = dbid WHERE datname = '\(database)' GROUP BY query
                """)
            return rows.split(separator: "\n").reduce(into: [:]) { counts, row in
                guard let separator = row.lastIndex(of: "|") else { return }
                counts[String(row[..<separator])] = Int(row[row.index(after: separator)...])
            }
        }

        /// The number of executions of each command of Redis, by its name.
        func commands() throws -> [String: Int] {
            try redis.execute("INFO commandstats").split(whereSeparator: \.isNewline).reduce(into: [:]) {
                guard let match = $1.firstMatch(of: /^cmdstat_([^:]+):calls=([0-9]+)/) else { return }
                $0[String(match.1)] = Int(match.2)
            }
        }
    }

    private static func run(_ test: (Site, RunningServer, RunningServer) async throws -> Void) async throws {
        let cluster = try PostgresCluster(options: ["shared_preload_libraries = 'pg_stat_statements'"])
        let redis = try RedisServer()
        _ = try cluster.execute("CREATE EXTENSION pg_stat_statements")
        try await withSandbox { sandbox in
            try await withFolder { folder in
                var upstream = Upstream(sandbox)
                upstream.credential["PORTICO_REDIS_URL"] = redis.url()
                let environment = try Replicas.environment(upstream.environment, folder, in: cluster)
                let database = try #require(Replicas.database(environment))
                try await Replicas.run(2, environment) { replicas in
                    for replica in replicas {
                        try await waitUntil {
                            try await replica.get("/metrics").body.contains("\nportico_redis_up 1\n")
                        }
                    }
                    try await test(
                        Site(cluster: cluster, database: database, redis: redis), replicas[0], replicas[1])
                }
            }
        }
    }

    /// The statements and commands of a time.
    private struct Cost {
        var statements: [String: Int]
        var commands: [String: Int]

        init(at site: Site) throws { (statements, commands) = (try site.statements(), try site.commands()) }

        /// The cost since an earlier time.
        static func - (cost: Cost, earlier: Cost) -> Cost {
            var difference = cost
            difference.statements = cost.statements.reduce(into: [:]) { counts, count in
                counts[count.key] = count.value - earlier.statements[count.key, default: 0]
            }
            difference.commands = cost.commands.reduce(into: [:]) { counts, count in
                counts[count.key] = count.value - earlier.commands[count.key, default: 0]
            }
            return difference
        }

        /// The number of executions of the statements that contain a text.
        func count(of text: String) -> Int {
            statements.filter { $0.key.contains(text) }.values.reduce(0, +)
        }

        /// The statements and commands that were executed at least so often as there were requests, except those of
        /// `background`, a time without requests.
        func of(_ requests: Int, without background: Cost) -> [String] {
            let known = background.statements.merging(background.commands) { $0 + $1 }
            return statements.merging(commands) { $0 + $1 }.filter {
                $0.value >= requests && known[$0.key, default: 0] == 0
            }
            .map(\.key)
        }
    }

    // Names of instruments are fresh for a day.
    private static let query = #"{ instrument(symbol: "AAPL") { name } }"#
    private static let lookUp = "WHERE session.token_hash ="
    private static let heartbeat = "INSERT INTO replica"

    @Test(
        "is no statement and no command for public data, and one statement in the first second of a session")
    func hot() async throws {
        try await Self.run { site, first, second in
            for replica in [first, second] {
                #expect(try await replica.ask(Self.query, token: nil).failures.isEmpty)
            }
            let start = try Cost(at: site)
            // Each replica reports every three seconds; leases and changes are read more often.
            try await waitUntil { try (Cost(at: site) - start).count(of: Self.heartbeat) >= 4 }
            let background = try Cost(at: site) - start
            #expect(background.count(of: Self.lookUp) == 0)

            func expectNothing(_ token: String?, _ name: Comment) async throws {
                let before = try Cost(at: site)
                for _ in 0..<Self.requests {
                    let answer = try await second.ask(Self.query, token: token)
                    #expect(answer.failures.isEmpty, "\(answer.body)")
                }
                let cost = try Cost(at: site) - before
                #expect(cost.count(of: Self.lookUp) == 0, name)
                #expect(cost.count(of: "quota_take") == 0, name)
                for command in ["get", "mget", "set"] {
                    #expect(cost.commands[command, default: 0] == 0, name)
                }
                #expect(cost.of(Self.requests, without: background) == [], name)
            }
            try await expectNothing(nil, "without a session")

            let before = try Cost(at: site)
            var token = ""
            for _ in 0..<Self.sessions {
                let session = try await first.ask("mutation { startGuestSession { token } }", token: nil)
                token = try #require(
                    session.json?["data"]?["startGuestSession"]?["token"]?.string, "\(session.body)")
                // At once, before the replica has read the change.
                let answer = try await second.ask(Self.query, token: token)
                #expect(answer.failures.isEmpty, "\(answer.body)")
            }
            let cost = try Cost(at: site) - before
            #expect(
                (1...Self.sessions).contains(cost.count(of: Self.lookUp)), "\(cost.count(of: Self.lookUp))")
            #expect(cost.count(of: "quota_take") == 0)
            try await expectNothing(token, "with a session")
        }
    }
}
