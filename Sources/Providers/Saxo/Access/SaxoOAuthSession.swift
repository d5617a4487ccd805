package import Brokerage
package import Upstream

/// A user's consent to an app: hands out the token for calls, and renews it.
///
/// - A token for calls is good for some 20 minutes and renewed ahead of its end. Each renewal also changes the token
///   for the next one, which is good once and for about an hour: losing one means that the user must consent again.
/// - So there is one renewal at a time, whoever waits for it; it goes on when they leave; and what it brings is kept
///   before it is used.
/// - ``keepAlive()`` renews for a user who is away.
package final class SaxoOAuthSession: Sendable {
    private let app: SaxoOAuthClient
    private let credentialStore: any RotatingCredentialStore
    private let channel: ProviderChannel
    private let login: ProviderHTTPClient
    private let renewal: TokenRefreshCoordinator
    /// Of the tokens that it begins with.
    private let firstEnd: Instant?

    /// - Parameters:
    ///   - app: The app that the user consented to.
    ///   - keeper: Keeps the tokens; see ``tokens(forCode:of:proof:over:by:)`` for the first ones.
    ///   - line: What renewals go over.
    ///   - end: When the tokens end that are kept now; nil where nobody has looked.
    package init(
        of app: SaxoOAuthClient, kept keeper: any RotatingCredentialStore, over line: ProviderChannel,
        endingAt end: Instant? = nil
    ) {
        firstEnd = end
        self.app = app
        self.credentialStore = keeper
        self.channel = line
        login = Self.login(over: line)
        renewal = TokenRefreshCoordinator(clock: line.clock)
    }

    /// Logging in counts against no service group.
    ///
    /// A refusal is one of the token or the code; the app's own secret is
    /// refused in the same way.
    private static func login(over line: ProviderChannel) -> ProviderHTTPClient {
        line.client(failure: { response, now in
            response.status == 400 ? .unauthorized : ProviderFailure.Cause.status(of: response, now: now)
        })
    }

    // MARK: Consent

    /// Trades the code that a user brought back for the first tokens.
    ///
    /// - Parameters:
    ///   - code: of the address that the user was sent back to, once its state was compared.
    ///   - app: the app that asked.
    ///   - proof: the key that the request for the code had the challenge of.
    ///   - line: what the call goes over.
    ///   - deadline: when the answer must be there.
    /// - Returns: a secret for a ``Upstream/RotatingCredentialStore`` to keep.
    /// - Throws: `ProviderFailure`, with the cause `unauthorized` for a code that is not good, or not any more.
    package static func tokens(
        forCode code: String, of app: SaxoOAuthClient, proof: PKCEVerifier? = nil, over line: ProviderChannel,
        by deadline: ContinuousClock.Instant
    ) async throws(ProviderFailure) -> [UInt8] {
        let grant: [(name: String, value: String?)] = [("grant_type", "authorization_code"), ("code", code)]
        return try await tokens(
            grant, provedBy: proof?.verifier, of: app, by: login(over: line), clock: line.clock,
            deadline: deadline
        ).stored
    }

    // MARK: Tokens

    /// When the user must consent again unless the tokens are renewed before; nil where nobody has looked yet.
    package var endsAt: Instant? { renewal.current?.refreshEndsAt ?? firstEnd }

    /// A token that is good for a while yet.
    ///
    /// Nobody waits for a renewal while the token in hand is good for the call.
    ///
    /// - Throws: `ProviderFailure`, with the cause `unauthorized` where the user must consent again.
    package func token(by deadline: ContinuousClock.Instant) async throws(ProviderFailure) -> SaxoToken {
        let need = TokenFreshness(isGood: { $0.renewAt > $1 }, isTolerable: { $0.accessEndsAt > $1 })
        let now = channel.clock.wallTime()
        if let current = renewal.current,
            current.accessEndsAt > now + Self.callMargin || current.renewAt > now
        {
            if current.renewAt <= now { renewal.start(renewing(need)) }
            return current.access
        }
        return try await renewal.value(by: deadline, renewing(need)).access
    }

    /// A token other than one that Saxo refused; nil where there is none to be had.
    func token(
        after refused: SaxoToken, by deadline: ContinuousClock.Instant
    ) async throws(ProviderFailure) -> SaxoToken? {
        let need = TokenFreshness(
            isGood: { $0.access != refused && $0.renewAt > $1 },
            isTolerable: { $0.access != refused && $0.accessEndsAt > $1 })
        if let current = renewal.current, need.isGood(current, channel.clock.wallTime()) {
            return current.access
        }
        let token = try await renewal.value(by: deadline, renewing(need)).access
        // It may have joined a renewal that did not know of the refusal.
        return token == refused ? nil : token
    }

    /// Renews a while before the token for renewals ends, again and again, until the task is cancelled.
    ///
    /// - Throws: `ProviderFailure` when the user must consent again; other failures are tried again a minute later.
    package func keepAlive() async throws(ProviderFailure) {
        let need = TokenFreshness(
            isGood: { $0.refreshEndsAt > $1 + Self.awayMargin }, isTolerable: { _, _ in false })
        while true {
            do throws(ProviderFailure) {
                let tokens = try await renewal.value(by: channel.clock.now() + Self.callTime, renewing(need))
                try await pause(tokens.refreshEndsAt.duration(since: channel.clock.wallTime()) / 2)
            } catch {
                switch error.cause {
                case .unauthorized, .cancelled: throw error
                case .unavailable, .circuitOpen, .timedOut, .invalidResponse, .notEntitled, .notFound,
                    .rateLimited,
                    .quotaExhausted, .unsupported, .overloaded, .feedFull, .notAllowed:
                    try await pause(.seconds(60))
                }
            }
        }
    }

    /// Waits for a renewal that is under way, so that what it brings is kept before the process ends.
    func settle() async { await renewal.settle() }

    private func pause(_ duration: Duration) async throws(ProviderFailure) {
        do {
            try await channel.clock.sleep(channel.clock.now() + max(duration, .seconds(1)))
        } catch {
            throw ProviderFailure(.saxo, .cancelled)
        }
    }

    /// A call is over by then, mostly; the few that are not find another token.
    private static let callMargin = Duration.seconds(10)
    /// Half of what a token for renewals lives.
    private static let awayMargin = Duration.seconds(1_800)
    /// How long a renewal may take, whoever waits for it.
    private static let callTime = Duration.seconds(30)

    // MARK: Renewal

    /// What tokens are wanted for, by the time that it is.
    private struct TokenFreshness: Sendable {
        /// There is no reason to renew them.
        let isGood: @Sendable (SaxoTokenPair, Instant) -> Bool
        /// They do where others cannot be had at the moment.
        let isTolerable: @Sendable (SaxoTokenPair, Instant) -> Bool
    }

    private func renewing(_ need: TokenFreshness) -> TokenRefreshCoordinator.Renew {
        { [self] () async throws(ProviderFailure) in try await renew(need) }
    }

    /// One renewal, or what another process kept meanwhile.
    private func renew(_ need: TokenFreshness) async throws(ProviderFailure) -> Entry {
        var held = try await load()
        if need.isGood(held.tokens, channel.clock.wallTime()) { return held }
        // The second time for tokens that have ended already when they come.
        for _ in 0..<2 {
            let new: SaxoTokenPair
            do throws(ProviderFailure) {
                new = try await exchange(held.tokens)
            } catch {
                return try await fallBack(on: held, after: error, need)
            }
            held = try await store(Entry(tokens: new, version: held.version))
            let now = channel.clock.wallTime()
            if need.isGood(held.tokens, now) || held.tokens.accessEndsAt > now { return held }
        }
        throw ProviderFailure(.saxo, .invalidResponse(nil))
    }

    /// What is left where a renewal failed.
    private func fallBack(
        on held: Entry, after failure: ProviderFailure, _ need: TokenFreshness
    ) async throws(ProviderFailure) -> Entry {
        // Refused: another process may have used the token, and kept the next ones.
        let rest = failure.cause == .unauthorized ? try await load() : held
        let isNew = failure.cause != .unauthorized || rest.version != held.version
        guard isNew, need.isTolerable(rest.tokens, channel.clock.wallTime()) else { throw failure }
        return rest
    }

    /// Asks Saxo for the next tokens, which spends the old ones.
    private func exchange(_ old: SaxoTokenPair) async throws(ProviderFailure) -> SaxoTokenPair {
        guard old.refreshEndsAt > channel.clock.wallTime() else {
            throw ProviderFailure(.saxo, .unauthorized)
        }
        let grant: [(name: String, value: String?)] = [
            ("grant_type", "refresh_token"), ("refresh_token", old.refresh),
        ]
        return try await Self.tokens(
            grant, provedBy: old.verifier, of: app, by: login, clock: channel.clock,
            deadline: channel.clock.now() + Self.callTime)
    }

    private static func tokens(
        _ grant: [(name: String, value: String?)], provedBy verifier: String?, of app: SaxoOAuthClient,
        by caller: ProviderHTTPClient, clock: TimeSource, deadline: ContinuousClock.Instant
    ) async throws(ProviderFailure) -> SaxoTokenPair {
        let grant = grant + [("code_verifier", verifier)]
        guard let request = app.tokenRequest(grant, deadline: deadline) else {
            throw ProviderFailure(.saxo, transport: .badURL)
        }
        let start = clock.wallTime()
        let answer = try await caller.call("token", request, in: CallContext(deadline: deadline)) {
            response throws(JSONError) in
            try JSONReader.read(response.body) { reader throws(JSONError) in
                try SaxoTokenResponse(json: &reader)
            }
        }
        return answer.tokens(asOf: start, verifier: verifier)
    }

    // MARK: Keeping

    /// Tokens, and the version that they are kept under or take the place of.
    typealias Entry = TokenRefreshCoordinator.Entry

    /// What is kept; what could not be comes first, as it is nowhere else but here.
    private func load() async throws(ProviderFailure) -> Entry {
        if let unkept = renewal.unsaved { return try await store(unkept) }
        let kept: VersionedCredential?
        do {
            kept = try await credentialStore.load()
        } catch {
            throw ProviderFailure(.saxo, .unavailable)
        }
        guard let kept, let tokens = SaxoTokenPair(stored: kept.secret) else {
            throw ProviderFailure(.saxo, .unauthorized)
        }
        return Entry(tokens: tokens, version: kept.version)
    }

    /// Keeps new tokens before anybody uses them; where others were kept meanwhile, those are newer.
    private func store(_ new: Entry) async throws(ProviderFailure) -> Entry {
        let version: Int64?
        do {
            version = try await credentialStore.replace(new.tokens.stored, ifVersion: new.version)
        } catch {
            // The old ones are spent, so these are used all the same, and kept with the next chance.
            renewal.setUnsaved(new)
            return new
        }
        renewal.setUnsaved(nil)
        guard let version else { return try await load() }
        return Entry(tokens: new.tokens, version: version)
    }
}
