import Foundation
import IssuerSupport
import TestSupport
import Testing

/// A server with an identity provider.
struct IssuerServer {
    let issuer: TestIssuer
    let server: RunningServer

    static let redirectURI = "http://localhost:3000/signed-in"

    /// The settings of a client of an issuer; `roles` gives the scopes.
    static func environment(_ issuer: TestIssuer) -> [String: String] {
        [
            "PORTICO_OIDC_ISSUER": issuer.url, "PORTICO_OIDC_CLIENT_ID": TestIssuer.clientID,
            "PORTICO_OIDC_CLIENT_SECRET": TestIssuer.clientSecret, "PORTICO_OIDC_BEARER": "true",
            "PORTICO_OIDC_CREATE_USERS": "true", "PORTICO_OIDC_SCOPES_CLAIM": "roles",
            "PORTICO_OIDC_SCOPES":
                "portico-read=READ,portico-write=WRITE,portico-trade=TRADE,portico-admin=ADMIN",
            "PORTICO_OIDC_CLOCK_SKEW": "0", "PORTICO_PASSWORD_COST": "4",
        ]
    }

    /// The result of `beginSignIn`.
    struct Start {
        let url: String
        let state: String
        let browserSecret: String
    }

    func begin(_ more: String = "") async throws -> Start {
        let answer = try await server.ask(
            #"mutation { beginSignIn(input: { redirectUri: "\#(Self.redirectURI)" \#(more) }) { url state browserSecret } }"#,
            token: nil)
        let start = answer.json?["data"]?["beginSignIn"]
        return Start(
            url: try #require(start?["url"]?.string, "\(answer.body)"),
            state: try #require(start?["state"]?.string),
            browserSecret: try #require(start?["browserSecret"]?.string))
    }

    func complete(
        code: String, state: String, browserSecret: String, more: String = ""
    ) async throws -> RawResponse {
        try await server.ask(
            """
            mutation { completeSignIn(input: { code: "\(code)" state: "\(state)" browserSecret: "\(browserSecret)" \(more) }) {
              token session { scopes label } viewer { id username } } }
            """, token: nil)
    }

    /// Signs in, and returns the payload of `completeSignIn`.
    func signIn(_ more: String = "") async throws -> JSONValue {
        let start = try await begin(more)
        let back = try issuer.approve(start.url)
        let answer = try await complete(
            code: back["code"] ?? "", state: back["state"] ?? "", browserSecret: start.browserSecret)
        let payload = answer.json?["data"]?["completeSignIn"]
        return try #require(payload?["token"] == nil ? nil : payload, "\(answer.body)")
    }

    /// The token of a new session.
    func sessionToken() async throws -> String { try #require(try await signIn()["token"]?.string) }

    /// Sends a logout token as the issuer does.
    func logOut(_ token: String) async throws -> RawResponse {
        let body = "logout_token=\(token)"
        return try await server.send(
            [
                "POST /oidc/back-channel-logout HTTP/1.1", "Host: localhost",
                "Content-Type: application/x-www-form-urlencoded", "Content-Length: \(body.utf8.count)", "",
                body,
            ].joined(separator: "\r\n"))
    }

    /// A WebSocket whose first message had this token.
    func socket(_ token: String) async throws -> SocketClient {
        let client = try RawClient(port: server.port)
        try await client.send(SocketClient.handshake())
        #expect(try await client.response().status == 101)
        let socket = SocketClient(client: client)
        try await socket.say(#"{"type":"connection_init","payload":{"Authorization":"Bearer \#(token)"}}"#)
        return socket
    }

    /// An accepted WebSocket with a subscription that has sent its first event.
    func subscription(_ token: String) async throws -> SocketClient {
        let socket = try await socket(token)
        #expect(try await socket.next().text == #"{"type":"connection_ack"}"#)
        try await socket.subscribe("1", "subscription { goalsProgress { target } }")
        #expect(try await socket.next().text.contains(#""goalsProgress":{"target":"0"}"#))
        return socket
    }

    /// Expects that another client's request loads data while a request waits for a path of the issuer, which does not
    /// respond.
    func expectOthers(
        during mutation: String, waitingFor path: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        issuer.set { $0.silentPaths = [path] }
        let earlier = issuer.count(path)
        let client = try RawClient(port: server.port)
        try await client.send(RawRequest.post(RawRequest.query(mutation)))
        try await waitUntil { issuer.count(path) > earlier }
        let metrics = try await server.get("/metrics").body
        #expect(
            metrics.contains("\nportico_http_requests_in_flight 0\n"), "\(path): \(metrics)",
            sourceLocation: sourceLocation)
        let quotes = try await server.ask(#"{ quotes(symbols: ["AAPL"]) { price } }"#, token: nil)
        #expect(quotes.failures.isEmpty, "\(path): \(quotes.body)", sourceLocation: sourceLocation)
        let refused = try await client.response()
        #expect(
            refused.refusalReason == "IDENTITY_PROVIDER_UNAVAILABLE", "\(path): \(refused.body)",
            sourceLocation: sourceLocation)
        issuer.set { $0.silentPaths = [] }
    }

    /// Expects that the subscription gets UNAUTHENTICATED, and that its WebSocket is closed.
    func expectEnd(_ socket: SocketClient, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let last = try JSONValue(parsing: try await socket.next().text)
        #expect(
            last["payload"]?["errors"]?[0]?["extensions"]?["code"] == "UNAUTHENTICATED", "\(last)",
            sourceLocation: sourceLocation)
        #expect(try await socket.next().closeCode == 4403, sourceLocation: sourceLocation)
    }
}

/// Runs a test with a server and an identity provider.
func withIssuerServer(
    _ environment: [String: String] = [:], _ test: (IssuerServer) async throws -> Void
) async throws {
    try await TestIssuer.with { issuer in
        try await withServer(environment: IssuerServer.environment(issuer).merging(environment) { $1 }) {
            try await test(IssuerServer(issuer: issuer, server: $0))
        }
    }
}

extension RawResponse {
    /// `extensions.reason` of the first error.
    var refusalReason: String? { json?["errors"]?[0]?["extensions"]?["reason"]?.string }
}
