/// Why an authorization server refuses (RFC 6749, sections 4.1.2.1 and 5.2).
package enum OAuthError: String, Error, Sendable, Hashable, CaseIterable {
    case invalidRequest = "invalid_request"
    case invalidClient = "invalid_client"
    /// A code or refresh token that is unknown, used, expired, or another application's.
    case invalidGrant = "invalid_grant"
    case invalidScope = "invalid_scope"
    case unsupportedGrantType = "unsupported_grant_type"
    case unsupportedResponseType = "unsupported_response_type"
    case accessDenied = "access_denied"

    /// For people; providers' own words differ.
    package var explanation: String {
        switch self {
        case .invalidRequest: "a parameter is missing, repeated or malformed"
        case .invalidClient: "client_id or client_secret is wrong"
        case .invalidGrant: "the code or refresh token is unknown, used or expired"
        case .invalidScope: "the scope is unknown"
        case .unsupportedGrantType: "the grant_type is not supported"
        case .unsupportedResponseType: "the response_type is not supported"
        case .accessDenied: "the user refused"
        }
    }
}
