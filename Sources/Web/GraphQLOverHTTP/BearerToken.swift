/// The token of an Authorization field (RFC 6750, section 2.1).
package enum BearerToken {
    /// Nil where there is no field.
    ///
    /// - Throws: `AuthenticationError` where the field is of another scheme, or no token.
    package static func read(_ authorization: String?) throws(AuthenticationError) -> String? {
        guard let authorization else { return nil }
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].matches("bearer") else { throw .notBearer }
        let token = parts[1].trimmed
        guard !token.isEmpty, token.utf8.allSatisfy(isTokenByte) else { throw .notBearer }
        return String(token)
    }

    /// Names under which tokens are put into URLs, where they do not belong (RFC 6750, section 2.3 and 5.3).
    static let urlParameters: Set<String> = [
        "access_token", "accesstoken", "api_key", "apikey", "auth", "authorization", "bearer", "bearer_token",
        "token",
    ]

    /// `b64token`.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "+"),
            UInt8(ascii: "/"), UInt8(ascii: "="):
            true
        default: false
        }
    }
}
