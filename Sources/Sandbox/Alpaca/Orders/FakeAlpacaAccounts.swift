import Brokerage
import Synchronization

/// The accounts of all users at Alpaca, in memory; each is worked up to the moment before it is looked at.
///
/// A lock, because looking at an account changes it, and requests come from many tasks at once.
final class FakeAlpacaAccounts: Resettable {
    private let seed: UInt64
    private let sharesPerSecond: Int?
    private let state = Mutex(State())

    private struct State {
        var accounts: [String: FakeAlpacaAccount] = [:]
        var listeners: [Int: Listener] = [:]
        var next = 0
    }

    private struct Listener {
        let user: String
        let continuation: AsyncStream<FakeAlpacaTradeEvent>.Continuation
    }

    init(seed: UInt64, _ settings: FakeAlpacaSettings) {
        self.seed = seed
        sharesPerSecond = settings.sharesPerSecond
    }

    /// A user's account as it stands.
    func account(of visit: FakeAlpacaHost.AuthenticatedRequest) throws -> FakeAlpacaAccount {
        try with(visit) { $0 }
    }

    /// Looks at the account of the user who asks, or changes it.
    func with<Result: Sendable>(
        _ visit: FakeAlpacaHost.AuthenticatedRequest, _ body: (inout FakeAlpacaAccount) throws -> Result
    ) throws -> Result {
        try with(visit.user, visit.view, at: visit.now, body)
    }

    /// Looks at a user's account, or changes it.
    func with<Result: Sendable>(
        _ user: SandboxUser, _ view: MarketView, at now: Instant,
        _ body: (inout FakeAlpacaAccount) throws -> Result
    ) throws -> Result {
        try state.withLock { state in
            var account = state.accounts[user.name] ?? FakeAlpacaAccount(user, seed: seed, sharesPerSecond)
            defer {
                for event in account.drainEvents().sorted(by: { $0.time < $1.time }) {
                    for listener in state.listeners.values where listener.user == user.name {
                        listener.continuation.yield(event)
                    }
                }
                state.accounts[user.name] = account
            }
            try account.settle(view, at: now)
            return try body(&account)
        }
    }

    /// What happens to a user's orders from now on; a listener that falls far behind loses the oldest.
    func events(of user: SandboxUser) -> AsyncStream<FakeAlpacaTradeEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: FakeAlpacaTradeEvent.self, bufferingPolicy: .bufferingNewest(1_024))
        let number = state.withLock { state in
            state.next += 1
            state.listeners[state.next] = Listener(user: user.name, continuation: continuation)
            return state.next
        }
        // In a task of its own: the cancellation of a listener's task calls this while it holds the task's lock. `yield`
        // in `with` waits for that lock, and holds the mutex of the state.
        continuation.onTermination = { [weak self] _ in
            Task.detached { self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) } }
        }
        return stream
    }

    /// Forgets orders, fills and watchlists; who listens goes on listening.
    func reset() {
        state.withLock { $0.accounts = [:] }
    }
}
