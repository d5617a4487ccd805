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
