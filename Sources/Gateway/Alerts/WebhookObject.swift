import GraphQL
import Storage

/// `Webhook` of the schema.
struct WebhookObject: Sendable {
    let webhook: StoredWebhook

    init(_ webhook: StoredWebhook) {
        self.webhook = webhook
    }

    /// The `id` that the schema gives it.
    var globalID: String { NodeID(.webhook, webhook.id).text }

    /// The id in the store of a webhook by its id in the schema; nil for that of something else.
    static func ownID(_ globalID: String) -> String? {
        NodeID(globalID).flatMap { $0.kind == .webhook ? $0.localID : nil }
    }
}

extension StoredWebhook.State: GraphQLEnum {
    package static var graphQLName: String { "WebhookState" }
}

extension WebhookObject: GraphQLObject {
    static let graphQL = ObjectType<WebhookObject>("Webhook") {
        Field("id") { $0.globalID }
        Field("url", \.webhook.url)
        Field("label", \.webhook.label)
        Field("state", \.webhook.state)
        Field("createdAt", \.webhook.createdAt)
        Field("pendingDeliveries", \.webhook.pendingDeliveries)
        Field("lastSuccessAt", \.webhook.lastSuccessAt)
        Field("lastFailureAt", \.webhook.lastFailureAt)
        Field("lastFailure", \.webhook.lastFailure)
    }
}
