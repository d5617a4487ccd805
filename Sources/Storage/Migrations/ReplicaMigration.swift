extension UserDatabaseMigration {
    /// The state that several processes with one PostgreSQL database share; SQLite has one process.
    static let replicas = [clock, membership, quotas, sharedState].joined(separator: "\n")

    /// The time of all processes, in milliseconds since 1970.
    ///
    /// It goes on during a transaction.
    private static let clock = """
        CREATE FUNCTION clock_milliseconds() RETURNS BIGINT LANGUAGE sql VOLATILE AS $$
            SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)
        $$;
        """

    /// The processes, and the names that one of them holds at a time.
    ///
    /// Epochs are those of one sequence, so that they rise also after a row was deleted.
    private static let membership = """
        CREATE TABLE replica (
            id \(SQLDialect.postgresText) PRIMARY KEY, version \(SQLDialect.postgresText) NOT NULL,
            started_at BIGINT NOT NULL, expires_at BIGINT NOT NULL
        );
        CREATE SEQUENCE lease_epoch;
        CREATE TABLE lease (
            name \(SQLDialect.postgresText) PRIMARY KEY, owner \(SQLDialect.postgresText) NOT NULL, epoch BIGINT NOT NULL, expires_at BIGINT NOT NULL
        );
        """

    /// Consents and failed sign-ins, which belong to users and not to one process, and the changes of connections.
    private static let sharedState = """
        CREATE TABLE pending_authorization (
            state_hash BYTEA PRIMARY KEY,
            owner \(SQLDialect.postgresText) NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
            provider \(SQLDialect.postgresText) NOT NULL, environment \(SQLDialect.postgresText) NOT NULL, redirect_uri \(SQLDialect.postgresText) NOT NULL,
            data_key_id BIGINT, verifier BYTEA, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL
        );
        CREATE INDEX pending_authorization_owner ON pending_authorization (owner, created_at);
        CREATE INDEX pending_authorization_end ON pending_authorization (expires_at);
        CREATE TABLE attempt (
            subject BYTEA PRIMARY KEY, failures BIGINT NOT NULL, last_at BIGINT NOT NULL, blocked_until BIGINT,
            forget_at BIGINT NOT NULL
        );
        CREATE INDEX attempt_end ON attempt (forget_at);
        CREATE FUNCTION record_identity_end() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            INSERT INTO change (kind, id) VALUES ('IDENTITY', NEW.kind || ' ' || NEW.value);
            RETURN NULL;
        END $$;
        CREATE TRIGGER identity_end AFTER INSERT OR UPDATE ON ended_identity_session
            FOR EACH ROW EXECUTE FUNCTION record_identity_end();
        CREATE FUNCTION record_connection_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            INSERT INTO change (kind, id)
                VALUES ('CONNECTION', CASE TG_OP WHEN 'DELETE' THEN OLD.owner ELSE NEW.owner END);
            RETURN NULL;
        END $$;
        CREATE FUNCTION record_alert_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            INSERT INTO change (kind, id)
                VALUES ('ALERT', CASE TG_OP WHEN 'DELETE' THEN OLD.id || ' ' || OLD.owner ELSE NEW.id || ' ' || NEW.owner END);
            RETURN NULL;
        END $$;
        CREATE TRIGGER alert_change AFTER INSERT OR DELETE OR UPDATE ON alert
            FOR EACH ROW EXECUTE FUNCTION record_alert_change();
        CREATE TRIGGER connection_change
            AFTER INSERT OR DELETE OR UPDATE OF redirect_uri, label, connected_at ON connection
            FOR EACH ROW EXECUTE FUNCTION record_connection_change();
        """
}
