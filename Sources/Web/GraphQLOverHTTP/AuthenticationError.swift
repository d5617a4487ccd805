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
