import Brokerage
package import PorticoCore
import Storage
import Synchronization
import Upstream

/// Connects requests, the evaluation of alerts, and the delivery to webhooks: changes of alerts for the evaluation, and
/// changed alerts for subscribers.
package final class AlertEvents: Sendable {
    typealias Subscriber = ConflatingStream<String, LiveValue<AlertObject>>.Continuation

    private struct State {
        /// Users whose alerts must be read again.
        var changed: Set<OwnerID> = []
        /// Users whose goals, holdings or connections have changed.
        var moved: Set<OwnerID> = []
        /// Users whose prices may come from other sources.
        var rerouted: Set<OwnerID> = []
        var subscribers: [OwnerID: [Int: Registration]] = [:]
        var nextNumber = 0
        var counts = Counts()
        /// The alerts that were sent to subscribers last, by their ids: the feed of changes reports them again.
        var sent: [String: StoredAlert] = [:]
    }

    private struct Registration {
        let subscriber: Subscriber
        /// The alerts that were published since the registration, whose read may be older; nil after the read.
        var publishedDuringRead: Set<String>? = []
    }

    /// What has happened since the start of the process.
    package struct Counts: Hashable, Sendable {
        /// Alerts that have fired.
        package var firings = 0
        /// Attempts to deliver a message that the receiver has accepted, and those that failed.
        package var delivered = 0
        package var failed = 0
        /// Messages that are not sent any more, because a day has passed or a user had too many.
        package var discarded = 0
    }

    // Requests, evaluations and deliveries change it; held for a few stores, and while a subscriber gets a value.
    private let state = Mutex(State())
    /// Wakes the evaluation, because alerts have changed.
    let evaluationSignal = WakeSignal()
    /// Wakes the delivery, because messages wait.
    package let deliverySignal = WakeSignal()

    package var counts: Counts { state.withLock(\.counts) }

    func count(_ change: (inout Counts) -> Void) {
        state.withLock { change(&$0.counts) }
    }

    // MARK: Evaluation

    /// The alerts of a user have changed.
    func alertsChanged(of owner: OwnerID) {
        _ = state.withLock { $0.changed.insert(owner) }
        evaluationSignal.send()
    }

    /// Goals, holdings or connections of a user, on which alerts may depend, have changed.
    func valuesChanged(of owner: OwnerID) {
        _ = state.withLock { $0.moved.insert(owner) }
        evaluationSignal.send()
    }

    /// A user has another connection, or one with another credential: prices may come from other sources.
    func sourcesChanged(of owner: OwnerID) {
        _ = state.withLock { $0.rerouted.insert(owner) }
        evaluationSignal.send()
    }

    /// The users whose alerts, whose values, and whose sources of prices have changed since the last call.
    func drainChanged() -> (alerts: Set<OwnerID>, values: Set<OwnerID>, sources: Set<OwnerID>) {
        state.withLock { state in
            defer { (state.changed, state.moved, state.rerouted) = ([], [], []) }
            return (state.changed, state.moved, state.rerouted)
        }
    }

    // MARK: Subscribers

    private static let maximumSent = 10_000

    /// Whether a user has subscribers in this process.
    func hasSubscribers(of owner: OwnerID) -> Bool { state.withLock { $0.subscribers[owner] != nil } }

    /// Sends alerts that a process has changed to the subscribers of their user, except those that were sent before.
    func publish(changed alerts: [StoredAlert], of owner: OwnerID) {
        let new = state.withLock { state in alerts.filter { state.sent[$0.id] != $0 } }
        publish(new, of: owner)
    }

    /// Sends alerts to the subscribers of their user.
    func publish(_ alerts: [StoredAlert], of owner: OwnerID) {
        let subscribers = state.withLock { state -> [Int: Subscriber] in
            guard let subscribers = state.subscribers[owner] else { return [:] }
            if state.sent.count > Self.maximumSent { state.sent = [:] }
            for alert in alerts { state.sent[alert.id] = alert }
            for number in subscribers.keys {
                state.subscribers[owner]?[number]?.publishedDuringRead?.formUnion(alerts.map(\.id))
            }
            return subscribers.mapValues(\.subscriber)
        }
        for subscriber in subscribers.values {
            for alert in alerts { subscriber.yield(.success(AlertObject(alert)), for: alert.id) }
        }
    }

    /// Sends changed alerts of a user to a subscriber until the task is cancelled.
    ///
    /// - Parameters:
    ///   - owner: The user.
    ///   - subscriber: The subscriber.
    ///   - start: Reads the current alerts, and sends each with the closure; it is called when no change is missed any more.
    ///     An alert that was published since then is not sent, because the read may be older.
    func publish(
        of owner: OwnerID, to subscriber: Subscriber, _ start: (_ send: (StoredAlert) -> Void) async -> Void
    ) async {
        let number = state.withLock { state in
            state.nextNumber += 1
            state.subscribers[owner, default: [:]][state.nextNumber] = Registration(subscriber: subscriber)
            return state.nextNumber
        }
        await start { alert in
            state.withLock { state in
                let published = state.subscribers[owner]?[number]?.publishedDuringRead ?? []
                guard !published.contains(alert.id) else { return }
                // While the lock is held, so that a publication in between follows.
                subscriber.yield(.success(AlertObject(alert)), for: alert.id)
            }
        }
        state.withLock { $0.subscribers[owner]?[number]?.publishedDuringRead = nil }
        let (end, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in end {}
        continuation.finish()
        state.withLock { state in
            state.subscribers[owner]?[number] = nil
            if state.subscribers[owner]?.isEmpty == true { state.subscribers[owner] = nil }
        }
    }
}
