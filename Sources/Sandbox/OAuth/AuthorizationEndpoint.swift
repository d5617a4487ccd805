import Brokerage
import NIOHTTP1
import Synchronization

/// The page on which a user lets an application in: `GET` shows it, `POST` answers it.
///
/// The form's fields are those of the request, with `user` and `decision`, `approve` or `deny`.
struct AuthorizationEndpoint: Sendable {
    let server: AuthorizationServer
    let provider: String
    /// Who may sign in, by name.
    let users: [String]
    let decisions: OAuthDecisions
    let clock: SandboxClock
    /// Which scopes the provider knows; a request for another is sent back with an error; nil for any.
    var scopes: Set<String>?
    /// Whether the provider knows code challenges (RFC 7636); another passes over them.
    var supportsPKCE = false

    /// Both routes under one path.
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

    /// With nobody deciding, the page.
    private func respond(to parameters: [(name: String, value: String)], decision: OAuthDecision?)
        -> SandboxResponse
    {
        // An application or an address that is not known gets nothing sent: it may be an attacker's.
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
            // Whoever has no secret has nothing else to prove itself with.
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

/// The parameters with which an application sends a browser to a provider (RFC 6749, section 4.1.1).
struct AuthorizationRequest: Sendable, Hashable {
    let application: OAuthApplication
    let redirectURI: String
    let scope: String
    /// Given back as it came; nil where there was none.
    let state: String?
    let responseType: String
    let proof: Proof

    /// What an application promises to prove when it asks for tokens.
    enum Proof: Sendable, Hashable {
        case none
        case challenge(CodeChallenge)
        /// Something that cannot be proved: an unknown method, or no challenge at all.
        case malformed
    }

    /// Reads the parameters; nil where nobody may be sent back: the application or the address is not known.
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

    /// The parameters again, for the form of the page.
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

    /// Where the browser goes, with the answer and the state.
    func location(_ answer: [(name: String, value: String)]) -> String {
        let pairs = answer + (state.map { [("state", $0)] } ?? [])
        let query = pairs.map { "\($0.name)=\(PercentEncoding.encoded($0.value))" }.joined(separator: "&")
        return redirectURI + (redirectURI.contains("?") ? "&" : "?") + query
    }
}

/// A form with one button for each user, and one to refuse; it needs no script.
struct AuthorizationPage {
    let request: AuthorizationRequest
    let provider: String
    let users: [String]

    var response: SandboxResponse {
        var response = SandboxResponse.text(html, type: "text/html; charset=UTF-8", status: .ok)
        // Nobody may show the page inside one of their own, nor keep it.
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

    /// What comes from outside must not become markup.
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

/// A program that has been registered with a provider: what OAuth 2.0 calls a client (RFC 6749, section 2).
package struct OAuthApplication: Sendable, Hashable {
    package var clientID: String
    /// Nil for a native application, which cannot keep one and sends a code challenge instead (RFC 7636).
    package var clientSecret: String?
    /// Where the browser may be sent back to, compared to the letter; empty for anywhere on this machine.
    package var redirectURIs: Set<String>

    package init(clientID: String, clientSecret: String?, redirectURIs: Set<String> = []) {
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.redirectURIs = redirectURIs
    }

    /// Whether the browser may be sent there.
    func mayRedirect(to uri: String) -> Bool {
        if !redirectURIs.isEmpty { return redirectURIs.contains(uri) }
        return ["http://127.0.0.1", "http://localhost", "http://[::1]", "https://localhost"].contains {
            origin in
            // What follows the host must end it: http://localhost.example is elsewhere.
            uri.hasPrefix(origin) && uri.dropFirst(origin.count).first.map { ":/?".contains($0) } ?? true
                && !uri.contains("@") && !uri.contains("#")
        }
    }

    /// The application that the sandbox's own configuration and documentation use.
    package static let sandbox = OAuthApplication(
        clientID: "sandbox-client", clientSecret: "sandbox-client-secret")
}

/// What users do when an application asks for access.
package enum OAuthDecision: Sendable, Hashable {
    /// The page is shown, and whoever looks at it decides.
    case prompt
    /// The user of that name allows it without a page.
    case approve(user: String)
    /// Refused without a page.
    case deny
}

/// The decision of the moment, for every provider.
///
/// A lock, because it is set by one task and read by many.
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
