import Brokerage
import NIOHTTP1
import PorticoCore
import Synchronization

/// The consent page of a provider: `GET` shows it, `POST` submits it.
///
/// The form's fields are those of the request, with `user` and `decision`, `approve` or `deny`.
struct AuthorizationEndpoint: Sendable {
    let server: AuthorizationServer
    let provider: String
    /// The names of users that may sign in.
    let users: [String]
    let decisions: OAuthDecisions
    let clock: SandboxClock
    /// The provider's scopes, outside of which a scope is an error; nil for any scope.
    var scopes: Set<String>?
    /// True if the provider supports code challenges (RFC 7636); otherwise they are ignored.
    var supportsPKCE = false

    /// Returns both routes of one path.
    func routes(_ template: PathTemplate) -> [SandboxRoute] {
        [
            .get(template) { request in
                switch decisions.decision {
                case .prompt: respond(to: request.query, decision: nil)
                case .approve(let user): respond(to: request.query, decision: .approve(user: user))
                case .deny: respond(to: request.query, decision: .deny)
                }
            },
            .post(template) { request in
                guard let form = request.form else { return Self.unknownClient }
                let user = form.last { $0.name == "user" }?.value ?? ""
                switch form.last(where: { $0.name == "decision" })?.value {
                case "approve": return respond(to: form, decision: .approve(user: user))
                case "deny": return respond(to: form, decision: .deny)
                case .some, nil: return respond(to: form, decision: nil)
                }
            },
        ]
    }

    /// Returns the page unless a decision is given or scripted.
    private func respond(to parameters: [(name: String, value: String)], decision: OAuthDecision?)
        -> SandboxResponse
    {
        // An unknown application or address gets no redirect: it may be an attacker's.
        guard let request = AuthorizationRequest(parameters, of: server) else { return Self.unknownClient }
        if let error = fault(of: request) { return errorRedirect(request, error) }
        switch decision {
        case nil, .prompt:
            return AuthorizationPage(request: request, provider: provider, users: users).response
        case .deny: return errorRedirect(request, .accessDenied)
        case .approve(let user):
            guard users.contains(user) else { return errorRedirect(request, .accessDenied) }
            let grant = OAuthGrant(
                user: user, clientID: request.application.clientID, scope: request.scope,
                redirectURI: request.redirectURI, challenge: supportsPKCE ? request.challenge : nil)
            return redirect(to: request.location([("code", server.code(for: grant, at: clock.now))]))
        }
    }

    private func fault(of request: AuthorizationRequest) -> OAuthError? {
        if request.responseType != "code" { return .unsupportedResponseType }
        if supportsPKCE {
            switch request.proof {
            case .malformed: return .invalidRequest
            // A client without a secret has no other proof.
            case .none where request.application.clientSecret == nil: return .invalidRequest
            case .none, .challenge: break
            }
        }
        guard let scopes else { return nil }
        return request.scope.split(separator: " ").allSatisfy { scopes.contains(String($0)) }
            ? nil : .invalidScope
    }

    private func errorRedirect(_ request: AuthorizationRequest, _ error: OAuthError) -> SandboxResponse {
        redirect(
            to: request.location([("error", error.rawValue), ("error_description", error.explanation)]))
    }

    private func redirect(to location: String) -> SandboxResponse {
        SandboxResponse(status: .found, headers: ["Location": location, "Cache-Control": "no-store"])
    }

    private static let unknownClient = SandboxResponse.text(
        "client_id is not known, or redirect_uri is not registered for it\n", status: .badRequest)
}

/// The parameters of an authorization request (RFC 6749, section 4.1.1).
struct AuthorizationRequest: Sendable, Hashable {
    let application: OAuthApplication
    let redirectURI: String
    let scope: String
    /// Returned unchanged; nil if it is missing.
    let state: String?
    let responseType: String
    let proof: Proof

    /// The proof that an application announces for its token request.
    enum Proof: Sendable, Hashable {
        case none
        case challenge(CodeChallenge)
        /// An invalid challenge: an unknown method, or no challenge.
        case malformed
    }

    /// Parses the parameters; nil if a redirect is not allowed, because the application or the address is
    /// unknown.
    init?(_ parameters: [(name: String, value: String)], of server: AuthorizationServer) {
        func value(_ name: String) -> String? { parameters.last { $0.name == name }?.value }
        guard let application = value("client_id").flatMap(server.application),
            let redirectURI = value("redirect_uri"), application.mayRedirect(to: redirectURI)
        else { return nil }
        self.application = application
        self.redirectURI = redirectURI
        scope = value("scope") ?? ""
        state = value("state")
        responseType = value("response_type") ?? ""
        let method = value("code_challenge_method")
        proof =
            if let text = value("code_challenge") {
                CodeChallenge(text, method: method).map(Proof.challenge) ?? .malformed
            } else {
                method == nil ? .none : .malformed
            }
    }

    /// The parameters of the request, for the form of the page.
    var parameters: [(name: String, value: String)] {
        [
            ("response_type", responseType), ("client_id", application.clientID),
            ("redirect_uri", redirectURI),
            ("scope", scope),
        ] + (state.map { [("state", $0)] } ?? []) + (challenge?.parameters ?? [])
    }

    var challenge: CodeChallenge? {
        guard case .challenge(let challenge) = proof else { return nil }
        return challenge
    }

    /// Returns the redirect address, with the response parameters and the state.
    func location(_ response: [(name: String, value: String)]) -> String {
        let pairs = response + (state.map { [("state", $0)] } ?? [])
        let query = pairs.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
        return redirectURI + (redirectURI.contains("?") ? "&" : "?") + query
    }
}

/// A form with one button for each user, and one to refuse; it contains no script.
struct AuthorizationPage {
    let request: AuthorizationRequest
    let provider: String
    let users: [String]

    var response: SandboxResponse {
        var response = SandboxResponse.text(html, type: "text/html; charset=UTF-8", status: .ok)
        // The page must not be framed by other pages, nor stored.
        response.headers.add(
            name: "Content-Security-Policy", value: "default-src 'none'; frame-ancestors 'none'")
        response.headers.add(name: "Cache-Control", value: "no-store")
        return response
    }

    private var html: String {
        let fields = request.parameters.map {
            "<input type=\"hidden\" name=\"\($0.name)\" value=\"\(Self.escaped($0.value))\">"
        }
        let scopes = request.scope.isEmpty ? "read" : request.scope
        let forms = users.map { user in
            """
            <form method="post">\(fields.joined())<input type="hidden" name="user" value="\(Self.escaped(user))">
            <button name="decision" value="approve">Approve as \(Self.escaped(user))</button></form>
            """
        }
        return """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>\(provider) sandbox: authorize</title></head>
            <body><h1>\(provider) (sandbox)</h1>
            <p>\(Self.escaped(request.application.clientID)) asks for access: \(Self.escaped(scopes)).</p>
            \(forms.joined(separator: "\n"))
            <form method="post">\(fields.joined())<button name="decision" value="deny">Deny</button></form>
            </body></html>

            """
    }

    /// Escapes external text for HTML.
    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.append(character)
            }
        }
    }
}

/// A registered application: an OAuth 2.0 client (RFC 6749, section 2).
package struct OAuthApplication: Sendable, Hashable {
    package var clientID: String
    /// Nil for a native application, which cannot protect a secret and sends a code challenge instead (RFC
    /// 7636).
    package var clientSecret: String?
    /// The allowed redirect addresses, compared exactly; empty for any address on this machine.
    package var redirectURIs: Set<String>

    package init(clientID: String, clientSecret: String?, redirectURIs: Set<String> = []) {
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.redirectURIs = redirectURIs
    }

    /// Returns true if a redirect to the address is allowed.
    func mayRedirect(to uri: String) -> Bool {
        if !redirectURIs.isEmpty { return redirectURIs.contains(uri) }
        return ["http://127.0.0.1", "http://localhost", "http://[::1]", "https://localhost"].contains {
            origin in
            // The next character must end the host: http://localhost.example is another host.
            uri.hasPrefix(origin) && uri.dropFirst(origin.count).first.map { ":/?".contains($0) } ?? true
                && !uri.contains("@") && !uri.contains("#")
        }
    }

    /// The application in the sandbox's own configuration and documentation.
    package static let sandbox = OAuthApplication(
        clientID: "sandbox-client", clientSecret: "sandbox-client-secret")
}

/// The scripted decision of users when an application requests access.
package enum OAuthDecision: Sendable, Hashable {
    /// The page is shown, and the reader decides.
    case prompt
    /// The user approves without a page.
    case approve(user: String)
    /// The request is refused without a page.
    case deny
}

/// The current decision, for all providers.
///
/// It uses a lock: one task sets the decision, many read it.
package final class OAuthDecisions: Resettable {
    private let state = Mutex(OAuthDecision.prompt)

    package var decision: OAuthDecision {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    package func reset() {
        decision = .prompt
    }
}
