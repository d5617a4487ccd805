import GRDB

extension DatabaseMigrator {
    /// The credentials of connections, and the keys that seal them.
    mutating func addCredentials() {
        registerMigration("1: credentials") { db in
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
    }
}
