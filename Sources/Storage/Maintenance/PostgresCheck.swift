/// The results of checks of a PostgreSQL database, which change nothing; servers may use it meanwhile.
package struct PostgresCheck: Sendable {
    package private(set) var findings: [StorageFinding] = []
    private let server: PostgresDatabase

    /// The oldest version of PostgreSQL, as `server_version_num` has it.
    private static let oldestVersion = 150_000

    /// - Parameters:
    ///   - url: The database.
    ///   - masterKey: The key of its secrets; nil if there is none.
    package init(of url: PostgresURL, with masterKey: MasterKey?) {
        server = PostgresDatabase(url)
        do throws(StorageError) {
            guard try checkServer() else { return }
            try checkDurability()
            guard try checkMigrations(url.schema) else { return }
        } catch {
            find("database", false, "\(error)")
            return
        }
        checkKeys(masterKey)
    }

    private mutating func find(_ subject: String, _ isFine: Bool, _ text: String) {
        findings.append(StorageFinding(subject, isFine, text))
    }

    /// Returns false if the database cannot be used at all.
    private mutating func checkServer() throws(StorageError) -> Bool {
        let row = try server.readNow { db in
            try db.row(
                """
                SELECT CAST(current_setting('server_version_num') AS BIGINT) AS version,
                    current_setting('server_version') AS name, pg_is_in_recovery() AS standby,
                    CAST(pg_encoding_to_char(encoding) AS TEXT) AS encoding
                FROM pg_database WHERE datname = current_database()
                """
            ).map { row in
                (
                    version: try row["version"] as Int, name: try row["name"] as String,
                    isStandby: try row["standby"] as Bool, encoding: try row["encoding"] as String
                )
            }
        }
        guard let row else { return false }
        let isSupported = row.version >= Self.oldestVersion
        find(
            "database", isSupported,
            "\(server.location) is PostgreSQL \(row.name)." + (isSupported ? "" : " Use version 15 or newer.")
        )
        if row.isStandby {
            find(
                "role", false,
                "The server is a standby: name all hosts in the URL, and leave target_session_attrs out of it."
            )
        }
        find(
            "encoding", row.encoding == "UTF8",
            row.encoding == "UTF8"
                ? "Texts are stored in UTF-8."
                : "Texts are stored in \(row.encoding): create the database with UTF8.")
        return isSupported && !row.isStandby
    }

    /// Orders and counts of calls that were reported as stored must survive a loss of power.
    private mutating func checkDurability() throws(StorageError) {
        let off: [String] = try server.readNow { db in
            try db.values(
                """
                SELECT name FROM pg_settings
                WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' ORDER BY name
                """)
        }
        find(
            "durability", off.isEmpty,
            off.isEmpty
                ? "A commit is on the disk before it is reported."
                : "\(off.joined(separator: ", ")) off: stored data can be lost with the machine's power. Set it to on."
        )
    }

    /// Returns false if there are no tables to read.
    private mutating func checkMigrations(_ schema: String?) throws(StorageError) -> Bool {
        switch try PostgresMigrator(server, schema: schema).version() {
        case .current:
            find("migrations", true, "All are applied.")
            return true
        case .older:
            find("migrations", true, "The next start applies some.")
            return true
        case .newer:
            find("migrations", false, "\(StorageError.newer(path: server.location))")
            return false
        case .unreleased:
            find("migrations", false, "\(StorageError.unreleased(path: server.location))")
            return false
        case .missing:
            let mayCreate = try mayCreateTables(schema)
            find(
                "migrations", mayCreate,
                mayCreate
                    ? "There are no tables yet: the first start creates them."
                    : "The role of the URL finds no tables and may not create them: make it the owner of the database and of its tables."
            )
            return false
        }
    }

    private func mayCreateTables(_ schema: String?) throws(StorageError) -> Bool {
        let right =
            if let schema {
                """
                CASE WHEN to_regnamespace('\(schema)') IS NULL THEN has_database_privilege(current_database(), 'CREATE')
                ELSE has_schema_privilege('\(schema)', 'CREATE') END
                """
            } else { "coalesce(has_schema_privilege(current_schema(), 'CREATE'), false)" }
        return try server.readNow { db in try db.value("SELECT \(right)", as: Bool.self) } ?? false
    }

    private mutating func checkKeys(_ masterKey: MasterKey?) {
        guard let masterKey else {
            return find("keys", false, "There is no master key: set PORTICO_MASTER_KEY_FILE.")
        }
        do throws(StorageError) {
            let location = server.location
            let counts = try server.readNow { db in try CredentialStore.examine(db, at: location, masterKey) }
            find("keys", counts.broken == 0, CredentialStore.text(of: counts))
        } catch {
            find("keys", false, "\(error)")
        }
    }
}
