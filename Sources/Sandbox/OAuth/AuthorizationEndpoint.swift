import Brokerage
import NIOHTTP1

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
