package import Brokerage
package import Foundation
package import Storage
import TestSupport
import Testing

/// The engines that the tests of stores run on.
package enum TestEngine: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case sqlite = "SQLite"
    case postgresql = "PostgreSQL"

    package var testDescription: String { rawValue }

    /// A statement of SQLite with bytes, in the form of the engine.
    package func sql(_ text: String) -> String {
        switch self {
        case .sqlite: text
        case .postgresql:
            text.replacing("x'00'", with: "decode('00', 'hex')")
                .replacing("CAST(id AS BLOB)", with: "convert_to(id, 'UTF8')")
                .replacing("zeroblob(length(sealed))", with: "decode(repeat('00', length(sealed)), 'hex')")
        }
    }

    /// Runs a test with an empty database.
    package func with(_ body: (TestDatabase) async throws -> Void) async throws {
        try await Folder.with { folder in try await body(TestDatabase(self, folder)) }
    }

    /// Runs a test with an empty database of each engine, for tests with other arguments.
    package static func each(_ body: (TestDatabase) async throws -> Void) async throws {
        for engine in allCases { try await engine.with(body) }
    }

    /// A database that exists as long as the process, or as it is used.
    package func temporary() throws -> UserDatabase {
        switch self {
        case .sqlite: try .temporary()
        case .postgresql: try TestDatabase(self, Folder()).open()
        }
    }
}

/// An empty database of one test, which is opened like by several processes.
package struct TestDatabase {
    package let engine: TestEngine
    /// The folder of SQLite's file.
    package let folder: Folder
    private let url: PostgresURL?

    /// Long enough for a machine with many tests.
    package static let limits: PostgresLimits = {
        var limits = PostgresLimits()
        limits.connections = 4
        limits.lookUp = .seconds(60)
        limits.transaction = .seconds(60)
        limits.start = .seconds(60)
        return limits
    }()

    package init(_ engine: TestEngine, _ folder: Folder) throws {
        (self.engine, self.folder) = (engine, folder)
        switch engine {
        case .sqlite: url = nil
        // A schema of its own is made faster than a database.
        case .postgresql:
            url = try PostgresURL(
                PostgresCluster.shared.get().url(), origin: "the test's URL",
                schema: "test_" + UUID().uuidString.lowercased().replacing("-", with: ""))
        }
    }

    /// Opens the database as another process would, with limits of the connections to PostgreSQL.
    package func open(_ limits: PostgresLimits = Self.limits) throws -> UserDatabase {
        if let url { return try UserDatabase(at: url, limits) }
        return try UserDatabase(in: folder.opened())
    }

    /// Everything that is stored: the files of SQLite, or the values of all tables of PostgreSQL.
    package func allBytes() async throws -> Data {
        guard let url, let schema = url.schema else { return try folder.allBytes() }
        return try await UserDatabase.existing(at: url, Self.limits).database.read { db in
            let tables: [String] = try db.values(
                "SELECT CAST(tablename AS TEXT) FROM pg_tables WHERE schemaname = ?", [schema])
            return try tables.reduce(into: Data()) { all, table in
                // The numbers of transactions have a type that no statement of Portico reads.
                let columns: [String] = try db.values(
                    """
                    SELECT CAST(quote_ident(column_name) AS TEXT) FROM information_schema.columns
                    WHERE table_schema = ? AND table_name = ? AND data_type <> 'xid8'
                    """, [schema, table])
                let select = "SELECT \(columns.joined(separator: ", ")) FROM \"\(table)\""
                for value in try db.rows(select).flatMap(\.values) {
                    switch value {
                    case .text(let text): all += Data(text.utf8)
                    case .bytes(let bytes): all += bytes
                    case .integer, .boolean, .null: break
                    }
                }
            }
        }
    }

    /// The path of the file, or the address of the server, in errors.
    package var location: String { url?.location ?? folder.file(UserDatabase.name) }
}

extension SQLDatabase {
    /// The number of transactions at PostgreSQL; 0 with SQLite.
    package var transactionCount: Int { postgres?.counts.transactions ?? 0 }

    /// Stops the clock of the database at a time; without effect with SQLite, which has none.
    package func setClock(to time: Instant) async throws {
        guard postgres != nil else { return }
        try await write { db in
            try db.executeScript(
                """
                CREATE OR REPLACE FUNCTION clock_milliseconds() RETURNS BIGINT LANGUAGE sql VOLATILE AS
                    'SELECT CAST(\(time.millisecondsSince1970) AS BIGINT)';
                """)
        }
    }
}
