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
