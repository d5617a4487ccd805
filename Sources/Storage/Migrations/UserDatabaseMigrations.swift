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

extension DatabaseMigrator {
    /// Users, their credentials, their sessions, and invitations.
    ///
    /// Times are milliseconds since 1970. Rows of a user refer to `user (id)` and are deleted with it.
    mutating func addUsers() {
        registerMigration("2: people") { db in
            try db.execute(
                sql: """
                    -- Named by the settings, come without a name, or signed up; `username_key` is the name as names
                    -- are compared.
                    CREATE TABLE user (
                        id TEXT NOT NULL PRIMARY KEY,
                        kind TEXT NOT NULL DEFAULT 'CONFIGURED' CHECK (kind IN ('CONFIGURED', 'GUEST', 'NAMED')),
                        username TEXT, username_key TEXT UNIQUE,
                        is_admin INTEGER NOT NULL DEFAULT 0 CHECK (is_admin IN (0, 1)),
                        created_at INTEGER NOT NULL,
                        CHECK ((username IS NOT NULL) = (kind = 'NAMED')),
                        CHECK ((username_key IS NOT NULL) = (kind = 'NAMED'))
                    ) STRICT, WITHOUT ROWID;
                    -- scrypt's parameters beside each hash: they may rise, and old ones still count.
                    CREATE TABLE password (
                        user_id TEXT NOT NULL PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE,
                        salt BLOB NOT NULL, hash BLOB NOT NULL,
                        cost INTEGER NOT NULL, block_size INTEGER NOT NULL, parallelism INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    -- The key that token hashes are made with, sealed with the master key.
                    CREATE TABLE token_key (
                        id INTEGER PRIMARY KEY AUTOINCREMENT, wrapped BLOB NOT NULL, master_key_id TEXT NOT NULL
                    ) STRICT;
                    CREATE TABLE session (
                        id TEXT NOT NULL PRIMARY KEY,
                        token_hash BLOB NOT NULL UNIQUE,
                        user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
                        scopes TEXT NOT NULL, label TEXT,
                        created_at INTEGER NOT NULL, last_used_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    CREATE INDEX session_user ON session (user_id);
                    CREATE TABLE invitation (
                        id TEXT NOT NULL PRIMARY KEY,
                        code_hash BLOB NOT NULL UNIQUE, label TEXT,
                        is_admin INTEGER NOT NULL DEFAULT 0 CHECK (is_admin IN (0, 1)),
                        created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    -- Credentials are older than users, and have no foreign key.
                    CREATE TRIGGER user_credentials AFTER DELETE ON user BEGIN
                        DELETE FROM credential WHERE owner = OLD.id;
                    END;
                    """)
        }
    }
}

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

extension DatabaseMigrator {
    /// Watchlists and goals.
    ///
    /// Times are milliseconds since 1970. Amounts, quantities and percentages are decimal numbers as text,
    /// because SQLite's REAL would change them. `number` is the order of creation.
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

extension DatabaseMigrator {
    /// The journal of orders: the requested order, written before the request is sent, and its outcome.
    ///
    /// Amounts and quantities are texts with all their digits; times are milliseconds since 1970.
    mutating func addOrders() {
        registerMigration("5: orders") { db in
            try db.execute(
                sql: """
                    -- An order as its user knows it, and the last that was heard of it. `id` is Portico's own, and stays when
                    -- the broker puts another order into its place; for one that was placed elsewhere, the broker's first.
                    CREATE TABLE journal_order (
                        owner TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
                        connection TEXT NOT NULL, id TEXT NOT NULL,
                        provider TEXT NOT NULL, account TEXT, idempotency_key TEXT,
                        provider_order_id TEXT, replaces TEXT,
                        symbol TEXT NOT NULL, side TEXT NOT NULL, type TEXT, time_in_force TEXT,
                        extended_hours INTEGER, quantity TEXT, notional TEXT, limit_price TEXT, stop_price TEXT,
                        trail_percent TEXT, trail_amount TEXT, filled_quantity TEXT, average_fill_price TEXT,
                        state TEXT NOT NULL, provider_state TEXT, rejection TEXT, rejection_message TEXT,
                        submitted_at INTEGER, updated_at INTEGER, filled_at INTEGER, canceled_at INTEGER,
                        expires_at INTEGER, created_at INTEGER NOT NULL, heard_at INTEGER NOT NULL,
                        PRIMARY KEY (owner, connection, id)
                    ) STRICT, WITHOUT ROWID;
                    CREATE UNIQUE INDEX journal_order_key ON journal_order (owner, idempotency_key)
                        WHERE idempotency_key IS NOT NULL;
                    CREATE UNIQUE INDEX journal_order_provider
                        ON journal_order (owner, connection, provider_order_id)
                        WHERE provider_order_id IS NOT NULL;
                    CREATE INDEX journal_order_created ON journal_order (owner, connection, created_at);
                    -- The broker's orders whose place an order of the journal took.
                    CREATE TABLE journal_replaced (
                        owner TEXT NOT NULL, connection TEXT NOT NULL, provider_order_id TEXT NOT NULL,
                        id TEXT NOT NULL,
                        PRIMARY KEY (owner, connection, provider_order_id),
                        FOREIGN KEY (owner, connection, id) REFERENCES journal_order ON DELETE CASCADE
                    ) STRICT, WITHOUT ROWID;
                    CREATE INDEX journal_replaced_order ON journal_replaced (owner, connection, id);
                    -- Something that is to change at a broker, with what was meant to the last digit. Its id is the
                    -- client's id of the order at the broker, less a prefix.
                    CREATE TABLE journal_write (
                        id TEXT NOT NULL PRIMARY KEY,
                        owner TEXT NOT NULL, connection TEXT NOT NULL, order_id TEXT NOT NULL,
                        kind TEXT NOT NULL CHECK (kind IN ('PLACE', 'REPLACE', 'CANCEL')),
                        state TEXT NOT NULL,
                        quantity TEXT, notional TEXT, type TEXT, limit_price TEXT, stop_price TEXT,
                        trail_percent TEXT, trail_amount TEXT, time_in_force TEXT, expires_on TEXT,
                        extended_hours INTEGER,
                        created_at INTEGER NOT NULL, sent_at INTEGER, settled_at INTEGER,
                        FOREIGN KEY (owner, connection, order_id) REFERENCES journal_order ON DELETE CASCADE
                    ) STRICT, WITHOUT ROWID;
                    CREATE INDEX journal_write_order ON journal_write (owner, connection, order_id);
                    -- One change of an order at a time, whoever asks.
                    CREATE UNIQUE INDEX journal_write_open ON journal_write (owner, connection, order_id)
                        WHERE state IN ('PENDING', 'SENT', 'UNCONFIRMED');
                    """)
        }
    }

    /// Adds the id of the process that executes a write of the journal.
    mutating func addWriteHolders() {
        registerMigration("6: holders of writes") { db in
            try db.execute(
                sql: """
                    -- The id of the process that recorded the write, new at each start: only that process may send it.
                    -- Null in rows of earlier versions, whose processes have ended.
                    ALTER TABLE journal_write ADD COLUMN holder TEXT;
                    """)
        }
    }

    /// Adds the legs of orders: each is an order of its own with the id of its parent, and the write that
    /// places the parent has the prices of its exits.
    mutating func addOrderLegs() {
        registerMigration("7: legs of orders") { db in
            try db.execute(
                sql: """
                    -- Portico's id of the order that this one is a leg of.
                    ALTER TABLE journal_order ADD COLUMN parent TEXT;
                    -- The place of a leg among those of its parent.
                    ALTER TABLE journal_order ADD COLUMN leg INTEGER;
                    CREATE INDEX journal_order_parent ON journal_order (owner, connection, parent)
                        WHERE parent IS NOT NULL;
                    ALTER TABLE journal_write ADD COLUMN take_profit TEXT;
                    ALTER TABLE journal_write ADD COLUMN stop_loss TEXT;
                    ALTER TABLE journal_write ADD COLUMN stop_loss_limit TEXT;
                    -- 1 for exits of an existing position, of which the order is the take profit.
                    ALTER TABLE journal_write ADD COLUMN closes_position INTEGER;
                    """)
        }
    }
}
