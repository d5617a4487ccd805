package import Brokerage
import Cryptography
import Foundation

/// Users' identities at the identity provider, the sign-ins that have begun, and the sessions that have ended there.
package struct IdentityStore: Sendable {
    private let sessions: SessionStore
    private let database: SQLDatabase

    /// The bound of the sign-ins that have begun, by client.
    private let pendingShare: SQLTableShare
    /// The bound of the accepted logouts, by subject.
    private let logoutShare: SQLTableShare

    package init(_ sessions: SessionStore, maximumPending: Int = 10_000, pendingPerClient: Int = 500) {
        self.sessions = sessions
        database = sessions.database
        pendingShare = SQLTableShare(
            table: "pending_sign_in", key: "state_hash", owner: "client", time: "expires_at",
            maximum: maximumPending, share: pendingPerClient)
        // A removed logout can be replayed, which ends only sessions that have ended.
        logoutShare = SQLTableShare(
            table: "accepted_logout", key: "token_hash", owner: "owner", time: "expires_at", maximum: 10_000,
            share: 100)
    }

    // MARK: Sign-ins

    /// Stores a sign-in under the hashes of its state and of its browser's secret.
    ///
    /// If there are too many, the oldest one of its client makes room, or of the client with the most.
    ///
    /// - Parameters:
    ///   - signIn: The sign-in.
    ///   - state: The hash of its state.
    ///   - browser: The hash of its browser's secret.
    ///   - client: Identifies the client that begins it; the database has only the hash.
    ///   - now: The current time.
    /// - Throws: The error that prevented the write.
    package func begin(
        _ signIn: PendingSignIn, state: [UInt8], browser: [UInt8], from client: String, now: Instant = .now
    ) async throws(StorageError) {
        let client = Data(HashFunction.sha256.hash(client))
        try await database.write { [pendingShare] db in
            try db.execute(
                "DELETE FROM pending_sign_in WHERE expires_at <= \(db.boundedTime)",
                [now.millisecondsSince1970])
            try pendingShare.makeRoom(for: client, in: db)
            try db.execute(
                """
                INSERT INTO pending_sign_in
                    (state_hash, browser_hash, issuer, client_id, redirect_uri, scopes, label, expires_at, client)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    Data(state), Data(browser), signIn.issuer, signIn.clientID, signIn.redirectURI,
                    signIn.scopes?.text, signIn.label, signIn.expiresAt.millisecondsSince1970, client,
                ])
        }
    }

    /// The result of ``take(state:browser:now:)``.
    package enum Taken: Sendable {
        case signIn(PendingSignIn)
        /// Another browser has begun it; it remains, because this client may only know its state.
        case otherBrowser
        /// It is unknown, was taken, or has expired.
        case unknown
    }

    /// Removes a sign-in, so that its state is valid once.
    package func take(
        state: [UInt8], browser: [UInt8], now: Instant = .now
    ) async throws(StorageError) -> Taken {
        try await database.write { db in
            let row = try db.row("SELECT * FROM pending_sign_in WHERE state_hash = ?", [Data(state)])
            guard let row, let end = try row.instant("expires_at"), now < end else { return .unknown }
            guard try Data(browser) == row["browser_hash"] else { return .otherBrowser }
            let count = try db.executeUpdate(
                "DELETE FROM pending_sign_in WHERE state_hash = ?", [Data(state)])
            guard count == 1 else { return .unknown }
            return .signIn(
                PendingSignIn(
                    issuer: try row["issuer"], clientID: try row["client_id"],
                    redirectURI: try row["redirect_uri"],
                    scopes: try (row["scopes"] as String?).map { Set(text: $0) }, label: try row["label"],
                    expiresAt: end))
        }
    }

    // MARK: Users

    /// A token of the identity provider, as far as sessions depend on it.
    package struct Origin: Sendable {
        let identity: Identity
        let sessionID: String?
        let issuedAt: Instant
        /// The earliest time of its issue, by the clock of this server.
        let issuedAfter: Instant
        /// The name for a user to be created, if it is valid and free; else the user gets a generated name.
        let suggestedName: String?

        package init(
            _ identity: Identity, sessionID: String?, issuedAt: Instant, issuedAfter: Instant,
            suggestedName: String?
        ) {
            (self.identity, self.sessionID) = (identity, sessionID)
            (self.issuedAt, self.issuedAfter, self.suggestedName) = (issuedAt, issuedAfter, suggestedName)
        }
    }

    /// The reason why an identity gets no session.
    package enum Refusal: Error, Sendable {
        case unknownUser
        /// The session at the identity provider has ended, or the token was issued before its user was deleted or has ended
        /// all other sessions.
        case signedOut
    }

    /// Opens a session for the user of an identity.
    ///
    /// - Parameters:
    ///   - options: The options of the session.
    ///   - origin: The verified ID token.
    ///   - createsUser: Returns whether a user is created now, if none is bound to the identity; nil if none ever is.
    ///   - now: The current time.
    /// - Returns: The session, or the reason why there is none.
    /// - Throws: `StorageError` if the database cannot be written.
    package func open(
        _ options: SessionStore.Options, for origin: Origin, createsUser: (@Sendable () -> Bool)?,
        now: Instant = .now
    ) async throws(StorageError) -> Result<SessionStore.NewSession, Refusal> {
        try await sessions.opening { [self] db in
            try Self.lockEnds(db)
            if try Self.hasEnded(origin, tokenHash: nil, in: db) { return .failure(.signedOut) }
            guard let user = try Self.user(of: origin, createsUser: createsUser, in: db, now: now) else {
                return .failure(.unknownUser)
            }
            var options = options
            options.origin = IssuerSession(
                issuer: origin.identity.issuer, id: origin.sessionID, issuedAt: origin.issuedAt)
            return .success(try sessions.open(options, for: user, in: db, now: now))
        }
    }

    /// Returns the user of a bearer token, and creates the user if that is allowed.
    ///
    /// - Parameters:
    ///   - origin: The verified token.
    ///   - tokenHash: The hash under which ``endToken(hash:issuer:forgetAt:now:)`` ends the token.
    ///   - createsUser: Returns whether a user is created now, if none is bound to the identity; nil if none ever is.
    ///   - now: The current time.
    /// - Returns: The user, or the reason why the token is refused.
    /// - Throws: `StorageError` if the database cannot be read or written.
    package func user(
        of origin: Origin, tokenHash: String, createsUser: (@Sendable () -> Bool)?, now: Instant = .now
    ) async throws(StorageError) -> Result<User, Refusal> {
        // Most tokens belong to a known user, and do not wait for the writer.
        let known: Result<User, Refusal> = try await database.read { db in
            if try Self.hasEnded(origin, tokenHash: tokenHash, in: db) { return .failure(.signedOut) }
            return try Self.user(of: origin.identity, in: db).map { .success($0) } ?? .failure(.unknownUser)
        }
        guard case .failure(.unknownUser) = known, createsUser != nil else { return known }
        return try await database.write { db in
            // Otherwise the deletion of the user could be committed between the two reads that follow.
            try Self.lockEnds(db)
            if try Self.hasEnded(origin, tokenHash: tokenHash, in: db) { return .failure(.signedOut) }
            guard let user = try Self.user(of: origin, createsUser: createsUser, in: db, now: now) else {
                return .failure(.unknownUser)
            }
            return .success(user)
        }
    }

    private static func user(of identity: Identity, in db: SQLTransaction) throws -> User? {
        try db.row(
            #"SELECT "user".* FROM "user" JOIN identity ON identity.user_id = "user".id WHERE issuer = ? AND subject = ?"#,
            [identity.issuer, identity.subject]
        ).map { try User($0) }
    }

    /// The user of an identity, who is created and bound to it if there is none and it is allowed.
    private static func user(
        of origin: Origin, createsUser: (() -> Bool)?, in db: SQLTransaction, now: Instant
    ) throws -> User? {
        if let user = try user(of: origin.identity, in: db) { return user }
        guard createsUser?() == true else { return nil }
        var name = origin.suggestedName.flatMap { try? Username($0) }
        if let taken = name, try UserStore.user(named: taken, in: db) != nil { name = nil }
        let user = try UserStore.name(
            nil, name ?? Username("user-\(RandomID.make().prefix(12))"), isAdmin: false, in: db, now: now)
        try db.execute(
            "INSERT INTO identity (issuer, subject, user_id, created_at) VALUES (?, ?, ?, ?)",
            [origin.identity.issuer, origin.identity.subject, user.id.text, now.millisecondsSince1970])
        return user
    }

    // MARK: Ended sessions

    /// Ends the sessions that a logout names, and refuses their bearer tokens from now on.
    ///
    /// - Parameters:
    ///   - logout: The logout, which has an effect once.
    ///   - forgetAt: When all tokens that were issued before have expired.
    ///   - now: The current time.
    /// - Returns: False if a logout with this id was accepted before; then nothing was changed.
    /// - Throws: `StorageError` if the database cannot be written; then no session has ended.
    package func end(
        _ logout: IdentityLogout, forgetAt: Instant, now: Instant = .now
    ) async throws(StorageError) -> Bool {
        try await database.write { [self] db in
            try Self.lockEnds(db)
            guard try accept(logout, in: db, now: now) else { return false }
            let (issuer, subject) = (logout.issuer, logout.subject)
            let owner: String? = try subject.flatMap {
                try Self.user(of: Identity(issuer: issuer, subject: $0), in: db)?.id.text
            }
            func end(_ kind: String, _ value: String) throws {
                try Self.end(
                    kind, value, issuer: issuer, endedAt: logout.issuedAt, forgetAt: forgetAt, now: now,
                    in: db)
            }
            // Those of an earlier version have no time of issue.
            let began = "(token_issued_at IS NULL OR token_issued_at <= ?4)"
            let condition: String
            if let sessionID = logout.sessionID {
                try end("SESSION", sessionID)
                if let subject { try end("TOKEN", EndedIdentity.unnamedSessionsValue(of: subject)) }
                condition = "(issuer_session = ?2 OR issuer_session IS NULL AND user_id = ?3 AND \(began))"
            } else {
                if let subject { try end("SUBJECT", subject) }
                condition = "CAST(?2 AS TEXT) IS NULL AND user_id = ?3 AND \(began)"
            }
            try sessions.delete(
                db.values(
                    "SELECT id FROM session WHERE issuer = ?1 AND \(condition)",
                    [issuer, logout.sessionID, owner, logout.issuedAt.millisecondsSince1970]), in: db)
            return true
        }
    }

    /// Stores the id of a logout, until its token has expired.
    ///
    /// - Returns: False if it is stored already.
    private func accept(_ logout: IdentityLogout, in db: SQLTransaction, now: Instant) throws -> Bool {
        let hash = Data(HashFunction.sha256.hash("\(logout.issuer)\0\(logout.id)"))
        let owner = Data(
            HashFunction.sha256.hash(logout.subject.map { "sub \($0)" } ?? "sid \(logout.sessionID ?? "")"))
        try db.execute(
            "DELETE FROM accepted_logout WHERE expires_at <= \(db.boundedTime)", [now.millisecondsSince1970])
        guard try db.row("SELECT owner FROM accepted_logout WHERE token_hash = ?", [hash]) == nil else {
            return false
        }
        try logoutShare.makeRoom(for: owner, in: db)
        try db.execute(
            "INSERT INTO accepted_logout (token_hash, owner, expires_at) VALUES (?, ?, ?)",
            [hash, owner, logout.expiresAt.millisecondsSince1970])
        return true
    }

    /// Refuses the tokens of a user's identities that were issued before now, in the transaction that deletes the user.
    static func endTokens(ofDeleted owner: OwnerID, in db: SQLTransaction, now: Instant) throws {
        let identities = try db.rows("SELECT issuer, subject FROM identity WHERE user_id = ?", [owner.text])
        for row in identities {
            try end(
                "TOKEN", EndedIdentity.deletedUserValue(of: row["subject"]), issuer: row["issuer"],
                endedAt: now, forgetAt: now + Identity.longestTokenLifetime, now: now, in: db)
        }
    }

    /// Refuses one bearer token from now on.
    package func endToken(
        hash: String, issuer: String, forgetAt: Instant, now: Instant = .now
    ) async throws(StorageError) {
        try await database.write { db in
            try Self.end("TOKEN", hash, issuer: issuer, endedAt: now, forgetAt: forgetAt, now: now, in: db)
        }
    }

    static func end(
        _ kind: String, _ value: String, issuer: String, endedAt: Instant, forgetAt: Instant, now: Instant,
        in db: SQLTransaction
    ) throws {
        try db.execute(
            "DELETE FROM ended_identity_session WHERE forget_at <= \(db.boundedTime)",
            [now.millisecondsSince1970])
        try db.execute(
            """
            INSERT INTO ended_identity_session (issuer, kind, value, ended_at, forget_at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (issuer, kind, value) DO UPDATE SET ended_at = excluded.ended_at, forget_at = excluded.forget_at
                WHERE ended_identity_session.ended_at <= excluded.ended_at
            """, [issuer, kind, value, endedAt.millisecondsSince1970, forgetAt.millisecondsSince1970])
    }

    /// Executes the transactions that open and end sessions of issuers one after the other.
    ///
    /// SQLite has one writer. With PostgreSQL, a logout would not find a session whose transaction has not ended. A transaction
    /// that ends tokens locks this table before the rows of sessions, so that no two wait for each other.
    static func lockEnds(_ db: SQLTransaction) throws { try db.lock(table: "ended_identity_session") }

    private static func hasEnded(
        _ origin: Origin, tokenHash: String?, in db: SQLTransaction
    ) throws -> Bool {
        if let tokenHash, try isRevoked(origin, tokenHash: tokenHash, in: db) { return true }
        // A user who signs in again after all sessions have ended gets tokens that were issued later. `iat` has whole
        // seconds: a token of the second in which the sessions have ended is refused.
        let row = try db.row(
            """
            SELECT value FROM ended_identity_session WHERE issuer = ?1 AND (kind = 'SESSION' AND value = ?2
                OR kind = 'SUBJECT' AND value = ?3 AND ended_at >= ?4 OR kind = 'TOKEN' AND value = ?5
                OR kind = 'TOKEN' AND value = ?6 AND ended_at >= ?4
                OR kind = 'TOKEN' AND value = ?7 AND ended_at >= ?8)
            """,
            [
                origin.identity.issuer, origin.sessionID, origin.identity.subject,
                origin.issuedAt.millisecondsSince1970, tokenHash,
                origin.sessionID == nil
                    ? EndedIdentity.unnamedSessionsValue(of: origin.identity.subject) : nil,
                EndedIdentity.deletedUserValue(of: origin.identity.subject),
                origin.issuedAfter.millisecondsSince1970,
            ])
        return row != nil
    }
}
