import GRDB

extension DatabaseMigrator {
    /// Watchlists and goals.
    ///
    /// Times are milliseconds since 1970. Amounts, quantities and per cents are decimal numbers as text, since SQLite's
    /// REAL would change them. `number` keeps the order in which they were made.
    mutating func addLists() {
        registerMigration("4: watchlists and goals") { db in
            try db.execute(
                sql: """
                    CREATE TABLE watchlist (
                        number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
                        owner TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
                        name TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
                    ) STRICT;
                    CREATE INDEX watchlist_owner ON watchlist (owner);
                    -- `position` only orders the items: it may have gaps. A symbol is in a list once.
                    CREATE TABLE watchlist_item (
                        watchlist INTEGER NOT NULL REFERENCES watchlist (number) ON DELETE CASCADE,
                        symbol TEXT NOT NULL, position INTEGER NOT NULL, added_at INTEGER NOT NULL,
                        PRIMARY KEY (watchlist, symbol)
                    ) STRICT, WITHOUT ROWID;
                    CREATE TABLE goal (
                        number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
                        owner TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
                        title TEXT NOT NULL, about TEXT NOT NULL, target TEXT NOT NULL, currency TEXT NOT NULL,
                        due_on TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
                    ) STRICT;
                    CREATE INDEX goal_owner ON goal (owner);
                    -- Without quantity and per cent: all of it. Without account: what all accounts hold.
                    CREATE TABLE goal_allocation (
                        goal INTEGER NOT NULL REFERENCES goal (number) ON DELETE CASCADE,
                        position INTEGER NOT NULL, symbol TEXT NOT NULL, account TEXT, quantity TEXT, percent TEXT,
                        PRIMARY KEY (goal, position), CHECK (quantity IS NULL OR percent IS NULL)
                    ) STRICT, WITHOUT ROWID;
                    """)
        }
    }
}
