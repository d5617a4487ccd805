package import Brokerage
package import PorticoCore
package import Storage
package import Upstream

/// Connects users with one provider: sends them to it for their consent, makes a credential of what they bring, and opens
/// it.
///
/// What a user did wrong is a `FieldError`, what the provider did a `ProviderFailure`; neither says anything of a credential.
package protocol ProviderConnector: Sendable {
    var provider: ProviderID { get }

    /// The provider's worlds that a user can connect with, the one first that is meant where nothing is said.
    var environments: [Environment] { get }

    /// Where a user gives consent.
    ///
    /// - Throws: `FieldError` where the provider takes no consent, or knows no application of this server.
    func page(for request: OAuthConsentRequest) throws -> OAuthConsentURL

    /// Makes a credential of what a user brings, by a call where it takes one.
    ///
    /// - Throws: `FieldError` where the provider takes no such thing, `ProviderFailure` where it does not take this one.
    func credential(
        for proof: SubmittedCredential, in environment: Environment, by call: CallContext
    ) async throws -> Secret

    /// Opens a credential, without a call.
    ///
    /// - Parameters:
    ///   - secret: What ``credential(for:in:by:)`` made, or what has been kept in its place since.
    ///   - kept: Whose it is.
    ///   - holder: The holder of the quota that its calls spend.
    ///   - keeper: Keeps what the credential is replaced by.
    /// - Returns: nil where it is nothing that this server could open: the application has gone from its settings.
    func open(
        _ secret: Secret, of kept: StoredConnection, spending holder: QuotaAccount,
        renewedIn keeper: any RotatingCredentialStore
    ) -> ConnectionClients?
}

/// What a user is sent to consent with.
package struct OAuthConsentRequest: Sendable {
    package let environment: Environment
    package let redirectURI: HTTPURL
    /// Comes back with the code.
    package let state: String
}

/// Where a user consents.
package struct OAuthConsentURL: Sendable {
    let url: HTTPURL
    let verifier: Secret?

    /// - Parameters:
    ///   - url: The page, with the request in it.
    ///   - verifier: What the request has the challenge of (RFC 7636); nil without one.
    package init(url: HTTPURL, verifier: Secret? = nil) {
        self.url = url
        self.verifier = verifier
    }
}

/// What a user brings to be connected; it never prints itself.
package enum SubmittedCredential: Sendable {
    case authorization(code: Secret, verifier: Secret?, redirectURI: HTTPURL)
    case apiKey(Secret, secret: Secret?)
    case accessToken(Secret)
}

extension Secret {
    /// As text; what it was made of.
    package var text: String { String(decoding: bytes, as: UTF8.self) }
}
