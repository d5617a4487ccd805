import Sandbox
import TestSupport
import Testing

extension RunningSandbox {
    static let saxoDemo = bearer(FakeSaxoClient.demo)
    static let saxoSecond = bearer(FakeSaxoClient.second)

    private static func bearer(_ client: FakeSaxoClient) -> [String: String] {
        ["Authorization": "Bearer \(client.credentials.accessToken)"]
    }

    /// Sends a request to Saxo's gateway, as the demonstration user.
    func saxo(_ path: String, _ headers: [String: String] = saxoDemo) async throws -> Client.Reply {
        try await client.get("/saxo" + path, headers)
    }

    func saxoDocument(_ path: String, _ headers: [String: String] = saxoDemo) async throws -> JSONValue {
        try JSONValue(parsing: try await saxo(path, headers).body)
    }

    /// Sends a request with a body to Saxo's gateway.
    func saxo(
        _ method: String, _ path: String, _ body: String, _ headers: [String: String] = saxoDemo
    ) async throws -> Client.Reply {
        let length = ["Content-Length": String(body.utf8.count)]
        return try await client.send(
            method, "/saxo" + path, headers.merging(length) { first, _ in first }, body)
    }
}

extension FakeSaxoClient {
    /// Escapes a key for a query.
    static func escaped(_ key: String) -> String {
        key.replacing("|", with: "%7C").replacing("=", with: "%3D")
    }

    var escapedKey: String { Self.escaped(key) }
}
