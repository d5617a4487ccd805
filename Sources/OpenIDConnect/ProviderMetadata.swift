package import Upstream

/// The metadata of an identity provider (OpenID Connect Discovery 1.0, section 3).
package struct ProviderMetadata: Sendable {
    package let authorizationEndpoint: HTTPURL
    let tokenEndpoint: HTTPURL
    let keys: HTTPURL
    /// Whether responses of the authorization endpoint name their issuer (RFC 9207, section 3).
    package let namesIssuer: Bool
    /// Whether the client's secret is a field of the token request, because its header is not supported.
    let takesSecretInBody: Bool

    /// Reads the metadata that an issuer publishes.
    ///
    /// - Throws: `SignInRejection.wrongIssuer` if it is that of another issuer, `providerUnavailable` if an endpoint is
    ///   missing, or would be called over a network without TLS.
    init(json: [UInt8], of issuer: String) throws(SignInRejection) {
        guard let members = try? ClaimValue.members(of: json) else { throw .providerUnavailable }
        // Discovery, section 4.3: otherwise one issuer could speak for another.
        guard members["issuer"]?.text == issuer else { throw .wrongIssuer }
        authorizationEndpoint = try Self.endpoint("authorization_endpoint", in: members)
        tokenEndpoint = try Self.endpoint("token_endpoint", in: members)
        keys = try Self.endpoint("jwks_uri", in: members)
        namesIssuer = members["authorization_response_iss_parameter_supported"] == .boolean(true)
        let methods = members["token_endpoint_auth_methods_supported"]?.texts
        takesSecretInBody = methods.map { !$0.contains("client_secret_basic") } ?? false
    }

    private static func endpoint(
        _ name: String, in members: [String: ClaimValue]
    ) throws(SignInRejection) -> HTTPURL {
        guard let url = members[name]?.text.flatMap({ HTTPURL($0) }), url.isSecure || url.isLoopback else {
            throw .providerUnavailable
        }
        return url
    }
}
