package import Brokerage
import NIOCore
import Synchronization

/// Lets a bounded number of calls be in flight; others wait in the order in which they came.
package final class ConcurrencyLimiter: Sendable {
    /// The reason why a call got no slot.
    package enum Failure: Error {
        case timedOut
        case cancelled
        /// More wait already than the bound.
        case overloaded
    }

    private typealias Outcome = Result<Void, Failure>

    private enum Waiter {
        /// Has a number and does not wait yet.
        case booked
        case waiting(CheckedContinuation<Outcome, Never>)
        case settled(Outcome)
    }

    private struct State {
        var free: Int
        var waiters: [Int: Waiter] = [:]
        /// Numbers that wait, those that have left among them.
        var queue: CircularBuffer<Int> = []
        var nextNumber = 0

        /// The longest waiting one.
        mutating func next() -> Int? {
            while let number = queue.popFirst() {
                if case .waiting? = waiters[number] { return number }
            }
            return nil
        }

        /// As long as no call ends, nothing else would remove cancelled entries.
        mutating func compactQueue() {
            let waiters = waiters
            queue.removeAll { waiters[$0] == nil }
        }
    }

    /// A lock, because calls begin, end and are cancelled on any thread.
    private let state: Mutex<State>
    private let maximumQueueLength: Int
    private let clock: TimeSource

    /// - Parameters:
    ///   - limit: The maximum number of calls in flight; at least 1.
    ///   - maximumQueueLength: The maximum number of waiting calls.
    ///   - clock: The clock of the deadlines.
    package init(limit: Int, maximumQueueLength: Int = 1_024, clock: TimeSource) {
        state = Mutex(State(free: max(limit, 1)))
        self.maximumQueueLength = maximumQueueLength
        self.clock = clock
    }

    /// Returns when the call may go out; ``release()`` must follow.
    package func acquire(before deadline: ContinuousClock.Instant) async throws(Failure) {
        let number = try book()
        guard let number else { return }
        let alarm = Task { [self] in
            guard (try? await clock.sleep(deadline)) != nil else { return }
            settle(number, .timedOut)
        }
        defer { alarm.cancel() }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if let outcome = wait(number, continuation) { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            settle(number, .cancelled)
        }
        try outcome.get()
    }

    /// The call has ended.
    package func release() {
        let next: CheckedContinuation<Outcome, Never>? = state.withLock { state in
            guard let number = state.next(), case .waiting(let continuation)? = state.waiters[number] else {
                state.free += 1
                return nil
            }
            state.waiters[number] = nil
            return continuation
        }
        next?.resume(returning: .success(()))
    }

    /// Nil for a call that is through, else its number in the queue.
    private func book() throws(Failure) -> Int? {
        let result: Result<Int?, Failure> = state.withLock { state in
            if state.free > 0 {
                state.free -= 1
                return .success(nil)
            }
            guard state.waiters.count < maximumQueueLength else { return .failure(.overloaded) }
            state.nextNumber += 1
            state.waiters[state.nextNumber] = .booked
            return .success(state.nextNumber)
        }
        return try result.get()
    }

    private func wait(_ number: Int, _ continuation: CheckedContinuation<Outcome, Never>) -> Outcome? {
        state.withLock { state in
            if case .settled(let outcome)? = state.waiters[number] {
                state.waiters[number] = nil
                return outcome
            }
            if state.free > 0 {
                state.free -= 1
                state.waiters[number] = nil
                return .success(())
            }
            state.waiters[number] = .waiting(continuation)
            state.queue.append(number)
            return nil
        }
    }

    /// One who waits leaves.
    private func settle(_ number: Int, _ failure: Failure) {
        let continuation: CheckedContinuation<Outcome, Never>? = state.withLock { state in
            switch state.waiters[number] {
            case .booked:
                state.waiters[number] = .settled(.failure(failure))
                return nil
            case .waiting(let continuation):
                state.waiters[number] = nil
                if state.queue.count > 2 * maximumQueueLength { state.compactQueue() }
                return continuation
            case .settled, nil: return nil
            }
        }
        continuation?.resume(returning: .failure(failure))
    }
}

extension ProviderFailure.Cause {
    init(_ failure: ConcurrencyLimiter.Failure) {
        switch failure {
        case .timedOut: self = .timedOut
        case .cancelled: self = .cancelled
        case .overloaded: self = .overloaded
        }
    }
}
