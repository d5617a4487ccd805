package import Upstream

/// A credential for Alpaca: a key pair, or an OAuth token.
///
/// Its text never contains the secret: `print`, `dump` and interpolations show only its kind.
package struct AlpacaCredential: Sendable, Hashable {
    let proof: Proof

    enum Proof: Hashable {
        case keys(id: String, secret: String)
        case token(String)
    }

    /// A part that cannot be sent: it would have broken out of its header, or is not there.
    package enum Malformed: Error, Hashable, Sendable {
        case keyID
        case secretKey
        case token
    }

    /// An account's own keys; paper and live have different ones.
    package static func keys(id: String, secret: String) throws(Malformed) -> AlpacaCredential {
        guard isSendable(id) else { throw .keyID }
        guard isSendable(secret) else { throw .secretKey }
        return AlpacaCredential(proof: .keys(id: id, secret: secret))
    }

    /// A user's token, which has no end and cannot be renewed: once refused, the user must connect again.
    package static func token(_ token: String) throws(Malformed) -> AlpacaCredential {
        guard isSendable(token) else { throw .token }
        return AlpacaCredential(proof: .token(token))
    }

    /// Visible ASCII only, which is all that keys and tokens consist of.
    private static func isSendable(_ text: String) -> Bool {
        (1...maximumLength).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    private static let maximumLength = 4_096

    /// Adds the header fields that carry the proof.
    func sign(_ headers: inout HTTPClientHeaders) {
        switch proof {
        case .keys(let id, let secret):
            headers.add("APCA-API-KEY-ID", id)
            headers.add("APCA-API-SECRET-KEY", secret)
        case .token(let token):
            headers.add("Authorization", "Bearer \(token)")
        }
    }

    /// The login message of the data stream; nil for a token, which the data stream does not accept.
    package var dataStreamGreeting: JSONObjectText? {
        guard case .keys(let id, let secret) = proof else { return nil }
        var body = JSONObjectText()
        body.add("action", "auth")
        body.add("key", id)
        body.add("secret", secret)
        return body
    }

    /// The login message of the stream of an account's orders.
    package var tradeStreamGreeting: JSONObjectText {
        var data = JSONObjectText()
        switch proof {
        case .keys(let id, let secret):
            data.add("key_id", id)
            data.add("secret_key", secret)
        case .token(let token): data.add("oauth_token", token)
        }
        var body = JSONObjectText()
        body.add("action", "authenticate")
        body.add("data", data)
        return body
    }
}

extension AlpacaCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String {
        switch proof {
        case .keys: "Alpaca keys \(Redaction.placeholder)"
        case .token: "Alpaca token \(Redaction.placeholder)"
        }
    }

    package var debugDescription: String { description }

    package var customMirror: Mirror { Mirror(self, children: ["credential": description]) }
}

extension AlpacaCredential.Malformed: CustomStringConvertible {
    package var description: String {
        let part =
            switch self {
            case .keyID: "The key id"
            case .secretKey: "The secret key"
            case .token: "The token"
            }
        return "\(part) for Alpaca is empty, too long, or has characters other than visible ASCII;"
            + " copy it again without quotes and line breaks."
    }
}

extension AlpacaCredential {
    /// The form for storage, which is a secret: the kind and its parts, none of which contains a space.
    package var stored: [UInt8] {
        let words =
            switch proof {
            case .keys(let id, let secret): ["keys", id, secret]
            case .token(let token): ["token", token]
            }
        return Array(words.joined(separator: " ").utf8)
    }

    /// Nil for bytes that are not a form of ``stored``.
    package init?(stored: [UInt8]) {
        let words = String(decoding: stored, as: UTF8.self).split(separator: " ").map(String.init)
        let credential =
            switch (words.first, words.count) {
            case ("keys", 3): try? AlpacaCredential.keys(id: words[1], secret: words[2])
            case ("token", 2): try? AlpacaCredential.token(words[1])
            default: AlpacaCredential?.none
            }
        guard let credential else { return nil }
        self = credential
    }

    /// Whether it is a user's token, which the data stream does not take.
    package var isToken: Bool {
        switch proof {
        case .keys: false
        case .token: true
        }
    }
}
