-- portico.db as the migrations up to number 2 made it, with some rows: what a Portico of that
-- time left behind. It is read by MigrationTests and never changed; a new migration adds a file.
BEGIN TRANSACTION;
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
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO "grdb_migrations" VALUES('1: credentials');
INSERT INTO "grdb_migrations" VALUES('2: people');
CREATE TABLE invitation (
                        id TEXT NOT NULL PRIMARY KEY,
                        code_hash BLOB NOT NULL UNIQUE, label TEXT,
                        is_admin INTEGER NOT NULL DEFAULT 0 CHECK (is_admin IN (0, 1)),
                        created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID;
CREATE TABLE password (
                        user_id TEXT NOT NULL PRIMARY KEY REFERENCES user (id) ON DELETE CASCADE,
                        salt BLOB NOT NULL, hash BLOB NOT NULL,
                        cost INTEGER NOT NULL, block_size INTEGER NOT NULL, parallelism INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID;
INSERT INTO "password" VALUES('user-1',X'0A',X'0B',32768,8,3);
CREATE TABLE session (
                        id TEXT NOT NULL PRIMARY KEY,
                        token_hash BLOB NOT NULL UNIQUE,
                        user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE,
                        scopes TEXT NOT NULL, label TEXT,
                        created_at INTEGER NOT NULL, last_used_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID;
INSERT INTO "session" VALUES('session-1',X'0C','user-1','READ WRITE','phone',1700000000000,1700000000001,1900000000000);
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
CREATE INDEX credential_owner ON credential (owner);
CREATE INDEX session_user ON session (user_id);
CREATE TRIGGER user_credentials AFTER DELETE ON user BEGIN
                        DELETE FROM credential WHERE owner = OLD.id;
                    END;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('data_key',1);
COMMIT;
