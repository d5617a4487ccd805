import Brokerage
import Gateway
import PorticoCore
import ProviderTestSupport
import Storage
import TestSupport
import Testing
import Upstream

/// A receiver of webhooks: an HTTP server on a free port.
struct WebhookReceiver: Sendable {
    private let server: CannedServer

    /// A message as it was received; the same one may have been received before.
    struct Message: Sendable {
        fileprivate let request: CannedServer.Request

        var id: String { request.headers["webhook-id"] ?? "" }
        var body: String { request.text }
        var contentType: String? { request.headers["content-type"] }
        var timestamp: Int64? { request.headers["webhook-timestamp"].flatMap { Int64($0) } }

        /// The type of the message.
        var type: String? { (try? JSONValue(parsing: body))?["type"]?.string }

        /// The firing that the message is about, or the webhook that it tests.
        var data: JSONValue? { (try? JSONValue(parsing: body))?["data"] }

        /// Whether the signature is that of a secret, as its user got it.
        func isSigned(by secret: String) -> Bool {
            guard
                let bytes = Base64.standard.decoded(
                    secret.dropFirst("whsec_".count).utf8.prefix { $0 != 61 }),
                let signature = WebhookSignature(Secret(bytes)), let timestamp
            else { return false }
            return signature.headers(id: id, at: timestamp, body: body).allSatisfy { header in
                request.headers[header.name] == header.value
            }
        }
    }

    var url: String { server.url + "/alerts" }
    var messages: [Message] { server.requests.map(Message.init) }

    /// Runs a receiver around a test.
    ///
    /// - Parameters:
    ///   - handler: Returns the response to the request with a number, counted from 1.
    ///   - test: The test.
    /// - Returns: The value of the test.
    /// - Throws: The error of the test.
    static func with<Value>(
        _ handler: @escaping @Sendable (Int) -> CannedServer.Reply = { _ in .noContent },
        _ test: (WebhookReceiver) async throws -> Value
    ) async throws -> Value {
        let server = try await CannedServer { _, number in handler(number) }
        let result = await Result.of { try await test(WebhookReceiver(server: server)) }
        try await server.stop()
        return try result.get()
    }
}

extension WebhookStore {
    /// Accepts the test messages of a user's webhooks, as their receivers would.
    func acceptTests(of owner: OwnerID) async throws {
        for webhook in try await webhooks(of: owner) {
            for message in try await deliveries(of: webhook.id, dueAt: .latest, limit: 10)
            where message.isTest {
                try await didDeliver(message, at: .now)
            }
        }
    }
}
