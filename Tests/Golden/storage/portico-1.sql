-- portico.db as the migrations up to number 1 made it, with some rows: what a Portico of that
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
CREATE INDEX credential_owner ON credential (owner);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('data_key',1);
COMMIT;
