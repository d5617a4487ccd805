package import Brokerage
import Synchronization
package import Upstream

/// The health of one connection, according to its calls.
///
/// It differs from the provider's health: this credential may be rejected while others are accepted.
package final class ConnectionHealth: Sendable {
    /// The known facts at one time.
    package struct Facts: Hashable, Sendable {
        /// The last call that worked.
        var lastSuccessAt: Instant?
        /// The failure of the calls since then; nil while they succeed.
        package var failure: Failure?

        package struct Failure: Hashable, Sendable {
            var cause: ProviderFailure.Cause
            var since: Instant
        }

        /// Whether the provider refuses the credential.
        var isRejected: Bool { failure?.cause == .unauthorized }

        /// Since when it does; nil while it does not.
        package var rejectedSince: Instant? { isRejected ? failure?.since : nil }
    }

    /// A state of the rejection that a call of this process has changed.
    struct Rejection: Hashable, Sendable {
        /// Since when the provider rejects the credential; nil if it accepts it.
        let since: Instant?
        /// The number of changes up to this one.
        fileprivate let change: Int
    }

    private struct State {
        var facts: Facts
        /// The changes of the rejection by calls of this process, and those of them that are stored.
        var changes = 0
        var storedChanges = 0
    }

    // Calls end on any thread; held for a few stores.
    private let state: Mutex<State>
    let clock: TimeSource
    private let rejectionChanged: @Sendable (ConnectionHealth) -> Void

    /// - Parameters:
    ///   - failure: The failure at the start; nil if there is none.
    ///   - clock: The clock of the times.
    ///   - rejectionChanged: Called when the provider begins to reject the credential, and when it accepts it again. Calls
    ///     end concurrently, so it must read the current state.
    package init(
        failure: Facts.Failure? = nil, clock: TimeSource = .system,
        rejectionChanged: @escaping @Sendable (ConnectionHealth) -> Void = { _ in }
    ) {
        self.clock = clock
        self.rejectionChanged = rejectionChanged
        state = Mutex(State(facts: Facts(failure: failure)))
    }

    package var facts: Facts { state.withLock(\.facts) }

    /// A call has worked.
    package func recordSuccess() {
        let now = clock.wallTime()
        let wasRefused = state.withLock { state in
            defer { state.facts = Facts(lastSuccessAt: now) }
            if state.facts.isRejected { state.changes += 1 }
            return state.facts.isRejected
        }
        if wasRefused { rejectionChanged(self) }
    }

    /// A call has failed.
    package func recordFailure(_ failure: ProviderFailure) {
        guard failure.cause.traits.contains(.concernsConnection) else { return }
        let now = clock.wallTime()
        let isNewRefusal = state.withLock { state in
            let wasRefused = state.facts.isRejected
            // A rejection remains until a call succeeds: an outage of the host does not show whether the
            // credential is valid.
            if wasRefused { return false }
            let since = state.facts.failure?.since ?? now
            state.facts.failure = Facts.Failure(
                cause: failure.cause, since: failure.cause == .unauthorized ? now : since)
            if state.facts.isRejected { state.changes += 1 }
            return state.facts.isRejected
        }
        if isNewRefusal { rejectionChanged(self) }
    }

    // MARK: Several processes

    /// The rejection, if a call of this process has changed it and this is not stored.
    var unstoredRejection: Rejection? {
        state.withLock { state in
            state.changes == state.storedChanges
                ? nil : Rejection(since: state.facts.rejectedSince, change: state.changes)
        }
    }

    /// A rejection was stored, or could not be stored: what is stored from now on is newer.
    func didStore(_ rejection: Rejection) {
        state.withLock { $0.storedChanges = max($0.storedChanges, rejection.change) }
    }

    /// The number of changes by calls of this process, before a read of the stored rejection.
    var changeCount: Int { state.withLock(\.changes) }

    /// Takes the rejection that another process has stored; it is not stored again.
    ///
    /// It has no effect if a call of this process has changed the rejection since the read began, or before and this is not
    /// stored yet: when that is stored, the rejection is read again.
    ///
    /// - Parameters:
    ///   - rejectedSince: Since when the provider rejects the credential; nil if it accepts it.
    ///   - count: ``changeCount`` before the read.
    func adopt(rejectedSince: Instant?, readAfter count: Int) {
        state.withLock { state in
            guard state.changes == count, state.storedChanges == count else { return }
            if let rejectedSince {
                state.facts.failure = Facts.Failure(cause: .unauthorized, since: rejectedSince)
            } else if state.facts.isRejected {
                state.facts.failure = nil
            }
        }
    }
}

/// `ConnectionStatus` of the schema: the state of a connection.
package enum ConnectionStatus: String, Sendable, CaseIterable {
    case active = "ACTIVE"
    case degraded = "DEGRADED"
    case expired = "EXPIRED"
    case revoked = "REVOKED"
    case unreachable = "UNREACHABLE"

    /// Whether the user must connect again.
    var needsRenewal: Bool {
        switch self {
        case .expired, .revoked: true
        case .active, .degraded, .unreachable: false
        }
    }

    /// The state of a connection.
    ///
    /// - Parameters:
    ///   - facts: The facts from its calls.
    ///   - end: When it ends unless it is renewed before.
    ///   - now: The present time.
    init(_ facts: ConnectionHealth.Facts, endsAt end: Instant?, now: Instant) {
        if let end, end <= now {
            self = .expired
            return
        }
        self =
            switch facts.failure?.cause {
            case nil: .active
            case .unauthorized: .revoked
            // The settings of the server do not connect with the provider any more.
            case .unsupported: .unreachable
            case let cause?: cause.traits.contains(.unreachable) ? .unreachable : .degraded
            }
    }
}
