/// A step from an earlier to a later form of the tables of users' data.
///
/// A released step never changes, and there is one list for both engines. PostgreSQL's steps first expand, and contract
/// one version later: while replicas are upgraded one by one, the previous version still works with the tables, see
/// ``PostgresMigrator``.
///
/// Times are milliseconds since 1970; one that orders rows has its nanoseconds in another column. Texts are compared byte by byte in both engines.
package struct UserDatabaseMigration: Sendable {
    /// The number of the step and its subject; SQLite's file contains it.
    let name: String
    /// Nil if SQLite does not need the step.
    let sqlite: String?
    let postgres: String

    package init(name: String, sqlite: String?, postgres: String) {
        self.name = name
        self.sqlite = sqlite
        self.postgres = postgres
    }

    /// All steps in their order; the number of a step is its place, from ``firstNumber``.
    package static let all = [
        baseline, formerQuotaFunctions, quotaFunctionsStep, refusals, changeTransactions,
    ]

    /// The number of ``baseline``, which contains the steps of the revisions before the first release.
    package static let firstNumber = 17

    /// The tables of the first release.
    ///
    /// A database that ``lastUnreleased`` has migrated is the same, so the step has the name of the last step of this revision.
    static let baseline = UserDatabaseMigration(
        name: "17: unreadable activities",
        sqlite: SQLDialect.sqlite.text(credentials + users + lists + orders + activities + alerts)
            + sqliteTriggers,
        postgres: SQLDialect.postgres.text(credentials + users + lists + orders + activities + alerts)
            + postgresTriggers + SQLDialect.postgres.text(changes) + replicas)

    /// The step of a revision before the first release, whose functions ``quotaFunctionsStep`` replaces.
    private static let formerQuotaFunctions = UserDatabaseMigration(
        name: "18: steps of quotas", sqlite: nil, postgres: "")

    /// The functions that count calls.
    ///
    /// Those with the names of functions of ``lastUnreleased`` replace them, because they rounded times otherwise; the others have
    /// other names, because processes of that revision call its functions during an upgrade.
    private static let quotaFunctionsStep = UserDatabaseMigration(
        name: "19: calls of quotas in groups", sqlite: nil, postgres: quotaFunctions)

    /// The trigger that records when a provider begins or ends to refuse a connection.
    ///
    /// It is an addition, so that the previous version still works with the tables.
    private static let refusals = UserDatabaseMigration(
        name: "20: refusals of connections", sqlite: nil,
        postgres: """
            CREATE TRIGGER connection_refusal AFTER UPDATE OF refused_at ON connection
                FOR EACH ROW WHEN (OLD.refused_at IS DISTINCT FROM NEW.refused_at)
                EXECUTE FUNCTION record_connection_change();
            """)

    /// The transaction that has inserted a change, by which a process finds a change that was committed late.
    ///
    /// The default is set after the column was added, so that no row is written again: earlier changes have null.
    private static let changeTransactions = UserDatabaseMigration(
        name: "21: transactions of changes", sqlite: nil,
        postgres: """
            ALTER TABLE change ADD COLUMN xact XID8;
            ALTER TABLE change ALTER COLUMN xact SET DEFAULT pg_current_xact_id();
            CREATE INDEX change_xact ON change (xact);
            """)

    /// The last revision before the first release.
    static let lastUnreleased = "c8b28184"

    /// The names of SQLite's steps before ``baseline``, which a file has that ``lastUnreleased`` has migrated.
    ///
    /// A new file gets them too: GRDB would take a file with other names for one of a later version.
    static let unreleased = [
        "1: credentials", "2: people", "3: connections", "4: watchlists and goals", "5: orders",
        "6: holders of writes", "7: activities", "8: identities", "9: legs of orders",
        "11: alerts and webhooks",
        "13: shares of sign-ins and accepted logouts", "14: webhook addresses", "15: followed orders",
        "16: times below a millisecond",
    ]

    /// The credentials of connections, and the keys that encrypt them.
    private static let credentials = """
        CREATE TABLE data_key (
            id SERIAL, wrapped BLOB NOT NULL, master_key_id TEXT NOT NULL
        ) STRICT;
        CREATE TABLE credential (
            connection TEXT NOT NULL PRIMARY KEY, provider TEXT NOT NULL, owner TEXT NOT NULL,
            data_key_id INTEGER NOT NULL REFERENCES data_key (id),
            version INTEGER NOT NULL, sealed BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX credential_owner ON credential (owner);

        """

    /// Users, their passwords, identities, sessions and connections.
    ///
    /// Rows of a user refer to the user's row and are deleted with it.
    private static let users = """
        -- Named by the settings, come without a name, or signed up; `username_key` is the name as names
        -- are compared.
        CREATE TABLE "user" (
            id TEXT NOT NULL PRIMARY KEY,
            kind TEXT NOT NULL DEFAULT 'CONFIGURED' CHECK (kind IN ('CONFIGURED', 'GUEST', 'NAMED')),
            username TEXT, username_key TEXT UNIQUE,
            is_admin BOOLEAN NOT NULL DEFAULT FALSE,
            created_at INTEGER NOT NULL,
            CHECK ((username IS NOT NULL) = (kind = 'NAMED')),
            CHECK ((username_key IS NOT NULL) = (kind = 'NAMED'))
        ) STRICT, WITHOUT ROWID;
        -- scrypt's parameters beside each hash: they may rise, and old ones still count.
        CREATE TABLE password (
            user_id TEXT NOT NULL PRIMARY KEY REFERENCES "user" (id) ON DELETE CASCADE,
            salt BLOB NOT NULL, hash BLOB NOT NULL,
            cost INTEGER NOT NULL, block_size INTEGER NOT NULL, parallelism INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        -- The key that token hashes are made with, sealed with the master key.
        CREATE TABLE token_key (
            id SERIAL, wrapped BLOB NOT NULL, master_key_id TEXT NOT NULL
        ) STRICT;
        -- `issuer` and `issuer_session` (`sid`) are of a session that was opened by a sign-in at an issuer;
        -- `token_issued_at` is `iat` of the ID token that opened it, by the clock of the issuer.
        CREATE TABLE session (
            id TEXT NOT NULL PRIMARY KEY,
            token_hash BLOB NOT NULL UNIQUE,
            user_id TEXT NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
            scopes TEXT NOT NULL, label TEXT,
            created_at INTEGER NOT NULL, last_used_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
            issuer TEXT, issuer_session TEXT, token_issued_at INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX SESSION_USER_INDEX ON session (user_id);
        CREATE INDEX session_issuer ON session (issuer, issuer_session) WHERE issuer IS NOT NULL;
        CREATE TABLE invitation (
            id TEXT NOT NULL PRIMARY KEY,
            code_hash BLOB NOT NULL UNIQUE, label TEXT,
            is_admin BOOLEAN NOT NULL DEFAULT FALSE,
            created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        -- A user is bound to issuer and subject, never to an e-mail address or a name.
        CREATE TABLE identity (
            issuer TEXT NOT NULL, subject TEXT NOT NULL,
            user_id TEXT NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
            created_at INTEGER NOT NULL,
            PRIMARY KEY (issuer, subject)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX identity_user ON identity (user_id);
        -- A row is deleted when its sign-in is completed, so that a state is valid once. `client` is a hash of the client
        -- that has begun it.
        CREATE TABLE pending_sign_in (
            state_hash BLOB NOT NULL PRIMARY KEY, browser_hash BLOB NOT NULL,
            issuer TEXT NOT NULL, client_id TEXT NOT NULL, redirect_uri TEXT NOT NULL,
            scopes TEXT, label TEXT, expires_at INTEGER NOT NULL, client BLOB NOT NULL DEFAULT EMPTY
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX pending_sign_in_end ON pending_sign_in (expires_at);
        CREATE INDEX pending_sign_in_client ON pending_sign_in (client, expires_at);
        -- Sessions of an issuer, all sessions of a subject, or single tokens, whose bearer tokens are refused
        -- until all that were issued before have expired.
        CREATE TABLE ended_identity_session (
            issuer TEXT NOT NULL, kind TEXT NOT NULL CHECK (kind IN ('SESSION', 'SUBJECT', 'TOKEN')),
            value TEXT NOT NULL, ended_at INTEGER NOT NULL, forget_at INTEGER NOT NULL,
            PRIMARY KEY (issuer, kind, value)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX ended_identity_session_end ON ended_identity_session (forget_at);
        -- Hashes of the issuer with the id of a logout token (`jti`), and of its subject, until the token has expired.
        CREATE TABLE accepted_logout (
            token_hash BLOB NOT NULL PRIMARY KEY, owner BLOB NOT NULL, expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX accepted_logout_owner ON accepted_logout (owner, expires_at);
        CREATE INDEX accepted_logout_end ON accepted_logout (expires_at);
        -- `refused_at` is when the provider refused the credential; null while it takes it.
        CREATE TABLE connection (
            id TEXT NOT NULL PRIMARY KEY,
            owner TEXT NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
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

        """

    /// Watchlists and goals.
    ///
    /// Amounts, quantities and percentages are decimal numbers as text, because REAL would change them. `number` is the
    /// order of creation.
    private static let lists = """
        CREATE TABLE watchlist (
            number SERIAL, id TEXT NOT NULL UNIQUE,
            owner TEXT NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
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
            number SERIAL, id TEXT NOT NULL UNIQUE,
            owner TEXT NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
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

        """

    /// The journal of orders: the requested order, written before the request is sent, and its outcome.
    ///
    /// Amounts and quantities are texts with all their digits.
    private static let orders = """
        -- An order as its user knows it, and its last known state. `id` is Portico's own, and stays when
        -- the broker replaces the order by another one; for one that was placed elsewhere, it is the broker's first id.
        -- `parent` is Portico's id of the order that this one is a leg of, and `leg` its place among the legs.
        CREATE TABLE journal_order (
            owner TEXT NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
            connection TEXT NOT NULL, id TEXT NOT NULL,
            provider TEXT NOT NULL, account TEXT, idempotency_key TEXT,
            provider_order_id TEXT, replaces TEXT,
            symbol TEXT NOT NULL, side TEXT NOT NULL, type TEXT, time_in_force TEXT,
            extended_hours BOOLEAN, quantity TEXT, notional TEXT, limit_price TEXT, stop_price TEXT,
            trail_percent TEXT, trail_amount TEXT, filled_quantity TEXT, average_fill_price TEXT,
            state TEXT NOT NULL, provider_state TEXT, rejection TEXT, rejection_message TEXT,
            submitted_at INTEGER, updated_at INTEGER, filled_at INTEGER, canceled_at INTEGER,
            expires_at INTEGER, created_at INTEGER NOT NULL, heard_at INTEGER NOT NULL,
            parent TEXT, leg INTEGER,
            created_nanos INTEGER NOT NULL DEFAULT 0, submitted_nanos INTEGER NOT NULL DEFAULT 0,
            updated_nanos INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (owner, connection, id)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX journal_order_key ON journal_order (owner, idempotency_key)
            WHERE idempotency_key IS NOT NULL;
        CREATE UNIQUE INDEX journal_order_provider ON journal_order (owner, connection, provider_order_id)
            WHERE provider_order_id IS NOT NULL;
        CREATE INDEX journal_order_created ON journal_order (owner, connection, created_at);
        CREATE INDEX journal_order_parent ON journal_order (owner, connection, parent)
            WHERE parent IS NOT NULL;
        CREATE INDEX journal_order_followed ON journal_order (owner, connection)
            WHERE provider_order_id IS NOT NULL
                AND state IN ('ACCEPTED', 'OPEN', 'PARTIALLY_FILLED', 'PENDING_CANCEL', 'PENDING_REPLACE');
        CREATE INDEX journal_order_traded ON journal_order (owner, connection, updated_at)
            WHERE filled_quantity IS NOT NULL;
        -- The broker's orders whose place an order of the journal took.
        CREATE TABLE journal_replaced (
            owner TEXT NOT NULL, connection TEXT NOT NULL, provider_order_id TEXT NOT NULL,
            id TEXT NOT NULL,
            PRIMARY KEY (owner, connection, provider_order_id),
            FOREIGN KEY (owner, connection, id) REFERENCES journal_order ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX journal_replaced_order ON journal_replaced (owner, connection, id);
        -- A change to be made at a broker, with its exact values. Its id is the client's id of the order at the
        -- broker, without a prefix. `holder` is the id of the process that recorded the write, new at each start: only that
        -- process may send it. `closes_position` is true for exits of an existing position, of which the order is the
        -- take profit.
        CREATE TABLE journal_write (
            id TEXT NOT NULL PRIMARY KEY,
            owner TEXT NOT NULL, connection TEXT NOT NULL, order_id TEXT NOT NULL,
            kind TEXT NOT NULL CHECK (kind IN ('PLACE', 'REPLACE', 'CANCEL')),
            state TEXT NOT NULL,
            quantity TEXT, notional TEXT, type TEXT, limit_price TEXT, stop_price TEXT,
            trail_percent TEXT, trail_amount TEXT, time_in_force TEXT, expires_on TEXT,
            extended_hours BOOLEAN,
            created_at INTEGER NOT NULL, sent_at INTEGER, settled_at INTEGER, holder TEXT,
            take_profit TEXT, stop_loss TEXT, stop_loss_limit TEXT, closes_position BOOLEAN,
            created_nanos INTEGER NOT NULL DEFAULT 0,
            FOREIGN KEY (owner, connection, order_id) REFERENCES journal_order ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX journal_write_order ON journal_write (owner, connection, order_id);
        -- An order has at most one write in progress.
        CREATE UNIQUE INDEX journal_write_open ON journal_write (owner, connection, order_id)
            WHERE state IN ('PENDING', 'SENT', 'UNCONFIRMED');

        """

    /// The activities of users' accounts, and how far each account was read.
    ///
    /// Amounts and quantities are texts with all their digits; days are texts like `2026-11-20`.
    private static let activities = """
        -- The number of the latest read of the account, and the day on which it began; the first complete day,
        -- null for all; the day on which the latest complete read began, and the time of its end; the next page
        -- of a read that is not complete; the errors of rows without an id or a date that can be read, one in a line.
        CREATE TABLE activity_account (
            owner TEXT NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
            connection TEXT NOT NULL, account TEXT NOT NULL,
            last_read INTEGER NOT NULL, started_on TEXT NOT NULL, since TEXT,
            complete_on TEXT, read_at INTEGER, pending_since TEXT, pending_page TEXT,
            unreadable TEXT NOT NULL DEFAULT '', pending_unreadable TEXT NOT NULL DEFAULT '',
            PRIMARY KEY (owner, connection, account)
        ) STRICT, WITHOUT ROWID;
        -- `moment` orders the activities of a day, 0 without a time; `executed_at` is the time with all its
        -- digits. `last_read` is the number of the read that last returned the activity; `sequence` is the broker's own
        -- order.
        CREATE TABLE activity (
            owner TEXT NOT NULL, connection TEXT NOT NULL, account TEXT NOT NULL, id TEXT NOT NULL,
            kind TEXT NOT NULL, provider_kind TEXT NOT NULL,
            day TEXT NOT NULL, moment INTEGER NOT NULL, executed_at TEXT, settles_on TEXT,
            recorded_at INTEGER, symbol TEXT, side TEXT, quantity TEXT, price TEXT,
            amount TEXT, currency TEXT, account_amount TEXT, account_currency TEXT, conversion_rate TEXT,
            order_id TEXT, group_id TEXT, about TEXT, last_read INTEGER NOT NULL,
            moment_nanos INTEGER NOT NULL DEFAULT 0, sequence TEXT NOT NULL DEFAULT '',
            PRIMARY KEY (owner, connection, account, id),
            FOREIGN KEY (owner, connection, account) REFERENCES activity_account ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX activity_order
            ON activity (owner, connection, account, day, moment, moment_nanos, sequence, id);
        CREATE INDEX activity_day ON activity (owner, day);
        CREATE INDEX activity_order_id ON activity (owner, connection, account, order_id)
            WHERE order_id IS NOT NULL;

        """

    /// Alerts with the history of their firings, and webhooks with the deliveries that are still to be made.
    ///
    /// A level is a decimal number as text. `number` is the order of creation.
    private static let alerts = """
        -- `subject` is a symbol, or the id of an order, a goal or a connection; `level` is a price or a percentage.
        -- `rearm_after` is a pause in seconds, null for an alert that fires once. `armed_at` is null, or the time
        -- from which the alert can fire again.
        CREATE TABLE alert (
            number SERIAL, id TEXT NOT NULL UNIQUE,
            owner TEXT NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
            kind TEXT NOT NULL, subject TEXT NOT NULL, level TEXT, order_states TEXT, label TEXT,
            state TEXT NOT NULL, rearm_after INTEGER,
            fired_count INTEGER NOT NULL, last_fired_at INTEGER, last_firing TEXT, armed_at INTEGER,
            created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX alert_owner ON alert (owner, number);
        CREATE INDEX alert_active ON alert (owner) WHERE state = 'ACTIVE';
        -- Rows stay when the alert is deleted, so they have a copy of its condition.
        CREATE TABLE alert_firing (
            number SERIAL, id TEXT NOT NULL UNIQUE,
            owner TEXT NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
            alert TEXT NOT NULL,
            kind TEXT NOT NULL, subject TEXT NOT NULL, level TEXT, order_states TEXT, label TEXT,
            value TEXT, order_state TEXT, as_of INTEGER, fired_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX alert_firing_owner ON alert_firing (owner, number);
        CREATE INDEX alert_firing_alert ON alert_firing (owner, alert, number);
        -- The secret and the address are encrypted like the credential of a connection; `url` is empty then.
        CREATE TABLE webhook (
            id TEXT NOT NULL PRIMARY KEY,
            owner TEXT NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
            url TEXT NOT NULL, label TEXT,
            data_key_id INTEGER NOT NULL REFERENCES data_key (id), sealed BLOB NOT NULL,
            created_at INTEGER NOT NULL, last_success_at INTEGER, last_failure_at INTEGER, last_failure TEXT,
            sealed_url BLOB, url_key_id INTEGER REFERENCES data_key (id), state TEXT
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX webhook_owner ON webhook (owner, created_at);
        -- `id` is the same in each attempt. A row is deleted when the receiver has accepted it, or after a day.
        CREATE TABLE webhook_delivery (
            id TEXT NOT NULL PRIMARY KEY,
            owner TEXT NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
            webhook TEXT NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
            firing TEXT NOT NULL, body TEXT NOT NULL,
            attempts INTEGER NOT NULL, next_at INTEGER NOT NULL, created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX webhook_delivery_due ON webhook_delivery (next_at);
        CREATE INDEX webhook_delivery_owner ON webhook_delivery (owner, created_at);
        CREATE INDEX webhook_delivery_webhook ON webhook_delivery (webhook, next_at);

        """

    /// Deletes what refers to a row without a foreign key.
    ///
    /// Connections of the settings have no row, so that there is no foreign key to one.
    private static let deletions: [(name: String, table: String, statement: String)] = [
        ("user_credentials", "\"user\"", "DELETE FROM credential WHERE owner = OLD.id;"),
        ("connection_credential", "connection", "DELETE FROM credential WHERE connection = OLD.id;"),
        (
            "connection_activities", "connection",
            "DELETE FROM activity_account WHERE owner = OLD.owner AND connection = OLD.id;"
        ),
    ]

    private static let sqliteTriggers = deletions.map { name, table, statement in
        "CREATE TRIGGER \(name) AFTER DELETE ON \(table) BEGIN \(statement) END;\n"
    }.joined()

    private static let postgresTriggers = deletions.map { name, table, statement in
        """
        CREATE FUNCTION delete_\(name)() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            \(statement)
            RETURN NULL;
        END $$;
        CREATE TRIGGER \(name) AFTER DELETE ON \(table) FOR EACH ROW EXECUTE FUNCTION delete_\(name)();

        """
    }.joined()

    /// The changes that other processes must follow; SQLite has one process.
    ///
    /// A trigger records a change, so that no statement can forget it. `number` is not the order of the commits.
    private static let changes = """
        CREATE INDEX user_guests ON "user" (id) WHERE kind = 'GUEST';
        CREATE TABLE change (
            number SERIAL, kind TEXT NOT NULL, id TEXT NOT NULL,
            changed_at INTEGER NOT NULL DEFAULT floor(extract(epoch FROM clock_timestamp()) * 1000)
        );
        CREATE INDEX change_time ON change (changed_at);
        CREATE FUNCTION record_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            INSERT INTO change (kind, id)
                VALUES (TG_ARGV[0], CASE TG_OP WHEN 'INSERT' THEN NEW.id ELSE OLD.id END);
            RETURN NULL;
        END $$;
        CREATE TRIGGER session_change
            AFTER INSERT OR DELETE OR UPDATE OF token_hash, scopes, expires_at ON session
            FOR EACH ROW EXECUTE FUNCTION record_change('SESSION');
        CREATE TRIGGER user_change AFTER DELETE ON "user"
            FOR EACH ROW EXECUTE FUNCTION record_change('USER');
        CREATE FUNCTION record_order_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            INSERT INTO change (kind, id) VALUES ('ORDER', NEW.connection || ' ' || NEW.owner);
            RETURN NULL;
        END $$;
        CREATE TRIGGER order_change AFTER UPDATE OF state, filled_quantity ON journal_order
            FOR EACH ROW WHEN (
                OLD.state IS DISTINCT FROM NEW.state OR OLD.filled_quantity IS DISTINCT FROM NEW.filled_quantity)
            EXECUTE FUNCTION record_order_change();

        """
}
