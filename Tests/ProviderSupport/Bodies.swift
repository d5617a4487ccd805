import PorticoCore
package import Upstream

/// Parses a complete body of UTF-8 text, as the clients do.
package func decode<Value: JSONDecodable>(
    _ type: Value.Type = Value.self, from body: String
) throws(JSONError) -> Value {
    try Value(json: Array(body.utf8))
}

/// Returns the output of `dump` and of string interpolation; it must not contain secrets.
package func everythingShown(of value: some Any) -> String {
    var text = "\(value) \(String(reflecting: value))"
    dump(value, to: &text)
    return text
}

extension CannedServer {
    /// Runs `body` with a server that returns the given responses, and an HTTP client for it.
    package static func run<Value>(
        answering handler: @escaping @Sendable (Request, Int) -> Reply,
        _ body: (CannedServer, HTTPClient) async throws -> Value
    ) async throws -> Value {
        let server = try await CannedServer(handler)
        let result = await Result.of {
            try await HTTPClient.with(userAgent: "portico-tests") { try await body(server, $0) }
        }
        try await server.stop()
        return try result.get()
    }
}
