import Brokerage
import Storage
import Synchronization
import Upstream

/// A consent that a user was sent to give.
struct PendingAuthorization: Sendable {
    let owner: OwnerID
    let provider: Provider
    let environment: Environment
    let redirectURI: HTTPURL
    /// What proves that who asked for the code is who trades it (RFC 7636); nil where the provider takes none.
    let verifier: Secret?
    let expiresAt: ContinuousClock.Instant
}

/// The consents that users have been sent to give and not come back with.
///
/// Each is found by its state (RFC 6749, section 10.12), once, and by the user that it was made for. They are in memory
/// only: after a restart a user begins anew.
final class PendingAuthorizations: Sendable {
    /// How long a user may take.
    static let lifetime = Duration.seconds(600)
    /// Of one user at the same time; the oldest make room.
    static let mostOfOne = 20
    /// Of all users, likewise.
    static let most = 10_000

    private struct State {
        var byState: [String: PendingAuthorization] = [:]
        /// Oldest first; what was taken stays until its turn to go comes.
        var order: [String] = []
    }

    // Held for a look-up, or once in a while for a sweep.
    private let state = Mutex(State())
    private let clock: CallClock

    init(clock: CallClock) {
        self.clock = clock
    }

    func add(_ pending: PendingAuthorization, as name: String) {
        let now = clock.now()
        state.withLock { state in
            state.order.removeAll { state.byState[$0].map { $0.expiresAt <= now } ?? true }
            let known = Set(state.order)
            state.byState = state.byState.filter { known.contains($0.key) }
            let own = state.order.filter { state.byState[$0]?.owner == pending.owner }
            for surplus in own.dropLast(Self.mostOfOne - 1) { state.byState[surplus] = nil }
            if state.byState.count >= Self.most,
                let oldest = state.order.first(where: { state.byState[$0] != nil })
            {
                state.byState[oldest] = nil
            }
            state.byState[name] = pending
            state.order.append(name)
        }
    }

    /// Takes out what a user was sent for; nil for a state that is unknown, used, too old, or somebody else's.
    ///
    /// Of somebody else it is left in its place: who finds a state must not be able to spoil the consent.
    func take(_ name: String, of owner: OwnerID, at provider: Provider) -> PendingAuthorization? {
        let now = clock.now()
        return state.withLock { state in
            guard let pending = state.byState[name], pending.owner == owner, pending.provider == provider
            else { return nil }
            state.byState[name] = nil
            return pending.expiresAt > now ? pending : nil
        }
    }
}
