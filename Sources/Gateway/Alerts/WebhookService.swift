import Brokerage
import Coordination
import GraphQL
import PorticoCore
import Storage
import Upstream

/// A user's webhooks, to which messages about alerts are sent.
package struct WebhookService: Sendable {
    let scope: RequestScope
    let store: WebhookStore
    let events: AlertEvents
    /// The limit of test messages.
    let tests: CallRateLimiter<OwnerID>
}

extension WebhookService {
    package init(_ scope: RequestScope) {
        self.init(
            scope: scope, store: scope.services.userData.webhooks,
            events: scope.services.subscriptions.alerts, tests: scope.services.webhookTests)
    }

    /// The user's webhooks, in the order of their registration.
    func webhooks() throws -> MaybeAsync<[WebhookObject]?> {
        let owner = try scope.owner()
        return .async { [self] in
            try await store.webhooks(of: owner).map(WebhookObject.init)
        }
    }

    /// Registers a webhook, whose address is public now; it is examined again before each message.
    ///
    /// The first message is a test, and firings follow once the receiver has accepted it.
    func registerWebhook(_ input: RegisterWebhookInput) throws -> MaybeAsync<RegisterWebhookPayload?> {
        let owner = try AlertService(scope).namedOwner()
        let address: WebhookAddress
        do throws(WebhookAddressError) {
            address = try WebhookAddress(input.url.text, scope.services.userData.webhookPolicy)
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
            let registration = try await store.register(
                address.url.text, label: label?.isEmpty == true ? nil : label, secret, for: owner
            ) { AlertMessage.test(of: $0, at: .now) }
            switch registration {
            case .registered(let webhook):
                events.deliverySignal.send()
                return RegisterWebhookPayload(webhook: WebhookObject(webhook), secret: secret)
            case .exists(let id):
                tests.refund(owner)
                throw FieldError.argument(
                    "input.url", code: .conflict,
                    "The webhook \"\(NodeID(.webhook, id).text)\" has this address. Delete it first to get another secret."
                )
            case .tooMany:
                tests.refund(owner)
                throw FieldError.argument(
                    "input",
                    "There are \(WebhookStore.maximumWebhooks) webhooks, which is as many as one may have; delete one first."
                )
            }
        }
    }

    /// Sends another test message; a webhook that is disabled is pending again.
    func testWebhook(id: String) throws -> MaybeAsync<TestWebhookPayload?> {
        let owner = try AlertService(scope).namedOwner()
        guard let own = WebhookObject.ownID(id) else { throw FieldError.noWebhook(id) }
        return .async { [self] in
            try countTest(of: owner)
            let webhook = try await store.requestTest(
                of: own, for: owner, body: AlertMessage.test(of: own, at: .now))
            guard let webhook else {
                tests.refund(owner)
                throw FieldError.noWebhook(id)
            }
            events.deliverySignal.send()
            return TestWebhookPayload(webhook: WebhookObject(webhook))
        }
    }

    /// Counts a test message, which goes to a receiver that may not want it.
    private func countTest(of owner: OwnerID) throws(FieldError) {
        do throws(CallRateLimiter<OwnerID>.Refusal) {
            try tests.consume(owner)
        } catch {
            throw FieldError(error, of: "test messages to webhooks", "of this user")
        }
    }

    func deleteWebhook(id: String) throws -> MaybeAsync<DeletePayload?> {
        let owner = try scope.owner()
        guard let own = WebhookObject.ownID(id) else { throw FieldError.noWebhook(id) }
        return .async { [self] in
            guard try await store.delete(own, for: owner) else {
                throw FieldError.noWebhook(id)
            }
            return DeletePayload(deletedID: id)
        }
    }
}

extension FieldError {
    fileprivate static func noWebhook(_ id: String) -> FieldError {
        FieldError(.notFound, "There is no webhook \"\(id.beginning(80))\".")
    }
}
