/// Creates and migrates the tables of a PostgreSQL database.
///
/// All steps that are missing are executed in one transaction under a lock, so that replicas can start at the same time.
/// The table `portico_schema` has one row: the number of the last step, and the number that a binary must know at least.
/// The second number is below the first while replicas are upgraded: a step only adds (tables, columns that may be null,
/// indices), and what the previous version needs is removed one version later, together with a higher
/// ``oldestCompatible``.
package struct PostgresMigrator {
    private let database: PostgresDatabase
    private let schema: String?
    private let steps: [UserDatabaseMigration]
    /// The number of the first step.
    private let first: Int
    private let oldestCompatible: Int

    /// The number of the last step that a binary must know to work with the tables after all steps.
    package static let oldestCompatible = UserDatabaseMigration.firstNumber
    /// The key of the lock: any number that no other program uses, here "portico" in ASCII.
    private static let lockKey: Int64 = 0x70_6F72_7469_636F

    /// - Parameters:
    ///   - database: The database.
    ///   - schema: The schema to create; nil for the default one, which exists.
    ///   - steps: The steps that this binary knows.
    ///   - first: The number of the first step.
    ///   - oldestCompatible: See ``oldestCompatible``.
    package init(
        _ database: PostgresDatabase, schema: String?,
        steps: [UserDatabaseMigration] = UserDatabaseMigration.all,
        first: Int = UserDatabaseMigration.firstNumber,
        oldestCompatible: Int = PostgresMigrator.oldestCompatible
    ) {
        self.database = database
        self.schema = schema
        self.steps = steps
        self.first = first
        self.oldestCompatible = oldestCompatible
    }

    /// The number of the last step.
    private var last: Int { first + steps.count - 1 }

    /// - Throws: `encoding` if the database is not encoded in UTF8, `newer` if the tables need a later binary, `unreleased` if
    ///   they are of a revision before the first release; then nothing was changed.
    package func migrate() throws(StorageError) {
        try checkEncoding()
        // Usually there is nothing to do, and no lock to wait for.
        if try version() == .current { return }
        let location = database.location
        try database.maintain { db in
            try db.execute("SELECT CAST(pg_advisory_xact_lock(?) AS TEXT)", [Self.lockKey])
            if let schema { try db.executeScript("CREATE SCHEMA IF NOT EXISTS \(schema)") }
            try db.executeScript(
                "CREATE TABLE IF NOT EXISTS portico_schema (version BIGINT NOT NULL, oldest BIGINT NOT NULL)")
            let known = try Self.row(db)
            switch known.map(version) {
            case .newer?: throw StorageError.newer(path: location)
            case .unreleased?: throw StorageError.unreleased(path: location)
            case .current?: return
            case .older?, .missing?, nil: break
            }
            // While a step waits for its lock behind a dump, the transactions of all replicas wait behind the step.
            try db.executeScript("SET LOCAL lock_timeout = '5s'")
            for step in steps.dropFirst(known.map { $0.version - first + 1 } ?? 0) {
                try db.executeScript(step.postgres)
            }
            try db.execute("DELETE FROM portico_schema")
            try db.execute(
                "INSERT INTO portico_schema (version, oldest) VALUES (?, ?)",
                [last, max(oldestCompatible, known?.oldest ?? 0)])
        }
    }

    private func checkEncoding() throws(StorageError) {
        let encoding = try database.readNow { db in
            try db.value("SELECT current_setting('server_encoding')", as: String.self)
        }
        if let encoding, encoding != "UTF8" { throw .encoding(path: database.location, encoding: encoding) }
    }

    /// Checks that this binary can work with the tables, and changes nothing.
    ///
    /// - Throws: `missing`, `older`, `newer` or `unreleased`.
    package func check() throws(StorageError) {
        switch try version() {
        case .current: break
        case .older: throw .older(path: database.location)
        case .newer: throw .newer(path: database.location)
        case .unreleased: throw .unreleased(path: database.location)
        case .missing: throw .missing(path: database.location)
        }
    }

    /// How the tables relate to this binary.
    package enum Version: Sendable {
        case current
        case older
        /// This binary is too old for them.
        case newer
        /// They are of a revision before the first step.
        case unreleased
        case missing
    }

    package func version() throws(StorageError) -> Version {
        try database.readNow { db in
            let exists = try db.value("SELECT to_regclass('portico_schema') IS NOT NULL", as: Bool.self)
            guard exists == true else { return .missing }
            return try Self.row(db).map(version) ?? .missing
        }
    }

    private func version(_ row: (version: Int, oldest: Int)) -> Version {
        if row.version < first { return .unreleased }
        if row.version < last { return .older }
        return row.oldest > last ? .newer : .current
    }

    private static func row(_ db: SQLTransaction) throws -> (version: Int, oldest: Int)? {
        try db.row("SELECT version, oldest FROM portico_schema").map { (try $0["version"], try $0["oldest"]) }
    }
}
