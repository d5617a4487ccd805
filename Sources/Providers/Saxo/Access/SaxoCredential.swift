import Brokerage
import Upstream

/// What proves to Saxo who asks.
package enum SaxoCredential: Sendable {
    /// A token that nobody renews: of a day, for developers.
    case token(SaxoToken)
    /// A user's consent, whose tokens are renewed as they end.
    case authorization(SaxoOAuthSession)

    /// A token that is good for a while.
    func token(in context: CallContext) async throws(ProviderFailure) -> SaxoToken {
        switch self {
        case .token(let token): token
        case .authorization(let authorization): try await authorization.token(by: context.deadline)
        }
    }

    /// Another token than one that was refused; nil where there is none to be had.
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
