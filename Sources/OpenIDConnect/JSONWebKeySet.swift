import Cryptography
import PorticoCore
import Upstream

/// The public keys that an issuer publishes (RFC 7517, section 5).
struct JSONWebKeySet: Sendable {
    private(set) var keys: [VerificationKey] = []

    /// The number of keys of one set that are read.
    private static let maximumCount = 64

    /// Reads the keys of a set; keys that cannot verify signatures are ignored (RFC 7517, section 5).
    ///
    /// - Throws: `JSONError` if the text is not a set of keys.
    init(json: [UInt8]) throws(JSONError) {
        let descriptions = try JSONReader.read(json, maximumDepth: 16) { reader throws(JSONError) in
            let keys = try reader.member("keys") { reader throws(JSONError) in
                var keys: [ClaimValue] = []
                try reader.array { reader throws(JSONError) in keys.append(try ClaimValue(json: &reader)) }
                return keys
            }
            return try reader.required(keys, "keys")
        }
        for case .object(let members) in descriptions.prefix(Self.maximumCount) {
            if let key = VerificationKey(members) { keys.append(key) }
        }
    }

    /// The key of a token; nil if there is none, or if the token names no key and several would do.
    func key(of token: SignedToken) -> VerificationKey? {
        let candidates = keys.filter { $0.algorithm == token.algorithm }
        guard let id = token.keyID else { return candidates.count == 1 ? candidates.first : nil }
        return candidates.first { $0.id == id }
    }

    /// Whether a key with this id and another algorithm exists.
    func hasOtherAlgorithm(for token: SignedToken) -> Bool {
        token.keyID != nil && keys.contains { $0.id == token.keyID && $0.algorithm != token.algorithm }
    }

    /// The fingerprints of all keys.
    var fingerprints: Set<String> { Set(keys.map(\.fingerprint)) }
}

/// A public key of an issuer, with the one algorithm of its signatures.
struct VerificationKey: Sendable {
    let id: String?
    let algorithm: SignatureAlgorithm
    /// Another text for another key, whatever its id.
    let fingerprint: String
    private let key: PublicKey

    /// The length of base64url text that 8,192 bits have; longer keys take too long to verify.
    private static let maximumModulusLength = 1_366

    /// Nil for a key that cannot be used: of another type, for another use, with its private part, or malformed.
    init?(_ members: [String: ClaimValue]) {
        guard members["d"] == nil, members["k"] == nil, members["use"].map({ $0.text == "sig" }) ?? true,
            members["key_ops"].map({ $0.texts?.contains("verify") == true }) ?? true
        else { return nil }
        let (type, curve) = (members["kty"]?.text, members["crv"]?.text)
        let key: PublicKey?
        switch (type, curve) {
        case ("RSA", _):
            guard let modulus = members["n"]?.text, let exponent = members["e"]?.text,
                modulus.utf8.count <= Self.maximumModulusLength, exponent.utf8.count <= 6
            else { return nil }
            algorithm = .rs256
            fingerprint = "RSA \(modulus) \(exponent)"
            key = PublicKey(rsaModulus: Self.decoded(modulus), exponent: Self.decoded(exponent))
        case ("EC", "P-256"):
            guard let x = members["x"]?.text, let y = members["y"]?.text else { return nil }
            algorithm = .es256
            fingerprint = "EC \(x) \(y)"
            key = PublicKey(p256X: Self.decoded(x), y: Self.decoded(y))
        case ("OKP", "Ed25519"):
            guard let x = members["x"]?.text else { return nil }
            algorithm = .edDSA
            fingerprint = "OKP \(x)"
            key = PublicKey(ed25519: Self.decoded(x))
        default: return nil
        }
        if let name = members["alg"], name.text != algorithm.rawValue { return nil }
        id = members["kid"]?.text
        guard let key else { return nil }
        self.key = key
    }

    /// The bytes of base64url text; none for any other text, so that no key has them.
    private static func decoded(_ text: String) -> [UInt8] { Base64.url.decoded(text.utf8) ?? [] }

    /// Whether the signature of a token is valid.
    func verifies(_ token: SignedToken) -> Bool {
        guard token.algorithm == algorithm else { return false }
        return key.verifies(token.signature, of: token.signedBytes)
    }
}
