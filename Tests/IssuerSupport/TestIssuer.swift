import Cryptography
import Foundation
import PorticoCore
import ProviderTestSupport
import Synchronization

/// An OpenID Connect provider on a port of this machine, for one test: discovery, keys, and the code flow with PKCE.
///
/// Its users sign in without a page: `/authorize` redirects at once. It keeps the rules of the specification, except for
/// the faults that a test sets.
package final class TestIssuer: Sendable {
    /// What the issuer does differently from a correct one.
    package struct Faults: Sendable {
        /// The status of responses to requests for the keys.
        package var keysStatus = 200
        /// The status of responses to requests for the metadata.
        package var metadataStatus = 200
        /// The issuer that the metadata name; nil for the own one.
        package var namedIssuer: String?
        /// Changes the claims of ID tokens: each is JSON, and empty text removes the claim.
        package var claims: [String: String] = [:]
        /// The paths whose requests are taken, and get no response.
        package var silentPaths: Set<String> = []
        /// Whether the metadata promise the parameter `iss` of responses.
        package var promisesIssuer = false

        package init() {}
    }

    private struct Grant {
        let clientID: String
        let redirectURI: String
        let nonce: String
        let challenge: String
    }

    private struct State {
        var keys: [IssuerKey] = []
        var faults = Faults()
        var grants: [String: Grant] = [:]
        var numberOfCodes = 0
        /// The keys that are published in addition, as JSON.
        var otherKeys: [String] = []
    }

    /// The issuer's identifier.
    package let url: String
    private let server: CannedServer
    private let state: SharedState

    /// The state, which the server's threads share.
    private final class SharedState: Sendable {
        let value: Mutex<State>

        init(_ state: consuming State) {
            value = Mutex(state)
        }
    }

    package static let clientID = "portico-test"
    package static let clientSecret = "a secret: with / and +"
    package static let subject = "subject-1"
    package static let sessionID = "issuer-session-1"

    /// Starts an issuer with one key.
    package init(_ algorithm: IssuerKey.Algorithm = .es256) async throws {
        let state = SharedState(State(keys: [try IssuerKey(algorithm, id: "key-1")]))
        self.state = state
        server = try await CannedServer { request, _ in
            (try? Self.reply(to: request, state)) ?? .text("failed", status: 500)
        }
        url = server.url
    }

    package func stop() async throws { try await server.stop() }

    /// Runs a test with an issuer.
    package static func with<Value>(
        _ algorithm: IssuerKey.Algorithm = .es256, _ test: (TestIssuer) async throws -> Value
    ) async throws -> Value {
        let issuer = try await TestIssuer(algorithm)
        let result = await Result.of { try await test(issuer) }
        try await issuer.stop()
        return try result.get()
    }

    // MARK: Control

    package func set(_ change: (inout Faults) -> Void) { state.value.withLock { change(&$0.faults) } }

    /// Publishes these keys; the first signs ID tokens.
    package func publish(_ keys: [IssuerKey], and others: [String] = []) {
        state.value.withLock { ($0.keys, $0.otherKeys) = (keys, others) }
    }

    /// The key that signs ID tokens.
    package var key: IssuerKey { state.value.withLock { $0.keys[0] } }

    /// How often a path was requested.
    package func count(_ path: String) -> Int {
        server.requests.count { $0.target.prefix { $0 != "?" } == path }
    }

    /// The requests for the keys.
    package var keyFetches: Int { count("/keys") }

    // MARK: Tokens

    /// The time in seconds since 1970.
    package var now: Int { Int(Date().timeIntervalSince1970) }

    /// The claims of a token that is valid for five minutes, as JSON.
    ///
    /// - Parameter changes: Other values, as JSON; empty text removes a claim.
    /// - Returns: The payload of a token.
    package func claims(_ changes: [String: String] = [:]) -> String {
        Self.claims(of: url, changes)
    }

    private static func claims(of issuer: String, _ changes: [String: String]) -> String {
        let now = Int(Date().timeIntervalSince1970)
        let standard = [
            "iss": "\"\(issuer)\"", "sub": "\"\(subject)\"", "aud": "\"\(clientID)\"", "iat": "\(now)",
            "exp": "\(now + 300)", "sid": "\"\(sessionID)\"", "preferred_username": "\"ann\"",
            "roles": #"["portico-read","portico-write","portico-trade"]"#,
        ]
        return "{"
            + standard.merging(changes) { $1 }.filter { !$0.value.isEmpty }.map {
                "\"\($0.key)\":\($0.value)"
            }
            .sorted().joined(separator: ",") + "}"
    }

    /// A token of the present key.
    package func token(_ changes: [String: String] = [:]) throws -> String { try key.token(claims(changes)) }

    /// A logout token (OpenID Connect Back-Channel Logout 1.0, section 2.4).
    package func logoutToken(_ changes: [String: String] = [:]) throws -> String {
        let event = #"{"http://schemas.openid.net/event/backchannel-logout":{}}"#
        return try token(
            ["events": event, "jti": "\"logout-1\"", "preferred_username": "", "roles": ""].merging(changes) {
                $1
            })
    }

    // MARK: The code flow

    /// Signs in at the address of the authorization endpoint, as a browser does.
    ///
    /// - Returns: The parameters of the redirect, by name.
    package func approve(_ address: String) throws -> [String: String] {
        let query = URLComponents(string: address)?.queryItems ?? []
        return try Self.approve(
            Dictionary(query.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { $1 }), state)
    }

    private static func approve(_ query: [String: String], _ state: SharedState) throws -> [String: String] {
        guard query["response_type"] == "code", query["code_challenge_method"] == "S256",
            query["scope"]?.split(separator: " ").contains("openid") == true, let client = query["client_id"],
            let redirect = query["redirect_uri"], let nonce = query["nonce"], let value = query["state"],
            let challenge = query["code_challenge"]
        else { throw URLError(.badURL) }
        let code = state.value.withLock { state in
            state.numberOfCodes += 1
            let code = "code-\(state.numberOfCodes)"
            state.grants[code] = Grant(
                clientID: client, redirectURI: redirect, nonce: nonce, challenge: challenge)
            return code
        }
        return ["code": code, "state": value]
    }

    /// Issues a code for another client than Portico.
    package func codeOfOtherClient() throws -> String {
        let code = try Self.approve(
            [
                "response_type": "code", "code_challenge_method": "S256", "scope": "openid",
                "client_id": "other", "redirect_uri": "http://localhost:3000/signed-in", "nonce": "n",
                "state": "s", "code_challenge": "c",
            ], state)["code"]
        return code ?? ""
    }

    // MARK: Responses

    private static func reply(
        to request: CannedServer.Request, _ state: SharedState
    ) throws -> CannedServer.Reply {
        let issuer = "http://\(request.headers["host"] ?? "")"
        let parts = URLComponents(string: request.target)
        let faults = state.value.withLock { $0.faults }
        let json = [("Content-Type", "application/json")]
        let path = parts?.path ?? ""
        if faults.silentPaths.contains(path) { return .silence }
        switch path {
        case "/.well-known/openid-configuration":
            let named = faults.namedIssuer ?? issuer
            let promise = faults.promisesIssuer
            return .text(
                """
                {"issuer":"\(named)","authorization_endpoint":"\(issuer)/authorize","token_endpoint":"\(issuer)/token",
                "jwks_uri":"\(issuer)/keys","authorization_response_iss_parameter_supported":\(promise)}
                """, status: faults.metadataStatus, headers: json)
        case "/keys":
            let (keys, others) = state.value.withLock { ($0.keys, $0.otherKeys) }
            let texts = try keys.map { try $0.json() } + others
            return .text(
                #"{"keys":[\#(texts.joined(separator: ","))]}"#, status: faults.keysStatus, headers: json)
        case "/authorize":
            let query = parts?.queryItems ?? []
            let values = try approve(
                Dictionary(query.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { $1 }), state)
            let redirect = query.first { $0.name == "redirect_uri" }?.value ?? ""
            let result = "code=\(values["code"] ?? "")&state=\(values["state"] ?? "")"
            return .text("", status: 302, headers: [("Location", "\(redirect)?\(result)")])
        case "/token": return try token(for: request, issuer, faults, state)
        default: return .text("not found", status: 404)
        }
    }

    private static func token(
        for request: CannedServer.Request, _ issuer: String, _ faults: Faults, _ state: SharedState
    ) throws -> CannedServer.Reply {
        let json = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
        let body = request.text.replacing("+", with: "%20")
        let form = Dictionary(
            (URLComponents(string: "?" + body)?.queryItems ?? []).map { ($0.name, $0.value ?? "") },
            uniquingKeysWith: { $1 })
        let id = PercentEncoding.encode(clientID)
        let secret = PercentEncoding.encode(clientSecret)
        guard request.headers["authorization"] == "Basic \(Base64.standard.padded("\(id):\(secret)"))" else {
            return .text(#"{"error":"invalid_client"}"#, status: 401, headers: json)
        }
        let verifier = form["code_verifier"] ?? ""
        // A code is valid once (RFC 6749, section 4.1.2).
        guard form["grant_type"] == "authorization_code",
            let grant = state.value.withLock({ $0.grants.removeValue(forKey: form["code"] ?? "") }),
            grant.clientID == clientID, grant.redirectURI == form["redirect_uri"],
            Base64.url.encoded(HashFunction.sha256.hash(verifier)) == grant.challenge
        else { return .text(#"{"error":"invalid_grant"}"#, status: 400, headers: json) }
        let claims = claims(of: issuer, ["nonce": "\"\(grant.nonce)\""].merging(faults.claims) { $1 })
        let key = state.value.withLock { $0.keys[0] }
        let idToken = try key.token(claims)
        return .text(
            #"{"access_token":"opaque","token_type":"Bearer","expires_in":300,"id_token":"\#(idToken)"}"#,
            headers: json)
    }
}
