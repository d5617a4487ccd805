import EngineTestSupport
import PorticoCore
import Storage
import TestSupport
import Testing

@Suite("A PostgreSQL server that becomes read-only")
struct ReadOnlyServerTests {
    /// A database of its own, with one table.
    private static func database(_ parameters: String = "") throws -> (String, SQLDatabase) {
        let cluster = try PostgresCluster.shared.get()
        let name = "test_" + RandomID.make()
        _ = try cluster.execute("CREATE DATABASE \(name)")
        _ = try cluster.execute("CREATE TABLE x (id BIGINT)", in: name)
        var limits = TestDatabase.limits
        limits.connections = 1
        limits.breaker.failures = 2
        let url = try PostgresURL(cluster.url(name) + parameters, origin: "the test's URL")
        return (name, SQLDatabase(PostgresDatabase(url, limits)))
    }

    private static func insert(into database: SQLDatabase) async throws {
        try await database.write { db in try db.execute("INSERT INTO x VALUES (1)") }
    }

    private static func count(_ database: SQLDatabase) async throws -> Int? {
        try await database.read { db in try db.value("SELECT count(*) FROM x") }
    }

    @Test("is not read either, and is used again when it can be written, without a restart of this process")
    func recovers() async throws {
        let (name, database) = try Self.database()
        let (cluster, server) = (try PostgresCluster.shared.get(), try #require(database.postgres))
        try await Self.insert(into: database)
        _ = try cluster.execute("ALTER DATABASE \(name) SET default_transaction_read_only = on")
        // As in a failover, after which the name of the server leads to a standby.
        _ = try cluster.execute(
            "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity WHERE datname = '\(name)'")
        for _ in 0..<2 {
            let error = await #expect(throws: StorageError.self) { try await Self.count(database) }
            guard case .unavailable(_, let reason, _)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.contains("session is read-only"), "\(reason)")
        }
        #expect(!server.counts.isReachable)
        _ = try cluster.execute("ALTER DATABASE \(name) RESET default_transaction_read_only")
        try await waitUntil { (try? await Self.insert(into: database)) != nil }
        #expect(server.counts.isReachable)
        #expect(try await Self.count(database) == 2)
    }

    @Test("loses its connections, and a transaction that it refuses is executed with a new one")
    func reconnects() async throws {
        let (_, database) = try Self.database()
        try await Self.insert(into: database)
        try await database.write { db in
            try db.executeScript("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY")
        }
        #expect(try await Self.count(database) == 1)
        try await Self.insert(into: database)
        #expect(try await Self.count(database) == 2)
        let server = try #require(database.postgres)
        #expect(server.counts.failures == 0 && server.counts.connections == 1)
    }

    @Test("is read if the URL says so")
    func anySession() async throws {
        let (name, database) = try Self.database("&target_session_attrs=any")
        let cluster = try PostgresCluster.shared.get()
        _ = try cluster.execute("ALTER DATABASE \(name) SET default_transaction_read_only = on")
        #expect(try await Self.count(database) == 0)
        await #expect(throws: StorageError.self) { try await Self.insert(into: database) }
        #expect(try await Self.count(database) == 0)
    }
}
