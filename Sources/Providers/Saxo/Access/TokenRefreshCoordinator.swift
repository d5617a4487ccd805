import Brokerage
import PorticoCore
import Synchronization
import Upstream

/// One renewal for all tasks that wait, which continues when they stop waiting.
///
/// A task stops waiting at its deadline or when it is cancelled. The renewal itself is never cancelled: only
/// its response has the next refresh token.
final class TokenRefreshCoordinator: Sendable {
    /// Tokens, and the version under which they are stored or which they replace.
    struct Entry: Hashable, Sendable {
        var tokens: SaxoTokenPair
        var version: Int64
    }

    typealias Renew = @Sendable () async throws(ProviderFailure) -> Entry
    private typealias Result = Swift.Result<Entry, ProviderFailure>

    private struct State {
        var current: SaxoTokenPair?
        var unsaved: Entry?
        var isRunning = false
        var nextID = 0
        var waiters: [Int: AsyncStream<Result>.Continuation] = [:]
        /// The waiters for the end of the renewal.
        var settling: [CheckedContinuation<Void, Never>] = []

        /// - Returns: Whether the caller must start a renewal.
        mutating func begin() -> Bool {
            defer { isRunning = true }
            return !isRunning
        }
    }

    // Held for a few lines each, never across a suspension.
    private let state = Mutex(State())
    private let clock: TimeSource

    init(clock: TimeSource) {
        self.clock = clock
    }

    /// The tokens of the last renewal.
    var current: SaxoTokenPair? { state.withLock { $0.current } }

    /// New tokens that could not be stored.
    var unsaved: Entry? { state.withLock { $0.unsaved } }

    func setUnsaved(_ entry: Entry?) {
        state.withLock { $0.unsaved = entry }
    }

    /// Waits for the renewal in progress, or starts `renew`.
    ///
    /// - Throws: The failure of the renewal; `timedOut` at the deadline, `cancelled` with the task.
    func value(by deadline: ContinuousClock.Instant, _ renew: @escaping Renew) async throws(ProviderFailure)
        -> SaxoTokenPair
    {
        if Task.isCancelled { throw ProviderFailure(.saxo, .cancelled) }
        let (results, waiter) = AsyncStream.makeStream(of: Result.self)
        let (id, starts) = state.withLock { state in
            state.nextID += 1
            state.waiters[state.nextID] = waiter
            return (state.nextID, state.begin())
        }
        if starts { launch(renew) }
        let timeout = Task { [clock] in
            if (try? await clock.sleep(deadline)) != nil {
                waiter.yield(.failure(ProviderFailure(.saxo, .timedOut)))
            }
        }
        defer {
            timeout.cancel()
            state.withLock { $0.waiters[id] = nil }
        }
        var iterator = results.makeAsyncIterator()
        guard let result = await iterator.next() else { throw ProviderFailure(.saxo, .cancelled) }
        return try result.get().tokens
    }

    /// Waits until no renewal is in progress; the end of the process would lose its response.
    func settle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.isRunning { state.settling.append(continuation) }
                return !state.isRunning
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Starts a renewal without waiting for it, unless one is in progress.
    func start(_ renew: @escaping Renew) {
        if state.withLock({ $0.begin() }) { launch(renew) }
    }

    /// Detached, because it belongs to all who wait and outlives each of them.
    private func launch(_ renew: @escaping Renew) {
        Task.detached { [self] in await run(renew) }
    }

    private func run(_ renew: Renew) async {
        let result = await Result.of(renew)
        let (waiters, settling) = state.withLock { state in
            if case .success(let entry) = result { state.current = entry.tokens }
            state.isRunning = false
            defer { (state.waiters, state.settling) = ([:], []) }
            return (state.waiters.values, state.settling)
        }
        for waiter in waiters { waiter.yield(result) }
        for waiter in settling { waiter.resume() }
    }
}
