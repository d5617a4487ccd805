package import Brokerage
import Synchronization
import Upstream

/// A value that is read and published as long as it has subscribers, once for all of them.
package final class SharedSubscription<Value: Sendable>: Sendable {
    package typealias Update = Result<Value, any Error>
    /// Publishes values to a subscription until it is cancelled.
    package typealias Work =
        @Sendable (_ subscription: SharedSubscription, _ run: SubscriptionRun) async -> Void

    private struct State {
        var subscribers: [Int: AsyncStream<Update>.Continuation] = [:]
        var nextNumber = 0
        var latest: Update?
        /// The task that updates the value while there are subscribers.
        var work: Task<Void, Never>?
        /// The number of runs so far.
        var runCount = 0
        var updateRequest: AsyncStream<Void>.Continuation?
        /// Whether the subject is removed.
        var isOver = false
    }

    private let work: Work
    // Held while a value is sent to all subscribers, so that all receive the values in the same order. Nothing is
    // awaited while it is held.
    private let state = Mutex(State())

    /// - Parameter work: Updates the value.
    package init(_ work: @escaping Work) {
        self.work = work
    }

    /// Creates a subscription that polls.
    ///
    /// - Parameters:
    ///   - pace: The polling policy.
    ///   - clock: The clock of the pauses.
    ///   - read: Reads the value.
    package convenience init(
        _ pace: PollingPolicy, _ clock: TimeSource, reading read: @escaping @Sendable () async -> Update
    ) {
        self.init { subscription, run in
            var failures = 0
            var timer: Task<Void, any Error>?
            defer { timer?.cancel() }
            for await _ in run.updateRequests {
                timer?.cancel()
                let result = await read()
                subscription.publish(result)
                switch result {
                case .success: failures = 0
                // The provider has not failed.
                case .failure(let error as FieldError) where error.isOverload: break
                case .failure: failures += 1
                }
                let next = clock.now() + pace.pause(after: failures)
                timer = Task {
                    try await clock.sleep(next)
                    subscription.requestUpdate()
                }
                try? await clock.sleep(clock.now() + pace.minimumInterval)
            }
        }
    }

    /// Returns the latest value at once, if there is one, then each following value; a slow reader gets the
    /// latest.
    ///
    /// The stream ends when the subject is removed.
    package func values() -> AsyncStream<Update> {
        let (stream, subscriber) = AsyncStream.makeStream(
            of: Update.self, bufferingPolicy: .bufferingNewest(1))
        let number: Int? = state.withLock { state in
            if state.isOver { return nil }
            state.nextNumber += 1
            state.subscribers[state.nextNumber] = subscriber
            if let latest = state.latest { subscriber.yield(latest) }
            if state.work == nil { start(&state) }
            return state.nextNumber
        }
        if let number {
            // A separate task: the cancellation of a subscriber's task calls this while it holds the task's
            // lock. `yield` in `publish` waits for that lock, and holds the mutex that this needs.
            subscriber.onTermination = { _ in Task.detached { self.removeSubscriber(number) } }
        } else {
            subscriber.finish()
        }
        return stream
    }

    /// Publishes a value, unless the run is cancelled.
    package func publish(_ result: Update) {
        if Task.isCancelled { return }
        state.withLock { state in
            guard !state.subscribers.isEmpty else { return }
            state.latest = result
            for subscriber in state.subscribers.values { subscriber.yield(result) }
        }
    }

    /// The number of present subscribers.
    var subscriberCount: Int { state.withLock(\.subscribers.count) }

    /// Requests an update, because there may be a newer value.
    func requestUpdate() {
        _ = state.withLock(\.updateRequest)?.yield()
    }

    /// Restarts the work, also for existing subscribers.
    func restart() {
        let work = state.withLock { state -> Task<Void, Never>? in
            guard state.work != nil else { return nil }
            defer { start(&state) }
            return state.work
        }
        work?.cancel()
    }

    /// Ends the subscription, because its subject is removed.
    func end() {
        let (subscribers, work) = state.withLock { state in
            defer {
                state.isOver = true
                state.subscribers = [:]
                settleDown(&state)
            }
            return (Array(state.subscribers.values), state.work)
        }
        work?.cancel()
        for subscriber in subscribers { subscriber.finish() }
    }

    private func start(_ state: inout State) {
        let (updateRequests, updateRequest) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        // The first one.
        updateRequest.yield()
        state.updateRequest = updateRequest
        state.runCount += 1
        let run = SubscriptionRun(number: state.runCount, updateRequests: updateRequests)
        // A separate task, because it belongs to all subscribers and not to the first.
        state.work = Task.detached { [self] in await work(self, run) }
    }

    private func settleDown(_ state: inout State) {
        state.work = nil
        state.updateRequest = nil
        // A later subscriber does not get a value that is no longer updated.
        state.latest = nil
    }

    private func removeSubscriber(_ number: Int) {
        let work = state.withLock { state -> Task<Void, Never>? in
            state.subscribers[number] = nil
            guard state.subscribers.isEmpty else { return nil }
            defer { settleDown(&state) }
            return state.work
        }
        work?.cancel()
    }
}

/// One run of the work of a subscription.
package struct SubscriptionRun: Sendable {
    /// Greater than that of any earlier run, which may not have ended, or even begun, yet.
    let number: Int
    /// Each element signals that there may be a new value; the first comes at once.
    let updateRequests: AsyncStream<Void>
}

/// The polling interval of a subscription.
package struct PollingPolicy: Sendable {
    /// Often enough for a screen, and a small part of any broker's quota.
    var interval = Duration.seconds(5)
    /// The least between two readings, however often something changes.
    var minimumInterval = Duration.seconds(1)
    /// The longest pause while reads fail.
    ///
    /// The pause doubles with each attempt, unless the attempt failed by a limit of this process.
    var maximumPause = Duration.seconds(60)

    /// The pause before the next read, after a number of consecutive failed reads.
    func pause(after failures: Int) -> Duration {
        if failures == 0 { return interval }
        var retry = RetryPolicy()
        (retry.pause, retry.maximumPause) = (interval, max(interval, maximumPause))
        return retry.pause(after: failures)
    }
}
