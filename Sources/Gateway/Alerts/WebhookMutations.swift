import GraphQL
import PorticoCore

extension Mutation {
    /// The mutations of webhooks.
    @FieldsBuilder<Mutation> static var webhooks: [Field<Mutation>] {
        Field(
            "registerWebhook", InputArguments<RegisterWebhookInput>.self,
            once: { arguments, scope in try WebhookService(scope).registerWebhook(arguments.input) })
        Field(
            "testWebhook", IDArguments.self,
            once: { arguments, scope in try WebhookService(scope).testWebhook(id: arguments.id) })
        Field(
            "deleteWebhook", IDArguments.self,
            once: { arguments, scope in try WebhookService(scope).deleteWebhook(id: arguments.id) })
    }
}

/// `RegisterWebhookInput` of the schema.
struct RegisterWebhookInput: Sendable {
    let url: AddressText
    let label: LabelText?
}

extension RegisterWebhookInput: GraphQLInputObject {
    init(_ fields: ArgumentReader) throws {
        url = try fields["url"]
        label = try fields["label"]
    }
}

/// `RegisterWebhookPayload` of the schema.
struct RegisterWebhookPayload: Sendable {
    let webhook: WebhookObject
    let secret: Secret
}

extension RegisterWebhookPayload: GraphQLObject {
    typealias Context = RequestScope

    static let graphQL = ObjectType<RegisterWebhookPayload>("RegisterWebhookPayload") {
        Field("webhook", \.webhook)
        Field("secret") { WebhookSignature.text(of: $0.secret) }
        Field("webhooks", once: { scope in try WebhookService(scope).webhooks() })
    }
}

/// `TestWebhookPayload` of the schema.
struct TestWebhookPayload: GraphQLObject {
    let webhook: WebhookObject

    static let graphQL = ObjectType<TestWebhookPayload>("TestWebhookPayload") {
        Field("webhook", \.webhook)
    }
}
