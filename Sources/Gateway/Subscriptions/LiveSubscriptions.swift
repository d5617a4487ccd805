import Brokerage
import Synchronization
import Upstream

/// What users watch of what is theirs, each once for all of a user's sessions.
final class LiveSubscriptions: Sendable {
    let accounts: SubscriptionTable<[ConnectedAccount]>
    let positions: SubscriptionTable<[ConnectedPosition]>
    let goals: SubscriptionTable<[GoalsProgress]>
    let orders = OrderSubscriptions()
    let connections = ConnectionChangeNotifier()
    /// What the pauses between two readings are measured by.
    let clock: TimeSource

    init(clock: TimeSource) {
        self.clock = clock
        accounts = SubscriptionTable(clock)
        positions = SubscriptionTable(clock)
        goals = SubscriptionTable(clock)
    }

    /// What a user's accounts hold may have changed.
    func holdingsChanged(of owner: OwnerID) {
        accounts.nudge(owner)
        positions.nudge(owner)
        goals.nudge(owner)
    }

    /// A user's goals may have changed, or what they are worth.
    func goalsChanged(of owner: OwnerID) {
        goals.nudge(owner)
    }

    /// A connection is no more: what was watched by it has come to its end.
    func end(_ connection: ProviderConnection) {
        accounts.end(SubscriptionKey(connection, SubscriptionKey.Target.accounts))
        positions.end(SubscriptionKey(connection, SubscriptionKey.Target.positions))
        orders.end(SubscriptionKey(connection, SubscriptionKey.Target.orders))
        connections.notify(connection.owner)
        goalsChanged(of: connection.owner)
    }

    /// A connection was made, or has another credential from now on.
    func renew(_ connection: ProviderConnection) {
        orders.renew(SubscriptionKey(connection, SubscriptionKey.Target.orders))
        connections.notify(connection.owner)
        // Restart: reads that failed with the old credential are no reason to wait.
        accounts.restart(connection.owner)
        positions.restart(connection.owner)
        goals.restart(connection.owner)
    }
}

/// What is watched, and whose it is: nobody is told what is another's.
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

/// The watches of one kind of value, each there as long as somebody watches.
final class SubscriptionTable<Value: Sendable>: Sendable {
    private let clock: TimeSource
    // Looked up by many requests at once.
    private let watches = Mutex(WeakSubscriptionTable<SharedSubscription<Value>>())

    init(_ clock: TimeSource) {
        self.clock = clock
    }

    /// The watch under a key.
    ///
    /// - Parameters:
    ///   - key: What is watched, and whose it is.
    ///   - allowance: The calls that each read may make, counted for the first watcher; nil for no limit, if
    ///     they are made with the user's own credential.
    ///   - read: Reads the value, within a call of its own each time.
    /// - Returns: the one that is there, else a new one.
    func subscription(
        for key: SubscriptionKey, within allowance: CallAllowance? = nil,
        reading read: @escaping @Sendable (CallContext) async throws -> Value
    ) -> SharedSubscription<Value> {
        watches.withLock { watches in
            if let watch = watches[key] { return watch }
            let clock = clock
            let watch = SharedSubscription<Value>(PollingPolicy(), clock) {
                let call = CallContext(
                    deadline: clock.now() + .seconds(10), allowance: allowance?.renewed())
                do {
                    return .success(try await read(call))
                } catch {
                    return .failure(error)
                }
            }
            watches.add(watch, under: key)
            return watch
        }
    }

    /// Says that there may be something new of a user's.
    func nudge(_ owner: OwnerID) {
        for watch in watches.withLock({ $0.all(of: owner) }) { watch.nudge() }
    }

    /// Restarts what a user watches, without the pause after failed reads.
    func restart(_ owner: OwnerID) {
        for watch in watches.withLock({ $0.all(of: owner) }) { watch.restart() }
    }

    /// What is watched under a key is no more.
    func end(_ key: SubscriptionKey) {
        watches.withLock { $0.remove(key) }?.end()
    }
}

/// Watches that go away with those who watch.
struct WeakSubscriptionTable<Watched: AnyObject & Sendable> {
    private struct Entry {
        weak var watch: Watched?
    }

    private var entries: [OwnerID: [SubscriptionKey.Target: Entry]] = [:]
    private var count = 0
    /// With so many, those are dropped whose watch is gone, rather than each time.
    private var bound = leastBound

    private static var leastBound: Int { 64 }

    subscript(key: SubscriptionKey) -> Watched? { entries[key.owner]?[key.subject]?.watch }

    func all(of owner: OwnerID) -> [Watched] {
        entries[owner]?.values.compactMap(\.watch) ?? []
    }

    mutating func add(_ watch: Watched, under key: SubscriptionKey) {
        if count >= bound {
            entries = entries.compactMapValues { own in
                let own = own.filter { $0.value.watch != nil }
                return own.isEmpty ? nil : own
            }
            count = entries.values.reduce(0) { $0 + $1.count }
            bound = max(Self.leastBound, count * 2)
        }
        if entries[key.owner, default: [:]].updateValue(Entry(watch: watch), forKey: key.subject) == nil {
            count += 1
        }
    }

    mutating func remove(_ key: SubscriptionKey) -> Watched? {
        guard let entry = entries[key.owner]?.removeValue(forKey: key.subject) else { return nil }
        count -= 1
        return entry.watch
    }
}

/// Tells those who follow all of a user's connections that these are others now.
package final class ConnectionChangeNotifier: Sendable {
    private struct State {
        var listeners: [OwnerID: [Int: AsyncStream<Void>.Continuation]] = [:]
        var nextNumber = 0
    }

    // It is not held during `yield`, which waits for a lock of the task that it resumes: the cancellation of that task
    // holds the task's lock while it calls `leave`, which waits for this mutex.
    private let state = Mutex(State())

    /// One at once, then one after each change; several that nobody has seen to are one.
    func changes(of owner: OwnerID) -> AsyncStream<Void> {
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

    /// A connection was made, or is no more.
    func notify(_ owner: OwnerID) {
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
