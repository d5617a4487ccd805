import Synchronization

/// Values that come one after the other for one reader.
///
/// Of each key only the latest waits: who is slow is told nothing of what lay between, and what waits is bounded by
/// the keys. What brings the values runs while there is a reader, and is cancelled with it.
package final class ConflatingStream<Key: Hashable & Sendable, Value: Sendable>: AsyncSequence, Sendable {
    package typealias Element = Value

    private let inbox: FeedInbox<Key, Value>
    private let work: Task<Void, Never>

    /// - Parameter bring: Puts values in the inbox until it is cancelled; the feed ends when it returns.
    init(_ bring: @escaping @Sendable (FeedInbox<Key, Value>) async -> Void) {
        let inbox = FeedInbox<Key, Value>()
        self.inbox = inbox
        // A task of its own: it has no part in the cancellation and priority of whoever subscribed.
        work = Task.detached {
            await bring(inbox)
            inbox.end()
        }
    }

    deinit { work.cancel() }

    package struct Iterator: AsyncIteratorProtocol {
        let feed: ConflatingStream

        package mutating func next() async -> Value? {
            await feed.inbox.next()
        }
    }

    package func makeAsyncIterator() -> Iterator {
        Iterator(feed: self)
    }
}

/// What a feed's reader has not been told yet.
///
/// Beyond a bound, which no user's accounts come near, what has waited longest is dropped.
final class FeedInbox<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct State {
        var waiting = ConflatingQueue<Key, Value>()
        var reader: CheckedContinuation<Value?, Never>?
        var hasEnded = false
    }

    private static var maximumWaiting: Int { 50_000 }

    // Held while a value is put or taken, never while anything is awaited or resumed.
    private let state = Mutex(State())

    /// Tells the reader, or keeps the value in the place of an earlier one of the same key.
    func put(_ value: Value, for key: Key) {
        let reader = state.withLock { state -> CheckedContinuation<Value?, Never>? in
            if let reader = state.reader {
                state.reader = nil
                return reader
            }
            state.waiting.put(value, for: key)
            if state.waiting.count > Self.maximumWaiting { _ = state.waiting.popFirst() }
            return nil
        }
        reader?.resume(returning: value)
    }

    /// Nothing more comes; what waits is still told.
    func end() {
        let reader = state.withLock { state in
            state.hasEnded = true
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }

    /// The next value; nil at the end, and when the reader's task is cancelled.
    func next() async -> Value? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { reader in
                let answer: Value?? = state.withLock { state in
                    if let first = state.waiting.popFirst() { return .some(first.value) }
                    // One task at a time reads; a second one would wait in vain.
                    if state.hasEnded || state.reader != nil { return .some(nil) }
                    state.reader = reader
                    return nil
                }
                if let answer { reader.resume(returning: answer) }
            }
        } onCancel: {
            end()
        }
    }
}
