import Brokerage
import GraphQL
import Storage
import Upstream

/// Tracks the orders of one connection: by its broker's stream if there is one, else by polling, and by the
/// outcomes of Portico's own writes.
package struct OrderTracker: Sendable {
    let connection: BrokerConnection
    let clock: TimeSource
    let queue: OrderUpdateQueue
    var pace = PollingPolicy()
    /// Makes the scope of a call.
    let scope: @Sendable (CallContext) -> RequestScope

    /// The maximum number of orders of one read: one page of a broker, less the reserve for orders of the
    /// same time.
    private static let maximumOpen = OrderFilter.maximumBrokerPage - OrderFilter.slack
    /// The number of missing open orders whose outcome is requested at once; others are requested in the
    /// next step.
    private static let maximumMissing = 20
    /// The number of pauses between two polls for ``OrderFollowing`` alone: a minute.
    private static let pausesWithoutSubscriber = 12
    /// The timeout of one step.
    private static let timeout = Duration.seconds(10)

    /// Publishes the orders to a subscription until the task is cancelled.
    ///
    /// - Parameters:
    ///   - subscription: The subscription.
    ///   - run: The run of the subscription.
    func run(publishingTo subscription: SharedSubscription<[SubscribedOrder]>, _ run: SubscriptionRun) async {
        let round = queue.begin(run.number)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await followStream(in: round, notifying: subscription) }
            group.addTask {
                var pauses = 0
                while (try? await clock.sleep(clock.now() + pace.pause(after: round.failures))) != nil {
                    pauses += 1
                    let hasNoSubscriber = queue.isFollowed && subscription.subscriberCount <= 1
                    guard Self.isDue(pauses, hasNoSubscriber: hasNoSubscriber, in: round) else { continue }
                    if round.requestFullReadIfNeeded() { subscription.requestUpdate() }
                }
            }
            group.addTask {
                var snapshot = OrderSnapshot()
                for await _ in run.updateRequests {
                    guard let updates = round.drain() else { return }
                    subscription.publish(await apply(updates, in: round, &snapshot))
                }
            }
        }
    }

    /// Whether orders may be read after a number of pauses.
    ///
    /// Orders that no client subscribes to need no calls as often as a screen does, unless an update was missed.
    static func isDue(_ pauses: Int, hasNoSubscriber: Bool, in round: OrderUpdateBatch) -> Bool {
        !hasNoSubscriber || round.hasMissedUpdates || pauses % pausesWithoutSubscriber == 0
    }

    /// Without a stream, or if only the user can restore it, this returns at once, and orders are polled.
    private func followStream(
        in round: OrderUpdateBatch, notifying subscription: SharedSubscription<[SubscribedOrder]>
    ) async {
        guard let stream = connection.orders as? any OrderStream else { return }
        try? await stream.follow(clock: clock) { event in
            round.put(event)
            subscription.requestUpdate()
        } didEnd: {
            round.streamEnded()
        }
    }

    /// Processes the waiting updates.
    ///
    /// - Returns: All known orders, or the failure.
    private func apply(
        _ updates: OrderUpdateQueue.Contents, in round: OrderUpdateBatch, _ snapshot: inout OrderSnapshot
    ) async -> Result<[SubscribedOrder], any Error> {
        for order in updates.own { snapshot.merge(order) }
        do {
            let now = clock.now()
            // Earlier reads are not sufficient: they may lack updates that the stream does not repeat.
            let scope = scope(CallContext(deadline: now + Self.timeout, notBefore: now))
            try await OrderService(scope).merge(updates.streamed, of: connection, into: &snapshot)
            if updates.needsFullRead {
                try await read(in: scope, into: &snapshot)
                round.resetFailures()
            }
            return .success(snapshot.all)
        } catch {
            round.recordFailure(isOverload: (error as? FieldError)?.isOverload ?? false)
            return .failure(error)
        }
    }

    /// Reads all that are open, and what became of those that were, in the journal and for the subscribers.
    private func read(in scope: RequestScope, into snapshot: inout OrderSnapshot) async throws {
        let open = try await OrderService(scope).openOrders(of: connection, atMost: Self.maximumOpen)
        for missing in snapshot.merge(open: open).prefix(Self.maximumMissing) {
            guard let now = try await OrderService(scope).order(missing.name, of: connection) else {
                snapshot.end(missing.lastKnown)
                continue
            }
            snapshot.merge(now, isReadAgain: true)
        }
        // Last: it uses the same list of open orders, and what it records makes the list expire.
        try await OrderService(scope).settleOrders(of: connection)
    }
}

extension OrderService {
    /// Merges orders from a broker's stream: first into the journal, which has their names.
    fileprivate func merge(
        _ orders: [Order], of connection: BrokerConnection, into snapshot: inout OrderSnapshot
    ) async throws {
        if orders.isEmpty { return }
        // Orders that were placed elsewhere change the holdings, too.
        scope.services.ordersChanged(of: connection)
        let rejected = Set(orders.filter { $0.state == .rejected }.map(\.id))
        let before = try await journal.names(of: rejected, of: connection.owner, connection.id).current
        var failure: (any Error)?
        do {
            _ = try await scope.services.record(orders, of: connection, in: scope.call)
        } catch {
            // An old order that cannot be read does not hide the other events, which do not come again.
            failure = error
        }
        for order in try await currentOrders(orders, of: connection) { snapshot.merge(order) }
        if let failure { throw failure }
        // An old order has, or keeps, its place if the broker has rejected the one that was to replace it. Its own events may have
        // come before.
        let old = Set(orders.filter { $0.state == .rejected }.compactMap(\.replaces))
        let after = try await journal.names(of: old, of: connection.owner, connection.id).current
        var restored = Set(after.values.map(\.identity.id))
        for known in before.values
        where try await journal.order(known.identity)?.providerOrderID != known.providerOrderID {
            restored.insert(known.identity.id)
        }
        for id in restored.sorted() {
            guard let order = try await order(.current(id), of: connection) else { continue }
            snapshot.merge(order, isReadAgain: true)
        }
    }

    /// The orders of a connection that are open.
    fileprivate func openOrders(
        of connection: BrokerConnection, atMost limit: Int
    ) async throws -> [ConnectedOrder] {
        let filter = OrderFilter(requestsOpen: true, symbols: nil, first: limit)
        // An order that has been replaced by another one is not reported.
        return try await self.orders(filter, of: connection, after: nil).orders.filter {
            if case .current = $0.name { true } else { false }
        }
    }

    /// The present orders, under their names: without orders that another order replaced, which has the name
    /// from then on.
    private func currentOrders(
        _ orders: [Order], of connection: BrokerConnection
    ) async throws -> [ConnectedOrder] {
        let ids = Set(orders.map(\.id))
        let names = try await journal.names(of: ids, of: connection.owner, connection.id)
        return orders.filter { order in
            let isBeingReplaced = names.current[order.id]?.openWrite == .replace
            return !names.replaced.contains(order.id) && !(isBeingReplaced && order.state == .replaced)
        }.map { ConnectedOrder($0, names, of: connection) }
    }
}

extension ConnectedOrder {
    /// The last known state of an order that the broker no longer knows.
    fileprivate var lastKnown: ConnectedOrder {
        var order = order
        order.provenance = order.provenance.markedStale
        return ConnectedOrder(
            order: order, connection: connection, name: name, clientOrderID: clientOrderID, time: time)
    }
}

/// The orders of a connection as subscribers know them: the open ones, and the last that have ended.
///
/// A value without time or tasks: ``OrderSubscriptions`` supplies the updates.
package struct OrderSnapshot {
    private var orders: [String: SubscribedOrder] = [:]
    /// The ids of those that have ended, the last one last.
    private var ended: [String] = []

    /// The number of ended orders that are stored for subscribers that have not received them yet.
    package static let maximumEnded = 100

    /// All of them, by their ids.
    var all: [SubscribedOrder] { orders.values.sorted { $0.globalID < $1.globalID } }

    /// Merges an order, unless a later state is known; the same applies to each leg.
    ///
    /// - Parameters:
    ///   - connected: The order.
    ///   - isReadAgain: Whether it was read under its name after the known one. If it is an order that the known one was to replace,
    ///     the broker has rejected the replacement.
    mutating func merge(_ connected: ConnectedOrder, isReadAgain: Bool = false) {
        let known = orders[connected.globalID]?.connectedOrder.order
        let isRestored = isReadAgain && known?.id != connected.order.id
        if let known, !isRestored, known.isLater(than: connected.order) { return }
        var connected = connected
        // A broker's event of an entry may have its legs in an earlier state than their own events.
        connected.order.legs = connected.order.legs.map { leg in
            let name = ConnectedOrder.Name.current(leg.id).globalID(of: connected.connection)
            let others = [orders[name]?.connectedOrder.order, known?.legs.first { $0.id == leg.id }]
            return others.compactMap(\.self).first { $0.isLater(than: leg) } ?? leg
        }
        put(SubscribedOrder(connectedOrder: connected, hasEnded: connected.order.state.hasEnded))
    }

    /// Merges all open orders.
    ///
    /// - Returns: The orders that were open and are no longer: their outcome must be requested.
    mutating func merge(open: [ConnectedOrder]) -> [ConnectedOrder] {
        let ids = Set(open.map(\.globalID))
        let missing = orders.values.filter { !$0.hasEnded && !ids.contains($0.globalID) }.map(
            \.connectedOrder)
        for connected in open { merge(connected, isReadAgain: true) }
        return missing.sorted { $0.globalID < $1.globalID }
    }

    /// Merges the end of an order, as far as its outcome is known.
    mutating func end(_ connected: ConnectedOrder) {
        put(SubscribedOrder(connectedOrder: connected, hasEnded: true))
    }

    private mutating func put(_ order: SubscribedOrder) {
        let id = order.globalID
        if orders.updateValue(order, forKey: id)?.hasEnded == true { ended.removeAll { $0 == id } }
        guard order.hasEnded else { return }
        ended.append(id)
        if ended.count > Self.maximumEnded { orders[ended.removeFirst()] = nil }
    }
}

/// An order that is followed.
package struct SubscribedOrder: Sendable {
    let connectedOrder: ConnectedOrder
    /// Whether the order is no longer open; if its broker does not report the end of orders, its state does
    /// not show it.
    let hasEnded: Bool
}

extension SubscribedOrder: LiveEntity {
    package var globalID: String { connectedOrder.globalID }
    /// The end of an order is published when it happens.
    package var closed: SubscribedOrder? { nil }
    package var isCurrent: Bool { !hasEnded }

    package func isEquivalent(to other: SubscribedOrder) -> Bool {
        connectedOrder.clientOrderID == other.connectedOrder.clientOrderID && hasEnded == other.hasEnded
            && connectedOrder.reconciliation == other.connectedOrder.reconciliation
            && connectedOrder.order.provenance.isStale == other.connectedOrder.order.provenance.isStale
            && connectedOrder.order.figures == other.connectedOrder.order.figures
    }
}

extension Order {
    /// The order without the properties that differ between journal and broker: its own names, and the time
    /// of its state.
    fileprivate var figures: Order {
        var order = self
        order.provenance = Provenance(source: provenance.source, fetchedAt: .earliest)
        (order.accountID, order.clientOrderID) = (nil, nil)
        (order.submittedAt, order.updatedAt, order.filledAt, order.canceledAt) = (nil, nil, nil, nil)
        return order
    }

    /// Whether another read of the order is older than this one.
    fileprivate func isLater(than other: Order) -> Bool {
        // Another order took its place, and is not to be taken for it again.
        if id != other.id { return replaces.map { $0 == other.id } ?? false }
        if state.isFinal != other.state.isFinal { return state.isFinal }
        guard let updatedAt, let otherUpdate = other.updatedAt else { return false }
        return updatedAt > otherUpdate
    }
}
