import GRDB

extension DatabaseMigrator {
    /// The journal of orders: what was meant, before the broker is told, and what became of it.
    ///
    /// Numbers of money and pieces are texts with all their digits; times are milliseconds since 1970.
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
}
