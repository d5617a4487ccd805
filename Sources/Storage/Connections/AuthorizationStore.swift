package import Brokerage
import Cryptography
import Foundation
package import PorticoCore

/// The consents that users have begun and not completed, in a database, so that any process can complete them.
///
/// Each is found by its state (RFC 6749, section 10.12), once. The database has only the hash of the state, and the
/// encrypted code verifier.
package struct AuthorizationStore: Sendable {
    private let database: SQLDatabase
    private let keys: DataEncryptionKeys

    init(_ database: SQLDatabase, _ keys: DataEncryptionKeys) {
        (self.database, self.keys) = (database, keys)
    }

    /// A consent that a user was sent to give.
    package struct Authorization: Sendable {
        package let owner: OwnerID
        package let provider: ProviderID
        package let environment: Environment
        package let redirectURI: String
        /// The code verifier (RFC 7636); nil if the provider uses none.
        package let verifier: Secret?

        package init(
            owner: OwnerID, provider: ProviderID, environment: Environment, redirectURI: String,
            verifier: Secret?
        ) {
            (self.owner, self.provider, self.environment) = (owner, provider, environment)
            (self.redirectURI, self.verifier) = (redirectURI, verifier)
        }
    }

    /// Stores a consent; the oldest ones of the user make room.
    ///
    /// - Parameters:
    ///   - authorization: The consent.
    ///   - state: Its state, which cannot be guessed.
    ///   - lifetime: The time that the user has, by the database's clock.
    ///   - maximum: The number of consents of the user.
    /// - Throws: The error that prevented the write.
    package func add(
        _ authorization: Authorization, as state: String, for lifetime: Duration, maximum: Int
    ) async throws(StorageError) {
        let hash = Self.hash(state)
        let identity = Self.identity(hash, authorization.owner, authorization.provider)
        let milliseconds = Int64(lifetime / .milliseconds(1))
        try await database.write(for: authorization.owner) { [keys] db in
            let sealed = try authorization.verifier.map { try keys.encrypt($0, identity) }
            try db.execute("DELETE FROM pending_authorization WHERE expires_at < clock_milliseconds()")
            try db.execute(
                """
                DELETE FROM pending_authorization WHERE state_hash IN (
                    SELECT state_hash FROM pending_authorization WHERE owner = ?
                    ORDER BY created_at DESC, state_hash OFFSET ?)
                """, [authorization.owner.text, max(0, maximum - 1)])
            try db.execute(
                """
                INSERT INTO pending_authorization
                    (state_hash, owner, provider, environment, redirect_uri, data_key_id, verifier, created_at, expires_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, clock_milliseconds(), clock_milliseconds() + CAST(? AS BIGINT))
                """,
                [
                    hash, authorization.owner.text, authorization.provider.storedText,
                    authorization.environment.rawValue, authorization.redirectURI, keys.currentID, sealed,
                    milliseconds,
                ])
        }
    }

    /// Removes and returns a consent; nil for a state that is unknown, used, too old, or of another user.
    ///
    /// That of another user is not removed: a user who finds a state must not be able to invalidate the consent.
    ///
    /// - Throws: `decryptionFailed` if the row was changed, or the error of the database.
    package func take(
        _ state: String, of owner: OwnerID, at provider: ProviderID
    ) async throws(StorageError) -> Authorization? {
        let hash = Self.hash(state)
        let identity = Self.identity(hash, owner, provider)
        let location = database.location
        return try await database.write(for: owner) { [keys] db in
            let row = try db.row(
                """
                DELETE FROM pending_authorization WHERE state_hash = ? AND owner = ? AND provider = ?
                RETURNING *, expires_at > clock_milliseconds() AS is_valid
                """, [hash, owner.text, provider.storedText])
            guard let row, try row["is_valid"] as Bool else { return nil }
            guard let environment = try Environment(rawValue: row["environment"]) else {
                throw CorruptedRow()
            }
            var verifier: Secret?
            if let sealed: Data = try row["verifier"] {
                verifier = try keys.decrypt(sealed, row["data_key_id"], identity)
                guard verifier != nil else {
                    throw StorageError.decryptionFailed(path: location, connection: identity.connection)
                }
            }
            return Authorization(
                owner: owner, provider: provider, environment: environment,
                redirectURI: try row["redirect_uri"], verifier: verifier)
        }
    }

    private static func hash(_ state: String) -> Data { Data(HashFunction.sha256.hash(state)) }

    /// A verifier can be decrypted only in its row.
    private static func identity(
        _ hash: Data, _ owner: OwnerID, _ provider: ProviderID
    ) -> CredentialOwner {
        CredentialOwner(
            connection: "authorization \(hash.base64EncodedString())", provider: provider, owner: owner)
    }
}
