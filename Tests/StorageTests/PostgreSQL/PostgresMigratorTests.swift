import EngineTestSupport
import Foundation
import Storage
import TestSupport
import Testing

@Suite("The tables of a PostgreSQL database")
struct PostgresMigratorTests {
    private static func url() throws -> PostgresURL {
        try PostgresURL(
            PostgresCluster.shared.get().url(), origin: "the test's URL", schema: "test_" + RandomID.make())
    }

    private static let first = UserDatabaseMigration(
        name: "1", sqlite: nil, postgres: "CREATE TABLE a (id BIGINT)")
    private static let expansion = UserDatabaseMigration(
        name: "2", sqlite: nil, postgres: "ALTER TABLE a ADD COLUMN b BIGINT")
    private static let contraction = UserDatabaseMigration(
        name: "3", sqlite: nil, postgres: "ALTER TABLE a DROP COLUMN id")

    /// The migrator of a binary with some steps.
    private static func migrator(
        _ url: PostgresURL, _ steps: [UserDatabaseMigration], oldest: Int
    ) -> PostgresMigrator {
        PostgresMigrator(
            PostgresDatabase(url, TestDatabase.limits), schema: url.schema, steps: steps, first: 1,
            oldestCompatible: oldest)
    }

    @Test("work with the previous version after an expansion, and not after a contraction")
    func compatibility() throws {
        let url = try Self.url()
        let old = Self.migrator(url, [Self.first], oldest: 1)
        let middle = Self.migrator(url, [Self.first, Self.expansion], oldest: 1)
        let new = Self.migrator(url, [Self.first, Self.expansion, Self.contraction], oldest: 2)
        #expect(throws: StorageError.missing(path: url.location)) { try old.check() }
        try old.migrate()
        #expect(throws: StorageError.older(path: url.location)) { try middle.check() }
        try middle.migrate()
        // A rolling upgrade: processes of both versions start.
        try old.migrate()
        try old.check()
        try new.migrate()
        try middle.migrate()
        for start in [old.migrate, old.check] {
            let error = #expect(throws: StorageError.newer(path: url.location)) { try start() }
            #expect(error?.description.contains("Run that version") == true)
        }
        #expect(try new.version() == .current)
    }

    @Test("of a revision before the first step are refused with a remedy, and unchanged")
    func unreleased() throws {
        let url = try Self.url()
        try Self.migrator(url, [Self.first, Self.expansion], oldest: 1).migrate()
        let migrator = PostgresMigrator(
            PostgresDatabase(url, TestDatabase.limits), schema: url.schema, steps: [Self.first], first: 3,
            oldestCompatible: 3)
        for start in [migrator.migrate, migrator.check] {
            let error = #expect(throws: StorageError.unreleased(path: url.location)) { try start() }
            #expect(
                error?.description
                    == """
                    \(url.location) was written by a revision before version 0.1.0. Start the server of revision c8b28184 \
                    once, which migrates it; then start this version.
                    """)
        }
        let rows = try PostgresCluster.shared.get().execute(
            "SELECT * FROM \(url.schema ?? "").portico_schema")
        #expect(rows == "2|1")
    }

    @Test(
        "get the transactions of changes without a rewrite, also of changes that the previous version records"
    )
    func changeTransactions() throws {
        let url = try Self.url()
        let cluster = try PostgresCluster.shared.get()
        func migrate(_ steps: [UserDatabaseMigration]) throws {
            try PostgresMigrator(
                PostgresDatabase(url, TestDatabase.limits), schema: url.schema, steps: steps
            ).migrate()
        }
        let table = "\(url.schema ?? "").change"
        func record() throws {
            _ = try cluster.execute("INSERT INTO \(table) (kind, id) VALUES ('SESSION', 'a')")
        }
        func file() throws -> String { try cluster.execute("SELECT pg_relation_filenode('\(table)')") }
        try migrate(Array(UserDatabaseMigration.all.prefix(4)))
        try record()
        let before = try file()
        try migrate(UserDatabaseMigration.all)
        #expect(try file() == before)
        try record()
        let found = try cluster.execute(
            "SELECT string_agg(CASE WHEN xact IS NULL THEN 'none' ELSE 'one' END, ' ' ORDER BY number) FROM \(table)"
        )
        #expect(found == "none one")
    }

    @Test("are created once by processes that start at the same time")
    func together() async throws {
        let url = try Self.url()
        try await withThrowingTaskGroup { group in
            for _ in 0..<6 {
                group.addTask { try Self.migrator(url, [Self.first, Self.expansion], oldest: 1).migrate() }
            }
            try await group.waitForAll()
        }
        let rows = try PostgresCluster.shared.get().execute(
            "SELECT * FROM \(url.schema ?? "").portico_schema")
        #expect(rows == "2|1")
    }

    @Test("are unchanged after a step that fails")
    func failure() throws {
        let url = try Self.url()
        let wrong = UserDatabaseMigration(
            name: "2", sqlite: nil, postgres: "ALTER TABLE missing ADD COLUMN b BIGINT")
        #expect(throws: StorageError.refused(path: url.location, state: "42P01")) {
            try Self.migrator(url, [Self.first, wrong], oldest: 1).migrate()
        }
        try Self.migrator(url, [Self.first, Self.expansion], oldest: 1).migrate()
    }

    @Test("are not created in a database that is not encoded in UTF8", arguments: ["LATIN1", "SQL_ASCII"])
    func encoding(name encoding: String) throws {
        let cluster = try PostgresCluster.shared.get()
        let name = "test_" + RandomID.make()
        _ = try cluster.execute(
            "CREATE DATABASE \(name) ENCODING '\(encoding)' LOCALE 'C' TEMPLATE template0")
        let url = try PostgresURL(cluster.url(name), origin: "the test's URL", schema: "portico_sandbox")
        let error = #expect(throws: StorageError.encoding(path: url.location, encoding: encoding)) {
            try UserDatabase(at: url, TestDatabase.limits)
        }
        #expect(
            error?.description
                == """
                \(url.location) is encoded in \(encoding), which cannot store all texts; nothing was changed. Create a \
                database with createdb --encoding=UTF8 --template=template0, and name it in the URL.
                """)
        let schemas = try cluster.execute(
            "SELECT count(*) FROM pg_namespace WHERE nspname = 'portico_sandbox'", in: name)
        #expect(schemas == "0")
    }

    @Test(
        "are not created by a role without the right, which a check reports",
        arguments: [nil, "portico_sandbox"])
    func rights(schema: String?) throws {
        let cluster = try PostgresCluster.shared.get()
        let name = "test_" + RandomID.make()
        _ = try cluster.execute("CREATE DATABASE \(name)")
        _ = try cluster.execute("CREATE ROLE \(name) LOGIN")
        let text = cluster.url(name).replacing("//postgres@", with: "//\(name)@")
        let url = try PostgresURL(text, origin: "the test's URL", schema: schema)
        let error = #expect(throws: StorageError.refused(path: url.location, state: "42501")) {
            try Self.migrator(url, [Self.first], oldest: 1).migrate()
        }
        #expect(
            error?.description
                == """
                \(url.location) refused a statement: the role of the URL has no right to it (SQLSTATE 42501). Make it the \
                owner of the database and of its tables.
                """)
        func migrations() -> StorageFinding? {
            PostgresCheck(of: url, with: nil).findings.first { $0.subject == "migrations" }
        }
        #expect(migrations()?.isFine == false)
        #expect(
            migrations()?.text
                == "The role of the URL finds no tables and may not create them: make it the owner of the database and of its tables."
        )
        _ = try cluster.execute("ALTER DATABASE \(name) OWNER TO \(name)")
        #expect(migrations()?.text == "There are no tables yet: the first start creates them.")
        try Self.migrator(url, [Self.first], oldest: 1).migrate()
    }

    @Test("have the columns that SQLite's have")
    func columns() async throws {
        let url = try Self.url()
        let server = try UserDatabase(at: url, TestDatabase.limits)
        let sqlite = try UserDatabase.temporary()
        let tables: [String] = try await sqlite.database.read { db in
            try db.values(
                """
                SELECT name FROM sqlite_master
                WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'grdb_migrations' ORDER BY name
                """)
        }
        #expect(tables.count == 26)
        for table in tables {
            let expected: [String] = try await sqlite.database.read { db in
                try db.values("SELECT name FROM pragma_table_info(?) ORDER BY name", [table])
            }
            let found: [String] = try await server.database.read { db in
                try db.values(
                    """
                    SELECT CAST(column_name AS TEXT) FROM information_schema.columns
                    WHERE table_schema = ? AND table_name = ? ORDER BY CAST(column_name AS TEXT) COLLATE "C"
                    """, [url.schema, table])
            }
            #expect(found == expected, "\(table)")
        }
    }

    @Test("are used by several servers at a time, or are copied by one process")
    func serverLock() async throws {
        let url = try Self.url()
        let cluster = try PostgresCluster.shared.get()
        let lock = try PostgresServerLock(url, for: .servers, TestDatabase.limits)
        do {
            // A second server is not refused.
            let second = try PostgresServerLock(url, for: .servers, TestDatabase.limits)
            try second.renew()
        }
        let end = """
            SELECT count(pg_terminate_backend(pid)) FROM pg_locks
            WHERE locktype = 'advisory' AND (classid::bigint << 32 | objid::bigint)
                = \(0x73_6572_7665_72) + hashtext('\(url.schema ?? "")')
            """
        let error = #expect(throws: StorageError.busy(path: url.location)) {
            try PostgresServerLock(url, for: .copy, TestDatabase.limits)
        }
        #expect(error?.description.contains("in use by another process") == true)
        // A connection that broke, as in a restart of PostgreSQL. That of the second server may not have ended yet.
        #expect(try ["1", "2"].contains(cluster.execute(end)))
        try lock.renew()
        #expect(throws: StorageError.busy(path: url.location)) {
            try PostgresServerLock(url, for: .copy, TestDatabase.limits)
        }
        _ = try cluster.execute(end)
        try await waitUntil { (try? cluster.execute(end)) == "0" }
        let copy = try PostgresServerLock(url, for: .copy, TestDatabase.limits)
        #expect(throws: StorageError.busy(path: url.location)) { try lock.renew() }
        #expect(throws: StorageError.busy(path: url.location)) {
            try PostgresServerLock(url, for: .copy, TestDatabase.limits)
        }
        try copy.renew()
    }
}
