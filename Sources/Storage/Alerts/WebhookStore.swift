package import Brokerage
import Foundation
import GRDB
package import PorticoCore

/// Stores users' webhooks with their encrypted secrets and addresses, and the deliveries that are still to be made.
///
/// A delivery is deleted after the receiver has accepted it. If the process is killed in between, it is made again, with
/// the same id. A new webhook gets a test message, and firings only after its receiver has accepted it.
package struct WebhookStore: Sendable {
    /// As many webhooks as a user may have.
    package static let maximumWebhooks = 10

    let database: SQLDatabase
    private let keys: DataEncryptionKeys

    /// Opens the store.
    ///
    /// - Throws: `wrongMasterKey` if the secrets in the file were encrypted with another key.
    package init(in file: UserDatabase, _ master: MasterKey) throws(StorageError) {
        database = file.database
        keys = try DataEncryptionKeys(in: database, master)
        try sealClearAddresses()
    }

    /// Encrypts the addresses that an earlier version has stored in clear.
    private func sealClearAddresses() throws(StorageError) {
        let isClear: Int = try database.readNow { db in
            try db.value("SELECT count(*) FROM webhook WHERE url <> ''") ?? 0
        }
        guard isClear > 0 else { return }
        let file = database.sqlite?.pool
        try database.writeNow { db in
            // Otherwise SQLite leaves the text in the page until another row takes its place.
            if file != nil { try db.executeScript("PRAGMA secure_delete = ON") }
            for row in try db.rows("SELECT id, owner, url FROM webhook WHERE url <> ''") {
                guard let owner = try OwnerID(row["owner"]) else { continue }
                let (id, url): (String, String) = (try row["id"], try row["url"])
                let sealed = try keys.encrypt(
                    Secret(Array(url.utf8)), WebhookAddressIdentity(id: id, owner: owner))
                try db.execute(
                    "UPDATE webhook SET url = '', sealed_url = ?, url_key_id = ? WHERE id = ?",
                    [sealed, keys.currentID, id])
            }
        }
        // The file has the old page until the log is copied into it; a reader only delays that.
        _ = try? file?.writeWithoutTransaction { db in try db.checkpoint(.truncate) }
    }

    // MARK: Webhooks

    private static let select = """
        SELECT webhook.*, (
            SELECT count(*) FROM webhook_delivery WHERE webhook_delivery.webhook = webhook.id) AS pending
        FROM webhook
        """

    /// A user's webhooks, in the order of their creation.
    package func webhooks(of owner: OwnerID) async throws(StorageError) -> [StoredWebhook] {
        let keys = keys
        return try await database.read { db in try Self.webhooks(of: owner, keys, db) }
    }

    private static func webhooks(
        of owner: OwnerID, _ keys: DataEncryptionKeys, _ db: SQLTransaction
    ) throws -> [StoredWebhook] {
        try db.rows(select + " WHERE owner = ? ORDER BY created_at, id", [owner.text])
            .map { try StoredWebhook($0, keys) }
    }

    /// The result of the registration of a webhook.
    package enum Registration: Hashable, Sendable {
        case registered(StoredWebhook)
        /// The webhook of the user with this id has the address.
        case exists(String)
        /// The user has as many as allowed.
        case tooMany

        /// The new webhook; nil if none was stored.
        package var webhook: StoredWebhook? {
            if case .registered(let webhook) = self { webhook } else { nil }
        }
    }

    /// Stores a webhook with the key of its signatures, in the state PENDING, and its test message.
    ///
    /// A firing is sent once to an address, so the addresses of a user's webhooks have different texts.
    ///
    /// - Parameters:
    ///   - url: The address.
    ///   - label: The user's name for the webhook.
    ///   - secret: The key of the signatures.
    ///   - owner: The user.
    ///   - now: The time.
    ///   - test: Returns the body of the test message for the id of the webhook; it may be called more than once.
    /// - Returns: The new webhook, or why there is none.
    /// - Throws: `StorageError`; then nothing was stored, except if the outcome is unknown.
    package func register(
        _ url: String, label: String?, _ secret: Secret, for owner: OwnerID, now: Instant = .now,
        test: @escaping @Sendable (_ webhook: String) -> String
    ) async throws(StorageError) -> Registration {
        let keys = keys
        return try await database.write(for: owner) { db in
            let own = try Self.webhooks(of: owner, keys, db)
            if let known = own.first(where: { $0.url == url }) { return .exists(known.id) }
            guard own.count < Self.maximumWebhooks else { return .tooMany }
            let id = RandomID.make()
            try db.execute(
                """
                INSERT INTO webhook (
                    id, owner, url, sealed_url, url_key_id, label, data_key_id, sealed, state, created_at)
                VALUES (?, ?, '', ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    id, owner.text,
                    try keys.encrypt(Secret(Array(url.utf8)), WebhookAddressIdentity(id: id, owner: owner)),
                    keys.currentID, label, keys.currentID,
                    try keys.encrypt(secret, WebhookIdentity(id: id, owner: owner)),
                    StoredWebhook.State.pending.rawValue, now.millisecondsSince1970,
                ])
            try Self.insertDeliveries(of: test(id), nil, to: [id], of: owner, now, db)
            guard let webhook = try Self.webhook(id, of: owner, keys, db) else { throw CorruptedRow() }
            return .registered(webhook)
        }
    }

    /// Stores another test message of a webhook in place of one that was not accepted yet; one that is disabled is pending
    /// again.
    ///
    /// - Parameters:
    ///   - id: The webhook.
    ///   - owner: The user.
    ///   - now: The time.
    ///   - body: The body of the message.
    /// - Returns: The webhook; nil if there is none.
    /// - Throws: `StorageError`; then nothing was changed, except if the outcome is unknown.
    package func requestTest(
        of id: String, for owner: OwnerID, now: Instant = .now, body: String
    ) async throws(StorageError) -> StoredWebhook? {
        let keys = keys
        return try await database.write(for: owner) { db in
            let isKnown = try db.executeUpdate(
                """
                UPDATE webhook SET state = CASE WHEN state = 'DISABLED' THEN 'PENDING' ELSE state END
                WHERE id = ? AND owner = ?
                """, [id, owner.text])
            guard isKnown > 0 else { return nil }
            try db.execute("DELETE FROM webhook_delivery WHERE webhook = ? AND firing = ''", [id])
            try Self.insertDeliveries(of: body, nil, to: [id], of: owner, now, db)
            return try Self.webhook(id, of: owner, keys, db)
        }
    }

    private static func webhook(
        _ id: String, of owner: OwnerID, _ keys: DataEncryptionKeys, _ db: SQLTransaction
    ) throws -> StoredWebhook? {
        try db.row(select + " WHERE id = ? AND owner = ?", [id, owner.text]).map {
            try StoredWebhook($0, keys)
        }
    }

    /// Deletes a webhook with its pending deliveries.
    ///
    /// - Returns: Whether there was one.
    package func delete(_ id: String, for owner: OwnerID) async throws(StorageError) -> Bool {
        try await database.write(for: owner) { db in
            try db.executeUpdate("DELETE FROM webhook WHERE id = ? AND owner = ?", [id, owner.text]) > 0
        }
    }

    /// The address and the secret of a webhook; nil if it was deleted.
    ///
    /// - Throws: `decryptionFailed` if the row was changed by another program.
    package func target(
        of id: String, _ owner: OwnerID
    ) async throws(StorageError) -> WebhookTarget? {
        let keys = keys
        let (isKnown, target) = try await database.read { db in
            guard let row = try db.row("SELECT * FROM webhook WHERE id = ? AND owner = ?", [id, owner.text])
            else { return (false, WebhookTarget?.none) }
            return (true, try WebhookTarget(row, keys))
        }
        guard isKnown else { return nil }
        guard let target else { throw .decryptionFailed(path: database.location, connection: id) }
        return target
    }

    /// Returns of how many webhooks secret and address can be decrypted and of how many not.
    static func examine(
        _ db: SQLTransaction, _ keys: DataEncryptionKeys
    ) throws -> (whole: Int, broken: Int) {
        let rows = try db.rows("SELECT * FROM webhook")
        let whole = try rows.count { try WebhookTarget($0, keys) != nil }
        return (whole, rows.count - whole)
    }
}
