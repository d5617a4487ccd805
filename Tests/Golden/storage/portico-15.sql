-- portico.db as the first fifteen migrations made it, up to number 17, with some rows: what a Portico of that
-- time left behind. It is read by MigrationTests and never changed; a new migration adds a file.
BEGIN TRANSACTION;
CREATE TABLE accepted_logout (
                token_hash BLOB NOT NULL PRIMARY KEY, owner BLOB NOT NULL, expires_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
INSERT INTO "accepted_logout" VALUES(X'0D',X'0E',1700000300000);
CREATE TABLE activity (
                        owner TEXT NOT NULL, connection TEXT NOT NULL, account TEXT NOT NULL, id TEXT NOT NULL,
                        kind TEXT NOT NULL, provider_kind TEXT NOT NULL,
                        day TEXT NOT NULL, moment INTEGER NOT NULL, executed_at TEXT, settles_on TEXT,
                        recorded_at INTEGER, symbol TEXT, side TEXT, quantity TEXT, price TEXT,
                        amount TEXT, currency TEXT, account_amount TEXT, account_currency TEXT, conversion_rate TEXT,
                        order_id TEXT, group_id TEXT, about TEXT, last_read INTEGER NOT NULL, moment_nanos INTEGER NOT NULL DEFAULT 0, sequence TEXT NOT NULL DEFAULT '',
                        PRIMARY KEY (owner, connection, account, id),
                        FOREIGN KEY (owner, connection, account) REFERENCES activity_account ON DELETE CASCADE
                    ) STRICT, WITHOUT ROWID;
INSERT INTO "activity" VALUES('user-1','connection-1','account-1','booking-1','DIVIDEND','Corporate Actions - Cash Dividends','2023-11-14',0,NULL,'2023-11-15',1699920000000,'AAPL',NULL,NULL,NULL,'10.40','USD','9','EUR','0.865',NULL,'5512345','Cash Dividend',1,0,'');
CREATE TABLE activity_account (
                        owner TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
                        connection TEXT NOT NULL, account TEXT NOT NULL,
                        last_read INTEGER NOT NULL, started_on TEXT NOT NULL, since TEXT,
                        complete_on TEXT, read_at INTEGER, pending_since TEXT, pending_page TEXT, unreadable TEXT NOT NULL DEFAULT '', pending_unreadable TEXT NOT NULL DEFAULT '',
                        PRIMARY KEY (owner, connection, account)
                    ) STRICT, WITHOUT ROWID;
INSERT INTO "activity_account" VALUES('user-1','connection-1','account-1',1,'2023-11-14',NULL,'2023-11-14',1700000000000,NULL,NULL,'bookings: Data[3]: no "Date"','');
CREATE TABLE alert (
                number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
                owner TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
                kind TEXT NOT NULL, subject TEXT NOT NULL, level TEXT, order_states TEXT, label TEXT,
                state TEXT NOT NULL, rearm_after INTEGER,
                fired_count INTEGER NOT NULL, last_fired_at INTEGER, last_firing TEXT, armed_at INTEGER,
                created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
            ) STRICT;
INSERT INTO "alert" VALUES(1,'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','user-1','PRICE_ABOVE','AAPL','250.10',NULL,'up','ACTIVE',60,1,1790000000000,'ffffffffffffffffffffffffffffffff',1790000060000,1789999999000,1789999999000);
CREATE TABLE alert_firing (
                number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
                owner TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
                alert TEXT NOT NULL,
                kind TEXT NOT NULL, subject TEXT NOT NULL, level TEXT, order_states TEXT, label TEXT,
                value TEXT, order_state TEXT, as_of INTEGER, fired_at INTEGER NOT NULL
            ) STRICT;
INSERT INTO "alert_firing" VALUES(1,'ffffffffffffffffffffffffffffffff','user-1','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','PRICE_ABOVE','AAPL','250.10',NULL,'up','250.20',NULL,1789999999500,1790000000000);
CREATE TABLE connected_account (
                        connection TEXT NOT NULL REFERENCES connection (id) ON DELETE CASCADE,
                        place INTEGER NOT NULL,
                        id TEXT NOT NULL, number TEXT NOT NULL, name TEXT, currency TEXT NOT NULL,
                        PRIMARY KEY (connection, place)
                    ) STRICT, WITHOUT ROWID;
INSERT INTO "connected_account" VALUES('connection-1',0,'account-1','A1','Main','EUR');
CREATE TABLE connection (
                        id TEXT NOT NULL PRIMARY KEY,
                        owner TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
                        provider TEXT NOT NULL, environment TEXT NOT NULL,
                        redirect_uri TEXT, label TEXT, connected_at INTEGER NOT NULL, refused_at INTEGER
                    ) STRICT, WITHOUT ROWID;
INSERT INTO "connection" VALUES('connection-1','user-1','SAXO','SANDBOX',NULL,'mine',1700000000000,NULL);
CREATE TABLE credential (
                        connection TEXT NOT NULL PRIMARY KEY, provider TEXT NOT NULL, owner TEXT NOT NULL,
                        data_key_id INTEGER NOT NULL REFERENCES data_key (id),
                        version INTEGER NOT NULL, sealed BLOB NOT NULL
                    ) STRICT, WITHOUT ROWID;
INSERT INTO "credential" VALUES('connection-1','SAXO','user-1',1,3,X'0203');
CREATE TABLE data_key (
                        id INTEGER PRIMARY KEY AUTOINCREMENT, wrapped BLOB NOT NULL, master_key_id TEXT NOT NULL
                    ) STRICT;
INSERT INTO "data_key" VALUES(1,X'01','mark');
CREATE TABLE ended_identity_session (
                        issuer TEXT NOT NULL, kind TEXT NOT NULL CHECK (kind IN ('SESSION', 'SUBJECT', 'TOKEN')),
                        value TEXT NOT NULL, ended_at INTEGER NOT NULL, forget_at INTEGER NOT NULL,
                        PRIMARY KEY (issuer, kind, value)
                    ) STRICT, WITHOUT ROWID;
INSERT INTO "ended_identity_session" VALUES('https://id.example.com','SESSION','session-0',1700000000000,1700604800000);
CREATE TABLE goal (
                        number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
                        owner TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
                        title TEXT NOT NULL, about TEXT NOT NULL, target TEXT NOT NULL, currency TEXT NOT NULL,
                        due_on TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
                    ) STRICT;
INSERT INTO "goal" VALUES(1,'goal-1','user-1','House','','10000.50','USD',NULL,1700000000000,1700000000000);
CREATE TABLE goal_allocation (
                        goal INTEGER NOT NULL REFERENCES goal (number) ON DELETE CASCADE,
                        position INTEGER NOT NULL, symbol TEXT NOT NULL, account TEXT, quantity TEXT, percent TEXT,
                        PRIMARY KEY (goal, position), CHECK (quantity IS NULL OR percent IS NULL)
                    ) STRICT, WITHOUT ROWID;
INSERT INTO "goal_allocation" VALUES(1,0,'AAPL',NULL,'1.25',NULL);
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO "grdb_migrations" VALUES('1: credentials');
INSERT INTO "grdb_migrations" VALUES('2: people');
INSERT INTO "grdb_migrations" VALUES('3: connections');
INSERT INTO "grdb_migrations" VALUES('4: watchlists and goals');
INSERT INTO "grdb_migrations" VALUES('5: orders');
INSERT INTO "grdb_migrations" VALUES('6: holders of writes');
INSERT INTO "grdb_migrations" VALUES('7: activities');
INSERT INTO "grdb_migrations" VALUES('8: identities');
INSERT INTO "grdb_migrations" VALUES('9: legs of orders');
INSERT INTO "grdb_migrations" VALUES('11: alerts and webhooks');
INSERT INTO "grdb_migrations" VALUES('13: shares of sign-ins and accepted logouts');
INSERT INTO "grdb_migrations" VALUES('14: webhook addresses');
INSERT INTO "grdb_migrations" VALUES('15: followed orders');
INSERT INTO "grdb_migrations" VALUES('16: times below a millisecond');
INSERT INTO "grdb_migrations" VALUES('17: unreadable activities');
CREATE TABLE identity (
                        issuer TEXT NOT NULL, subject TEXT NOT NULL,
                        user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
                        created_at INTEGER NOT NULL,
                        PRIMARY KEY (issuer, subject)
                    ) STRICT, WITHOUT ROWID;
INSERT INTO "identity" VALUES('https://id.example.com','subject-1','user-1',1700000000000);
CREATE TABLE invitation (
                        id TEXT NOT NULL PRIMARY KEY,
                        code_hash BLOB NOT NULL UNIQUE, label TEXT,
                        is_admin INTEGER NOT NULL DEFAULT 0 CHECK (is_admin IN (0, 1)),
                        created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID;
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
                        expires_at INTEGER, created_at INTEGER NOT NULL, heard_at INTEGER NOT NULL, parent TEXT, leg INTEGER, created_nanos INTEGER NOT NULL DEFAULT 0, submitted_nanos INTEGER NOT NULL DEFAULT 0, updated_nanos INTEGER NOT NULL DEFAULT 0,
                        PRIMARY KEY (owner, connection, id)
                    ) STRICT, WITHOUT ROWID;
INSERT INTO "journal_order" VALUES('user-1','connection-1','order-1','SAXO',NULL,'key-1',NULL,NULL,'AAPL','BUY','MARKET',NULL,NULL,'1',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'UNCONFIRMED',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1700000000000,1700000000000,NULL,NULL,0,0,0);
CREATE TABLE journal_replaced (
                        owner TEXT NOT NULL, connection TEXT NOT NULL, provider_order_id TEXT NOT NULL,
                        id TEXT NOT NULL,
                        PRIMARY KEY (owner, connection, provider_order_id),
                        FOREIGN KEY (owner, connection, id) REFERENCES journal_order ON DELETE CASCADE
                    ) STRICT, WITHOUT ROWID;
CREATE TABLE journal_write (
                        id TEXT NOT NULL PRIMARY KEY,
                        owner TEXT NOT NULL, connection TEXT NOT NULL, order_id TEXT NOT NULL,
                        kind TEXT NOT NULL CHECK (kind IN ('PLACE', 'REPLACE', 'CANCEL')),
                        state TEXT NOT NULL,
                        quantity TEXT, notional TEXT, type TEXT, limit_price TEXT, stop_price TEXT,
                        trail_percent TEXT, trail_amount TEXT, time_in_force TEXT, expires_on TEXT,
                        extended_hours INTEGER,
                        created_at INTEGER NOT NULL, sent_at INTEGER, settled_at INTEGER, holder TEXT, take_profit TEXT, stop_loss TEXT, stop_loss_limit TEXT, closes_position INTEGER, created_nanos INTEGER NOT NULL DEFAULT 0,
                        FOREIGN KEY (owner, connection, order_id) REFERENCES journal_order ON DELETE CASCADE
                    ) STRICT, WITHOUT ROWID;
INSERT INTO "journal_write" VALUES('write-1','user-1','connection-1','order-1','PLACE','UNCONFIRMED','1',NULL,'MARKET',NULL,NULL,NULL,NULL,'DAY',NULL,0,1700000000000,1700000000001,NULL,'process-1',NULL,NULL,NULL,NULL,0);
CREATE TABLE password (
                        user_id TEXT NOT NULL PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE,
                        salt BLOB NOT NULL, hash BLOB NOT NULL,
                        cost INTEGER NOT NULL, block_size INTEGER NOT NULL, parallelism INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID;
INSERT INTO "password" VALUES('user-1',X'0A',X'0B',32768,8,3);
CREATE TABLE pending_sign_in (
                        state_hash BLOB NOT NULL PRIMARY KEY, browser_hash BLOB NOT NULL,
                        issuer TEXT NOT NULL, client_id TEXT NOT NULL, redirect_uri TEXT NOT NULL,
                        scopes TEXT, label TEXT, expires_at INTEGER NOT NULL
                    , client BLOB NOT NULL DEFAULT x'') STRICT, WITHOUT ROWID;
INSERT INTO "pending_sign_in" VALUES(X'04',X'05','https://id.example.com','client-1','https://app.example.com/signed-in','READ WRITE','laptop',1700000600000,X'0F');
CREATE TABLE session (
                        id TEXT NOT NULL PRIMARY KEY,
                        token_hash BLOB NOT NULL UNIQUE,
                        user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
                        scopes TEXT NOT NULL, label TEXT,
                        created_at INTEGER NOT NULL, last_used_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
                    , issuer TEXT, issuer_session TEXT, token_issued_at INTEGER) STRICT, WITHOUT ROWID;
INSERT INTO "session" VALUES('session-1',X'0C','user-1','READ WRITE','phone',1700000000000,1700000000001,1900000000000,'https://id.example.com','session-1',1700000000000);
CREATE TABLE token_key (
                        id INTEGER PRIMARY KEY AUTOINCREMENT, wrapped BLOB NOT NULL, master_key_id TEXT NOT NULL
                    ) STRICT;
CREATE TABLE user (
                        id TEXT NOT NULL PRIMARY KEY,
                        kind TEXT NOT NULL DEFAULT 'CONFIGURED' CHECK (kind IN ('CONFIGURED', 'GUEST', 'NAMED')),
                        username TEXT, username_key TEXT UNIQUE,
                        is_admin INTEGER NOT NULL DEFAULT 0 CHECK (is_admin IN (0, 1)),
                        created_at INTEGER NOT NULL,
                        CHECK ((username IS NOT NULL) = (kind = 'NAMED')),
                        CHECK ((username_key IS NOT NULL) = (kind = 'NAMED'))
                    ) STRICT, WITHOUT ROWID;
INSERT INTO "user" VALUES('user-1','NAMED','Ann','ann',0,1700000000000);
CREATE TABLE watchlist (
                        number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
                        owner TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
                        name TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
                    ) STRICT;
INSERT INTO "watchlist" VALUES(1,'watchlist-1','user-1','Tech',1700000000000,1700000000000);
CREATE TABLE watchlist_item (
                        watchlist INTEGER NOT NULL REFERENCES watchlist (number) ON DELETE CASCADE,
                        symbol TEXT NOT NULL, position INTEGER NOT NULL, added_at INTEGER NOT NULL,
                        PRIMARY KEY (watchlist, symbol)
                    ) STRICT, WITHOUT ROWID;
INSERT INTO "watchlist_item" VALUES(1,'AAPL',0,1700000000000);
CREATE TABLE webhook (
                id TEXT NOT NULL PRIMARY KEY,
                owner TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
                url TEXT NOT NULL, label TEXT,
                data_key_id INTEGER NOT NULL REFERENCES data_key (id), sealed BLOB NOT NULL,
                created_at INTEGER NOT NULL, last_success_at INTEGER, last_failure_at INTEGER, last_failure TEXT
            , sealed_url BLOB, url_key_id INTEGER REFERENCES data_key (id), state TEXT) STRICT, WITHOUT ROWID;
INSERT INTO "webhook" VALUES('bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb','user-1','','mine',1,X'0102',1789999999000,NULL,NULL,NULL,X'0304',1,'PENDING');
CREATE TABLE webhook_delivery (
                id TEXT NOT NULL PRIMARY KEY,
                owner TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
                webhook TEXT NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
                firing TEXT NOT NULL, body TEXT NOT NULL,
                attempts INTEGER NOT NULL, next_at INTEGER NOT NULL, created_at INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
INSERT INTO "webhook_delivery" VALUES('msg_cccccccccccccccccccccccccccccccc','user-1','bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb','ffffffffffffffffffffffffffffffff','{}',0,1790000000000,1790000000000);
CREATE INDEX credential_owner ON credential (owner);
CREATE INDEX session_user ON session (user_id);
CREATE TRIGGER user_credentials AFTER DELETE ON user BEGIN
                        DELETE FROM credential WHERE owner = OLD.id;
                    END;
CREATE INDEX connection_owner ON connection (owner);
CREATE TRIGGER connection_credential AFTER DELETE ON connection BEGIN
                        DELETE FROM credential WHERE connection = OLD.id;
                    END;
CREATE INDEX watchlist_owner ON watchlist (owner);
CREATE INDEX goal_owner ON goal (owner);
CREATE UNIQUE INDEX journal_order_key ON journal_order (owner, idempotency_key)
                        WHERE idempotency_key IS NOT NULL;
CREATE UNIQUE INDEX journal_order_provider
                        ON journal_order (owner, connection, provider_order_id)
                        WHERE provider_order_id IS NOT NULL;
CREATE INDEX journal_order_created ON journal_order (owner, connection, created_at);
CREATE INDEX journal_replaced_order ON journal_replaced (owner, connection, id);
CREATE INDEX journal_write_order ON journal_write (owner, connection, order_id);
CREATE UNIQUE INDEX journal_write_open ON journal_write (owner, connection, order_id)
                        WHERE state IN ('PENDING', 'SENT', 'UNCONFIRMED');
CREATE INDEX identity_user ON identity (user_id);
CREATE INDEX pending_sign_in_end ON pending_sign_in (expires_at);
CREATE INDEX ended_identity_session_end ON ended_identity_session (forget_at);
CREATE INDEX session_issuer ON session (issuer, issuer_session) WHERE issuer IS NOT NULL;
CREATE INDEX journal_order_parent ON journal_order (owner, connection, parent)
                        WHERE parent IS NOT NULL;
CREATE INDEX activity_day ON activity (owner, day);
CREATE TRIGGER connection_activities AFTER DELETE ON connection BEGIN
                        DELETE FROM activity_account WHERE owner = OLD.owner AND connection = OLD.id;
                    END;
CREATE INDEX alert_owner ON alert (owner, number);
CREATE INDEX alert_active ON alert (owner) WHERE state = 'ACTIVE';
CREATE INDEX alert_firing_owner ON alert_firing (owner, number);
CREATE INDEX alert_firing_alert ON alert_firing (owner, alert, number);
CREATE INDEX webhook_owner ON webhook (owner, created_at);
CREATE INDEX webhook_delivery_due ON webhook_delivery (next_at);
CREATE INDEX webhook_delivery_owner ON webhook_delivery (owner, created_at);
CREATE INDEX webhook_delivery_webhook ON webhook_delivery (webhook, next_at);
CREATE INDEX pending_sign_in_client ON pending_sign_in (client, expires_at);
CREATE INDEX accepted_logout_owner ON accepted_logout (owner, expires_at);
CREATE INDEX accepted_logout_end ON accepted_logout (expires_at);
CREATE INDEX journal_order_followed ON journal_order (owner, connection)
                WHERE provider_order_id IS NOT NULL
                    AND state IN ('ACCEPTED', 'OPEN', 'PARTIALLY_FILLED', 'PENDING_CANCEL', 'PENDING_REPLACE');
CREATE INDEX journal_order_traded ON journal_order (owner, connection, updated_at)
                WHERE filled_quantity IS NOT NULL;
CREATE INDEX activity_order_id ON activity (owner, connection, account, order_id)
                WHERE order_id IS NOT NULL;
CREATE INDEX activity_order
            ON activity (owner, connection, account, day, moment, moment_nanos, sequence, id);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('data_key',1);
INSERT INTO "sqlite_sequence" VALUES('watchlist',1);
INSERT INTO "sqlite_sequence" VALUES('goal',1);
INSERT INTO "sqlite_sequence" VALUES('alert',1);
INSERT INTO "sqlite_sequence" VALUES('alert_firing',1);
COMMIT;
