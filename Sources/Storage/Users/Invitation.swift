package import Brokerage
import Crypto
import Foundation
import GRDB

/// Leave to sign up, once.
package struct Invitation: Sendable {
    /// Shown once, to whoever invites.
    package let code: String
    package let expiresAt: Instant

    package static let lifetime = Duration.seconds(7 * 86_400)

    /// What is kept of a code: it has 128 random bits, so nobody finds it from its hash.
    static func hash(_ code: String) -> Data { Data(SHA256.hash(data: Data(code.utf8))) }
}

extension UserStore {
    /// Makes an invitation.
    ///
    /// - Parameters:
    ///   - label: whom it is for, for the list of users.
    ///   - isAdmin: whether who accepts it may run the server.
    ///   - now: when; it ends a week later.
    /// - Returns: the invitation, whose code is shown this once.
    /// - Throws: what kept it from being written.
    package func invite(
        label: String?, isAdmin: Bool, now: Instant = .now
    ) async throws(StorageError) -> Invitation {
        let invitation = Invitation(code: RandomID.make(), expiresAt: now + Invitation.lifetime)
        try await database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO invitation (id, code_hash, label, is_admin, created_at, expires_at)
                    VALUES (?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    RandomID.make(), Invitation.hash(invitation.code), label, isAdmin,
                    now.millisecondsSince1970, invitation.expiresAt.millisecondsSince1970,
                ])
            // Those that nobody has taken.
            try db.execute(
                sql: "DELETE FROM invitation WHERE expires_at <= ?", arguments: [now.millisecondsSince1970])
        }
        return invitation
    }

    /// Takes an invitation, which is good once.
    ///
    /// - Returns: whether it makes an admin; nil where there is none with this code.
    static func accept(_ code: String, in db: Database, now: Instant) throws -> Bool? {
        try Bool.fetchOne(
            db, sql: "DELETE FROM invitation WHERE code_hash = ? AND expires_at > ? RETURNING is_admin",
            arguments: [Invitation.hash(code), now.millisecondsSince1970])
    }
}
