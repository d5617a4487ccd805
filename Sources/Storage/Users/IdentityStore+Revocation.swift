package import Brokerage

extension IdentityStore {
    /// Refuses the bearer tokens of a user's identities that were issued before now, in the transaction that ends the user's
    /// sessions.
    ///
    /// Sessions that are opened by a code are not concerned: the transaction ends those that exist.
    ///
    /// - Parameters:
    ///   - owner: The user.
    ///   - kept: The token that remains valid, with which the request was made; nil for none.
    ///   - db: The transaction.
    ///   - now: The current time.
    /// - Throws: The error of the database.
    static func revokeTokens(
        of owner: OwnerID, except kept: KeptToken? = nil, in db: SQLTransaction, now: Instant
    ) throws {
        let identities = try db.rows("SELECT issuer, subject FROM identity WHERE user_id = ?", [owner.text])
        let now = identities.isEmpty ? now : try db.time(now)
        for row in identities {
            let (issuer, subject): (String, String) = try (row["issuer"], row["subject"])
            let revocation = EndedIdentity.revocationValue(of: subject)
            let last = try db.row(
                "SELECT ended_at FROM ended_identity_session WHERE issuer = ? AND kind = 'TOKEN' AND value = ?",
                [issuer, revocation])?.instant("ended_at")
            // Later than the revocation before, whose exception ends with this one.
            let endedAt = last.map { max(now, $0 + .milliseconds(1)) } ?? now
            try deleteExceptions(of: subject, issuer: issuer, in: db)
            let forgetAt = endedAt + Identity.longestTokenLifetime
            for value in [revocation, EndedIdentity.exceptionValue(for: kept?.hash, of: subject)] {
                try end(
                    "TOKEN", value, issuer: issuer, endedAt: endedAt, forgetAt: forgetAt, now: now, in: db)
            }
            guard let kept, let sessionID = kept.sessionID,
                let earliest = Instant(millisecondsSince1970: kept.earliestLaterIssue(after: endedAt))
            else { continue }
            try end(
                "TOKEN", EndedIdentity.laterTokensValue(of: sessionID, subject), issuer: issuer,
                endedAt: earliest, forgetAt: forgetAt, now: now, in: db)
        }
    }

    /// Deletes the exceptions of earlier revocations.
    private static func deleteExceptions(of subject: String, issuer: String, in db: SQLTransaction) throws {
        let values: [String] = try db.values(
            """
            SELECT value FROM ended_identity_session WHERE issuer = ?1 AND kind = 'TOKEN'
                AND value LIKE '\(EndedIdentity.exceptionPrefix)%'
                AND substr(value, length(value) - length(CAST(?2 AS TEXT))) = ':' || CAST(?2 AS TEXT)
            """, [issuer, subject])
        // A subject may have a colon, and end with another subject.
        for value in values where EndedIdentity.exception(value)?.subject == subject {
            try db.execute(
                "DELETE FROM ended_identity_session WHERE issuer = ? AND kind = 'TOKEN' AND value = ?",
                [issuer, value])
        }
    }

    /// Whether a bearer token was issued before its user has ended all other sessions, and is neither the one that remained nor a
    /// later one of its session.
    static func isRevoked(_ origin: Origin, tokenHash: String, in db: SQLTransaction) throws -> Bool {
        let token = KeptToken(
            hash: tokenHash, sessionID: origin.sessionID, issuedAt: origin.issuedAt,
            skew: origin.issuedAt.duration(since: origin.issuedAfter))
        return try isRevoked(token, of: origin.identity.subject, issuer: origin.identity.issuer, in: db)
    }

    /// Whether a bearer token of a user has been revoked, as another transaction may have done since the token was verified.
    static func isRevoked(_ token: KeptToken, of owner: OwnerID, in db: SQLTransaction) throws -> Bool {
        try db.rows("SELECT issuer, subject FROM identity WHERE user_id = ?", [owner.text]).contains {
            try isRevoked(token, of: $0["subject"], issuer: $0["issuer"], in: db)
        }
    }

    private static func isRevoked(
        _ token: KeptToken, of subject: String, issuer: String, in db: SQLTransaction
    ) throws -> Bool {
        let row = try db.row(
            """
            SELECT value FROM ended_identity_session WHERE issuer = ?1 AND kind = 'TOKEN' AND value = ?2 AND ended_at >= ?4
                AND NOT EXISTS (
                    SELECT 1 FROM ended_identity_session AS kept WHERE kept.issuer = ?1 AND kept.kind = 'TOKEN'
                        AND (kept.value = ?3 AND kept.ended_at >= ended_identity_session.ended_at
                            OR kept.value = ?5 AND kept.ended_at <= ?6))
            """,
            [
                issuer, EndedIdentity.revocationValue(of: subject),
                EndedIdentity.exceptionValue(for: token.hash, of: subject),
                (token.issuedAt - token.skew).millisecondsSince1970,
                token.sessionID.map { EndedIdentity.laterTokensValue(of: $0, subject) },
                token.issuedAt.millisecondsSince1970,
            ])
        return row != nil
    }

    /// The revocations of the tokens of users since a time.
    ///
    /// - Parameters:
    ///   - start: The time.
    ///   - db: The transaction; it may be read-only.
    /// - Returns: The tokens that have ended, each with a text that no other revocation has.
    /// - Throws: The error of the database.
    package static func revocations(
        since start: Instant, in db: SQLTransaction
    ) throws -> [String: EndedIdentity] {
        // The index is that of the time at which rows are forgotten.
        let rows = try db.rows(
            """
            SELECT issuer, value, ended_at FROM ended_identity_session
            WHERE forget_at >= ? AND kind = 'TOKEN' AND value LIKE '\(EndedIdentity.exceptionPrefix)%'
            """, [(start + Identity.longestTokenLifetime).millisecondsSince1970])
        return try rows.reduce(into: [:]) { ended, row in
            let (issuer, value, endedAt): (String, String, Int64) = try (
                row["issuer"], row["value"], row["ended_at"]
            )
            guard let identity = EndedIdentity("TOKEN \(value)") else { return }
            ended["\(endedAt) \(issuer) \(value)"] = identity
        }
    }
}
