package import Brokerage
package import Storage
import Synchronization

/// Keeps one lease for this process, and executes work while it is held.
package final class LeaseKeeper: Sendable {
    private let name: String
    private let owner: String
    private let store: LeaseStore
    private let times: LeaseTimes
    private let clock: TimeSource
    private let report: @Sendable (StorageError) -> Void
    /// A lock, because any thread reads the epoch while the task of the lease renews it.
    private let state: Mutex<State>

    private struct State {
        var lease: LeaseState
        /// Whether the database may have the lease for this owner: also after a request without a response, or after the fence.
        var mayBeStored = false
        var work: Task<Void, Never>?
    }

    /// - Parameters:
    ///   - name: The name of the lease.
    ///   - store: The leases.
    ///   - times: The times of the lease.
    ///   - clock: The clock of this process.
    ///   - report: Called if the lease cannot be taken or renewed.
    package init(
        _ name: String, in store: LeaseStore, times: LeaseTimes = LeaseTimes(),
        clock: TimeSource = .system, report: @escaping @Sendable (StorageError) -> Void = { _ in }
    ) {
        (self.name, self.store, self.times) = (name, store, times)
        (self.clock, self.report) = (clock, report)
        owner = store.newOwner()
        state = Mutex(State(lease: LeaseState(times)))
    }

    /// The epoch of the lease if this process holds it now; nil otherwise.
    package var epoch: Int64? { state.withLock { $0.lease.epoch(at: clock.now()) } }

    /// Takes the lease whenever it is free, and executes work while this process holds it, until the task is cancelled.
    ///
    /// Then the lease is released after the work has ended. If a request had no response, it may be held without this process
    /// knowing it, also after a refusal that came later, and is released too.
    ///
    /// - Parameter work: Executed with the epoch of each time that the lease is acquired; its task is cancelled when the
    ///   lease is lost.
    package func run(_ work: @escaping @Sendable (_ epoch: Int64) async -> Void) async {
        await withDiscardingTaskGroup { group in
            group.addTask { [self] in await fence() }
            await renew(work)
            group.cancelAll()
        }
        let (mayBeStored, task) = state.withLock { state in
            state.lease.end()
            defer { (state.mayBeStored, state.work) = (false, nil) }
            return (state.mayBeStored, state.work)
        }
        task?.cancel()
        await task?.value
        guard mayBeStored else { return }
        // Not in this task, which is cancelled.
        await Task { [store, name, owner] in try? await store.release(name, by: owner) }.value
    }

    /// Waits for the lease, and executes work once while this process holds it.
    ///
    /// It returns when the work has ended: by itself, or because the lease was lost or the task is cancelled.
    package func once(_ work: @escaping @Sendable (_ epoch: Int64) async -> Void) async {
        let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
        await withDiscardingTaskGroup { group in
            group.addTask { [self] in
                await run { epoch in
                    await work(epoch)
                    continuation.finish()
                }
            }
            for await _ in ended {}
            group.cancelAll()
        }
    }

    private func renew(_ work: @escaping @Sendable (Int64) async -> Void) async {
        while !Task.isCancelled {
            let now = clock.now()
            if state.withLock({ $0.lease.request(at: now) }) {
                do throws(StorageError) {
                    state.withLock { $0.mayBeStored = true }
                    let epoch = try await store.take(name, by: owner, for: times.lifetime)
                    change(starting: work) { lease, now in
                        epoch.map { lease.granted($0, at: now) } ?? lease.refused(at: now)
                    }
                } catch {
                    report(error)
                    change(starting: work) { lease, now in lease.failed(at: now) }
                }
            }
            let due = state.withLock(\.lease.dueAt) ?? clock.now()
            try? await clock.sleep(due)
        }
    }

    /// Stops the work at the fence, also while a renewal waits for its response.
    private func fence() async {
        while !Task.isCancelled {
            let now = clock.now()
            let next = state.withLock { $0.lease.fence(at: now) }
            do { try await clock.sleep(next) } catch { return }
            change(starting: { _ in }) { lease, now in lease.expire(at: now) }
        }
    }

    private func change(
        starting work: @escaping @Sendable (Int64) async -> Void,
        _ transition: (inout LeaseState, ContinuousClock.Instant) -> LeaseState.Change
    ) {
        let now = clock.now()
        state.withLock { state in
            switch transition(&state.lease, now) {
            case .none: break
            case .lost: state.work?.cancel()
            case .acquired(let epoch), .replaced(let epoch):
                // Earlier work may not have ended yet.
                let old = state.work
                old?.cancel()
                state.work = Task {
                    await old?.value
                    await work(epoch)
                }
            }
        }
    }
}
