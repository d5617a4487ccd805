import Glibc
import Upstream

/// Answers any connection with a line of text at once, whatever the client says.
enum GarbageServer {
    static func with(_ body: (UInt16, HTTPClient) async throws -> Void) async throws {
        let server = try TestServer(greeting: Array("220 mail.example.com ESMTP\r\n".utf8)) { _ in .disconnect
        }
        defer { server.stop() }
        try await HTTPClient.with(userAgent: "portico-test") { try await body(server.port, $0) }
    }
}
