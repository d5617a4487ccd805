import TestSupport
import Testing

extension RunningSandbox {
    /// Sends a request with a body to the trading host.
    func write(
        _ method: String, _ path: String, _ body: String = "", _ headers: [String: String] = demo
    ) async throws -> Client.Reply {
        try await client.send(
            method, "/alpaca" + path,
            headers.merging(["Content-Length": String(body.utf8.count)]) { $1 }, body)
    }

    /// Returns a response of the trading host, validated with the provider's schema.
    func document(
        _ shape: String, _ path: String, _ headers: [String: String] = demo
    ) async throws -> JSONValue {
        try Self.valid(try await trading(path, headers), shape)
    }

    /// Places an order that is accepted.
    func place(_ body: String) async throws -> JSONValue {
        try Self.valid(try await write("POST", "/v2/orders", body), "Order")
    }

    /// Returns the document of a successful response.
    static func valid(_ reply: Client.Reply, _ shape: String, status: Int = 200) throws -> JSONValue {
        try #require(reply.status == status, "\(reply.body)")
        let document = try JSONValue(parsing: reply.body)
        #expect(try Golden.schema(of: "alpaca").definition(shape).violations(in: document) == [])
        return document
    }
}
