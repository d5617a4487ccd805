import EngineTestSupport
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Storage

@Suite("Migrations")
struct MigrationTests {
    /// Opens a file that a revision before the first release has left behind, by the number of its last migration.
    private static func withFile(
        of version: Int, _ test: (_ folder: Folder, _ counts: [String: Int]) async throws -> Void
    ) async throws {
        try await Folder.with { folder in
            let text = try String(
                contentsOf: Golden.url("storage/portico-\(version).sql"), encoding: .utf8)
            _ = try folder.opened()
            // The text has its tables by their names, children before parents.
            var configuration = Configuration()
            configuration.foreignKeysEnabled = false
            let before = try DatabaseQueue(
                path: folder.file(UserDatabase.name), configuration: configuration)
            try await before.writeWithoutTransaction { try $0.execute(sql: text) }
            let counts = try await before.read { try Self.counts($0) }
            try before.close()
            try await test(folder, counts)
        }
    }

    @Test("accept a file that the last revision before the first release has migrated, and lose nothing")
    func last() async throws {
        try await Self.withFile(of: 15) { folder, counts in
            let userDatabase = try UserDatabase(in: folder.opened())
            let (after, tables, dangling) = try #require(userDatabase.database.sqlite).readNow { db in
                (
                    try Self.counts(db), try Self.tables(db),
                    try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").count
                )
            }
            #expect(after == counts)
            #expect(dangling == 0)
            let fresh = try #require(try UserDatabase.temporary().database.sqlite).readNow {
                try Self.tables($0)
            }
            #expect(tables == fresh)
        }
    }

    @Test("refuse a file of an earlier revision with a remedy, and do not change it", arguments: [1, 14])
    func unreleased(version: Int) async throws {
        try await Self.withFile(of: version) { folder, counts in
            let path = folder.file(UserDatabase.name)
            for open in [
                { _ = try UserDatabase(in: folder.opened()) },
                { _ = try UserDatabase.existing(in: folder.opened()) },
                { try UserDatabase.check(folder: folder.opened().path, nil) },
            ] {
                let error = #expect(throws: StorageError.unreleased(path: path)) { try open() }
                #expect(error?.description.contains("Start the server of revision c8b28184 once") == true)
            }
            let after = try await DatabaseQueue(path: path).read { try Self.counts($0) }
            #expect(after == counts)
        }
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
