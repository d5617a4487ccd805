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
    var takesChallenges = false

    /// Both routes under one path.
    func routes(_ template: PathTemplate) -> [SandboxRoute] {
        [
            .get(template) { request in
                switch decisions.decision {
                case .ask: answer(request.query, deciding: nil)
                case .approve(let user): answer(request.query, deciding: .approve(user: user))
                case .refuse: answer(request.query, deciding: .refuse)
                }
            },
            .post(template) { request in
                guard let form = request.form else { return Self.stranger }
                let user = form.last { $0.name == "user" }?.value ?? ""
                switch form.last(where: { $0.name == "decision" })?.value {
                case "approve": return answer(form, deciding: .approve(user: user))
                case "deny": return answer(form, deciding: .refuse)
                case .some, nil: return answer(form, deciding: nil)
                }
            },
        ]
    }

    /// With nobody deciding, the page.
    private func answer(_ parameters: [(name: String, value: String)], deciding decision: OAuthDecision?)
        -> SandboxResponse
    {
        // An application or an address that is not known gets nothing sent: it may be an attacker's.
        guard let request = AuthorizationRequest(parameters, of: server) else { return Self.stranger }
        if let error = fault(of: request) { return refused(request, error) }
        switch decision {
        case nil, .ask: return AuthorizationPage(request: request, provider: provider, users: users).response
        case .refuse: return refused(request, .accessDenied)
        case .approve(let user):
            guard users.contains(user) else { return refused(request, .accessDenied) }
            let grant = OAuthGrant(
                user: user, clientID: request.application.clientID, scope: request.scope,
                redirectURI: request.redirectURI, challenge: takesChallenges ? request.challenge : nil)
            return redirect(to: request.location([("code", server.code(for: grant, at: clock.now))]))
        }
    }

    private func fault(of request: AuthorizationRequest) -> OAuthError? {
        if request.responseType != "code" { return .unsupportedResponseType }
        if takesChallenges {
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

    private func refused(_ request: AuthorizationRequest, _ error: OAuthError) -> SandboxResponse {
        redirect(
            to: request.location([("error", error.rawValue), ("error_description", error.explanation)]))
    }

    private func redirect(to location: String) -> SandboxResponse {
        SandboxResponse(status: .found, headers: ["Location": location, "Cache-Control": "no-store"])
    }

    private static let stranger = SandboxResponse.text(
        "client_id is not known, or redirect_uri is not registered for it\n", status: .badRequest)
}
