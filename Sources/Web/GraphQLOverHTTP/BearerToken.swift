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

/// A session that is not to be had: answered with 401 and a challenge (RFC 6750, section 3).
package struct AuthenticationError: Error, Hashable, Sendable {
    /// For the client: why, and what would help; never what a token is.
    package let message: String
    private let error: String?

    /// A token was sent, and it is unknown, withdrawn or expired.
    package static func invalidToken(_ message: String) -> AuthenticationError {
        AuthenticationError(message: message, error: "invalid_token")
    }

    /// No token was sent where one is needed.
    package static func missingToken(_ message: String) -> AuthenticationError {
        AuthenticationError(message: message, error: nil)
    }

    /// The error of a token that was valid when its socket or stream was opened, and has ended since.
    static let endedToken = AuthenticationError.invalidToken("The session has ended: sign in again.")

    /// The Authorization field is of another scheme, or malformed.
    static let notBearer = AuthenticationError(
        message: "The Authorization field must be \"Bearer <token>\".", error: "invalid_request")

    private init(message: String, error: String?) {
        self.message = message
        self.error = error
    }

    /// The value of WWW-Authenticate.
    var challenge: String {
        guard let error else { return "Bearer realm=\"graphql\"" }
        return "Bearer realm=\"graphql\", error=\"\(error)\""
    }
}
