package import Brokerage
import Foundation
package import PorticoCore

/// Stores the credentials of users' connections, encrypted with AES-256-GCM.
///
/// A credential can be decrypted only for the connection, provider and owner for which it was encrypted.
package struct CredentialStore: Sendable {
    private let database: SQLDatabase
    let keys: DataEncryptionKeys

    /// Opens the store.
    ///
    /// - Throws: `wrongMasterKey` if the credentials in the file were encrypted with another key.
    package init(in file: UserDatabase, _ master: MasterKey) throws(StorageError) {
        database = file.database
        keys = try DataEncryptionKeys(in: database, master)
    }

    /// Stores the credential of a connection, and replaces an earlier one.
    ///
    /// - Returns: The version of the credential.
    package func save(
        _ secret: Secret, of identity: CredentialOwner
    ) async throws(StorageError) -> Int {
        try await database.write(for: identity.owner) { [self] db in try save(secret, of: identity, in: db) }
    }

    /// The same as part of a larger write.
    func save(_ secret: Secret, of identity: CredentialOwner, in db: SQLTransaction) throws -> Int {
        let sealed = try keys.encrypt(secret, identity)
        return try db.value(
            """
            INSERT INTO credential (connection, provider, owner, data_key_id, version, sealed)
            VALUES (?, ?, ?, ?, 1, ?)
            ON CONFLICT (connection) DO UPDATE SET provider = excluded.provider, owner = excluded.owner,
                data_key_id = excluded.data_key_id, version = credential.version + 1, sealed = excluded.sealed
            RETURNING version
            """,
            [
                identity.connection, identity.provider.storedText, identity.owner.text, keys.currentID,
                sealed,
            ]) ?? 1
    }

    /// Returns the credential of a connection; nil if there is none with this provider and owner.
    ///
    /// - Throws: `decryptionFailed` if the row was changed.
    package func load(_ identity: CredentialOwner) async throws(StorageError) -> StoredCredential? {
        let row = try await database.read { db in
            try db.row(
                """
                SELECT data_key_id, version, sealed FROM credential
                WHERE connection = ? AND provider = ? AND owner = ?
                """, identity.arguments
            ).map { row in
                (
                    key: try row["data_key_id"] as Int64, version: try row["version"] as Int,
                    sealed: try row["sealed"] as Data
                )
            }
        }
        guard let row else { return nil }
        guard let secret = keys.decrypt(row.sealed, row.key, identity) else {
            throw .decryptionFailed(path: database.location, connection: identity.connection)
        }
        return StoredCredential(identity: identity, version: row.version, secret: secret)
    }

    /// The outcome of a replacement.
    package enum Replacement: Hashable, Sendable {
        /// Done; the new version.
        case done(version: Int)
        /// The credential was changed or deleted by another caller before; nothing was changed.
        case outdated
    }

    /// Replaces the secret that was read, unless it has changed since: if two callers renew a token at the
    /// same time, the second must not overwrite the result of the first.
    ///
    /// - Parameters:
    ///   - secret: The new secret.
    ///   - identity: The owner of the credential.
    ///   - version: The version that was read.
    /// - Returns: Whether the secret was replaced.
    /// - Throws: The error that prevented the write; then nothing was changed.
    package func replace(
        with secret: Secret, of identity: CredentialOwner, expecting version: Int
    ) async throws(StorageError) -> Replacement {
        let keys = keys
        return try await database.write(for: identity.owner) { db in
            let sealed = try keys.encrypt(secret, identity)
            let new: Int? = try db.value(
                """
                UPDATE credential SET data_key_id = ?, version = version + 1, sealed = ?
                WHERE connection = ? AND provider = ? AND owner = ? AND version = ? RETURNING version
                """, [keys.currentID, sealed] + identity.arguments + [version])
            return new.map { .done(version: $0) } ?? .outdated
        }
    }
}

extension CredentialOwner {
    fileprivate var arguments: SQLArguments { [connection, provider.storedText, owner.text] }
}

extension CredentialStore {
    /// Returns how many secrets of connections and webhooks can be decrypted and how many cannot; no secret is stored in
    /// memory.
    ///
    /// - Parameters:
    ///   - db: The database.
    ///   - path: Its path or address, for errors.
    ///   - master: The key.
    ///   - hasWebhooks: Whether the tables have webhooks; those of earlier versions do not.
    /// - Returns: The two numbers.
    /// - Throws: `wrongMasterKey`.
    package static func examine(
        _ db: SQLTransaction, at path: String, _ master: MasterKey, hasWebhooks: Bool = true
    ) throws -> (whole: Int, broken: Int) {
        let keys = try DataEncryptionKeys(db, at: path, master)
        let rows = try db.rows("SELECT connection, provider, owner, data_key_id, sealed FROM credential")
        let webhooks = hasWebhooks ? try WebhookStore.examine(db, keys) : (whole: 0, broken: 0)
        let whole = try rows.count { row in
            guard let provider = try ProviderID(stored: row["provider"]),
                let owner = try OwnerID(row["owner"])
            else {
                return false
            }
            let identity = try CredentialOwner(
                connection: row["connection"], provider: provider, owner: owner)
            return try keys.decrypt(row["sealed"], row["data_key_id"], identity) != nil
        }
        return (whole + webhooks.whole, rows.count - whole + webhooks.broken)
    }

    /// The result of ``examine(_:at:_:hasWebhooks:)`` for an operator.
    static func text(of counts: (whole: Int, broken: Int)) -> String {
        counts.broken == 0
            ? "\(counts.whole) secrets can be decrypted with the master key."
            : "\(counts.broken) secrets cannot be decrypted: their users must connect again, and register their webhooks again."
    }
}

/// Whose credential it is, and for what.
package struct CredentialOwner: SealedSecretIdentity, Hashable {
    /// The connection's id.
    package let connection: String
    package let provider: ProviderID
    package let owner: OwnerID

    package init(connection: String, provider: ProviderID, owner: OwnerID) {
        self.connection = connection
        self.provider = provider
        self.owner = owner
    }

    package var parts: [String] { ["portico credential 1", connection, provider.storedText, owner.text] }
}

/// A credential as it is stored.
package struct StoredCredential: Sendable {
    package let identity: CredentialOwner
    /// Rises by one each time that the secret is replaced.
    package let version: Int
    package let secret: Secret
}
