package import Brokerage
import Cryptography
package import PorticoCore
import Synchronization
package import Upstream

/// The settings of an identity provider.
package struct IdentityProviderConfiguration: Sendable {
    /// The issuer's identifier, as its tokens name it.
    package let issuer: HTTPURL
    package let clientID: String
    /// Nil for a public client.
    package let clientSecret: Secret?
    /// Audiences of bearer tokens.
    package var audiences: Set<String>
    /// The scopes that the authorization request asks for, besides `openid`.
    package var requestedScopes: [String] = []
    /// By how much the clocks of the server and the issuer may differ.
    package var clockSkew = Duration.seconds(60)
    /// How long known keys stay valid when the keys cannot be fetched.
    package var keyLifetime = Duration.seconds(86_400)

    package init(issuer: HTTPURL, clientID: String, clientSecret: Secret? = nil) {
        (self.issuer, self.clientID, self.clientSecret) = (issuer, clientID, clientSecret)
        audiences = [clientID]
    }
}

/// An OpenID Connect provider: discovery, keys, verification of tokens, and the authorization code flow.
///
/// Responses are limited in size, and redirects are not followed. Only reads are retried.
package final class IdentityProvider: Sendable {
    package let configuration: IdentityProviderConfiguration
    private let transport: HTTPClient
    private let clock: TimeSource
    private let report: @Sendable (any Error) -> Void
    private let validator: ClaimValidator
    private let keys: IssuerKeys
    private let metadata: MetadataCache

    private static let callTime = Duration.seconds(5)
    private static let maximumResponseBytes = 256 << 10

    /// - Parameters:
    ///   - configuration: The settings.
    ///   - transport: Sends the requests.
    ///   - clock: The clock of expiry and of pauses.
    ///   - report: Receives failures, whose details clients do not receive. They contain no secret.
    ///   - keysChanged: Called after each fetch of the keys, with their fingerprints.
    package init(
        _ configuration: IdentityProviderConfiguration, over transport: HTTPClient,
        clock: TimeSource = .system,
        report: @escaping @Sendable (any Error) -> Void = { _ in },
        keysChanged: @escaping @Sendable (Set<String>) -> Void = { _ in }
    ) {
        self.configuration = configuration
        (self.transport, self.clock, self.report) = (transport, clock, report)
        validator = ClaimValidator(
            issuer: configuration.issuer.text, clientID: configuration.clientID,
            audiences: configuration.audiences, skew: configuration.clockSkew)
        let metadata = MetadataCache(clock: clock) {
            guard
                let url = configuration.issuer.appending(path: ".well-known", "openid-configuration")
            else { throw SignInRejection.providerUnavailable }
            return try ProviderMetadata(
                json: try await Self.read(url, over: transport), of: configuration.issuer.text)
        }
        self.metadata = metadata
        var policy = IssuerKeys.Policy()
        policy.lifetime = configuration.keyLifetime
        policy.refreshInterval = min(policy.refreshInterval, configuration.keyLifetime / 2)
        keys = IssuerKeys(
            policy, clock: clock,
            load: {
                let url = try await metadata.value().keys
                return try JSONWebKeySet(json: try await Self.read(url, over: transport))
            }, report: report, changed: keysChanged)
    }

    /// Tokens that are valid for longer are refused.
    package static let maximumTokenLifetime = ClaimValidator.maximumLifetime

    /// Logout tokens that were issued longer ago are refused.
    package static let maximumLogoutTokenAge = ClaimValidator.logoutAge

    package var issuer: String { configuration.issuer.text }

    /// Whether the keys that are known are valid, so that tokens that they have verified are.
    package var hasValidKeys: Bool { keys.areValid }

    /// Fetches the keys in the background if they are old, or if there are none.
    package func refreshKeysIfOld() { keys.refreshIfOld() }

    /// Verifies a token.
    ///
    /// It waits for a fetch of the keys if the token's key is not known, or if the keys are old, and otherwise makes no call.
    package func verify(
        _ text: String, for purpose: TokenPurpose
    ) async throws(SignInRejection) -> VerifiedToken {
        let token = try SignedToken(text)
        var key = try await keys.key(of: token)
        if !key.verifies(token) {
            guard let other = await keys.replacement(of: key, for: token), other.verifies(token) else {
                throw .invalidSignature
            }
            key = other
        }
        return try validator.verify(token, for: purpose, key: key, now: clock.wallTime())
    }

    // MARK: - Authorization code flow

    /// The address of the provider's sign-in page.
    ///
    /// - Parameters:
    ///   - secrets: The values of this sign-in.
    ///   - redirectURI: The address to which the browser returns.
    /// - Returns: The address, with the parameters of the sign-in.
    /// - Throws: `providerUnavailable`, or `wrongIssuer` if the metadata is that of another issuer.
    package func authorizationURL(
        _ secrets: SignInSecrets, redirectURI: HTTPURL
    ) async throws(SignInRejection) -> HTTPURL {
        let endpoint = try await currentMetadata().authorizationEndpoint
        let url = endpoint.appending(query: [
            ("response_type", "code"), ("client_id", configuration.clientID),
            ("redirect_uri", redirectURI.text),
            ("scope", (["openid"] + configuration.requestedScopes).joined(separator: " ")),
            ("state", secrets.state), ("nonce", secrets.nonce), ("code_challenge", secrets.codeChallenge),
            ("code_challenge_method", "S256"),
        ])
        guard let url else { throw .providerUnavailable }
        return url
    }

    /// Checks that the response of the authorization endpoint can be from this provider (RFC 9207, section 2.4).
    ///
    /// - Parameter responseIssuer: The parameter `iss` of the response.
    /// - Throws: `wrongIssuer`, or `providerUnavailable` if the metadata cannot be read.
    package func checkIssuer(ofResponse responseIssuer: String?) async throws(SignInRejection) {
        if let responseIssuer {
            guard responseIssuer == issuer else { throw .wrongIssuer }
        } else if try await currentMetadata().namesIssuer {
            throw .wrongIssuer
        }
    }

    /// Exchanges a code for an ID token, and verifies it; the code is sent once.
    package func exchange(
        code: String, _ secrets: SignInSecrets, redirectURI: String
    ) async throws(SignInRejection) -> VerifiedToken {
        let metadata = try await currentMetadata()
        var fields = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI),
            ("code_verifier", secrets.codeVerifier),
        ]
        var request = HTTPClientRequest(
            .post, metadata.tokenEndpoint, deadline: .now + Self.callTime,
            maximumResponseBytes: Self.maximumResponseBytes)
        request.headers.add("Content-Type", "application/x-www-form-urlencoded")
        request.headers.add("Accept", "application/json")
        if let secret = configuration.clientSecret, !metadata.takesSecretInBody {
            let (id, secret) = (
                PercentEncoding.encode(configuration.clientID), PercentEncoding.encode(secret.text)
            )
            request.headers.add("Authorization", "Basic \(Base64.standard.padded("\(id):\(secret)"))")
        } else {
            fields.append(("client_id", configuration.clientID))
            if let secret = configuration.clientSecret { fields.append(("client_secret", secret.text)) }
        }
        request.body = Array(
            fields.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }.joined(separator: "&").utf8)
        let response: HTTPClientResponse
        do {
            response = try await transport.send(request)
        } catch {
            report(error)
            throw .providerUnavailable
        }
        guard response.isSuccess else {
            report(IdentityProviderError(call: "token", status: response.status))
            // RFC 6749, section 5.2.
            throw (400..<500).contains(response.status) && response.status != 429
                ? .codeRefused : .providerUnavailable
        }
        guard let token = (try? ClaimValue.members(of: response.body))?["id_token"]?.text else {
            throw .providerUnavailable
        }
        return try await verify(token, for: .signIn(nonce: secrets.nonce))
    }

    private func currentMetadata() async throws(SignInRejection) -> ProviderMetadata {
        do {
            return try await metadata.value()
        } catch {
            report(error)
            throw error as? SignInRejection == .wrongIssuer ? .wrongIssuer : .providerUnavailable
        }
    }

    /// Reads a document, at most twice.
    private static func read(_ url: HTTPURL, over transport: HTTPClient) async throws -> [UInt8] {
        let deadline = ContinuousClock.now + callTime
        for isLast in [false, true] {
            var request = HTTPClientRequest(
                .get, url, deadline: deadline, maximumResponseBytes: maximumResponseBytes)
            request.headers.add("Accept", "application/json")
            do {
                let response = try await transport.send(request)
                if response.status == 200 { return response.body }
                if isLast || response.status < 500 {
                    throw IdentityProviderError(call: "read", status: response.status)
                }
            } catch {
                if isLast || error is IdentityProviderError { throw error }
            }
        }
        throw SignInRejection.providerUnavailable
    }
}

/// A response of the identity provider with a status that cannot be used.
struct IdentityProviderError: Error, CustomStringConvertible {
    /// `token` or `read`.
    let call: String
    let status: Int

    var description: String {
        "The identity provider responded to the call \"\(call)\" with status \(status)."
    }
}

/// The metadata of a provider in memory, read again after an hour; while it cannot be read, the old one is used.
private final class MetadataCache: Sendable {
    private struct State {
        var metadata: ProviderMetadata?
        var readAt: ContinuousClock.Instant?
        var read: Task<ProviderMetadata, any Error>?
        var failure: (at: ContinuousClock.Instant, error: any Error)?
    }

    private static let lifetime = Duration.seconds(3_600)
    /// The pause after a failure, in which no read is tried.
    private static let pause = Duration.seconds(1)
    private let clock: TimeSource
    private let load: @Sendable () async throws -> ProviderMetadata
    // Requests on any thread read it; it is never held during a call.
    private let state = Mutex(State())

    init(clock: TimeSource, load: @escaping @Sendable () async throws -> ProviderMetadata) {
        (self.clock, self.load) = (clock, load)
    }

    func value() async throws -> ProviderMetadata {
        let now = clock.now()
        let (known, read) = state.withLock {
            state -> (Result<ProviderMetadata, any Error>?, Task<ProviderMetadata, any Error>?) in
            let known = state.metadata.map { Result<ProviderMetadata, any Error>.success($0) }
            if let readAt = state.readAt, now < readAt + Self.lifetime { return (known, nil) }
            if let failure = state.failure, now < failure.at + Self.pause {
                return (known ?? .failure(failure.error), nil)
            }
            let read = state.read ?? Task { try await self.read() }
            state.read = read
            return (known, read)
        }
        guard let read else {
            guard let known else { throw SignInRejection.providerUnavailable }
            return try known.get()
        }
        let result = await read.result
        if case .failure = result, let known { return try known.get() }
        return try result.get()
    }

    private func read() async throws -> ProviderMetadata {
        let start = clock.now()
        do {
            let metadata = try await load()
            state.withLock { state in
                (state.metadata, state.readAt) = (metadata, start)
                (state.read, state.failure) = (nil, nil)
            }
            return metadata
        } catch {
            state.withLock { state in (state.read, state.failure) = (nil, (start, error)) }
            throw error
        }
    }
}
