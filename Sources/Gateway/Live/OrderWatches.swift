import Brokerage
import GraphQL
import Synchronization
import Upstream

/// The orders that users follow, those of each connection once for all of a user's sessions.
final class OrderWatches: Sendable {
    // Looked up by many requests at once.
    private let watches = Mutex(WeakWatches<OrderWatch>())

    /// The watch of a connection's orders.
    ///
    /// - Parameters:
    ///   - connection: Whose orders.
    ///   - follow: Sees to what comes in, and tells the watch.
    /// - Returns: the one that is there, else a new one.
    func watch(
        _ connection: BrokerConnection,
        follow:
            @escaping @Sendable (
                _ inbox: OrderInbox, _ watch: Watch<[WatchedOrder]>, _ turn: WatchTurn
            ) async -> Void
    ) -> OrderWatch {
        let key = WatchKey(connection, WatchKey.Subject.orders)
        return watches.withLock { watches in
            if let watch = watches[key] { return watch }
            let watch = OrderWatch(follow)
            watches.add(watch, under: key)
            return watch
        }
    }

    /// A write has changed an order.
    func tell(_ order: LinkedOrder) {
        guard let watch = self[order.connection] else { return }
        watch.inbox.put(own: order)
        watch.orders.nudge()
    }

    /// Orders of a connection have changed in a way that nobody tells of.
    func changed(by connection: BrokerConnection) {
        guard let watch = self[connection] else { return }
        watch.inbox.wantReading()
        watch.orders.nudge()
    }

    /// A connection has another credential from now on.
    func renew(_ key: WatchKey) {
        watches.withLock { $0[key] }?.orders.restart()
    }

    /// A connection is no more.
    func end(_ key: WatchKey) {
        watches.withLock { $0.remove(key) }?.orders.end()
    }

    private subscript(connection: BrokerConnection) -> OrderWatch? {
        watches.withLock { $0[WatchKey(connection, WatchKey.Subject.orders)] }
    }
}

/// The orders of one connection, as they are followed.
final class OrderWatch: Sendable {
    let inbox: OrderInbox
    let orders: Watch<[WatchedOrder]>

    fileprivate init(
        _ follow:
            @escaping @Sendable (
                _ inbox: OrderInbox, _ watch: Watch<[WatchedOrder]>, _ turn: WatchTurn
            ) async -> Void
    ) {
        let inbox = OrderInbox()
        self.inbox = inbox
        orders = Watch { watch, turn in await follow(inbox, watch, turn) }
    }
}
