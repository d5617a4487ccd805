import Cryptography
import PorticoCore

/// The PKCE code challenge of an application without a secret (RFC 7636).
///
/// The application sends the challenge first, and its verifier in the token request.
enum CodeChallenge: Sendable, Hashable {
    case plain(String)
    /// The verifier's SHA-256, in base64url without padding.
    case sha256(String)

    /// Parses `code_challenge` and `code_challenge_method`, with the default `plain`; nil for another method
    /// or an invalid challenge (section 4.2).
    init?(_ challenge: String, method: String?) {
        guard Self.isWellFormed(challenge) else { return nil }
        switch method?.lowercased() {
        case nil, "plain": self = .plain(challenge)
        case "s256": self = .sha256(challenge)
        case .some: return nil
        }
    }

    /// The parameters `code_challenge` and `code_challenge_method`.
    var parameters: [(name: String, value: String)] {
        switch self {
        case .plain(let text): [("code_challenge", text), ("code_challenge_method", "plain")]
        case .sha256(let text): [("code_challenge", text), ("code_challenge_method", "S256")]
        }
    }

    /// Returns true if the challenge was made from this verifier.
    func isMet(by verifier: String) -> Bool {
        guard Self.isWellFormed(verifier) else { return false }
        return switch self {
        case .plain(let text): text == verifier
        case .sha256(let text): text == Base64.url.encoded(HashFunction.sha256.hash(verifier))
        }
    }

    /// Returns true for 43 to 128 unreserved characters (section 4.1).
    private static func isWellFormed(_ text: String) -> Bool {
        (43...128).contains(text.utf8.count) && text.utf8.allSatisfy(PercentEncoding.isUnreserved)
    }
}
