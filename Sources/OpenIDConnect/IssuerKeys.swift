import Brokerage
import Synchronization
import Upstream

/// The keys of an issuer in memory.
///
/// They are fetched when they are needed for the first time, when they are old, and when a token names a key that is
/// not among them, because issuers replace their keys. The rate of these fetches is limited for all tokens together:
/// tokens with invented keys must not make the server send requests. While keys cannot be fetched, those that are known
/// remain valid for a stated time after their last fetch, and tokens do not wait for the next attempt. So a token of a key that
/// the issuer has withdrawn is accepted until the keys are old, and longer only until they can be fetched again.
final class IssuerKeys: Sendable {
    /// The times of ``IssuerKeys``.
    struct Policy: Sendable {
        /// Older keys are fetched again, before they verify a token.
        var refreshInterval = Duration.seconds(300)
        /// So long after their last fetch, keys are no longer valid.
        var lifetime = Duration.seconds(86_400)
        /// Fetches that are allowed at once, after a pause.
        var burst = 5
        /// The pause after which one more fetch is allowed.
        var pause = Duration.seconds(10)
        /// The time after a failed fetch in which tokens of known keys do not wait for the next fetch.
        var failureLifetime = Duration.seconds(60)
    }

    private struct State {
        var keys: JSONWebKeySet?
        var fetchedAt: ContinuousClock.Instant?
        /// The number of successful fetches.
        var fetches = 0
        /// The fetch in flight, which all tokens share.
        var fetch: Task<JSONWebKeySet?, Never>?
        /// When the last fetch failed; nil if it did not.
        var failedAt: ContinuousClock.Instant?
        /// When all fetches of ``Policy/burst`` are allowed again (the generic cell rate algorithm).
        var allowedAt: ContinuousClock.Instant?
    }

    private let policy: Policy
    private let clock: TimeSource
    private let load: @Sendable () async throws -> JSONWebKeySet
    private let report: @Sendable (any Error) -> Void
    /// Called after each fetch, with the fingerprints of the keys.
    private let changed: @Sendable (Set<String>) -> Void
    // Requests on any thread look for keys; it is never held during a call.
    private let state = Mutex(State())

    init(
        _ policy: Policy, clock: TimeSource, load: @escaping @Sendable () async throws -> JSONWebKeySet,
        report: @escaping @Sendable (any Error) -> Void, changed: @escaping @Sendable (Set<String>) -> Void
    ) {
        (self.policy, self.clock, self.load) = (policy, clock, load)
        (self.report, self.changed) = (report, changed)
    }

    /// Returns the key of a token, and fetches the keys before if it is not among them, or if they are old.
    ///
    /// Old keys are used if the fetch fails, or if the rate of fetches allows none now.
    ///
    /// - Throws: `unknownKey`, `algorithmNotAllowed` if the key has another algorithm than the token, and
    ///   `keysUnavailable` if the keys cannot be fetched and those that are known are no longer valid.
    func key(of token: SignedToken) async throws(SignInRejection) -> VerificationKey {
        let (known, areOld, fetches) = validKeys
        if let known, !areOld || refreshAfterFailure(fetches) {
            if let key = known.key(of: token) { return key }
            if known.hasOtherAlgorithm(for: token) { throw .algorithmNotAllowed }
        }
        var (keys, isOwn) = await fetched(after: fetches)
        // For a known key, a fetch of others that has failed is enough.
        if !isOwn, (keys ?? known)?.key(of: token) == nil {
            // The fetch may have begun before the issuer published the key.
            (keys, isOwn) = await fetched(after: validKeys.fetches)
        }
        guard let keys = keys ?? validKeys.keys else { throw .keysUnavailable }
        guard let key = keys.key(of: token) else {
            throw keys.hasOtherAlgorithm(for: token) ? .algorithmNotAllowed : .unknownKey
        }
        return key
    }

    /// Fetches the keys after a signature by the only key was not valid: an issuer without ids has replaced it.
    ///
    /// - Returns: The key, if it is another one than before.
    func replacement(of key: VerificationKey, for token: SignedToken) async -> VerificationKey? {
        guard token.keyID == nil, let new = await fetched(after: validKeys.fetches).keys?.key(of: token),
            new.fingerprint != key.fingerprint
        else { return nil }
        return new
    }

    /// The keys, or nil if there are none or their last fetch is too long ago; whether they are to be fetched again; and the
    /// number of fetches so far.
    private var validKeys: (keys: JSONWebKeySet?, areOld: Bool, fetches: Int) {
        let now = clock.now()
        return state.withLock { state in
            guard let fetchedAt = state.fetchedAt else { return (nil, true, state.fetches) }
            let isValid = now < fetchedAt + policy.lifetime
            return (isValid ? state.keys : nil, now >= fetchedAt + policy.refreshInterval, state.fetches)
        }
    }

    /// Fetches the keys in the background if a fetch has just failed: an issuer that does not respond would delay each token.
    ///
    /// - Returns: False if the caller must wait for a fetch.
    private func refreshAfterFailure(_ fetches: Int) -> Bool {
        let now = clock.now()
        guard let failedAt = state.withLock(\.failedAt), now < failedAt + policy.failureLifetime else {
            return false
        }
        _ = begin(now, after: fetches)
        return true
    }

    /// Whether the keys that are known are valid.
    var areValid: Bool { validKeys.keys != nil }

    /// Fetches the keys in the background if they are old, or if there are none.
    func refreshIfOld() {
        let (_, areOld, fetches) = validKeys
        if areOld { _ = begin(clock.now(), after: fetches) }
    }

    /// The keys of a new fetch, or of one that others have begun.
    ///
    /// - Parameter fetches: The number of fetches when the keys were read. If one has ended since, its keys are returned:
    ///   tokens of a new key that arrive at one time cause one fetch.
    /// - Returns: The keys, nil if the rate of fetches allows none now or if it failed; and whether the fetch began with
    ///   this call.
    private func fetched(after fetches: Int) async -> (keys: JSONWebKeySet?, isOwn: Bool) {
        switch begin(clock.now(), after: fetches) {
        case .notAllowed: (nil, true)
        case .ended(let keys): (keys, false)
        case .begun(let fetch): (await fetch.value, true)
        case .inFlight(let fetch): (await fetch.value, false)
        }
    }

    /// The result of ``begin(_:after:)``.
    private enum Fetch {
        /// The rate of fetches allows none now.
        case notAllowed
        /// One has ended since the keys were read.
        case ended(JSONWebKeySet)
        case begun(Task<JSONWebKeySet?, Never>)
        case inFlight(Task<JSONWebKeySet?, Never>)
    }

    /// Begins a fetch, unless one is in flight, or has ended since the keys were read.
    private func begin(_ now: ContinuousClock.Instant, after fetches: Int) -> Fetch {
        state.withLock { state in
            if let fetch = state.fetch { return .inFlight(fetch) }
            if state.fetches > fetches, let keys = state.keys { return .ended(keys) }
            let allowedAt = max(state.allowedAt ?? now, now) + policy.pause
            guard allowedAt <= now + policy.pause * policy.burst else { return .notAllowed }
            state.allowedAt = allowedAt
            // A task of its own: a client that disconnects does not end the fetch for which others wait.
            let fetch = Task { await self.fetch() }
            state.fetch = fetch
            return .begun(fetch)
        }
    }

    private func fetch() async -> JSONWebKeySet? {
        // The age counts from before the request, because the response is as old.
        let start = clock.now()
        do {
            let keys = try await load()
            state.withLock { state in
                (state.keys, state.fetchedAt, state.fetch, state.failedAt) = (keys, start, nil, nil)
                state.fetches &+= 1
            }
            changed(keys.fingerprints)
            return keys
        } catch {
            state.withLock { ($0.fetch, $0.failedAt) = (nil, clock.now()) }
            report(error)
            return nil
        }
    }
}
