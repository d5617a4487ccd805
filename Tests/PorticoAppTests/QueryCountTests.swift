import Foundation
import TestSupport
import Testing

@Suite("The queries of replicas")
struct QueryCountTests {
    private static let hot = #"{ instrument(symbol: "AAPL") { name } }"#

    /// The queries that requests cause.
    ///
    /// They are look-ups of sessions, slots of quotas, and look-ups and claims of values. Replicas without requests execute none.
    private static func ofRequests(_ counts: QueryCounts) -> [String: Double] {
        counts.statements.filter { $0.key.contains("token_hash = ") || $0.key.contains("quota_take") }
            .merging(counts.commands.filter { ["get", "set", "del"].contains($0.key) }) { $0 + $1 }
            .filter { $0.value > 0 }
    }

    @Test(
        "are none for a hot public response, and two look-ups at most of a session that is new at a replica")
    func hotResponse() async throws {
        let (postgres, redis) = (try PostgresCluster(), try RedisServer())
        try QueryCounts.prepare(postgres)
        _ = try postgres.execute("CREATE DATABASE replicas")
        func counts() throws -> QueryCounts { try QueryCounts(of: "replicas", in: postgres, redis) }
        let environment = [
            "PORTICO_DATABASE_URL": postgres.url("replicas"), "PORTICO_REDIS_URL": redis.url(),
            "PORTICO_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
        ]
        try await withServer(environment: environment) { first in
            try await withServer(environment: environment) { second in
                // A name is fresh for a day.
                for server in [first, second] {
                    try await waitUntil {
                        try await server.get("/metrics").body.contains("\nportico_redis_up 1\n")
                    }
                    let answer = try await server.ask(Self.hot, token: nil)
                    #expect(answer.failures.isEmpty, "\(answer.body)")
                }
                #expect(Self.ofRequests(try counts()).contains { $0.key.contains("quota_take") })
                let started = try await first.ask("mutation { it: startGuestSession { token } }", token: nil)
                let token = try #require(started.json?["data"]?["it"]?["token"]?.string, "\(started.body)")

                let before = try counts()
                let new = try await second.ask("{ viewer { username } }", token: token)
                #expect(new.failures.isEmpty, "\(new.body)")
                let lookUps = Self.ofRequests(try counts().since(before))
                // The second one detects a session that ends meanwhile.
                #expect(lookUps.values.reduce(0, +) <= 2, "\(lookUps)")

                let known = try counts()
                for _ in 0..<50 {
                    for token in [nil, token] {
                        let answer = try await second.ask(Self.hot, token: token)
                        #expect(answer.failures.isEmpty, "\(answer.body)")
                    }
                }
                #expect(Self.ofRequests(try counts().since(known)).isEmpty)
            }
        }
    }
}
