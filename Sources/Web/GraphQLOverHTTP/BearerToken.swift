/// The bearer token of an Authorization field (RFC 6750, section 2.1).
package enum BearerToken {
    /// Returns the token; nil if there is no field.
    ///
    /// - Throws: `AuthenticationError` if the field has another scheme or contains no valid token.
    package static func read(_ authorization: String?) throws(AuthenticationError) -> String? {
        guard let authorization else { return nil }
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].matches("bearer") else { throw .notBearer }
        let token = parts[1].trimmed
        guard !token.isEmpty, token.utf8.allSatisfy(isTokenByte) else { throw .notBearer }
        return String(token)
    }

    /// Names of URL parameters in which clients send tokens, which are rejected (RFC 6750, sections 2.3 and
    /// 5.3).
    static let urlParameters: Set<String> = [
        "access_token", "accesstoken", "api_key", "apikey", "auth", "authorization", "bearer", "bearer_token",
        "token",
    ]

    /// True for the bytes of `b64token`.
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

/// The reason why a request has no valid session; the response has status 401 and a challenge (RFC 6750,
/// section 3).
package struct AuthenticationError: Error, Hashable, Sendable {
    /// The message for the client: reason and remedy, never the token.
    package let message: String
    private let error: String?

    /// The token is unknown, revoked or expired.
    package static func invalidToken(_ message: String) -> AuthenticationError {
        AuthenticationError(message: message, error: "invalid_token")
    }

    /// A token is required, and none was sent.
    package static func missingToken(_ message: String) -> AuthenticationError {
        AuthenticationError(message: message, error: nil)
    }

    /// The error of a token that was valid when its WebSocket or stream was opened, and has ended since.
    static let endedToken = AuthenticationError.invalidToken("The session has ended: sign in again.")

    /// The Authorization field is of another scheme, or malformed.
    static let notBearer = AuthenticationError(
        message: "The Authorization field must be \"Bearer <token>\".", error: "invalid_request")

    private init(message: String, error: String?) {
        self.message = message
        self.error = error
    }

    /// The value of `WWW-Authenticate`.
    var challenge: String { challenge(resourceMetadata: nil) }

    /// The value of `WWW-Authenticate`, with the address of the metadata that name the authorization server (RFC 9728,
    /// section 5.1).
    func challenge(resourceMetadata: String?) -> String {
        let parameters = [("error", error), ("resource_metadata", resourceMetadata)]
        return
            (["Bearer realm=\"graphql\""]
            + parameters.compactMap { name, value in value.map { "\(name)=\"\($0)\"" } }).joined(
                separator: ", ")
    }
}
