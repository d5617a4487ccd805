import Brokerage
import Synchronization

/// The streaming contexts: subscriptions made by REST, their messages, and their listeners.
///
/// A context belongs to the user who created it; two users may use the same name. Messages are created while
/// a listener is connected, and stored for its reconnection.
///
/// It uses a lock: requests change subscriptions while streams read them, each in one step.
package final class FakeSaxoStreams: Resettable {
    private let settings: FakeSaxoSettings
    private let sessions: FakeSaxoSessions
    private let levels: FakeSaxoTradeLevels
    private let orderBook: FakeSaxoOrderManager
    private let state = Mutex(State())

    /// The maximum number of contexts, and of subscriptions in one of them.
    static let maximumContexts = 256
    static let maximumSubscriptions = 200

    private struct State {
        var contexts: [Key: Context] = [:]
        var connections = 0
    }

    struct Key: Sendable, Hashable {
        let user: String
        let contextID: String
    }

    private struct Context {
        var subscriptions: [FakeSaxoSubscription] = []
        /// The listener: the number of its connection, and its token.
        var listener: (connection: Int, token: String)?
        var nextID: UInt64 = 1
        /// Sent messages, oldest first.
        var sent: [FakeSaxoStreamMessage] = []
        /// Scripted control messages.
        var demanded: [(referenceID: String, payload: JSONDocument)] = []

        mutating func message(_ referenceID: String, _ payload: JSONDocument) -> FakeSaxoStreamMessage {
            defer { nextID &+= 1 }
            return FakeSaxoStreamMessage(id: nextID, referenceID: referenceID, payload: payload)
        }
    }

    init(
        _ settings: FakeSaxoSettings, _ sessions: FakeSaxoSessions, _ levels: FakeSaxoTradeLevels,
        _ orderBook: FakeSaxoOrderManager
    ) {
        self.levels = levels
        self.settings = settings
        self.sessions = sessions
        self.orderBook = orderBook
    }

    /// Adds a subscription, instead of another one if that is named; throws if its reference is in use.
    func add(
        _ subscription: FakeSaxoSubscription, to key: Key, replacing replaced: String?
    ) throws(FakeSaxoError) {
        let error: FakeSaxoError? = state.withLock { state in
            guard state.contexts[key] != nil || state.contexts.count < Self.maximumContexts else {
                return .badRequest(code: "TooManyContexts", message: "Too many streaming contexts.")
            }
            var context = state.contexts[key] ?? Context()
            context.subscriptions.removeAll { $0.referenceID == replaced }
            guard !context.subscriptions.contains(where: { $0.referenceID == subscription.referenceID })
            else {
                return .conflict(
                    code: "SubscriptionExists", message: "The ReferenceId is in use in this context.")
            }
            guard context.subscriptions.count < Self.maximumSubscriptions else {
                return .badRequest(code: "SubscriptionLimitExceeded", message: "Too many subscriptions.")
            }
            context.subscriptions.append(subscription)
            state.contexts[key] = context
            return nil
        }
        if let error { throw error }
    }

    /// Removes the matching subscriptions of a context; returns false if there were none.
    func remove(from key: Key, where isIncluded: (FakeSaxoSubscription) -> Bool) -> Bool {
        state.withLock { state in
            guard var context = state.contexts[key] else { return false }
            let count = context.subscriptions.count
            context.subscriptions.removeAll(where: isIncluded)
            let isEmpty = context.subscriptions.isEmpty && context.listener == nil
            state.contexts[key] = isEmpty ? nil : context
            return context.subscriptions.count < count
        }
    }

    /// Returns true if a context has a listener.
    func isConnected(_ key: Key) -> Bool {
        state.withLock { $0.contexts[key]?.listener != nil }
    }

    /// Connects a listener; nil if the context has another one.
    ///
    /// Messages after `messageID` are sent again; if it is too old, the client must recreate all
    /// subscriptions.
    func connect(
        _ key: Key, token: String, after messageID: UInt64?
    ) -> (connection: Int, replay: [FakeSaxoStreamMessage])? {
        state.withLock { state in
            guard state.contexts[key] != nil || state.contexts.count < Self.maximumContexts else {
                return nil
            }
            var context = state.contexts[key] ?? Context()
            guard context.listener == nil else { return nil }
            state.connections += 1
            context.listener = (state.connections, token)
            var replay: [FakeSaxoStreamMessage] = []
            if let messageID {
                if messageID >= context.nextID || messageID &+ 1 >= context.sent.first?.id ?? context.nextID {
                    replay = context.sent.filter { $0.id > messageID }
                } else {
                    Self.demandReset([], of: &context)
                }
            }
            state.contexts[key] = context
            return (state.connections, replay)
        }
    }

    func disconnect(_ key: Key, connection: Int) {
        state.withLock { state in
            guard state.contexts[key]?.listener?.connection == connection else { return }
            state.contexts[key]?.listener = nil
            if state.contexts[key]?.subscriptions.isEmpty == true { state.contexts[key] = nil }
        }
    }

    /// Replaces the token of a context's listener; returns false without a listener.
    func renew(_ key: Key, token: String) -> Bool {
        state.withLock { state in
            guard state.contexts[key]?.listener != nil else { return false }
            state.contexts[key]?.listener?.token = token
            return true
        }
    }

    func reset() {
        state.withLock { $0.contexts = [:] }
    }

    // MARK: Demanded by scripts

    /// Requests every listener to recreate subscriptions: the named ones, or all if none is named.
    package func demandReset(_ referenceIDs: [String] = []) {
        state.withLock { state in
            for key in state.contexts.keys {
                if var context = state.contexts[key] {
                    Self.demandReset(referenceIDs, of: &context)
                    state.contexts[key] = context
                }
            }
        }
    }

    /// Informs every listener that its session has ended.
    package func demandDisconnect() {
        state.withLock { state in
            for key in state.contexts.keys {
                state.contexts[key]?.demanded.append(("_disconnect", Self.disconnect))
            }
        }
    }

    private static let disconnect: JSONDocument = [["ReferenceId": "_disconnect"]]

    private static func demandReset(_ referenceIDs: [String], of context: inout Context) {
        for index in context.subscriptions.indices
        where referenceIDs.isEmpty || referenceIDs.contains(context.subscriptions[index].referenceID) {
            context.subscriptions[index].isReset = true
        }
        let targets = JSONDocument.array(referenceIDs.map { .string($0) })
        context.demanded.append(
            (
                "_resetsubscriptions",
                [["ReferenceId": "_resetsubscriptions", "TargetReferenceIds": targets]]
            ))
    }
}

extension FakeSaxoStreams {
    /// The messages that a listener receives together.
    struct MessageBatch: Sendable {
        var messages: [FakeSaxoStreamMessage] = []
        /// True if the stream ends after these messages.
        var isLast = false
    }

    /// Returns the new messages; `now` determines the due ones, the view their data.
    func nextBatch(for key: Key, connection: Int, at now: Instant, _ view: MarketView) -> MessageBatch {
        state.withLock { state in
            guard var context = state.contexts[key], let listener = context.listener,
                listener.connection == connection
            else { return MessageBatch(isLast: true) }
            defer { state.contexts[key] = context }
            var batch = MessageBatch()
            let demanded = context.demanded
            context.demanded = []
            batch.messages += demanded.map { context.message($0.referenceID, $0.payload) }
            batch.isLast = demanded.contains { $0.referenceID == "_disconnect" }
            if !batch.isLast, sessions.user(ofAccessToken: listener.token, at: now) == nil {
                batch.messages.append(context.message("_disconnect", Self.disconnect))
                batch.isLast = true
            }
            if !batch.isLast { appendUpdates(of: &context, at: now, view, into: &batch) }
            context.sent += batch.messages
            context.sent.removeFirst(max(0, context.sent.count - settings.replayMaximum))
            return batch
        }
    }

    /// Appends the deltas that are due, and one heartbeat for all subscriptions without recent messages.
    private func appendUpdates(
        of context: inout Context, at now: Instant, _ view: MarketView, into batch: inout MessageBatch
    ) {
        let second = Int(now.secondsSince1970)
        var silent: [JSONDocument] = []
        for index in context.subscriptions.indices {
            var subscription = context.subscriptions[index]
            guard !subscription.isReset, second >= subscription.lastChecked + subscription.interval else {
                continue
            }
            subscription.lastChecked = second
            if let payload = payload(of: &subscription, at: now, view) {
                subscription.lastSent = second
                batch.messages.append(context.message(subscription.referenceID, payload))
            } else if second - subscription.lastSent >= settings.heartbeatInterval {
                subscription.lastSent = second
                silent.append([
                    "OriginatingReferenceId": .string(subscription.referenceID), "Reason": "NoNewData",
                ])
            }
            context.subscriptions[index] = subscription
        }
        guard !silent.isEmpty else { return }
        batch.messages.append(
            context.message(
                "_heartbeat", [["ReferenceId": "_heartbeat", "Heartbeats": .array(silent)]]))
    }

    /// The changes of a subscription since its last message; nil if there are none.
    private func payload(
        of subscription: inout FakeSaxoSubscription, at now: Instant, _ view: MarketView
    ) -> JSONDocument? {
        if case .orderEvents(let client, let sequence) = subscription.target {
            let log = orderBook.log(of: client, at: view, now: now)
            subscription.target = .orderEvents(client, after: log.last)
            let events = log.events(after: sequence)
            guard !events.isEmpty else { return JSONDocument?.none }
            return .array(events.map { $0.document(of: client, subscription.groups, settings) })
        }
        let document = FakeSaxoSubscription.document(
            subscription.target, subscription.groups, at: view,
            levels.settings(of: subscription.session.id, subscription.session.user))
        guard let delta = subscription.delta(to: document) else { return JSONDocument?.none }
        subscription.known = document
        return delta
    }
}
