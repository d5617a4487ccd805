import GRDB

extension DatabaseMigrator {
    /// Users' links to providers, and the accounts that were found behind each.
    ///
    /// Times are milliseconds since 1970. The credential of a connection is a row of `credential`, and goes with it.
    mutating func addConnections() {
        registerMigration("3: connections") { db in
            try db.execute(
                sql: """
                    -- `refused_at` is when the provider refused the credential; null while it takes it.
                    CREATE TABLE connection (
                        id TEXT NOT NULL PRIMARY KEY,
                        owner TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
                        provider TEXT NOT NULL, environment TEXT NOT NULL,
                        redirect_uri TEXT, label TEXT, connected_at INTEGER NOT NULL, refused_at INTEGER
                    ) STRICT, WITHOUT ROWID;
                    CREATE INDEX connection_owner ON connection (owner);
                    CREATE TABLE connected_account (
                        connection TEXT NOT NULL REFERENCES connection (id) ON DELETE CASCADE,
                        place INTEGER NOT NULL,
                        id TEXT NOT NULL, number TEXT NOT NULL, name TEXT, currency TEXT NOT NULL,
                        PRIMARY KEY (connection, place)
                    ) STRICT, WITHOUT ROWID;
                    -- Credentials are older than connections, and have no foreign key.
                    CREATE TRIGGER connection_credential AFTER DELETE ON connection BEGIN
                        DELETE FROM credential WHERE connection = OLD.id;
                    END;
                    """)
        }
    }
}
