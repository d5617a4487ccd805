package import Brokerage
import PorticoCore
import Synchronization
package import Upstream

/// A user's consent to an app: returns the access token for calls, and renews it.
///
/// - An access token is valid for about 20 minutes and renewed before its end. Each renewal also replaces
///   the refresh token, which is valid once and for about an hour: if it is lost, the user must consent
///   again.
/// - There is one renewal at a time for all tasks that wait for it. It continues when they are cancelled,
///   and its result is stored before it is used.
/// - ``keepAlive()`` renews the tokens of a user who sends no requests.
/// - The end of a refresh token is stored as a wall time. While the process runs it is also held in the continuous clock, and the
///   earlier of both counts: if the wall clock is set back, the stored time is too late.
package final class SaxoOAuthSession: Sendable {
    private let app: SaxoOAuthClient
    private let credentialStore: any RotatingCredentialStore
    private let channel: ProviderChannel
    private let login: ProviderHTTPClient
    private let renewal: TokenRefreshCoordinator
    /// Of the tokens that it begins with.
    private let firstEnd: Instant?
    // The renewal and `keepAlive` change it; held for a comparison.
    private let refreshEnd = Mutex<RefreshEnd?>(nil)

    /// - Parameters:
    ///   - app: The app that the user consented to.
    ///   - store: Stores the tokens; see ``tokens(forCode:of:proof:over:by:)`` for the first ones.
    ///   - channel: Sends the renewals.
    ///   - end: When the stored tokens end; nil if they were not read yet.
    package init(
        of app: SaxoOAuthClient, storedIn store: any RotatingCredentialStore, over channel: ProviderChannel,
        endingAt end: Instant? = nil
    ) {
        firstEnd = end
        self.app = app
        self.credentialStore = store
        self.channel = channel
        login = Self.login(over: channel)
        renewal = TokenRefreshCoordinator(clock: channel.clock)
    }

    /// Logging in counts against no service group.
    ///
    /// A refusal is one of the token or the code; the app's own secret is refused in the same way.
    private static func login(over channel: ProviderChannel) -> ProviderHTTPClient {
        channel.client(failure: { response, now in
            response.status == 400 ? .unauthorized : ProviderFailure.Cause.status(of: response, now: now)
        })
    }

    // MARK: Consent

    /// Redeems an authorization code for the first tokens.
    ///
    /// - Parameters:
    ///   - code: The code in the address to which the user returned; its state was compared before.
    ///   - app: The app that requested the code.
    ///   - proof: The verifier whose challenge the request for the code contained.
    ///   - channel: Sends the call.
    ///   - deadline: When the response must have arrived.
    /// - Returns: A secret for an ``Upstream/RotatingCredentialStore``.
    /// - Throws: `ProviderFailure`, with the cause `unauthorized` for a code that is invalid or has expired.
    package static func tokens(
        forCode code: String, of app: SaxoOAuthClient, proof: PKCEVerifier? = nil,
        over channel: ProviderChannel,
        by deadline: ContinuousClock.Instant
    ) async throws(ProviderFailure) -> [UInt8] {
        let grant: [(name: String, value: String?)] = [("grant_type", "authorization_code"), ("code", code)]
        return try await tokens(
            grant, provedBy: proof?.verifier, of: app, by: login(over: channel), clock: channel.clock,
            deadline: deadline
        ).tokens.stored
    }

    // MARK: Tokens

    /// When the user must consent again, if the tokens are not renewed before; nil if they were not read
    /// yet.
    package var endsAt: Instant? { renewal.current?.refreshEndsAt ?? firstEnd }

    /// Returns a token that is valid for some time.
    ///
    /// A call does not wait for a renewal while the current token is valid for it.
    ///
    /// - Throws: `ProviderFailure`, with the cause `unauthorized` if the user must consent again.
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

    /// Returns a token other than one that Saxo rejected; nil if there is none.
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
        // It may have joined a renewal that began before the rejection.
        return token == refused ? nil : token
    }

    /// Renews a while before the token for renewals ends, again and again, until the task is cancelled.
    ///
    /// - Throws: `ProviderFailure` when the user must consent again; other failures are tried again a minute later.
    package func keepAlive() async throws(ProviderFailure) {
        let need = TokenFreshness(
            isGood: { [self] tokens, _ in refreshTime(of: tokens) > Self.awayMargin },
            isTolerable: { _, _ in false })
        while true {
            do throws(ProviderFailure) {
                let tokens = try await renewal.value(by: channel.clock.now() + Self.callTime, renewing(need))
                try await pause(refreshTime(of: tokens) / 2)
            } catch {
                guard error.cause != .unauthorized, error.cause != .cancelled else { throw error }
                try await pause(.seconds(60))
            }
        }
    }

    /// Waits for a renewal in progress, so that its result is stored before the process ends.
    func settle() async { await renewal.settle() }

    private func pause(_ duration: Duration) async throws(ProviderFailure) {
        do {
            try await channel.clock.sleep(channel.clock.now() + max(duration, .seconds(1)))
        } catch {
            throw ProviderFailure(.saxo, .cancelled)
        }
    }

    /// Most calls have ended by then; the others renew their token.
    private static let callMargin = Duration.seconds(10)
    /// Half of the lifetime of a refresh token.
    private static let awayMargin = Duration.seconds(1_800)
    /// The time limit of a renewal, whichever task waits for it.
    private static let callTime = Duration.seconds(30)

    // MARK: Renewal

    /// The end of a refresh token in the continuous clock.
    private struct RefreshEnd {
        let token: String
        let end: ContinuousClock.Instant
    }

    /// The time for which the refresh token is still valid, by the clock by which it ends earlier.
    ///
    /// For tokens of another process, or of an earlier one, the continuous clock counts from the first call on.
    private func refreshTime(of tokens: SaxoTokenPair) -> Duration {
        let now = channel.clock.now()
        let stored = tokens.refreshEndsAt.duration(since: channel.clock.wallTime())
        return refreshEnd.withLock { known in
            if let known, known.token == tokens.refresh { return min(stored, now.duration(to: known.end)) }
            known = RefreshEnd(token: tokens.refresh, end: now + stored)
            return stored
        }
    }

    /// The required validity of a token.
    private struct TokenFreshness: Sendable {
        /// There is no reason to renew them.
        let isGood: @Sendable (SaxoTokenPair, Instant) -> Bool
        /// They do where others cannot be had at the moment.
        let isTolerable: @Sendable (SaxoTokenPair, Instant) -> Bool
    }

    private func renewing(_ need: TokenFreshness) -> TokenRefreshCoordinator.Renew {
        { [self] () async throws(ProviderFailure) in try await renew(need) }
    }

    /// Renews the tokens once, or returns tokens that another process stored in the meantime.
    private func renew(_ need: TokenFreshness) async throws(ProviderFailure) -> Entry {
        let held = try await load()
        if need.isGood(held.tokens, channel.clock.wallTime()) { return held }
        let result: Result<Entry, ProviderFailure>
        do {
            result = try await credentialStore.renewing { () async -> Result<Entry, ProviderFailure> in
                await .of { () throws(ProviderFailure) in try await renewAlone(need) }
            }
        } catch {
            return try await fallBack(on: held, after: ProviderFailure(.saxo, .unavailable), need)
        }
        return try result.get()
    }

    /// Renews the tokens once, while no other process does.
    private func renewAlone(_ need: TokenFreshness) async throws(ProviderFailure) -> Entry {
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

    /// Returns the tokens that remain usable after a failed renewal.
    private func fallBack(
        on held: Entry, after failure: ProviderFailure, _ need: TokenFreshness
    ) async throws(ProviderFailure) -> Entry {
        // After a rejection: another process may have used the token and stored the next ones.
        let rest = failure.cause == .unauthorized ? try await load() : held
        let isNew = failure.cause != .unauthorized || rest.version != held.version
        guard isNew, need.isTolerable(rest.tokens, channel.clock.wallTime()) else { throw failure }
        return rest
    }

    /// Requests the next tokens from Saxo, which invalidates the old ones.
    private func exchange(_ old: SaxoTokenPair) async throws(ProviderFailure) -> SaxoTokenPair {
        guard refreshTime(of: old) > .zero else {
            throw ProviderFailure(.saxo, .unauthorized)
        }
        let grant: [(name: String, value: String?)] = [
            ("grant_type", "refresh_token"), ("refresh_token", old.refresh),
        ]
        var (new, end) = try await Self.tokens(
            grant, provedBy: old.verifier, of: app, by: login, clock: channel.clock,
            deadline: channel.clock.now() + Self.callTime)
        refreshEnd.withLock { $0 = RefreshEnd(token: new.refresh, end: end) }
        new.takesTradeLevel = old.takesTradeLevel
        return new
    }

    /// - Returns: The tokens, and the end of the refresh token in the continuous clock.
    private static func tokens(
        _ grant: [(name: String, value: String?)], provedBy verifier: String?, of app: SaxoOAuthClient,
        by caller: ProviderHTTPClient, clock: TimeSource, deadline: ContinuousClock.Instant
    ) async throws(ProviderFailure) -> (tokens: SaxoTokenPair, refreshEnd: ContinuousClock.Instant) {
        let grant = grant + [("code_verifier", verifier)]
        guard let request = app.tokenRequest(grant, deadline: deadline) else {
            throw ProviderFailure(.saxo, transport: .badURL)
        }
        let (start, startOfCall) = (clock.wallTime(), clock.now())
        let response = try await caller.call("token", request, in: CallContext(deadline: deadline)) {
            response throws(JSONError) in
            try SaxoTokenResponse(json: response.body)
        }
        let tokens = response.tokens(asOf: start, verifier: verifier)
        return (tokens, startOfCall + tokens.refreshEndsAt.duration(since: start))
    }

    // MARK: Keeping

    /// Tokens, and the version under which they are stored or which they replace.
    typealias Entry = TokenRefreshCoordinator.Entry

    /// Returns the stored tokens; tokens that could not be stored take precedence, because only this process
    /// has them.
    private func load() async throws(ProviderFailure) -> Entry {
        if let unkept = renewal.unsaved { return try await store(unkept) }
        let stored: VersionedCredential?
        do {
            stored = try await credentialStore.load()
        } catch {
            throw ProviderFailure(.saxo, .unavailable)
        }
        guard let stored, let tokens = SaxoTokenPair(stored: stored.secret) else {
            throw ProviderFailure(.saxo, .unauthorized)
        }
        return Entry(tokens: tokens, version: stored.version)
    }

    /// Stores new tokens before they are used; if others were stored in the meantime, those are newer.
    private func store(_ new: Entry) async throws(ProviderFailure) -> Entry {
        let version: Int64?
        do {
            version = try await credentialStore.replace(new.tokens.stored, ifVersion: new.version)
        } catch {
            // The old tokens are invalid, so the new ones are used anyway and stored at the next
            // opportunity.
            renewal.setUnsaved(new)
            return new
        }
        renewal.setUnsaved(nil)
        guard let version else { return try await load() }
        return Entry(tokens: new.tokens, version: version)
    }
}
