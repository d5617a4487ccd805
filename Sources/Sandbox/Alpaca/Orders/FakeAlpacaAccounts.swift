import Brokerage
import Synchronization

/// The in-memory Alpaca accounts of all users; each is simulated up to the current moment before access.
///
/// It uses a lock: access changes an account, and tasks access it concurrently.
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
        let continuation: AsyncStream<FakeAlpacaTradeUpdate>.Continuation
    }

    init(seed: UInt64, _ settings: FakeAlpacaSettings) {
        self.seed = seed
        sharesPerSecond = settings.sharesPerSecond
    }

    /// Returns the current state of the user's account.
    func account(of context: FakeAlpacaHost.AuthenticatedRequest) throws -> FakeAlpacaAccount {
        try with(context) { $0 }
    }

    /// Gives access to the account of the authenticated user, for reading or changing it.
    func with<Result: Sendable>(
        _ context: FakeAlpacaHost.AuthenticatedRequest, _ body: (inout FakeAlpacaAccount) throws -> Result
    ) throws -> Result {
        try with(context.user, context.view, at: context.now, body)
    }

    /// Gives access to a user's account, for reading or changing it.
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

    /// Returns the future events of a user's orders; a slow listener loses the oldest ones.
    func events(of user: SandboxUser) -> AsyncStream<FakeAlpacaTradeUpdate> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: FakeAlpacaTradeUpdate.self, bufferingPolicy: .bufferingNewest(1_024))
        let number = state.withLock { state in
            state.next += 1
            state.listeners[state.next] = Listener(user: user.name, continuation: continuation)
            return state.next
        }
        // A separate task avoids a deadlock. The cancellation of a listener's task calls this while it holds
        // the task's lock. `yield` in `with` waits for that lock, and holds the mutex of the state.
        continuation.onTermination = { [weak self] _ in
            Task.detached { self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) } }
        }
        return stream
    }

    /// Deletes orders, fills and watchlists; listeners stay connected.
    func reset() {
        state.withLock { $0.accounts = [:] }
    }
}
