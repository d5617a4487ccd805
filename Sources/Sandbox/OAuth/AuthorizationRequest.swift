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
