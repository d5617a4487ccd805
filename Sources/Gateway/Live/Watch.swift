import Synchronization
import Upstream

/// A value that is read again and again while somebody watches it, once for all who do.
final class Watch<Value: Sendable>: Sendable {
    typealias Answer = Result<Value, any Error>

    private struct State {
        var watchers: [Int: AsyncStream<Answer>.Continuation] = [:]
        var nextNumber = 0
        var latest: Answer?
        /// What reads, while anybody watches.
        var work: Task<Void, Never>?
    }

    private let interval: Duration
    private let clock: CallClock
    private let read: @Sendable () async -> Answer
    // Held while watchers come and go and while they are told, never while anything is awaited.
    private let state = Mutex(State())

    /// - Parameters:
    ///   - interval: How long it rests between two readings.
    ///   - clock: What that is measured by.
    ///   - read: Reads the value.
    init(every interval: Duration, _ clock: CallClock, _ read: @escaping @Sendable () async -> Answer) {
        self.interval = interval
        self.clock = clock
        self.read = read
    }

    /// The latest value at once, where one is known, then each reading; who is slow is told the latest.
    func values() -> AsyncStream<Answer> {
        let (stream, watcher) = AsyncStream.makeStream(of: Answer.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.nextNumber += 1
            state.watchers[state.nextNumber] = watcher
            if let latest = state.latest { watcher.yield(latest) }
            if state.work == nil { state.work = Task.detached { [self] in await work() } }
            return state.nextNumber
        }
        watcher.onTermination = { _ in self.leave(number) }
        return stream
    }

    private func work() async {
        while !Task.isCancelled {
            tell(await read())
            // It throws when nobody watches any more.
            guard (try? await clock.sleep(clock.now() + interval)) != nil else { return }
        }
    }

    private func tell(_ answer: Answer) {
        state.withLock { state in
            guard !state.watchers.isEmpty else { return }
            state.latest = answer
            for watcher in state.watchers.values { watcher.yield(answer) }
        }
    }

    private func leave(_ number: Int) {
        let work = state.withLock { state -> Task<Void, Never>? in
            state.watchers[number] = nil
            guard state.watchers.isEmpty else { return nil }
            defer { state.work = nil }
            // Who comes later is not told what nobody has looked after since.
            state.latest = nil
            return state.work
        }
        work?.cancel()
    }
}
