package import Brokerage
import PorticoCore
import Synchronization
import Upstream

/// The subscriptions to users' data, each shared by all sessions of a user.
package final class LiveSubscriptions: Sendable {
    let accounts: SubscriptionTable<[ConnectedAccount]>
    let positions: SubscriptionTable<[ConnectedPosition]>
    let goals: SubscriptionTable<[GoalsProgress]>
    let orders = OrderSubscriptions()
    let connections = ConnectionChangeNotifier()
    package let alerts = AlertEvents()
    /// The clock of the pauses between two reads.
    let clock: TimeSource

    init(clock: TimeSource) {
        self.clock = clock
        accounts = SubscriptionTable(clock)
        positions = SubscriptionTable(clock)
        goals = SubscriptionTable(clock)
    }

    /// Restarts the subscriptions to a user's holdings, which may have changed.
    func holdingsChanged(of owner: OwnerID) {
        accounts.requestUpdate(owner)
        positions.requestUpdate(owner)
        goals.requestUpdate(owner)
        alerts.valuesChanged(of: owner)
    }

    /// Restarts the subscriptions to a user's goals after a change of the goals or of their values.
    func goalsChanged(of owner: OwnerID) {
        goals.requestUpdate(owner)
        alerts.valuesChanged(of: owner)
    }

    /// Ends the subscriptions to a removed connection.
    func end(_ connection: ProviderConnection) {
        accounts.end(SubscriptionKey(connection, SubscriptionKey.Target.accounts))
        positions.end(SubscriptionKey(connection, SubscriptionKey.Target.positions))
        orders.end(SubscriptionKey(connection, SubscriptionKey.Target.orders))
        connections.notify(connection.owner)
        alerts.sourcesChanged(of: connection.owner)
        goalsChanged(of: connection.owner)
    }

    /// A connection was made, or has another credential from now on.
    func renew(_ connection: ProviderConnection) {
        orders.renew(SubscriptionKey(connection, SubscriptionKey.Target.orders))
        connections.notify(connection.owner)
        alerts.sourcesChanged(of: connection.owner)
        alerts.valuesChanged(of: connection.owner)
        // Restart: reads that failed with the old credential are no reason to wait.
        accounts.restart(connection.owner)
        positions.restart(connection.owner)
        goals.restart(connection.owner)
    }
}

/// The subject of a subscription and its owner.
struct SubscriptionKey: Hashable, Sendable {
    let owner: OwnerID
    let subject: Target

    enum Target: Hashable, Sendable {
        case accounts(connection: String)
        case positions(connection: String)
        case orders(connection: String)
        case goals(currency: String)
    }

    init(_ owner: OwnerID, _ subject: Target) {
        self.owner = owner
        self.subject = subject
    }

    init(_ connection: BrokerConnection, _ subject: (String) -> Target) {
        self.init(connection.owner, subject(connection.id))
    }

    fileprivate init(_ connection: ProviderConnection, _ subject: (String) -> Target) {
        self.init(connection.owner, subject(connection.id))
    }
}

/// The subscriptions to one kind of value, each as long as it has subscribers.
final class SubscriptionTable<Value: Sendable>: Sendable {
    private let clock: TimeSource
    // Looked up by many requests at once.
    private let subscriptions = Mutex(WeakSubscriptionTable<SharedSubscription<Value>>())

    init(_ clock: TimeSource) {
        self.clock = clock
    }

    /// Returns the subscription of a key.
    ///
    /// - Parameters:
    ///   - key: The subject and its owner.
    ///   - callBudget: The calls that each read may make, counted for the first subscriber; nil for no limit,
    ///     if
    ///     they are made with the user's own credential.
    ///   - read: Reads the value, each time within a call of its own.
    /// - Returns: The existing subscription, else a new one.
    func subscription(
        for key: SubscriptionKey, within callBudget: OperationCallBudget? = nil,
        reading read: @escaping @Sendable (CallContext) async throws -> Value
    ) -> SharedSubscription<Value> {
        subscriptions.withLock { subscriptions in
            if let subscription = subscriptions[key] { return subscription }
            let clock = clock
            let subscription = SharedSubscription<Value>(PollingPolicy(), clock) {
                let call = CallContext(
                    deadline: clock.now() + .seconds(10), callBudget: callBudget?.renewed())
                return await .of { try await read(call) }
            }
            subscriptions.add(subscription, under: key)
            return subscription
        }
    }

    /// Requests an update of a user's values, because there may be newer ones.
    func requestUpdate(_ owner: OwnerID) {
        for subscription in subscriptions.withLock({ $0.all(of: owner) }) { subscription.requestUpdate() }
    }

    /// Restarts a user's subscriptions, without the pause after failed reads.
    func restart(_ owner: OwnerID) {
        for subscription in subscriptions.withLock({ $0.all(of: owner) }) { subscription.restart() }
    }

    /// Ends the subscription of a key.
    func end(_ key: SubscriptionKey) {
        subscriptions.withLock { $0.remove(key) }?.end()
    }
}

/// Subscriptions that are removed with their last subscriber.
struct WeakSubscriptionTable<Subscription: AnyObject & Sendable> {
    private struct Entry {
        weak var subscription: Subscription?
    }

    private var entries: [OwnerID: [SubscriptionKey.Target: Entry]] = [:]
    private var count = 0
    /// The number of entries at which ended subscriptions are removed, instead of at each change.
    private var bound = leastBound

    private static var leastBound: Int { 64 }

    subscript(key: SubscriptionKey) -> Subscription? { entries[key.owner]?[key.subject]?.subscription }

    func all(of owner: OwnerID) -> [Subscription] {
        entries[owner]?.values.compactMap(\.subscription) ?? []
    }

    mutating func add(_ subscription: Subscription, under key: SubscriptionKey) {
        if count >= bound {
            entries = entries.compactMapValues { own in
                let own = own.filter { $0.value.subscription != nil }
                return own.isEmpty ? nil : own
            }
            count = entries.values.reduce(0) { $0 + $1.count }
            bound = max(Self.leastBound, count * 2)
        }
        if entries[key.owner, default: [:]].updateValue(
            Entry(subscription: subscription), forKey: key.subject) == nil
        {
            count += 1
        }
    }

    mutating func remove(_ key: SubscriptionKey) -> Subscription? {
        guard let entry = entries[key.owner]?.removeValue(forKey: key.subject) else { return nil }
        count -= 1
        return entry.subscription
    }
}

/// Notifies subscribers to all connections of a user that the connections have changed.
package final class ConnectionChangeNotifier: Sendable {
    private struct State {
        var listeners: [OwnerID: [Int: AsyncStream<Void>.Continuation]] = [:]
        var nextNumber = 0
    }

    // It is not held during `yield`, which waits for a lock of the task that it resumes: the cancellation of that task
    // holds the task's lock while it calls `leave`, which waits for this mutex.
    private let state = Mutex(State())

    package init() {}

    /// Returns a stream with one element at once, and one after each change; unread elements are merged.
    package func changes(of owner: OwnerID) -> AsyncStream<Void> {
        let (changes, listener) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        listener.yield()
        let number = state.withLock { state in
            state.nextNumber += 1
            state.listeners[owner, default: [:]][state.nextNumber] = listener
            return state.nextNumber
        }
        listener.onTermination = { [self] _ in removeListener(number, owner) }
        return changes
    }

    /// Notifies the subscribers of a user that a connection was added or removed.
    package func notify(_ owner: OwnerID) {
        let listeners = state.withLock { $0.listeners[owner] }
        for listener in (listeners ?? [:]).values { listener.yield() }
    }

    private func removeListener(_ number: Int, _ owner: OwnerID) {
        state.withLock { state in
            state.listeners[owner]?[number] = nil
            if state.listeners[owner]?.isEmpty == true { state.listeners[owner] = nil }
        }
    }
}
