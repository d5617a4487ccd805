import GRDB

/// `portico.db`: what users have entrusted to Portico; each write is on the disk before it is done.
package struct HouseFile: Sendable {
    package static let name = "portico.db"

    let database: DatabaseFile

    package init(in folder: DataFolder) throws(StorageError) {
        database = try DatabaseFile.open(Self.name, in: folder, .full, Self.migrator)
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1: credentials") { db in
            try db.execute(
                sql: """
                    CREATE TABLE data_key (
                        id INTEGER PRIMARY KEY AUTOINCREMENT, wrapped BLOB NOT NULL, master_key_id TEXT NOT NULL
                    ) STRICT;
                    CREATE TABLE credential (
                        connection TEXT NOT NULL PRIMARY KEY, provider TEXT NOT NULL, owner TEXT NOT NULL,
                        data_key_id INTEGER NOT NULL REFERENCES data_key (id),
                        version INTEGER NOT NULL, sealed BLOB NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    CREATE INDEX credential_owner ON credential (owner);
                    """)
        }
        return migrator
    }
}
