import Synchronization

/// An asynchronous sequence for one reader that stores only the latest value of each key.
///
/// A slow reader does not get intermediate values, so the number of stored values is bounded by the number of
/// keys, and by 50,000; beyond that the oldest value is dropped. The task that produces the values runs as long as
/// the stream exists, and is cancelled with it.
package final class ConflatingStream<Key: Hashable & Sendable, Value: Sendable>: AsyncSequence, Sendable {
    package typealias Element = Value

    private let buffer: Buffer
    private let producer: Task<Void, Never>

    /// Creates a stream.
    ///
    /// - Parameter produce: Sends values until it is cancelled; the stream ends when it returns.
    package init(_ produce: @escaping @Sendable (Continuation) async -> Void) {
        let buffer = Buffer()
        self.buffer = buffer
        // Detached: cancellation and priority of the subscribing task do not apply.
        producer = Task.detached {
            await produce(Continuation(buffer: buffer))
            buffer.end()
        }
    }

    deinit { producer.cancel() }

    /// The producer's side of a stream.
    package struct Continuation: Sendable {
        fileprivate let buffer: Buffer

        /// Gives the value to the reader, or stores it in place of an earlier one of the same key.
        package func yield(_ value: Value, for key: Key) {
            buffer.put(value, for: key)
        }
    }

    /// The reader's side of a stream.
    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let stream: ConflatingStream

        package mutating func next() async -> Value? {
            await stream.buffer.next()
        }
    }

    package func makeAsyncIterator() -> Iterator {
        Iterator(stream: self)
    }

    /// The values that the reader has not taken yet.
    fileprivate final class Buffer: Sendable {
        private struct State {
            var waiting = ConflatingQueue<Key, Value>()
            var reader: CheckedContinuation<Value?, Never>?
            var hasEnded = false
        }

        private static var maximumCount: Int { 50_000 }

        // The lock is never held while a continuation resumes or a task waits.
        private let state = Mutex(State())

        func put(_ value: Value, for key: Key) {
            let reader = state.withLock { state -> CheckedContinuation<Value?, Never>? in
                if let reader = state.reader {
                    state.reader = nil
                    return reader
                }
                state.waiting.put(value, for: key)
                if state.waiting.count > Self.maximumCount { _ = state.waiting.popFirst() }
                return nil
            }
            reader?.resume(returning: value)
        }

        /// Ends the stream after the values that are stored.
        func end() {
            let reader = state.withLock { state in
                state.hasEnded = true
                defer { state.reader = nil }
                return state.reader
            }
            reader?.resume(returning: nil)
        }

        /// Returns the next value; nil at the end, and when the reader's task is cancelled.
        func next() async -> Value? {
            await withTaskCancellationHandler {
                await withCheckedContinuation { reader in
                    let result: Value?? = state.withLock { state in
                        if let first = state.waiting.popFirst() { return .some(first.value) }
                        // Only one task reads; a second reader would never be resumed.
                        if state.hasEnded || state.reader != nil { return .some(nil) }
                        state.reader = reader
                        return nil
                    }
                    if let result { reader.resume(returning: result) }
                }
            } onCancel: {
                end()
            }
        }
    }
}
