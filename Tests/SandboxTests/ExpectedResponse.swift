import Brokerage
import Sandbox
import TestSupport
import Testing

/// The expected response of an endpoint to a valid request.
struct ExpectedResponse: Sendable, CustomTestStringConvertible {
    let provider: ProviderID
    /// The name in counts, for instance `GET /v2/account`.
    let endpoint: String
    var status = 200
    let shape: Shape
    let send: @Sendable (RunningSandbox) async throws -> Client.Reply
    var testDescription: String { "\(provider.name.text) \(endpoint)" }

    enum Shape: Sendable {
        /// JSON of a definition in one of the schemas.
        case schema(String, String)
        /// A body of this content type.
        case type(String)
        case empty
    }

    static let all =
        alpaca + alpacaOrders + alpacaWatchlists + saxo + saxoOrders + saxoStreaming + saxoLogin
        + alphaVantage + yahoo + polygon

    /// Creates a `GET`; the path is without its host's prefix.
    static func get(
        _ provider: ProviderID, _ template: String, _ schema: String, _ shape: String,
        _ send: @escaping @Sendable (RunningSandbox) async throws -> Client.Reply
    ) -> ExpectedResponse {
        ExpectedResponse(
            provider: provider, endpoint: "GET \(template)", shape: .schema(schema, shape), send: send)
    }

    func expectValid(_ reply: Client.Reply) throws {
        #expect(reply.status == status, "\(reply.body)")
        switch shape {
        case .schema(let schema, let definition):
            #expect(reply.headers["content-type"] == "application/json; charset=UTF-8")
            #expect(reply.isWhole)
            let document = try JSONValue(parsing: reply.body)
            let schema = try Golden.schema(of: schema).definition(definition)
            #expect(schema.violations(in: document) == [], "\(reply.body)")
        case .type(let type):
            #expect(reply.headers["content-type"] == type)
            #expect(reply.isWhole && !reply.body.isEmpty)
        case .empty: #expect(reply.body.isEmpty)
        }
    }
}
