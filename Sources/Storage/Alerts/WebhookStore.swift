package import Brokerage
import Foundation
package import PorticoCore
package import Upstream

/// Stores users' webhooks with their encrypted secrets, and the deliveries that are still to be made.
///
/// A delivery is deleted after the receiver has accepted it. If the process is killed in between, it is made again, with
/// the same id.
package struct WebhookStore: Sendable {
    /// As many webhooks as a user may have.
    package static let maximumWebhooks = 10

    private let database: SQLDatabase
    private let keys: DataEncryptionKeys

    /// Opens the store.
    ///
    /// - Throws: `wrongMasterKey` if the secrets in the file were encrypted with another key.
    package init(in file: UserDatabase, _ master: MasterKey) throws(StorageError) {
        database = file.database
        keys = try DataEncryptionKeys(in: database, master)
    }

    // MARK: Webhooks

    private static let select = """
        SELECT webhook.*, (
            SELECT count(*) FROM webhook_delivery WHERE webhook_delivery.webhook = webhook.id) AS pending
        FROM webhook
        """

    /// A user's webhooks, in the order of their creation.
    package func webhooks(of owner: OwnerID) async throws(StorageError) -> [StoredWebhook] {
        try await database.read { db in
            try db.rows(Self.select + " WHERE owner = ? ORDER BY created_at, id", [owner.text])
                .map(StoredWebhook.init)
        }
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

    /// Stores a webhook with the key of its signatures.
    ///
    /// A firing is sent once to an address, so the addresses of a user's webhooks have different texts.
    package func register(
        _ url: String, label: String?, _ secret: Secret, for owner: OwnerID, now: Instant = .now
    ) async throws(StorageError) -> Registration {
        let keys = keys
        return try await database.write(for: owner) { db in
            let known: String? = try db.value(
                "SELECT id FROM webhook WHERE owner = ? AND url = ? ORDER BY created_at, id LIMIT 1",
                [owner.text, url])
            if let known { return .exists(known) }
            let count: Int = try db.value("SELECT count(*) FROM webhook WHERE owner = ?", [owner.text]) ?? 0
            guard count < Self.maximumWebhooks else { return .tooMany }
            let id = RandomID.make()
            try db.execute(
                """
                INSERT INTO webhook (id, owner, url, label, data_key_id, sealed, created_at)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    id, owner.text, url, label, keys.currentID,
                    try keys.encrypt(secret, WebhookIdentity(id: id, owner: owner)),
                    now.millisecondsSince1970,
                ])
            guard let row = try db.row(Self.select + " WHERE id = ?", [id]) else { throw CorruptedRow() }
            return .registered(try StoredWebhook(row))
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
        let row = try await database.read { db in
            try db.row(
                "SELECT url, data_key_id, sealed FROM webhook WHERE id = ? AND owner = ?", [id, owner.text]
            ).map { row in
                (
                    url: try row["url"] as String, key: try row["data_key_id"] as Int64,
                    sealed: try row["sealed"] as Data
                )
            }
        }
        guard let row else { return nil }
        guard let secret = keys.decrypt(row.sealed, row.key, WebhookIdentity(id: id, owner: owner)) else {
            throw .decryptionFailed(path: database.location, connection: id)
        }
        return WebhookTarget(url: row.url, secret: secret)
    }

    /// Returns how many secrets can be decrypted and how many cannot.
    static func examine(
        _ db: SQLTransaction, _ keys: DataEncryptionKeys
    ) throws -> (whole: Int, broken: Int) {
        let rows = try db.rows("SELECT id, owner, data_key_id, sealed FROM webhook")
        let whole = try rows.count { row in
            guard let owner = try OwnerID(row["owner"]) else { return false }
            let identity = try WebhookIdentity(id: row["id"], owner: owner)
            return try keys.decrypt(row["sealed"], row["data_key_id"], identity) != nil
        }
        return (whole, rows.count - whole)
    }

    // MARK: Deliveries

    /// Adds a delivery to the transaction of a firing.
    static func insertDelivery(
        of body: String, _ firing: String, to webhook: String, of owner: OwnerID, _ now: Instant,
        _ db: SQLTransaction
    ) throws {
        try db.execute(
            """
            INSERT INTO webhook_delivery (id, owner, webhook, firing, body, attempts, next_at, created_at)
            VALUES (?, ?, ?, ?, ?, 0, ?, ?)
            """,
            [
                "msg_" + RandomID.make(), owner.text, webhook, firing, body, now.millisecondsSince1970,
                now.millisecondsSince1970,
            ])
    }

    /// Deletes the oldest deliveries of a user that has more than a number.
    ///
    /// - Returns: The number of deleted ones.
    static func deleteOldest(of owner: OwnerID, beyond limit: Int, _ db: SQLTransaction) throws -> Int {
        let count: Int =
            try db.value("SELECT count(*) FROM webhook_delivery WHERE owner = ?", [owner.text]) ?? 0
        guard count > limit else { return 0 }
        return try db.executeUpdate(
            """
            DELETE FROM webhook_delivery WHERE id IN (
                SELECT id FROM webhook_delivery WHERE owner = ? ORDER BY created_at, id LIMIT ?)
            """, [owner.text, count - limit])
    }

    /// The webhooks with a due delivery, without some: first that whose latest attempt, or creation, is the longest ago.
    ///
    /// So a webhook with many deliveries does not delay those of others.
    package func due(
        at now: Instant, except webhooks: Set<String>, limit: Int
    ) async throws(StorageError) -> [(webhook: String, owner: OwnerID)] {
        let others = Self.condition(except: webhooks)
        return try await database.read { db in
            try db.rows(
                """
                SELECT webhook.id, webhook.owner FROM webhook_delivery
                    JOIN webhook ON webhook.id = webhook_delivery.webhook
                WHERE next_at <= ?\(others.sql) GROUP BY webhook.id
                ORDER BY coalesce(
                    CASE WHEN last_success_at > coalesce(last_failure_at, 0) THEN last_success_at ELSE last_failure_at END,
                    webhook.created_at), min(next_at), webhook.id LIMIT ?
                """, [now.millisecondsSince1970] + others.arguments + [limit]
            ).compactMap { row in
                let webhook: String = try row["id"]
                return try OwnerID(row["owner"]).map { (webhook, $0) }
            }
        }
    }

    /// The time at which the next delivery to another webhook than some is due; nil if none is pending.
    package func nextDue(except webhooks: Set<String>) async throws(StorageError) -> Instant? {
        let others = Self.condition(except: webhooks)
        return try await database.read { db in
            try db.row(
                "SELECT min(next_at) AS next_at FROM webhook_delivery WHERE next_at > 0\(others.sql)",
                others.arguments
            )?.instant("next_at")
        }
    }

    /// The number of pending deliveries of all users.
    package func pendingCount() async throws(StorageError) -> Int {
        try await database.read { db in try db.value("SELECT count(*) FROM webhook_delivery") ?? 0 }
    }

    /// The due deliveries of a webhook, the oldest first.
    package func deliveries(
        of webhook: String, dueAt now: Instant, limit: Int
    ) async throws(StorageError) -> [WebhookDelivery] {
        try await database.read { db in
            try db.rows(
                """
                SELECT * FROM webhook_delivery WHERE webhook = ? AND next_at <= ?
                ORDER BY created_at, id LIMIT ?
                """, [webhook, now.millisecondsSince1970, limit]
            ).map(WebhookDelivery.init)
        }
    }

    /// Records that the receiver has accepted a delivery.
    package func didDeliver(_ delivery: WebhookDelivery, at now: Instant) async throws(StorageError) {
        try await database.write(for: delivery.owner) { db in
            try db.execute("DELETE FROM webhook_delivery WHERE id = ?", [delivery.id])
            try db.execute(
                "UPDATE webhook SET last_success_at = ? WHERE id = ?",
                [now.millisecondsSince1970, delivery.webhook])
        }
    }

    /// Records a failed attempt, and postpones the other due deliveries of the webhook.
    ///
    /// - Parameters:
    ///   - delivery: The delivery.
    ///   - reason: The reason, for the user.
    ///   - now: The time of the failure.
    ///   - next: The time of the next attempt.
    ///   - end: Deliveries of the webhook that were created before are deleted.
    /// - Returns: The number of deleted deliveries.
    /// - Throws: `StorageError`; then nothing was changed, except if the outcome is unknown.
    package func didFail(
        _ delivery: WebhookDelivery, _ reason: String, at now: Instant, next: Instant,
        expiredBefore end: Instant
    ) async throws(StorageError) -> Int {
        try await database.write(for: delivery.owner) { db in
            try db.execute(
                "UPDATE webhook_delivery SET attempts = attempts + 1 WHERE id = ?", [delivery.id])
            let next = next.millisecondsSince1970
            try db.execute(
                "UPDATE webhook_delivery SET next_at = ? WHERE webhook = ? AND next_at < ?",
                [next, delivery.webhook, next])
            try db.execute(
                "UPDATE webhook SET last_failure_at = ?, last_failure = ? WHERE id = ?",
                [now.millisecondsSince1970, reason, delivery.webhook])
            return try db.executeUpdate(
                "DELETE FROM webhook_delivery WHERE webhook = ? AND created_at < ?",
                [delivery.webhook, end.millisecondsSince1970])
        }
    }

    /// `AND webhook_delivery.webhook NOT IN (…)`, without a condition for no webhooks.
    private static func condition(except webhooks: Set<String>) -> (sql: String, arguments: SQLArguments) {
        // NULL in an empty list would exclude every row.
        if webhooks.isEmpty { return ("", []) }
        let list = SQLList(webhooks.sorted())
        return (" AND webhook_delivery.webhook NOT IN (\(list.placeholders))", list.arguments)
    }
}
