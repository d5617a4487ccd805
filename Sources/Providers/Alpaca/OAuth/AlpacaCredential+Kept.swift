extension AlpacaCredential {
    /// What a store keeps, as a secret: which kind it is, and its parts, none of which has a space.
    package var stored: [UInt8] {
        let words =
            switch proof {
            case .keys(let id, let secret): ["keys", id, secret]
            case .token(let token): ["token", token]
            }
        return Array(words.joined(separator: " ").utf8)
    }

    /// Nil for what is none of ``kept``.
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
