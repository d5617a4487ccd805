package import Brokerage
package import Upstream

extension SaxoCredential {
    /// What a store keeps of a token that nobody renews, as a secret.
    ///
    /// The word in front tells it from the tokens of a consent, which are a JSON object.
    package static func stored(_ token: SaxoToken) -> [UInt8] { Array((tokenPrefix + token.secret).utf8) }

    private static let tokenPrefix = "token "

    /// What a kept secret opens.
    ///
    /// - Parameters:
    ///   - secret: What ``kept(_:)`` made, or ``SaxoOAuthSession/tokens(forCode:of:proof:over:by:)``.
    ///   - app: The app that the user consented to; nil where the settings name none.
    ///   - keeper: Keeps the tokens that these are replaced by.
    ///   - line: What renewals go over.
    ///
    /// Nil for another secret, and for a consent without an app.
    package init?(
        kept secret: [UInt8], of app: SaxoOAuthClient?, renewedIn keeper: any RotatingCredentialStore,
        over line: ProviderChannel
    ) {
        let text = String(decoding: secret, as: UTF8.self)
        if text.hasPrefix(Self.tokenPrefix) {
            guard let token = try? SaxoToken(String(text.dropFirst(Self.tokenPrefix.count))) else {
                return nil
            }
            self = .token(token)
        } else {
            guard let app, let tokens = SaxoTokenPair(stored: secret) else { return nil }
            self = .authorization(
                SaxoOAuthSession(of: app, kept: keeper, over: line, endingAt: tokens.refreshEndsAt))
        }
    }

    /// When the user must consent again unless it is renewed before; nil for a token, whose end Saxo does not tell.
    package var endsAt: Instant? {
        switch self {
        case .token: nil
        case .authorization(let authorization): authorization.endsAt
        }
    }

    /// Waits for a renewal that is under way: to be called before the process ends.
    package func settle() async {
        switch self {
        case .token: break
        case .authorization(let authorization): await authorization.settle()
        }
    }

    /// Renews a consent while its user is away, until the task is cancelled; returns at once for a token.
    package func keepAlive() async throws(ProviderFailure) {
        switch self {
        case .token: break
        case .authorization(let authorization): try await authorization.keepAlive()
        }
    }
}
