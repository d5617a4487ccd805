package import Brokerage
package import PorticoCore
package import Upstream

/// An address to which the firings of a user's alerts are sent.
package struct StoredWebhook: Hashable, Sendable {
    package let id: String
    /// It may contain a token of the receiver: not for logs.
    package let url: String
    /// The user's name for the webhook.
    package let label: String?
    package let createdAt: Instant
    package let lastSuccessAt: Instant?
    package let lastFailureAt: Instant?
    /// The reason of the last failure, for the user.
    package let lastFailure: String?
    /// The number of deliveries that are still to be made.
    package let pendingDeliveries: Int
}

extension StoredWebhook {
    init(_ row: SQLRow) throws {
        guard let createdAt = try row.instant("created_at") else { throw CorruptedRow() }
        try self.init(
            id: row["id"], url: row["url"], label: row["label"], createdAt: createdAt,
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
        try self.init(
            id: row["id"], owner: owner, webhook: row["webhook"], body: row["body"],
            attempts: row["attempts"], createdAt: createdAt)
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
