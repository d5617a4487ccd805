package import Brokerage
package import PorticoCore

/// Connects users with one provider: consent, test of a credential, and clients.
///
/// No error contains a part of a credential.
package protocol ProviderConnector: Sendable {
    var provider: ProviderID { get }

    /// The environments in which users connect, the default one first.
    var environments: [Environment] { get }

    /// The URL of the consent page.
    ///
    /// - Throws: `ConnectError` if the provider has no consent, or the server is no application of it.
    func page(for request: OAuthConsentRequest) throws(ConnectError) -> OAuthConsentURL

    /// Makes a credential from what a user submits, with a call if the provider requires one.
    ///
    /// - Throws: `ConnectError` if the provider has no such credential, or rejects this one.
    func credential(
        for submitted: SubmittedCredential, in environment: Environment, by call: CallContext
    ) async throws(ConnectError) -> Secret

    /// Whether users choose if a connection takes the real-time prices of their other sessions at the provider.
    var offersRealTimePrices: Bool { get }

    /// The same credential, whose connection takes the real-time prices of the user's other sessions.
    func takingRealTimePrices(_ secret: Secret) -> Secret

    /// Makes the clients of a credential, without a call.
    ///
    /// - Parameters:
    ///   - secret: The result of ``credential(for:in:by:)``, or its stored replacement.
    ///   - connection: The environment and the redirect URI of the connection.
    ///   - account: The account of the quota that its calls spend.
    ///   - store: The store of the credential's replacements.
    /// - Returns: The clients; nil if this server cannot use the credential, for example because the application
    ///   is no longer set.
    func open(
        _ secret: Secret, of connection: ConnectionReference, spending account: QuotaAccount,
        renewedIn store: any RotatingCredentialStore
    ) -> ProviderClients?
}

extension ProviderConnector {
    package var offersRealTimePrices: Bool { false }
    package func takingRealTimePrices(_ secret: Secret) -> Secret { secret }
}

/// What a connector needs to know of a stored connection.
package struct ConnectionReference: Sendable {
    package let environment: Environment
    /// The redirect URI of the consent; nil without a consent.
    ///
    /// Some providers require it for each renewal.
    package let redirectURI: String?

    package init(environment: Environment, redirectURI: String?) {
        self.environment = environment
        self.redirectURI = redirectURI
    }
}

/// A failed attempt to connect.
package enum ConnectError: Error, Sendable {
    /// The value of an argument cannot be used; the message has the remedy.
    case argument(String, message: String)
    /// The server is not registered with the provider; the variable sets the application.
    case noApplication(variable: String)
    /// The provider failed, or rejected the credential.
    case failed(ProviderFailure)

    /// The redirect URI makes the URL of the consent page too long.
    package static let tooLongURL = ConnectError.argument(
        "redirectUri", message: "It makes the address of the page of consent too long.")
}

/// The request for a consent.
package struct OAuthConsentRequest: Sendable {
    package let environment: Environment
    package let redirectURI: HTTPURL
    /// The state, which returns together with the code.
    package let state: String

    package init(environment: Environment, redirectURI: HTTPURL, state: String) {
        self.environment = environment
        self.redirectURI = redirectURI
        self.state = state
    }
}

/// The consent page of a user.
package struct OAuthConsentURL: Sendable {
    /// The page, with the request in its query.
    package let url: HTTPURL
    /// The code verifier whose challenge is in the request (RFC 7636); nil without one.
    package let verifier: Secret?

    package init(url: HTTPURL, verifier: Secret? = nil) {
        self.url = url
        self.verifier = verifier
    }
}

/// A credential as a user submits it; it is never printed.
package enum SubmittedCredential: Sendable {
    case authorization(code: Secret, verifier: Secret?, redirectURI: HTTPURL)
    case apiKey(Secret, secret: Secret?)
    case accessToken(Secret)
}
