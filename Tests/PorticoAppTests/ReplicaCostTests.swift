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

        func counts() throws -> QueryCounts { try QueryCounts(of: database, in: cluster, redis) }
    }

    private static func run(_ test: (Site, RunningServer, RunningServer) async throws -> Void) async throws {
        let (cluster, redis) = (try QueryCounts.cluster(), try RedisServer())
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

    // Names of instruments are fresh for a day.
    private static let query = #"{ instrument(symbol: "AAPL") { name } }"#
    private static let lookUp = "WHERE session.token_hash IN"
    private static let call = "quota_reserve"
    private static let heartbeat = "INSERT INTO replica"

    @Test(
        "is no statement and no command for public data, and one statement in the first second of a session")
    func hot() async throws {
        try await Self.run { site, first, second in
            for replica in [first, second] {
                #expect(try await replica.ask(Self.query, token: nil).failures.isEmpty)
            }
            // The first responses needed calls, so a statement with this text exists.
            let start = try site.counts()
            #expect(start.count(of: Self.call) > 0)
            // Each replica reports every three seconds; leases and changes are read more often.
            try await waitUntil { try site.counts().since(start).count(of: Self.heartbeat) >= 4 }
            let background = try site.counts().since(start)
            #expect(background.count(of: Self.lookUp) == 0)

            func expectNothing(_ token: String?, _ name: Comment) async throws {
                let before = try site.counts()
                for _ in 0..<Self.requests {
                    let answer = try await second.ask(Self.query, token: token)
                    #expect(answer.failures.isEmpty, "\(answer.body)")
                }
                let cost = try site.counts().since(before)
                #expect(cost.count(of: Self.lookUp) == 0, name)
                #expect(cost.count(of: Self.call) == 0, name)
                for command in ["get", "mget", "set", "del"] {
                    #expect(cost.commands[command, default: 0] == 0, name)
                }
                // A query of each request; a task of the server that is due by chance is not one.
                #expect(cost.absent(in: background).filter { $0.value >= Self.requests } == [:], name)
            }
            try await expectNothing(nil, "without a session")

            let before = try site.counts()
            var token = ""
            for _ in 0..<Self.sessions {
                token = try await first.token()
                // At once, before the replica has read the change.
                let answer = try await second.ask(Self.query, token: token)
                #expect(answer.failures.isEmpty, "\(answer.body)")
            }
            let cost = try site.counts().since(before)
            #expect(
                (1...Self.sessions).contains(cost.count(of: Self.lookUp)), "\(cost.count(of: Self.lookUp))")
            #expect(cost.count(of: Self.call) == 0)
            try await expectNothing(token, "with a session")
        }
    }
}

extension QueryCounts {
    /// The number of executions of the statements that contain a text.
    fileprivate func count(of text: String) -> Int {
        statements.reduce(0) { $1.key.contains(text) ? $0 + Int($1.value) : $0 }
    }
}
