import Synchronization
package import Upstream

/// A value that is looked after while somebody watches it, once for all who do.
package final class SharedSubscription<Value: Sendable>: Sendable {
    package typealias Update = Result<Value, any Error>
    /// Tells a watch its answers until it is cancelled.
    package typealias Work = @Sendable (_ watch: SharedSubscription, _ turn: SubscriptionRun) async -> Void

    private struct State {
        var watchers: [Int: AsyncStream<Update>.Continuation] = [:]
        var nextNumber = 0
        var latest: Update?
        /// What looks after the value, while anybody watches.
        var work: Task<Void, Never>?
        /// How often that has begun.
        var runCount = 0
        var nudge: AsyncStream<Void>.Continuation?
        /// What was watched is no more.
        var isOver = false
    }

    private let work: Work
    // Held while a value is sent to all watchers, so that all receive the values in the same order. Nothing is
    // awaited while it is held.
    private let state = Mutex(State())

    /// - Parameter work: What looks after the value.
    package init(_ work: @escaping Work) {
        self.work = work
    }

    /// One that is read again and again.
    ///
    /// - Parameters:
    ///   - pace: How often.
    ///   - clock: What that is measured by.
    ///   - read: Reads the value.
    package convenience init(
        _ pace: PollingPolicy, _ clock: TimeSource, reading read: @escaping @Sendable () async -> Update
    ) {
        self.init { watch, turn in
            var failures = 0
            var timer: Task<Void, any Error>?
            defer { timer?.cancel() }
            for await _ in turn.nudges {
                timer?.cancel()
                let answer = await read()
                watch.publish(answer)
                if case .failure = answer { failures += 1 } else { failures = 0 }
                let next = clock.now() + pace.pause(after: failures)
                timer = Task {
                    try await clock.sleep(next)
                    watch.nudge()
                }
                try? await clock.sleep(clock.now() + pace.minimumInterval)
            }
        }
    }

    /// The latest value at once, where one is known, then each that follows; who is slow is told the latest.
    ///
    /// It ends when what is watched is no more.
    package func values() -> AsyncStream<Update> {
        let (stream, watcher) = AsyncStream.makeStream(of: Update.self, bufferingPolicy: .bufferingNewest(1))
        let number: Int? = state.withLock { state in
            if state.isOver { return nil }
            state.nextNumber += 1
            state.watchers[state.nextNumber] = watcher
            if let latest = state.latest { watcher.yield(latest) }
            if state.work == nil { start(&state) }
            return state.nextNumber
        }
        if let number {
            // In a task of its own: the cancellation of a watcher's task calls this while it holds the task's lock.
            // `yield` in `tell` waits for that lock, and holds the mutex for which `leave` waits.
            watcher.onTermination = { _ in Task.detached { self.removeWatcher(number) } }
        } else {
            watcher.finish()
        }
        return stream
    }

    /// Tells those who watch; what is cancelled has no say any more.
    package func publish(_ answer: Update) {
        if Task.isCancelled { return }
        state.withLock { state in
            guard !state.watchers.isEmpty else { return }
            state.latest = answer
            for watcher in state.watchers.values { watcher.yield(answer) }
        }
    }

    /// There may be something new.
    func nudge() {
        _ = state.withLock(\.nudge)?.yield()
    }

    /// Begins anew, for those who watch already, too.
    func restart() {
        let work = state.withLock { state -> Task<Void, Never>? in
            guard state.work != nil else { return nil }
            defer { start(&state) }
            return state.work
        }
        work?.cancel()
    }

    /// What is watched is no more.
    func end() {
        let (watchers, work) = state.withLock { state in
            defer {
                state.isOver = true
                state.watchers = [:]
                settleDown(&state)
            }
            return (Array(state.watchers.values), state.work)
        }
        work?.cancel()
        for watcher in watchers { watcher.finish() }
    }

    private func start(_ state: inout State) {
        let (nudges, nudge) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        // The first one.
        nudge.yield()
        state.nudge = nudge
        state.runCount += 1
        let turn = SubscriptionRun(number: state.runCount, nudges: nudges)
        // A task of its own, because it belongs to all who watch and not to the first.
        state.work = Task.detached { [self] in await work(self, turn) }
    }

    private func settleDown(_ state: inout State) {
        state.work = nil
        state.nudge = nil
        // Who comes later is not told what nobody has looked after since.
        state.latest = nil
    }

    private func removeWatcher(_ number: Int) {
        let work = state.withLock { state -> Task<Void, Never>? in
            state.watchers[number] = nil
            guard state.watchers.isEmpty else { return nil }
            defer { settleDown(&state) }
            return state.work
        }
        work?.cancel()
    }
}

/// What the work of a watch is given each time that it begins.
package struct SubscriptionRun: Sendable {
    /// Greater than that of any turn before, which may not have come to its end yet, or even to its beginning.
    let number: Int
    /// Each says that there may be something new; the first comes at once.
    let nudges: AsyncStream<Void>
}

/// How often what is watched is read.
package struct PollingPolicy: Sendable {
    /// Often enough for a screen, and a small part of any broker's quota.
    var interval = Duration.seconds(5)
    /// The least between two readings, however often something changes.
    var minimumInterval = Duration.seconds(1)
    /// The longest pause while reads fail.
    ///
    /// The pause doubles with each attempt.
    var maximumPause = Duration.seconds(60)

    /// The pause before the next read, after a number of consecutive failed reads.
    func pause(after failures: Int) -> Duration {
        if failures == 0 { return interval }
        var retry = RetryPolicy()
        (retry.pause, retry.maximumPause) = (interval, max(interval, maximumPause))
        return retry.pause(after: failures)
    }
}
