import Foundation
import GRDB
import TestSupport
import Testing

@testable import Storage

@Suite("Migrations")
struct MigrationTests {
    /// The files that earlier versions have left behind, by the number of their last migration.
    private static let versions = Array(1...15)

    @Test("a file of every version exists")
    func complete() {
        #expect(UserDatabase.migrator.migrations.count == Self.versions.count)
    }

    @Test("convert each earlier version's file to the current tables, and lose nothing", arguments: versions)
    func forward(version: Int) async throws {
        try await Folder.with { folder in
            let opened = try folder.opened()
            let text = try String(
                contentsOf: Golden.url("storage/portico-\(version).sql"), encoding: .utf8)
            // The text has its tables by their names, children before parents.
            var configuration = Configuration()
            configuration.foreignKeysEnabled = false
            let before = try DatabaseQueue(
                path: folder.file(UserDatabase.name), configuration: configuration)
            try before.writeWithoutTransaction { try $0.execute(sql: text) }
            let counts = try before.read { try Self.counts($0) }
            try before.close()

            let userDatabase = try UserDatabase(in: opened)
            let (after, tables, dangling) = try #require(userDatabase.database.sqlite).readNow { db in
                (
                    try Self.counts(db), try Self.tables(db),
                    try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").count
                )
            }
            for (table, count) in counts where table != "grdb_migrations" {
                #expect(after[table] == count, "\(table)")
            }
            #expect(dangling == 0)
            let fresh = try #require(try UserDatabase.temporary().database.sqlite).readNow {
                try Self.tables($0)
            }
            #expect(tables == fresh)
        }
    }

    /// Activities of a user with all forms of times.
    private static let timedActivities = """
        INSERT INTO activity_account (owner, connection, account, last_read, started_on)
            VALUES ('u', 'c', 'a', 1, '2026-11-18');
        INSERT INTO activity (
            owner, connection, account, id, kind, provider_kind, day, moment, executed_at, last_read)
        VALUES ('u', 'c', 'a', '1', 'TRADE', 'FILL', '2026-11-18', 1795014251991, '2026-11-18T15:04:11.991Z', 1),
            ('u', 'c', 'a', '2', 'TRADE', 'FILL', '2026-11-18', 1795014251991, '2026-11-18T15:04:11.991284Z', 1),
            ('u', 'c', 'a', '3', 'TRADE', 'FILL', '2026-11-18', 1795014251991, '2026-11-18T15:04:11.991284057Z', 1),
            ('u', 'c', 'a', '4', 'TRADE', 'FILL', '2026-11-18', 1795014251000, '2026-11-18T15:04:11Z', 1),
            ('u', 'c', 'a', '5', 'DIVIDEND', 'DIV', '2026-11-18', 0, NULL, 1);
        """
    private static let exactTimes = "16: times below a millisecond"

    @Test("keep the digits of an activity's time below a millisecond", arguments: TestEngine.allCases)
    func exactTimes(engine: TestEngine) async throws {
        let query = "SELECT moment_nanos FROM activity WHERE owner = 'u' ORDER BY id"
        let found: [Int64]
        switch engine {
        case .sqlite:
            let queue = try DatabaseQueue()
            let migrator = UserDatabase.migrator
            let steps = migrator.migrations.prefix { $0 != Self.exactTimes }
            try migrator.migrate(queue, upTo: try #require(steps.last))
            try await queue.write { db in
                try db.execute(
                    sql: "INSERT INTO user (id, created_at) VALUES ('u', 0);" + Self.timedActivities)
            }
            try migrator.migrate(queue)
            found = try await queue.read { db in try Int64.fetchAll(db, sql: query) }
        case .postgresql:
            let url = try PostgresURL(
                PostgresCluster.shared.get().url(), origin: "the test's URL",
                schema: "test_" + RandomID.make())
            let server = PostgresDatabase(url, TestDatabase.limits)
            let steps = UserDatabaseMigration.all.prefix { $0.name != Self.exactTimes }
            try PostgresMigrator(server, schema: url.schema, steps: Array(steps)).migrate()
            try server.maintain { db in
                try db.executeScript(
                    "INSERT INTO \"user\" (id, created_at) VALUES ('u', 0);" + Self.timedActivities)
            }
            found = try await UserDatabase(at: url, TestDatabase.limits).database.read { db in
                try db.values(query)
            }
        }
        #expect(found == [0, 284_000, 284_057, 0, 0])
    }

    private static func counts(_ db: Database) throws -> [String: Int] {
        let tables = try String.fetchAll(
            db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        return try Dictionary(
            uniqueKeysWithValues: tables.map { table in
                (table, try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)") ?? 0)
            })
    }

    /// Tables, indices and triggers with their columns, whatever the spacing of their text.
    private static func tables(_ db: Database) throws -> [String: [String]] {
        let names = try String.fetchAll(
            db, sql: "SELECT type || ' ' || name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")
        return try Dictionary(
            uniqueKeysWithValues: names.map { name in
                let table = String(name.split(separator: " ").last ?? "")
                return (
                    name,
                    try Row.fetchAll(db, sql: "PRAGMA table_xinfo(\(table))").map { "\($0)" }
                )
            })
    }
}
