package import Brokerage

extension IdentityStore {
    /// Refuses the bearer tokens of a user's identities that were issued before now, in the transaction that ends the user's
    /// sessions.
    ///
    /// Sessions that are opened by a code are not concerned: the transaction ends those that exist.
    ///
    /// - Parameters:
    ///   - owner: The user.
    ///   - tokenHash: The hash of the token that remains valid, with which the request was made; nil for none.
    ///   - db: The transaction.
    ///   - now: The current time.
    /// - Throws: The error of the database.
    static func revokeTokens(
        of owner: OwnerID, except tokenHash: String? = nil, in db: SQLTransaction, now: Instant
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
            // An exception of an earlier revocation has no effect any more.
            try db.execute(
                """
                DELETE FROM ended_identity_session WHERE issuer = ?1 AND kind = 'TOKEN'
                    AND value LIKE '\(EndedIdentity.exceptionPrefix)%'
                    AND substr(value, length(value) - length(CAST(?2 AS TEXT))) = ':' || CAST(?2 AS TEXT)
                """, [issuer, subject])
            for value in [revocation, EndedIdentity.exceptionValue(for: tokenHash, of: subject)] {
                try end(
                    "TOKEN", value, issuer: issuer, endedAt: endedAt,
                    forgetAt: endedAt + Identity.longestTokenLifetime, now: now, in: db)
            }
        }
    }

    /// Whether a bearer token was issued before its user has ended all other sessions, and is not the one that remained.
    static func isRevoked(_ origin: Origin, tokenHash: String, in db: SQLTransaction) throws -> Bool {
        let (issuer, subject) = (origin.identity.issuer, origin.identity.subject)
        let row = try db.row(
            """
            SELECT value FROM ended_identity_session WHERE issuer = ?1 AND kind = 'TOKEN' AND value = ?2 AND ended_at >= ?4
                AND NOT EXISTS (
                    SELECT 1 FROM ended_identity_session AS kept WHERE kept.issuer = ?1 AND kept.kind = 'TOKEN'
                        AND kept.value = ?3 AND kept.ended_at >= ended_identity_session.ended_at)
            """,
            [
                issuer, EndedIdentity.revocationValue(of: subject),
                EndedIdentity.exceptionValue(for: tokenHash, of: subject),
                origin.issuedAfter.millisecondsSince1970,
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
