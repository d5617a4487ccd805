import PorticoCore
package import Upstream

/// An app that is registered with Saxo, and where its users consent.
///
/// It never prints its secret.
package struct SaxoOAuthClient: Sendable {
    /// The `client_id`, which is public.
    package let key: String
    package let redirectURI: String
    /// In front of `authorize` and `token`: `https://sim.logonvalidation.net`.
    package let loginURL: HTTPURL
    /// Nil for an app that cannot keep one, and proves itself by PKCE (RFC 7636).
    private let secret: String?

    package init(key: String, secret: String?, redirectURI: String, loginURL: HTTPURL) {
        self.key = key
        self.secret = secret
        self.redirectURI = redirectURI
        self.loginURL = loginURL
    }

    /// The address at which a user consents.
    ///
    /// - Parameters:
    ///   - state: A value that cannot be guessed, which is returned with the code (RFC 6749, section 10.12).
    ///   - proof: Required for an app without a secret.
    /// - Returns: The address; nil for a login address to which nothing can be appended.
    package func authorizationURL(state: String, proof: PKCEVerifier? = nil) -> HTTPURL? {
        loginURL.appending(path: "authorize")?.appending(query: [
            ("response_type", "code"), ("client_id", key), ("state", state), ("redirect_uri", redirectURI),
            ("code_challenge", proof?.challenge), ("code_challenge_method", proof.map { _ in "S256" }),
        ])
    }

    /// The request for tokens, with the app's secret if it has one.
    package func tokenRequest(
        _ grant: [(name: String, value: String?)], deadline: ContinuousClock.Instant
    ) -> HTTPClientRequest? {
        guard let url = loginURL.appending(path: "token") else { return nil }
        var headers = HTTPClientHeaders()
        headers.add("Accept", "application/json")
        headers.add("Content-Type", "application/x-www-form-urlencoded")
        var items = grant + [("redirect_uri", redirectURI)]
        if let secret {
            headers.add("Authorization", "Basic \(Base64.standard.padded("\(key):\(secret)"))")
        } else {
            items.append(("client_id", key))
        }
        let form = items.compactMap { item in
            item.value.map { "\(PercentEncoding.encode(item.name))=\(PercentEncoding.encode($0))" }
        }
        return HTTPClientRequest(
            .post, url, headers: headers, body: Array(form.joined(separator: "&").utf8), deadline: deadline,
            maximumResponseBytes: 64 << 10)
    }
}

extension SaxoOAuthClient: CustomStringConvertible, CustomReflectable {
    package var description: String { "Saxo app \(key)" }
    package var customMirror: Mirror { Mirror(self, children: ["app": description]) }
}
