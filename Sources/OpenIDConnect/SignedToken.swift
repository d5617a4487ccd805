import PorticoCore

/// A token in the compact serialization of RFC 7515, section 3.1, whose signature is not verified yet.
struct SignedToken: Sendable {
    let algorithm: SignatureAlgorithm
    /// The id of the key; nil if the token names none.
    let keyID: String?
    /// The media type of the token in lower case, without `application/`; nil if it names none.
    let type: String?
    let claims: [String: ClaimValue]
    let signature: [UInt8]
    /// The bytes that are signed: header and payload as they were sent.
    let signedBytes: [UInt8]

    /// Longer tokens are refused.
    static let maximumLength = 16_384
    /// The maximum length in bytes of the members of the header, whose comparison would take long for longer ones.
    private static let maximumMemberLength = 256

    /// - Throws: ``SignInRejection/malformedToken``, or ``SignInRejection/algorithmNotAllowed`` for a token that is not
    ///   signed, or whose signature anyone with the public key can create.
    init(_ text: String) throws(SignInRejection) {
        guard text.utf8.count <= Self.maximumLength else { throw .malformedToken }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let headerBytes = Self.decoded(parts[0]),
            let payload = Self.decoded(parts[1]),
            let signature = Self.decoded(parts[2]), let header = try? ClaimValue.members(of: headerBytes)
        else { throw .malformedToken }
        guard let name = header["alg"]?.text, name.utf8.count <= Self.maximumMemberLength else {
            throw .malformedToken
        }
        guard let algorithm = SignatureAlgorithm(rawValue: name) else { throw .algorithmNotAllowed }
        // RFC 7515, section 4.1.11: an extension that is not understood makes the token invalid.
        guard header["crit"] == nil, let claims = try? ClaimValue.members(of: payload) else {
            throw .malformedToken
        }
        switch header["kid"] {
        case nil: keyID = nil
        case .text(let id)? where id.utf8.count <= Self.maximumMemberLength: keyID = id
        default: throw .malformedToken
        }
        switch header["typ"] {
        case nil: type = nil
        case .text(let name)? where name.utf8.count <= Self.maximumMemberLength:
            let type = name.lowercased()
            self.type = type.hasPrefix("application/") ? String(type.dropFirst("application/".count)) : type
        default: throw .malformedToken
        }
        (self.algorithm, self.claims, self.signature) = (algorithm, claims, signature)
        signedBytes = Array(parts[0]) + [UInt8(ascii: ".")] + parts[1]
    }

    /// Decodes base64url; nil for a text that is not the only one of its bytes, so that a token has one form.
    private static func decoded(_ digits: Substring.UTF8View.SubSequence) -> [UInt8]? {
        guard let bytes = Base64.url.decoded(digits), Base64.url.encoded(bytes).utf8.elementsEqual(digits)
        else {
            return nil
        }
        return bytes
    }
}

/// The algorithms of signatures that are accepted (RFC 7518, section 3.1; RFC 8037, section 3.1).
enum SignatureAlgorithm: String, Sendable, CaseIterable {
    case rs256 = "RS256"
    case es256 = "ES256"
    case edDSA = "EdDSA"
}
