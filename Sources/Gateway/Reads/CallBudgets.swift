package import Brokerage
package import Coordination
import Synchronization
package import Upstream

/// The calls to providers in a minute of each client without a session or with a guest session, by address.
///
/// A minute begins with a client's first call. The table has a capacity: while it is full, clients outside it
/// share one budget.
package final class CallBudgets: Sendable {
    private struct MinuteCount {
        var calls = 0
        let end: ContinuousClock.Instant
    }

    private struct State {
        var clients: [ClientOrigin: MinuteCount] = [:]
        var others: MinuteCount?
        var nextSweep: ContinuousClock.Instant?
    }

    private let limit: Int
    private let capacity: Int
    private let clock: TimeSource
    // A lock, because calls begin on any thread; held for a look-up.
    private let state = Mutex(State())

    private static let period = Duration.seconds(60)

    /// - Parameters:
    ///   - limit: The calls of one client in a minute; at least 1.
    ///   - capacity: The number of clients with a budget of their own.
    ///   - clock: The clock for the minute.
    package init(limit: Int, capacity: Int = 100_000, clock: TimeSource = .system) {
        (self.limit, self.capacity, self.clock) = (max(limit, 1), max(capacity, 1), clock)
    }

    /// The number of calls that an operation may make for a client with a budget.
    package func budget(of client: ClientOrigin, limit: Int) -> OperationCallBudget {
        OperationCallBudget(limit: limit) { [self] isSpent in limitError(for: client, counting: isSpent) }
    }

    /// Checks whether a client has a call left.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - isSpent: Whether the call is counted.
    /// - Returns: The reason for the refusal; nil if the client has a call left.
    package func limitError(for client: ClientOrigin, counting isSpent: Bool) -> CallRefusal? {
        let now = clock.now()
        let end: ContinuousClock.Instant? = state.withLock { state in
            let isKnown = state.clients[client] != nil || ensureCapacity(in: &state, now)
            let known = isKnown ? state.clients[client] : state.others
            var count = known.flatMap { $0.end > now ? $0 : nil } ?? MinuteCount(end: now + Self.period)
            guard count.calls < limit else { return count.end }
            guard isSpent else { return nil }
            count.calls += 1
            if isKnown { state.clients[client] = count } else { state.others = count }
            return nil
        }
        return end.map { .client(limit: limit, retryAt: clock.wallTime() + now.duration(to: $0)) }
    }

    /// Whether the table has room for a client.
    ///
    /// Removes clients whose minute has ended, at most once a second, because that reads all entries.
    private func ensureCapacity(in state: inout State, _ now: ContinuousClock.Instant) -> Bool {
        if state.clients.count < capacity { return true }
        guard state.nextSweep.map({ $0 <= now }) ?? true else { return false }
        state.nextSweep = now + .seconds(1)
        state.clients = state.clients.filter { $0.value.end > now }
        return state.clients.count < capacity
    }
}
