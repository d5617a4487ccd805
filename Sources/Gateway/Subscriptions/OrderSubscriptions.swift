import Brokerage
import GraphQL
import Synchronization
import Upstream

/// The orders that users follow, those of each connection once for all of a user's sessions.
final class OrderSubscriptions: Sendable {
    // Looked up by many requests at once.
    private let watches = Mutex(WeakSubscriptionTable<OrderSubscription>())

    /// The watch of a connection's orders.
    ///
    /// - Parameters:
    ///   - connection: Whose orders.
    ///   - follow: Sees to what comes in, and tells the watch.
    /// - Returns: the one that is there, else a new one.
    func subscription(
        for connection: BrokerConnection,
        follow:
            @escaping @Sendable (
                _ inbox: OrderUpdateQueue, _ watch: SharedSubscription<[SubscribedOrder]>,
                _ turn: SubscriptionRun
            ) async -> Void
    ) -> OrderSubscription {
        let key = SubscriptionKey(connection, SubscriptionKey.Target.orders)
        return watches.withLock { watches in
            if let watch = watches[key] { return watch }
            let watch = OrderSubscription(follow)
            watches.add(watch, under: key)
            return watch
        }
    }

    /// A write has changed an order.
    func publish(_ order: ConnectedOrder) {
        guard let watch = self[order.connection] else { return }
        watch.inbox.put(own: order)
        watch.orders.nudge()
    }

    /// Orders of a connection have changed in a way that nobody tells of.
    func changed(by connection: BrokerConnection) {
        guard let watch = self[connection] else { return }
        watch.inbox.requestFullRead()
        watch.orders.nudge()
    }

    /// A connection has another credential from now on.
    func renew(_ key: SubscriptionKey) {
        watches.withLock { $0[key] }?.orders.restart()
    }

    /// A connection is no more.
    func end(_ key: SubscriptionKey) {
        watches.withLock { $0.remove(key) }?.orders.end()
    }

    private subscript(connection: BrokerConnection) -> OrderSubscription? {
        watches.withLock { $0[SubscriptionKey(connection, SubscriptionKey.Target.orders)] }
    }
}

/// The orders of one connection, as they are followed.
final class OrderSubscription: Sendable {
    let inbox: OrderUpdateQueue
    let orders: SharedSubscription<[SubscribedOrder]>

    fileprivate init(
        _ follow:
            @escaping @Sendable (
                _ inbox: OrderUpdateQueue, _ watch: SharedSubscription<[SubscribedOrder]>,
                _ turn: SubscriptionRun
            ) async -> Void
    ) {
        let inbox = OrderUpdateQueue()
        self.inbox = inbox
        orders = SharedSubscription { watch, turn in await follow(inbox, watch, turn) }
    }
}

/// What has come in of a connection's orders, and is still to be seen to.
///
/// Portico's own writes put it here, and the broker's stream of the round that goes on: when a connection is given another
/// credential a new round begins, and what is left of the one before has no say any more.
package final class OrderUpdateQueue: Sendable {
    /// What there is to do.
    struct Contents {
        /// Orders as Portico itself tells of them: what came of a write.
        var own: [ConnectedOrder] = []
        /// Orders as the broker's stream tells of them.
        var streamed: [Order] = []
        /// Whether all that are open are to be read.
        var needsFullRead = true
    }

    fileprivate struct State {
        var round = 0
        var contents = Contents()
        /// Whether the stream stands.
        var isStreaming = false
        /// The number of consecutive incoming events that could not be processed, since the last complete
        /// read.
        var failures = 0
    }

    /// As many orders wait; with more, all are read anew.
    package static let maximumWaiting = 1_000

    // Filled by requests and on the stream's thread; held for a few stores.
    fileprivate let state = Mutex(State())

    /// A new round: nothing is known, and the first thing to do is to read all.
    ///
    /// - Parameter number: Greater than that of any round before; one that comes too late has no say from the beginning.
    /// - Returns: the round, for whoever sees to it.
    package func begin(_ number: Int) -> OrderUpdateBatch {
        state.withLock { state in
            if number > state.round { state = State(round: number) }
        }
        return OrderUpdateBatch(inbox: self, number: number)
    }

    func put(own order: ConnectedOrder) {
        state.withLock { state in
            guard state.contents.own.count < Self.maximumWaiting else {
                state.contents.needsFullRead = true
                return
            }
            state.contents.own.append(order)
        }
    }

    /// All are to be read, whatever the stream tells.
    func requestFullRead() {
        state.withLock { $0.contents.needsFullRead = true }
    }
}

/// One round of seeing to what comes in.
package struct OrderUpdateBatch: Sendable {
    fileprivate let inbox: OrderUpdateQueue
    fileprivate let number: Int

    /// All that has come in since the last time; nil once another round has begun.
    func drain() -> OrderUpdateQueue.Contents? {
        change { state in
            defer {
                state.contents = OrderUpdateQueue.Contents()
                state.contents.needsFullRead = false
            }
            return state.contents
        }
    }

    func put(_ event: StreamEvent<Order>) {
        change { state in
            switch event {
            case .connected:
                state.isStreaming = true
                state.contents.needsFullRead = true
            case .value(let order):
                guard state.contents.streamed.count < OrderUpdateQueue.maximumWaiting else {
                    state.contents.needsFullRead = true
                    return
                }
                state.contents.streamed.append(order)
            }
        }
    }

    func streamEnded() {
        change { $0.isStreaming = false }
    }

    /// Time has passed; true where nobody tells of changes, or something was missed, and so all are to be read.
    func requestFullReadIfNeeded() -> Bool {
        change { state in
            guard !state.isStreaming || state.failures > 0 else { return false }
            state.contents.needsFullRead = true
            return true
        } ?? false
    }

    /// Counts an event that could not be processed.
    func recordFailure() {
        change { $0.failures += 1 }
    }

    /// Resets the count of failures after a complete read.
    func resetFailures() {
        change { $0.failures = 0 }
    }

    /// The number of consecutive failures.
    ///
    /// See ``recordFailure()``.
    var failures: Int { change { $0.failures } ?? 0 }

    @discardableResult
    private func change<Result>(_ change: (inout OrderUpdateQueue.State) -> Result) -> Result? {
        inbox.state.withLock { $0.round == number ? change(&$0) : nil }
    }
}
