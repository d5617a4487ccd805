import GRDB

extension DatabaseMigrator {
    /// Users, how they prove who they are, their sessions, and invitations to become one.
    ///
    /// Times are milliseconds since 1970. What belongs to a user refers to `user (id)` and goes with it.
    mutating func addPeople() {
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
