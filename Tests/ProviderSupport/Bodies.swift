package import Upstream

/// Parses a complete body of UTF-8 text, as the clients do.
package func decode<Value: JSONDecodable>(
    _ type: Value.Type = Value.self, from body: String
) throws(JSONError) -> Value {
    try JSONReader.read(Array(body.utf8)) { reader throws(JSONError) in try Value(json: &reader) }
}

/// Returns the output of `dump` and of string interpolation; it must not contain secrets.
package func everythingShown(of value: some Any) -> String {
    var text = "\(value) \(String(reflecting: value))"
    dump(value, to: &text)
    return text
}

extension CannedServer {
    /// Runs `body` with a server that returns the given responses, and an HTTP client for it.
    package static func run(
        answering handler: @escaping @Sendable (Request, Int) -> Reply,
        _ body: (CannedServer, HTTPClient) async throws -> Void
    ) async throws {
        let server = try await CannedServer(handler)
        let client = try HTTPClient(userAgent: "portico-tests")
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(server, client))
        } catch {
            result = .failure(error)
        }
        await client.shutDown()
        try await server.stop()
        try result.get()
    }
}
