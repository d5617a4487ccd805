import Brokerage
package import Coordination
package import OpenIDConnect
import PorticoCore
package import Storage
import Upstream

/// Signs users in with an identity provider, and accepts its tokens.
///
/// A request that waits for the identity provider has no ``AdmissionSlot`` meanwhile.
package final class IdentityProviderService: Sendable {
    package let provider: IdentityProvider
    private let policy: IdentityPolicy
    private let redirects: RedirectPolicy
    private let identities: IdentityStore
    private let bearers: BearerSessions
    private let report: @Sendable (StorageError) -> Void
    /// The rate of new users, beside the rates of requests.
    private let newUsers = CallRateLimiter<String>(
        perClient: CallRate(burst: 1_000, every: .milliseconds(100)))
    /// The rate of sign-ins that begin, by address.
    private let begins = CallRateLimiter<ClientOrigin>(
        perClient: CallRate(burst: 100, every: .seconds(2)))

    /// How long a sign-in that has begun can be completed.
    static let patience = Duration.seconds(600)

    /// - Parameters:
    ///   - policy: The rules of sign-in.
    ///   - redirects: Where browsers may be redirected after a sign-in.
    ///   - sessions: The sessions of users.
    ///   - changes: Those of other processes.
    ///   - report: Receives errors of storage, whose details clients do not receive.
    ///   - makeProvider: Creates the provider, with a closure that it calls with the fingerprints of its keys after each
    ///     fetch.
    package init(
        _ policy: IdentityPolicy, redirects: RedirectPolicy, sessions: SessionStore, changes: any Changes,
        report: @escaping @Sendable (StorageError) -> Void,
        _ makeProvider: (_ keysChanged: @escaping @Sendable (Set<String>) -> Void) -> IdentityProvider
    ) {
        (self.policy, self.redirects, self.report) = (policy, redirects, report)
        identities = IdentityStore(sessions)
        let bearers = BearerSessions()
        self.bearers = bearers
        // A key that the issuer no longer publishes verifies nothing, including what it has verified.
        provider = makeProvider { keys in bearers.end { !keys.contains($0.keyFingerprint) } }
        sessions.deletions.register(
            owners: { bearers.owners }, release: { owner in bearers.end { $0.owner == owner } })
        // Those that any process has recorded as ended.
        changes.observers.onIdentityEnd { ended in
            bearers.end { session in
                switch ended {
                case .session(let id): session.issuerSessionID == id
                case .subject(let subject): session.identity.subject == subject
                case .unnamedSessions(let subject):
                    session.issuerSessionID == nil && session.identity.subject == subject
                case .token(let hash): session.tokenHash == hash
                case .revoked(let subject, let kept):
                    session.identity.subject == subject && session.tokenHash != kept
                }
            }
        }
    }

    // MARK: - Sign-in by a code

    /// Begins a sign-in.
    func begin(_ input: BeginSignInInput, from address: ClientOrigin) async throws -> SignInStart {
        let redirectURI = try redirects.address(input.redirectURI, argument: "input.redirectUri")
        do {
            try begins.consume(address)
        } catch {
            throw FieldError(error, of: "sign-ins", "from this address")
        }
        let secrets = SignInSecrets()
        let url: HTTPURL
        do throws(SignInRejection) {
            url = try await AdmissionSlot.released { () throws(SignInRejection) in
                try await provider.authorizationURL(secrets, redirectURI: redirectURI)
            }
        } catch {
            throw FieldError(error)
        }
        let pending = PendingSignIn(
            issuer: provider.issuer, clientID: provider.configuration.clientID, redirectURI: redirectURI.text,
            scopes: input.scopes.map { Set($0).union([.read]) }, label: input.label,
            expiresAt: .now + Self.patience)
        try await mapStorageErrors(reporting: report) { () throws(StorageError) in
            try await identities.begin(
                pending, state: secrets.stateHash, browser: secrets.browserHash,
                from: "address \(address.number)")
        }
        return SignInStart(
            url: url.text, state: secrets.state, browserSecret: secrets.browserSecret,
            expiresAt: pending.expiresAt)
    }

    /// Completes a sign-in, and opens a session.
    func complete(_ input: CompleteSignInInput) async throws -> SessionStore.NewSession {
        guard let secrets = SignInSecrets(state: input.state, browserSecret: input.browserSecret) else {
            throw FieldError(SignInRejection.unknownState)
        }
        let taken = try await mapStorageErrors(reporting: report) { () throws(StorageError) in
            try await identities.take(state: secrets.stateHash, browser: secrets.browserHash)
        }
        let pending: PendingSignIn
        switch taken {
        case .signIn(let signIn): pending = signIn
        case .otherBrowser: throw FieldError(SignInRejection.otherBrowser)
        case .unknown: throw FieldError(SignInRejection.unknownState)
        }
        let token: VerifiedToken
        do throws(SignInRejection) {
            // The settings may have changed since.
            guard pending.issuer == provider.issuer, pending.clientID == provider.configuration.clientID
            else {
                throw .wrongIssuer
            }
            token = try await AdmissionSlot.released { () throws(SignInRejection) in
                try await provider.checkIssuer(ofResponse: input.issuer)
                return try await provider.exchange(
                    code: input.code.text, secrets, redirectURI: pending.redirectURI)
            }
        } catch {
            throw FieldError(error)
        }
        let granted = policy.mapping.scopes(of: token.claims)
        guard !granted.isEmpty else { throw FieldError(SignInRejection.noScope) }
        if let missing = pending.scopes?.subtracting(granted), !missing.isEmpty {
            let names = Scope.allCases.filter(missing.contains).map(\.rawValue).joined(separator: ", ")
            throw FieldError(
                .forbidden, "The claims of this user do not give the scope \(names). Begin without it.")
        }
        let scopes = pending.scopes ?? granted.intersection([.read, .write])
        let opened = try await mapStorageErrors(reporting: report) { () throws(StorageError) in
            try await identities.open(
                SessionStore.Options(scopes: scopes, label: pending.label),
                // The nonce of the ID token was made when the sign-in began.
                for: origin(of: token, issuedAfter: pending.expiresAt - Self.patience),
                createsUser: creation)
        }
        do throws(IdentityStore.Refusal) {
            return try opened.get()
        } catch {
            throw FieldError(SignInRejection(error))
        }
    }

    /// What sessions depend on; `start` is the earliest time of the token's issue, by the clock of this server.
    private func origin(of token: VerifiedToken, issuedAfter start: Instant) -> IdentityStore.Origin {
        IdentityStore.Origin(
            Identity(issuer: token.issuer, subject: token.subject), sessionID: token.sessionID,
            issuedAt: token.issuedAt, issuedAfter: start,
            suggestedName: token.claims["preferred_username"]?.text)
    }

    /// Returns whether one more user may be created now; nil if the settings do not permit it.
    private var creation: (@Sendable () -> Bool)? {
        guard policy.createsUsers else { return nil }
        return { [newUsers, issuer = provider.issuer] in
            do {
                try newUsers.consume(issuer)
                return true
            } catch {
                return false
            }
        }
    }

    // MARK: - Bearer tokens

    /// Whether a text has the form of a token that this service verifies.
    package func accepts(_ token: String) -> Bool {
        policy.acceptsBearerTokens && token.utf8.starts(with: "ey".utf8)
            && token.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 2
    }

    /// The session of a token that was verified before; nil if it must be verified.
    ///
    /// It reads memory only.
    package func knownSession(ofToken token: String) -> BearerSession? {
        guard provider.hasValidKeys else { return nil }
        return bearers.session(of: BearerCredential(token), now: .now)
    }

    /// Verifies a token, and finds or creates its user.
    ///
    /// - Throws: The error of the database, without which the token may be valid.
    package func session(
        ofToken token: String
    ) async throws(StorageError) -> Result<BearerSession, SignInRejection> {
        do {
            return .success(try await verifiedSession(ofToken: token))
        } catch let rejection as SignInRejection {
            return .failure(rejection)
        } catch let error as StorageError {
            report(error)
            throw error
        } catch {
            return .failure(.providerUnavailable)
        }
    }

    private func verifiedSession(ofToken text: String) async throws -> BearerSession {
        // A logout in the moment between the look-up of the user and the addition of the session is not missed.
        while true {
            try Task.checkCancellation()
            let ends = bearers.ends
            let token = try await provider.verify(text, for: .bearer)
            let scopes = policy.mapping.scopes(of: token.claims)
            guard !scopes.isEmpty else { throw SignInRejection.noScope }
            let credential = BearerCredential(text)
            let skew = provider.configuration.clockSkew
            let user = try await identities.user(
                of: origin(of: token, issuedAfter: token.issuedAt - skew),
                tokenHash: credential.tokenHash, createsUser: creation)
            let session: BearerSession
            do throws(IdentityStore.Refusal) {
                session = BearerSession(token, of: try user.get(), scopes, credential, skew: skew)
            } catch {
                throw SignInRejection(error)
            }
            if let added = bearers.add(session, since: ends) { return added }
        }
    }

    /// Whether a session has not ended, and its key is still valid.
    package func isValid(_ session: BearerSession) -> Bool {
        !session.validity.hasEnded && Instant.now < session.expiresAt && provider.hasValidKeys
    }

    // MARK: - Sign-out

    /// Ends the session of a bearer token, and refuses the token from now on.
    func signOut(_ session: BearerSession) async throws {
        // Also after a failure, since the database may have stored it: a token that has not ended is verified again.
        defer { bearers.end { $0 === session } }
        try await mapStorageErrors(reporting: report) { () throws(StorageError) in
            try await identities.endToken(
                hash: session.tokenHash, issuer: session.identity.issuer, forgetAt: session.expiresAt)
        }
    }

    /// Ends the sessions of a user's bearer tokens but one in memory, whose tokens the database refuses.
    ///
    /// - Parameters:
    ///   - owner: The user.
    ///   - kept: The session that remains; nil for none.
    func endSessions(of owner: OwnerID, except kept: BearerSession? = nil) {
        bearers.end { $0.owner == owner && $0.tokenHash != kept?.tokenHash }
    }

    /// Ends the sessions that a logout token names (OpenID Connect Back-Channel Logout 1.0, section 2.6).
    ///
    /// With `sid`, these are all of that session, whatever `sub` is, and those of `sub` whose tokens have no `sid`. Sessions
    /// that `sub` determines end only if they began before the logout. A token whose `jti` a process that uses the
    /// database has accepted before is refused.
    package func logOut(with logoutToken: String) async -> Result<Void, SignInRejection> {
        do {
            let token = try await provider.verify(logoutToken, for: .logout)
            guard let id = token.claims["jti"]?.text else { return .failure(.malformedToken) }
            let (skew, subject) = (
                provider.configuration.clockSkew, token.subject.isEmpty ? nil : token.subject
            )
            let logout = IdentityLogout(
                issuer: token.issuer, id: id, sessionID: token.sessionID, subject: subject,
                issuedAt: token.issuedAt,
                expiresAt: token.issuedAt + IdentityProvider.maximumLogoutTokenAge + skew)
            // Also after a failure, since the database may have stored it.
            defer { bearers.end { logout.ends($0.identity, of: $0.issuerSessionID, issuedAt: $0.issuedAt) } }
            let isNew = try await mapStorageErrors(reporting: report) { () throws(StorageError) in
                try await identities.end(
                    logout, forgetAt: .now + IdentityProvider.maximumTokenLifetime + skew * 2)
            }
            guard isNew else { return .failure(.replayed) }
            return .success(())
        } catch let rejection as SignInRejection {
            return .failure(rejection)
        } catch {
            return .failure(.providerUnavailable)
        }
    }

    /// Ends sessions whose tokens have expired, or whose keys are no longer valid, and fetches old keys again.
    ///
    /// It is called several times a second, and neither waits nor blocks.
    package func maintain() {
        guard policy.acceptsBearerTokens else { return }
        bearers.endExpired(at: .now, hasValidKeys: provider.hasValidKeys)
        if !bearers.isEmpty { provider.refreshKeysIfOld() }
    }
}

/// The rules for users of an identity provider.
package struct IdentityPolicy: Sendable {
    package var mapping = ScopeMapping.standard
    /// Whether a user is created at the first sign-in.
    package var createsUsers = false
    /// Whether tokens of the identity provider are accepted as tokens of requests.
    package var acceptsBearerTokens = false

    package init() {}
}

extension SignInRejection {
    init(_ refusal: IdentityStore.Refusal) {
        switch refusal {
        case .unknownUser: self = .unknownUser
        case .signedOut: self = .signedOut
        }
    }
}

extension FieldError {
    /// The error of a refused sign-in, with the reason in `extensions.reason`.
    package init(_ rejection: SignInRejection) {
        let code: ErrorCode =
            switch rejection {
            case .noScope, .unknownUser: .forbidden
            case .keysUnavailable, .providerUnavailable: .providerUnavailable
            case .malformedToken, .algorithmNotAllowed, .unknownKey, .invalidSignature, .wrongTokenType,
                .wrongIssuer, .wrongAudience, .wrongNonce, .expired, .notYetValid, .lifetimeTooLong,
                .signedOut, .replayed,
                .unknownState, .otherBrowser, .codeRefused:
                .unauthenticated
            }
        self.init(code, rejection.message)
        reason = rejection
    }
}
