package import Brokerage
import PorticoCore
package import Upstream

/// Parses a complete body of UTF-8 text, as the clients do.
package func decode<Value: JSONDecodable>(
    _ type: Value.Type = Value.self, from body: String
) throws(JSONError) -> Value {
    try Value(json: Array(body.utf8))
}

/// A text in a test that does not represent a value.
package struct InvalidText: Error {
    let text: String
}

/// Returns the symbol that a text represents.
package func symbol(_ text: String) throws(InvalidText) -> Symbol {
    guard let symbol = Symbol(text) else { throw InvalidText(text: text) }
    return symbol
}

/// Returns the decimal that a text represents.
package func decimal(_ text: String) throws(InvalidText) -> Decimal {
    guard let decimal = Decimal(text) else { throw InvalidText(text: text) }
    return decimal
}

/// Returns the instant that a text in RFC 3339 represents.
package func instant(_ text: String) throws(InvalidText) -> Instant {
    guard let instant = Instant(text) else { throw InvalidText(text: text) }
    return instant
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
