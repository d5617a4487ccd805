package import Brokerage
import Cryptography
import Foundation

/// Leave to sign up, once.
package struct Invitation: Sendable {
    /// Returned once, when the invitation is created.
    package let code: String
    package let expiresAt: Instant

    package static let lifetime = Duration.seconds(7 * 86_400)

    /// The stored hash of a code: the code has 128 random bits, so it cannot be found from the hash.
    static func hash(_ code: String) -> Data { Data(HashFunction.sha256.hash(code)) }
}

extension UserStore {
    /// Creates an invitation.
    ///
    /// - Parameters:
    ///   - label: The name in the list of users.
    ///   - isAdmin: Whether the new user may administer the server.
    ///   - now: The time of creation; the invitation expires a week later.
    /// - Returns: The invitation with its code, which is not stored.
    /// - Throws: The error that prevented the write.
    package func invite(
        label: String?, isAdmin: Bool, now: Instant = .now
    ) async throws(StorageError) -> Invitation {
        let invitation = Invitation(code: RandomID.make(), expiresAt: now + Invitation.lifetime)
        try await database.write { db in
            try db.execute(
                """
                INSERT INTO invitation (id, code_hash, label, is_admin, created_at, expires_at)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                [
                    RandomID.make(), Invitation.hash(invitation.code), label, isAdmin,
                    now.millisecondsSince1970, invitation.expiresAt.millisecondsSince1970,
                ])
            // Deletes unused invitations that have expired.
            try db.execute(
                "DELETE FROM invitation WHERE expires_at <= \(db.boundedTime)", [now.millisecondsSince1970])
        }
        return invitation
    }

    /// Whether there is an invitation with this code; it is not used.
    static func isValid(_ code: String, in db: SQLTransaction, now: Instant) throws -> Bool {
        try db.row(
            "SELECT 1 AS found FROM invitation WHERE code_hash = ? AND expires_at > ?",
            [Invitation.hash(code), now.millisecondsSince1970]) != nil
    }

    /// Uses an invitation, which is valid once.
    ///
    /// - Returns: Whether the new user is an administrator; nil if there is no invitation with this code.
    static func accept(_ code: String, in db: SQLTransaction, now: Instant) throws -> Bool? {
        try db.value(
            "DELETE FROM invitation WHERE code_hash = ? AND expires_at > ? RETURNING is_admin",
            [Invitation.hash(code), now.millisecondsSince1970], as: Bool.self)
    }
}
