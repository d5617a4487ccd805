package import Brokerage
import Foundation
package import PorticoCore

/// An address to which the firings of a user's alerts are sent.
package struct StoredWebhook: Hashable, Sendable {
    package let id: String
    /// Nil if the row was changed by another program.
    ///
    /// It may contain a token of the receiver: not for logs.
    package let url: String?
    /// The user's name for the webhook.
    package let label: String?
    package let state: State
    package let createdAt: Instant
    package let lastSuccessAt: Instant?
    package let lastFailureAt: Instant?
    /// The reason of the last failure, for the user.
    package let lastFailure: String?
    /// The number of deliveries that are still to be made.
    package let pendingDeliveries: Int

    /// Whether firings are sent to a webhook.
    package enum State: String, Sendable, CaseIterable {
        /// The receiver has not accepted a test message yet, so that it gets no firings.
        case pending = "PENDING"
        case active = "ACTIVE"
        /// The receiver did not accept a test message in time, or wants no messages any more.
        case disabled = "DISABLED"
    }
}

extension StoredWebhook {
    init(_ row: SQLRow, _ keys: DataEncryptionKeys) throws {
        guard let createdAt = try row.instant("created_at") else { throw CorruptedRow() }
        try self.init(
            id: row["id"], url: WebhookAddressIdentity.address(in: row, keys), label: row["label"],
            // An earlier version has stored no state.
            state: row.value("state") ?? .active, createdAt: createdAt,
            lastSuccessAt: row.instant("last_success_at"), lastFailureAt: row.instant("last_failure_at"),
            lastFailure: row["last_failure"], pendingDeliveries: row["pending"])
    }
}

/// A message that is still to be delivered to a webhook.
package struct WebhookDelivery: Sendable {
    /// The same in each attempt, so that the receiver detects a repetition.
    package let id: String
    package let owner: OwnerID
    package let webhook: String
    /// Whether it is a test message, which is about no firing.
    package let isTest: Bool
    package let body: String
    /// The number of attempts so far.
    package let attempts: Int
    package let createdAt: Instant
}

extension WebhookDelivery {
    init(_ row: SQLRow) throws {
        guard let owner = try OwnerID(row["owner"]), let createdAt = try row.instant("created_at") else {
            throw CorruptedRow()
        }
        let firing: String = try row["firing"]
        let attempts: Int = try row["attempts"]
        // An index of the pauses and of the receiver's addresses.
        guard attempts >= 0 else { throw CorruptedRow() }
        try self.init(
            id: row["id"], owner: owner, webhook: row["webhook"], isTest: firing.isEmpty, body: row["body"],
            attempts: attempts, createdAt: createdAt)
    }
}

/// The address and the secret with which messages are delivered.
package struct WebhookTarget: Sendable {
    package let url: String
    /// The key of the signatures.
    package let secret: Secret
}

/// The webhook to which an encrypted secret belongs.
struct WebhookIdentity: SealedSecretIdentity {
    let id: String
    let owner: OwnerID

    var parts: [String] { ["portico webhook 1", id, owner.text] }
}

/// The webhook to which an encrypted address belongs.
struct WebhookAddressIdentity: SealedSecretIdentity {
    let id: String
    let owner: OwnerID

    var parts: [String] { ["portico webhook address 1", id, owner.text] }

    /// The address in a row of the table; nil if the row was changed by another program.
    static func address(in row: SQLRow, _ keys: DataEncryptionKeys) throws -> String? {
        let clear: String = try row["url"]
        // The tables of an earlier version, and a row that it has written.
        guard clear.isEmpty else { return clear }
        guard let owner = try OwnerID(row["owner"]), let sealed: Data = try row["sealed_url"],
            let key: Int64 = try row["url_key_id"],
            let address = keys.decrypt(sealed, key, Self(id: try row["id"], owner: owner))
        else { return nil }
        return String(decoding: address.bytes, as: UTF8.self)
    }
}

extension WebhookTarget {
    /// The target in a row of the table; nil if the row was changed by another program.
    init?(_ row: SQLRow, _ keys: DataEncryptionKeys) throws {
        guard let owner = try OwnerID(row["owner"]),
            let url = try WebhookAddressIdentity.address(in: row, keys),
            let secret = keys.decrypt(
                try row["sealed"], try row["data_key_id"], WebhookIdentity(id: try row["id"], owner: owner))
        else { return nil }
        self.init(url: url, secret: secret)
    }
}
