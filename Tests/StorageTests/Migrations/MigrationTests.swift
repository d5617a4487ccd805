import Foundation
import GRDB
import TestSupport
import Testing

@testable import Storage

@Suite("Migrations")
struct MigrationTests {
    /// The files that earlier versions have left behind, by the number of their last migration.
    private static let versions = Array(1...13)

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
