import Brokerage
import GraphQL
import Synchronization
import Upstream

/// The orders that users follow, those of each connection once for all of a user's sessions.
final class OrderSubscriptions: Sendable {
    // Looked up by many requests at once.
    private let subscriptions = Mutex(WeakSubscriptionTable<OrderSubscription>())

    /// Returns the subscription to a connection's orders.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - follow: Processes updates and publishes the orders.
    /// - Returns: The existing subscription, else a new one.
    func subscription(
        for connection: BrokerConnection,
        follow:
            @escaping @Sendable (
                _ queue: OrderUpdateQueue, _ subscription: SharedSubscription<[SubscribedOrder]>,
                _ run: SubscriptionRun
            ) async -> Void
    ) -> OrderSubscription {
        let key = SubscriptionKey(connection, SubscriptionKey.Target.orders)
        return subscriptions.withLock { subscriptions in
            if let subscription = subscriptions[key] { return subscription }
            let subscription = OrderSubscription(follow)
            subscriptions.add(subscription, under: key)
            return subscription
        }
    }

    /// A write has changed an order.
    func publish(_ order: ConnectedOrder) {
        guard let subscription = self[order.connection] else { return }
        subscription.queue.put(own: order)
        subscription.orders.requestUpdate()
    }

    /// Requests a full read, because orders have changed in a way that is not reported.
    func changed(by connection: BrokerConnection) {
        guard let subscription = self[connection] else { return }
        subscription.queue.requestFullRead()
        subscription.orders.requestUpdate()
    }

    /// A connection has another credential from now on.
    func renew(_ key: SubscriptionKey) {
        subscriptions.withLock { $0[key] }?.orders.restart()
    }

    /// Ends the subscription to a removed connection.
    func end(_ key: SubscriptionKey) {
        subscriptions.withLock { $0.remove(key) }?.orders.end()
    }

    private subscript(connection: BrokerConnection) -> OrderSubscription? {
        subscriptions.withLock { $0[SubscriptionKey(connection, SubscriptionKey.Target.orders)] }
    }
}

/// The tracked orders of one connection.
final class OrderSubscription: Sendable {
    let queue: OrderUpdateQueue
    let orders: SharedSubscription<[SubscribedOrder]>

    /// Whether ``OrderFollowing`` is a subscriber: if there is no other one, the orders are polled less often.
    var isFollowed: Bool {
        get { queue.isFollowed }
        set { queue.isFollowed = newValue }
    }

    fileprivate init(
        _ follow:
            @escaping @Sendable (
                _ queue: OrderUpdateQueue, _ subscription: SharedSubscription<[SubscribedOrder]>,
                _ run: SubscriptionRun
            ) async -> Void
    ) {
        let queue = OrderUpdateQueue()
        self.queue = queue
        orders = SharedSubscription { subscription, run in await follow(queue, subscription, run) }
    }
}

/// The updates of a connection's orders that wait for processing.
///
/// Portico's own writes and the broker's stream of the present run add updates. When a connection gets
/// another credential, a new run begins, and updates of the previous one are ignored.
package final class OrderUpdateQueue: Sendable {
    /// The pending work.
    struct Contents {
        /// Orders after Portico's own writes.
        var own: [ConnectedOrder] = []
        /// Orders from the broker's stream.
        var streamed: [Order] = []
        /// Whether all open orders must be read.
        var needsFullRead = true
    }

    fileprivate struct State {
        var round = 0
        var contents = Contents()
        /// Whether the stream is connected.
        var isStreaming = false
        /// The number of consecutive incoming events that could not be processed, since the last complete
        /// read; those that a limit of this process prevented do not count.
        var failures = 0
        /// Whether an incoming event could not be processed since the last complete read.
        var hasMissedUpdates = false
    }

    /// The maximum number of waiting orders; above it, all orders are read again.
    package static let maximumWaiting = 1_000

    // Filled by requests and on the stream's thread; held for a few stores.
    fileprivate let state = Mutex(State())
    private let followed = Atomic(false)

    /// Whether one of the subscribers is ``OrderFollowing``.
    var isFollowed: Bool {
        get { followed.load(ordering: .relaxed) }
        set { followed.store(newValue, ordering: .relaxed) }
    }

    /// Begins a run: nothing is known, so all orders are read first.
    ///
    /// - Parameter number: Greater than that of any earlier run; a run that begins too late is ignored.
    /// - Returns: The updates of the run.
    package func begin(_ number: Int) -> OrderUpdateBatch {
        state.withLock { state in
            if number > state.round { state = State(round: number) }
        }
        return OrderUpdateBatch(queue: self, number: number)
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

    /// Requests that all orders are read, whatever the stream reports.
    func requestFullRead() {
        state.withLock { $0.contents.needsFullRead = true }
    }
}

/// The updates of one run.
package struct OrderUpdateBatch: Sendable {
    fileprivate let queue: OrderUpdateQueue
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
            // Streams of orders have no symbols.
            case .carrying: break
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

    /// Returns true if all orders must be read, because changes are not reported or an update was missed.
    func requestFullReadIfNeeded() -> Bool {
        change { state in
            guard !state.isStreaming || state.hasMissedUpdates else { return false }
            state.contents.needsFullRead = true
            return true
        } ?? false
    }

    /// Records that an event could not be processed: after the next pause all orders must be read.
    ///
    /// - Parameter isOverload: Whether a limit of this process was the cause: the broker has not failed, so that the pause
    ///   does not become longer.
    func recordFailure(isOverload: Bool) {
        change { state in
            state.hasMissedUpdates = true
            if !isOverload { state.failures += 1 }
        }
    }

    /// Resets the failures after a complete read.
    func resetFailures() {
        change { ($0.failures, $0.hasMissedUpdates) = (0, false) }
    }

    /// Whether an event could not be processed since the last complete read.
    var hasMissedUpdates: Bool { change { $0.hasMissedUpdates } ?? false }

    /// The number of consecutive failures of the broker.
    ///
    /// See ``recordFailure(isOverload:)``.
    var failures: Int { change { $0.failures } ?? 0 }

    @discardableResult
    private func change<Result>(_ change: (inout OrderUpdateQueue.State) -> Result) -> Result? {
        queue.state.withLock { $0.round == number ? change(&$0) : nil }
    }
}
