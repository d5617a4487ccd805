import Brokerage
import Coordination
import GraphQL
import PorticoCore
import Storage
import Upstream

extension Mutation {
    /// The mutations of webhooks.
    @FieldsBuilder<Mutation> static var webhooks: [Field<Mutation>] {
        Field(
            "registerWebhook", InputArguments<RegisterWebhookInput>.self,
            once: { arguments, context in try context.registerWebhook(arguments.input) })
        Field(
            "testWebhook", IDArguments.self,
            once: { arguments, context in try context.testWebhook(id: arguments.id) })
        Field(
            "deleteWebhook", IDArguments.self,
            once: { arguments, context in try context.deleteWebhook(id: arguments.id) })
    }
}

extension GatewayContext {
    /// Registers a webhook, whose address is public now; it is examined again before each message.
    ///
    /// The first message is a test, and firings follow once the receiver has accepted it.
    func registerWebhook(_ input: RegisterWebhookInput) throws -> MaybeAsync<RegisterWebhookPayload?> {
        let owner = try namedOwner()
        let address: WebhookAddress
        do throws(WebhookAddressError) {
            address = try WebhookAddress(input.url.text, services.userData.webhookPolicy)
        } catch {
            throw FieldError(error, argument: "input.url")
        }
        return .async { [self] in
            do throws(WebhookAddressError) {
                _ = try await address.resolve(for: owner)
            } catch {
                throw FieldError(error, argument: "input.url")
            }
            try countTest(of: owner)
            let secret = WebhookSignature.makeSecret()
            let label = input.label?.text
            let registration = try await services.userData.webhooks.register(
                address.url.text, label: label?.isEmpty == true ? nil : label, secret, for: owner
            ) { AlertMessage.test(of: $0, at: .now) }
            switch registration {
            case .registered(let webhook):
                services.watches.alerts.deliverySignal.send()
                return RegisterWebhookPayload(webhook: WebhookObject(webhook), secret: secret)
            case .exists(let id):
                services.webhookTests.refund(owner)
                throw FieldError.argument(
                    "input.url", code: .conflict,
                    "The webhook \"\(NodeID(.webhook, id).text)\" has this address. Delete it first to get another secret."
                )
            case .tooMany:
                services.webhookTests.refund(owner)
                throw FieldError.argument(
                    "input",
                    "There are \(WebhookStore.maximumWebhooks) webhooks, which is as many as one may have; delete one first."
                )
            }
        }
    }

    /// Sends another test message; a webhook that is disabled is pending again.
    func testWebhook(id: String) throws -> MaybeAsync<TestWebhookPayload?> {
        let owner = try namedOwner()
        guard let own = WebhookObject.ownID(id) else { throw FieldError.noWebhook(id) }
        return .async { [self] in
            try countTest(of: owner)
            let webhook = try await services.userData.webhooks.requestTest(
                of: own, for: owner, body: AlertMessage.test(of: own, at: .now))
            guard let webhook else {
                services.webhookTests.refund(owner)
                throw FieldError.noWebhook(id)
            }
            services.watches.alerts.deliverySignal.send()
            return TestWebhookPayload(webhook: WebhookObject(webhook))
        }
    }

    /// Counts a test message, which goes to a receiver that may not want it.
    private func countTest(of owner: OwnerID) throws(FieldError) {
        do throws(CallRateLimiter<OwnerID>.Refusal) {
            try services.webhookTests.consume(owner)
        } catch {
            throw FieldError(error, of: "test messages to webhooks", "of this user")
        }
    }

    func deleteWebhook(id: String) throws -> MaybeAsync<DeletePayload?> {
        let owner = try owner()
        guard let own = WebhookObject.ownID(id) else { throw FieldError.noWebhook(id) }
        return .async { [self] in
            guard try await services.userData.webhooks.delete(own, for: owner) else {
                throw FieldError.noWebhook(id)
            }
            return DeletePayload(deletedID: id)
        }
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
    typealias Context = GatewayContext

    static let graphQL = ObjectType<RegisterWebhookPayload>("RegisterWebhookPayload") {
        Field("webhook", \.webhook)
        Field("secret") { WebhookSignature.text(of: $0.secret) }
        Field("webhooks", once: { context in try context.webhooks() })
    }
}

/// `TestWebhookPayload` of the schema.
struct TestWebhookPayload: GraphQLObject {
    typealias Context = GatewayContext

    let webhook: WebhookObject

    static let graphQL = ObjectType<TestWebhookPayload>("TestWebhookPayload") {
        Field("webhook", \.webhook)
    }
}

extension FieldError {
    fileprivate static func noWebhook(_ id: String) -> FieldError {
        FieldError(.notFound, "There is no webhook \"\(id.beginning(80))\".")
    }
}
