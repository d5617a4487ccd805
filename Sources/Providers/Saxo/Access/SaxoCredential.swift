package import Brokerage
package import Upstream

/// The credential of calls to Saxo.
package enum SaxoCredential: Sendable {
    /// A token that is not renewed: developer tokens of one day.
    case token(SaxoToken)
    /// A user's consent, whose tokens are renewed as they end.
    case authorization(SaxoOAuthSession)

    /// A token that is valid for some time.
    func token(in context: CallContext) async throws(ProviderFailure) -> SaxoToken {
        switch self {
        case .token(let token): token
        case .authorization(let authorization): try await authorization.token(by: context.deadline)
        }
    }

    /// Returns another token after Saxo rejected one; nil if there is none.
    func renewed(after refused: SaxoToken, in context: CallContext) async throws(ProviderFailure)
        -> SaxoToken?
    {
        switch self {
        case .token: nil
        case .authorization(let authorization):
            try await authorization.token(after: refused, by: context.deadline)
        }
    }
}

/// An access token; it never prints itself.
package struct SaxoToken: Sendable, Hashable {
    private let text: String

    /// A token that cannot be sent: it would have broken out of its header, or is not there.
    package struct Malformed: Error, Hashable, CustomStringConvertible {
        package var description: String {
            "The token for Saxo is empty, too long, or has characters other than visible ASCII;"
                + " copy it again without quotes and line breaks."
        }
    }

    package init(_ text: String) throws(Malformed) {
        guard (1...8_192).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw Malformed() }
        self.text = text
    }

    /// Adds the header field that carries it.
    func sign(_ headers: inout HTTPClientHeaders) {
        headers.add("Authorization", "Bearer \(text)")
    }

    /// For the keeper, which encrypts it.
    var secret: String { text }
}

extension SaxoToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "Saxo token \(Redaction.placeholder)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["token": description]) }
}

extension SaxoCredential {
    /// The stored form of a token that is not renewed, as a secret.
    ///
    /// A prefix distinguishes it from the tokens of a consent, which are a JSON object.
    package static func stored(_ token: SaxoToken) -> [UInt8] { Array((tokenPrefix + token.secret).utf8) }

    private static let tokenPrefix = "token "
    /// Before a token whose connection takes the trade level.
    private static let levelPrefix = "trade-level "

    /// A stored secret whose connection takes the trade level of the user's sessions.
    package static func takingTradeLevel(_ stored: [UInt8]) -> [UInt8] {
        if var tokens = SaxoTokenPair(stored: stored) {
            tokens.takesTradeLevel = true
            return tokens.stored
        }
        return takesTradeLevel(stored) ? stored : Array(levelPrefix.utf8) + stored
    }

    /// Whether the connection of a stored secret takes the trade level of the user's sessions.
    package static func takesTradeLevel(_ stored: [UInt8]) -> Bool {
        SaxoTokenPair(stored: stored)?.takesTradeLevel ?? stored.starts(with: levelPrefix.utf8)
    }

    /// Reads a stored secret.
    ///
    /// - Parameters:
    ///   - secret: The result of ``stored(_:)`` or of
    ///     ``SaxoOAuthSession/tokens(forCode:of:proof:over:by:)``.
    ///   - app: The app that the user consented to; nil if the settings have none.
    ///   - store: Stores the renewed tokens.
    ///   - channel: Sends the renewals.
    ///
    /// Nil for another secret, and for a consent without an app.
    package init?(
        stored secret: [UInt8], of app: SaxoOAuthClient?, renewedIn store: any RotatingCredentialStore,
        over channel: ProviderChannel
    ) {
        var text = String(decoding: secret, as: UTF8.self)
        if text.hasPrefix(Self.levelPrefix) { text.removeFirst(Self.levelPrefix.count) }
        if text.hasPrefix(Self.tokenPrefix) {
            guard let token = try? SaxoToken(String(text.dropFirst(Self.tokenPrefix.count))) else {
                return nil
            }
            self = .token(token)
        } else {
            guard let app, let tokens = SaxoTokenPair(stored: secret) else { return nil }
            self = .authorization(
                SaxoOAuthSession(of: app, storedIn: store, over: channel, endingAt: tokens.refreshEndsAt))
        }
    }

    /// When the user must consent again, if the tokens are not renewed before; nil for a token, whose end
    /// Saxo does not state.
    package var endsAt: Instant? {
        switch self {
        case .token: nil
        case .authorization(let authorization): authorization.endsAt
        }
    }

    /// Waits for a renewal in progress; called before the process ends.
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
