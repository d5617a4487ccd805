package import Brokerage
import PorticoCore
package import Storage
import Synchronization
package import Upstream

/// A consent that a user was sent to give.
package struct PendingAuthorization: Sendable {
    let owner: OwnerID
    let provider: ProviderID
    let environment: Environment
    let redirectURI: HTTPURL
    /// The code verifier (RFC 7636); nil if the provider uses none.
    let verifier: Secret?
    let expiresAt: ContinuousClock.Instant
}

/// The consents that users have begun and not completed.
///
/// Each is found by its state (RFC 6749, section 10.12), once, and only by the user that began it. With SQLite, they are
/// in memory only: after a restart a user begins anew. With PostgreSQL, they are in the database, and another process can
/// complete them.
package final class PendingAuthorizations: Sendable {
    /// The time that a user has for the consent.
    package static let lifetime = Duration.seconds(600)
    /// Of one user at the same time; the oldest make room.
    static let maximumPerUser = 20
    /// Of all users; the oldest of the user with the most make room.
    static let maximumTotal = 10_000

    private struct State {
        var consents = SharedTable<OwnerID, String, PendingAuthorization>(
            maximum: maximumTotal, share: maximumPerUser)
        /// When expired consents are removed next, because that reads all.
        var nextSweep: ContinuousClock.Instant?
    }

    /// The time between two removals of expired consents.
    private static let sweepInterval = Duration.seconds(10)

    // Held for a few look-ups.
    private let state = Mutex(State())
    private let clock: TimeSource
    private let store: AuthorizationStore?

    /// - Parameters:
    ///   - clock: The clock by which consents in memory expire.
    ///   - store: The consents of all processes; nil for those of this process in memory.
    package init(clock: TimeSource, store: AuthorizationStore? = nil) {
        self.clock = clock
        self.store = store
    }

    /// Stores a consent.
    ///
    /// - Throws: `StorageError` if the database cannot be written.
    func begin(_ pending: PendingAuthorization, as name: String) async throws(StorageError) {
        guard let store else { return add(pending, as: name) }
        try await store.add(
            AuthorizationStore.Authorization(
                owner: pending.owner, provider: pending.provider, environment: pending.environment,
                redirectURI: pending.redirectURI.text, verifier: pending.verifier),
            as: name, for: Self.lifetime, maximum: Self.maximumPerUser)
    }

    /// Removes and returns a consent, as ``consume(_:of:at:)``.
    ///
    /// - Throws: `StorageError` if the database cannot be written.
    func complete(
        _ name: String, of owner: OwnerID, at provider: ProviderID
    ) async throws(StorageError) -> PendingAuthorization? {
        guard let store else { return consume(name, of: owner, at: provider) }
        guard let found = try await store.take(name, of: owner, at: provider),
            let redirectURI = HTTPURL(found.redirectURI)
        else { return nil }
        return PendingAuthorization(
            owner: owner, provider: provider, environment: found.environment, redirectURI: redirectURI,
            verifier: found.verifier, expiresAt: clock.now() + Self.lifetime)
    }

    package func add(_ pending: PendingAuthorization, as name: String) {
        let now = clock.now()
        state.withLock { state in
            if state.nextSweep.map({ $0 <= now }) ?? true {
                state.consents.removeAll { $0.expiresAt <= now }
                state.nextSweep = now + Self.sweepInterval
            }
            state.consents.insert(pending, for: name, of: pending.owner)
        }
    }

    /// The users with pending authorizations.
    package var owners: [OwnerID] { state.withLock { $0.consents.owners } }

    /// Removes all states of a user.
    func removeAll(of owner: OwnerID) { state.withLock { _ = $0.consents.removeAll(of: owner) } }

    /// Removes and returns a pending consent; nil for a state that is unknown, used, too old, or of another
    /// user.
    ///
    /// That of another user is not removed: a user who finds a state must not be able to invalidate the
    /// consent.
    package func consume(_ name: String, of owner: OwnerID, at provider: ProviderID) -> PendingAuthorization?
    {
        // States are ASCII. A text that is canonically equivalent to a state must not match it.
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let now = clock.now()
        return state.withLock { state in
            guard let pending = state.consents.value(for: name), pending.owner == owner,
                pending.provider == provider
            else { return nil }
            state.consents.remove(name)
            return pending.expiresAt > now ? pending : nil
        }
    }
}

/// The redirection URIs that may receive an authorization code.
///
/// If a client could name any URI, an attacker could have the code of a user sent to their own server (RFC 9700,
/// section 4.1). So the URIs are listed, and compared as strings.
package struct RedirectPolicy: Sendable {
    private let addresses: Set<HTTPURL>
    private let allowsLoopback: Bool
    private let remedy: String

    /// - Parameters:
    ///   - addresses: The addresses of the settings.
    ///   - allowsLoopback: Whether every loopback address is allowed: for the sandbox.
    ///   - remedy: The remedy in the message of a refusal.
    package init(_ addresses: Set<HTTPURL>, allowsLoopback: Bool, remedy: String) {
        self.addresses = addresses
        self.allowsLoopback = allowsLoopback
        self.remedy = remedy
    }

    /// The address that an argument names.
    ///
    /// - Throws: `FieldError` for one that browsers are not sent back to.
    package func address(_ text: String, argument: String) throws(FieldError) -> HTTPURL {
        guard let url = HTTPURL(text), text.utf8.count <= Self.maximumLength else {
            throw .argument(
                argument,
                "It is no http or https address without a fragment, of \(Self.maximumLength) bytes at most.")
        }
        guard addresses.contains(url) || (allowsLoopback && url.isLoopback) else {
            throw .argument(argument, "It is none that this server sends browsers back to. \(remedy)")
        }
        return url
    }

    private static let maximumLength = 2_000
}
