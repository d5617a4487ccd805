import Brokerage
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
    private typealias Waiter = CheckedContinuation<Result, Never>

    private struct State {
        var current: SaxoTokenPair?
        var unsaved: Entry?
        var isRunning = false
        var nextID = 0
        /// The waiters, and those about to wait.
        var present: Set<Int> = []
        var waiters: [Int: Waiter] = [:]
        /// The waiters that were cancelled before their wait began.
        var earlyFailures: [Int: ProviderFailure] = [:]
        /// The waiters for the end of the renewal.
        var settling: [CheckedContinuation<Void, Never>] = []
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
        let id = state.withLock { state in
            state.nextID += 1
            state.present.insert(state.nextID)
            return state.nextID
        }
        let alarm = Task { [self] in
            guard (try? await clock.sleep(deadline)) != nil else { return }
            cancelWait(id, ProviderFailure(.saxo, .timedOut))
        }
        defer { alarm.cancel() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in wait(id, continuation, renew) }
        } onCancel: {
            cancelWait(id, ProviderFailure(.saxo, .cancelled))
        }
        state.withLock { state in
            state.present.remove(id)
            state.earlyFailures[id] = nil
        }
        return try result.get().tokens
    }

    private func wait(_ id: Int, _ continuation: Waiter, _ renew: @escaping Renew) {
        let (failure, starts) = state.withLock { state -> (ProviderFailure?, Bool) in
            if let failure = state.earlyFailures.removeValue(forKey: id) { return (failure, false) }
            state.waiters[id] = continuation
            defer { state.isRunning = true }
            return (nil, !state.isRunning)
        }
        if let failure { continuation.resume(returning: .failure(failure)) }
        if starts { launch(renew) }
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
        let starts = state.withLock { state in
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { launch(renew) }
    }

    /// Detached, because it belongs to all who wait and outlives each of them.
    private func launch(_ renew: @escaping Renew) {
        Task.detached { [self] in await run(renew) }
    }

    private func run(_ renew: Renew) async {
        let result: Result
        do throws(ProviderFailure) {
            result = .success(try await renew())
        } catch {
            result = .failure(error)
        }
        let (waiters, settling) = state.withLock { state in
            if case .success(let entry) = result { state.current = entry.tokens }
            state.isRunning = false
            defer { (state.waiters, state.settling) = ([:], []) }
            return (state.waiters.values, state.settling)
        }
        for waiter in waiters { waiter.resume(returning: result) }
        for waiter in settling { waiter.resume() }
    }

    private func cancelWait(_ id: Int, _ failure: ProviderFailure) {
        let waiter = state.withLock { state -> Waiter? in
            if let waiter = state.waiters.removeValue(forKey: id) { return waiter }
            if state.present.contains(id) { state.earlyFailures[id] = failure }
            return nil
        }
        waiter?.resume(returning: .failure(failure))
    }
}
