import Brokerage
import Synchronization
import Upstream

/// What has come in of a connection's orders, and is still to be seen to.
final class OrderInbox: Sendable {
    /// What there is to do.
    struct Contents {
        /// Orders as Portico itself tells of them: what came of a write.
        var own: [LinkedOrder] = []
        /// Orders as the broker's stream tells of them.
        var streamed: [Order] = []
        /// Whether all that are open are to be read.
        var wantsReading = true
    }

    private struct State {
        var contents = Contents()
        /// Whether the stream stands.
        var isStreaming = false
        /// Whether something has come in that could not be seen to, and no reading has made up for it yet.
        var isBehind = false
    }

    /// As many orders wait; with more, all are read anew.
    static let mostWaiting = 1_000

    // Filled by requests and on the stream's thread; held for a few stores.
    private let state = Mutex(State())

    /// Nothing is known: the first thing to do is to read all.
    func begin() {
        state.withLock { $0 = State() }
    }

    /// All that has come in since the last time.
    func take() -> Contents {
        state.withLock { state in
            defer {
                state.contents = Contents()
                state.contents.wantsReading = false
            }
            return state.contents
        }
    }

    func put(own order: LinkedOrder) {
        state.withLock { state in
            guard state.contents.own.count < Self.mostWaiting else {
                state.contents.wantsReading = true
                return
            }
            state.contents.own.append(order)
        }
    }

    func put(_ event: StreamEvent<Order>) {
        state.withLock { state in
            switch event {
            case .connected:
                state.isStreaming = true
                state.contents.wantsReading = true
            case .value(let order):
                guard state.contents.streamed.count < Self.mostWaiting else {
                    state.contents.wantsReading = true
                    return
                }
                state.contents.streamed.append(order)
            }
        }
    }

    func streamEnded() {
        state.withLock { $0.isStreaming = false }
    }

    /// All are to be read, whatever the stream tells.
    func wantReading() {
        state.withLock { $0.contents.wantsReading = true }
    }

    /// Time has passed; true where nobody tells of changes, or something was missed, and so all are to be read.
    func wantsReadingAfterWhile() -> Bool {
        state.withLock { state in
            guard !state.isStreaming || state.isBehind else { return false }
            state.contents.wantsReading = true
            return true
        }
    }

    /// Something could not be seen to, or a reading has made up for it.
    func note(isBehind: Bool) {
        state.withLock { $0.isBehind = isBehind }
    }
}
