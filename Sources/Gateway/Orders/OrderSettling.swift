import Brokerage
import GraphQL
import Storage
import Upstream

// What brokers report about orders of the journal is recorded in one place, so that lists, single orders and subscriptions
// show the same state, and so that values that a trade changes are read again.

extension GatewayServices {
    /// Records orders that a broker reported, and forgets values that they have changed.
    ///
    /// - Returns: Whether the state or the fill of an order has changed.
    /// - Throws: `StorageError`; or `FieldError` if an order could not be read that a rejected one was to replace: then the others
    ///   are recorded.
    @discardableResult
    func record(
        _ orders: [Order], of connection: BrokerConnection, in call: CallContext
    ) async throws -> Bool {
        let decided = try await decide(orders, of: connection, in: call)
        let hasChanged = try await userData.orders.journal.receive(
            decided.orders, decided.previous, of: connection.owner, connection.id)
        if hasChanged { ordersChanged(of: connection) }
        if let failure = decided.failure { throw FieldError(failure) }
        return hasChanged
    }

    /// Orders that can be recorded.
    struct DecidedOrders {
        /// Without rejected ones of which it is not known whether they have replaced another order.
        var orders: [Order]
        /// The orders that rejected ones were to replace, as they are now.
        var previous: [Order]
        /// The reason for which one of these could not be read.
        var failure: ProviderFailure?
    }

    /// Reads the orders whose states determine what the rejection of other orders means: those that they were to replace.
    ///
    /// The broker is asked, since an earlier state does not show whether an order was replaced.
    func decide(
        _ orders: [Order], of connection: BrokerConnection, in call: CallContext
    ) async throws(StorageError) -> DecidedOrders {
        let journal = userData.orders.journal
        var decided = DecidedOrders(orders: orders, previous: [])
        var asked = Set<String>()
        while true {
            let undecided = try await journal.undecided(
                orders, decided.previous, of: connection.owner, connection.id)
            guard let id = undecided.unread.subtracting(asked).min(), let tradingAPI = connection.orders,
                asked.count < Self.maximumPrevious
            else {
                decided.orders.removeAll { undecided.ids.contains($0.id) }
                return decided
            }
            asked.insert(id)
            do throws(ProviderFailure) {
                decided.previous.append(try await tradingAPI.order(id, of: nil, in: call))
            } catch {
                // A broker has an order that another one names: the two responses contradict each other.
                let failure =
                    error.cause == .notFound ? ProviderFailure(connection.provider, .unavailable) : error
                decided.failure = decided.failure ?? failure
            }
        }
    }

    /// The maximum number of orders that are read before others are recorded; the rest is recorded with the next report.
    private static var maximumPrevious: Int { 20 }

    /// Forgets the values of accounts that changed orders may have changed, and informs their subscribers.
    func ordersChanged(of connection: BrokerConnection) {
        reads.invalidateHoldings(of: connection.owner, at: connection.provider)
        subscriptions.holdingsChanged(of: connection.owner)
    }
}

extension OrderService {
    /// The time for which an order that its broker no longer reports has the state in which it was reported last: the
    /// broker's lists may lag behind its events.
    fileprivate static let reportingTime = Duration.seconds(10)

    /// Records the present states of the orders of the journal that have not ended: by the broker's list of open orders, and
    /// by one call for all that it lacks.
    ///
    /// - Returns: Whether one of them has not ended.
    @discardableResult
    package func settleOrders(of connection: BrokerConnection) async throws -> Bool {
        func followed(limit: Int) async throws -> [JournalOrder] {
            try await journal.followedOrders(of: connection.owner, connection.id, limit: limit)
        }
        let known = try await followed(limit: OrderFilter.maximumBrokerPage)
        guard !known.isEmpty, let tradingAPI = connection.orders else { return false }
        let query = OrderQuery(isOpen: true, limit: OrderFilter.maximumBrokerPage)
        let open = try await orderPage(query, of: connection, tradingAPI).orders
        let listed = open + open.flatMap(\.legs)
        try await record(listed, among: known, of: connection)
        let ids = Set(listed.map(\.id))
        try await settle(known.filter { !ids.contains($0.order.id) }, of: connection, tradingAPI)
        return try await !followed(limit: 1).isEmpty
    }

    /// Records the reported ones among some orders of the journal, if they differ.
    ///
    /// - Returns: Whether one of them differs: another task may have recorded it meanwhile.
    @discardableResult
    func record(
        _ reported: [Order], among known: [JournalOrder], of connection: BrokerConnection
    ) async throws -> Bool {
        let byID = Dictionary(known.map { ($0.order.id, $0.order) }) { first, _ in first }
        let changed = reported.filter { order in
            byID[order.id].map { !$0.state.isFinal && order.differs(from: $0) } ?? false
        }
        _ = try await scope.services.record(changed, of: connection, in: scope.call)
        return !changed.isEmpty
    }

    /// Records what became of orders that their broker does not list as open.
    ///
    /// An order that the broker does not report either when it is asked about this order alone has an unknown state. At most
    /// ``maximumSingleReads`` orders are asked about alone; the others are left for the next time.
    ///
    /// - Returns: The broker's ids of those that it reports, and whether the journal has another state or fill of one.
    @discardableResult
    func settle(
        _ missing: [JournalOrder], of connection: BrokerConnection, _ tradingAPI: any TradingAPI
    ) async throws -> (reported: Set<String>, hasChanged: Bool) {
        guard !missing.isEmpty else { return ([], false) }
        let endedOrders = tradingAPI.orderCapabilities.endedOrders
        var outcomes = try await self.outcomes(of: missing, tradingAPI)
        let now = scope.clock.wallTime()
        var lost = missing.filter { order in
            !outcomes.contains { $0.id == order.order.id } && order.unreported(at: now).state == .unknown
        }
        // A broker that lists all orders has no unknown ones.
        if endedOrders == .all { lost = [] }
        if endedOrders == .recent, missing.count > 1 {
            lost = Array(lost.prefix(Self.maximumSingleReads))
            for order in lost { outcomes += try await self.outcomes(of: [order], tradingAPI) }
            lost.removeAll { order in outcomes.contains { $0.id == order.order.id } }
        }
        let hasChanged = try await record(outcomes, among: missing, of: connection)
        _ = try await journal.markUnknown(lost.map(\.identity.id), of: connection.owner, connection.id)
        return (Set(outcomes.map(\.id)), hasChanged || !lost.isEmpty)
    }

    private static var maximumSingleReads: Int { 5 }

    /// The orders as their broker reports them; none if it does not report orders that have ended, or not to this
    /// application.
    private func outcomes(of orders: [JournalOrder], _ tradingAPI: any TradingAPI) async throws -> [Order] {
        guard tradingAPI.orderCapabilities.hasEndedOrders else { return [] }
        do throws(ProviderFailure) {
            return try await tradingAPI.outcomes(of: orders.map(\.order), in: scope.call)
        } catch {
            guard error.cause == .notEntitled else { throw FieldError(error) }
            return []
        }
    }
}

extension JournalOrder {
    /// The order, if its broker lists it neither as open nor as ended: its state is unknown unless it is final, or was
    /// reported a moment ago; it is stale unless it is final.
    func unreported(at now: Instant) -> Order {
        if order.state.isFinal { return order }
        let isRecent = now < order.provenance.fetchedAt + OrderService.reportingTime
        var order = isRecent ? currentOrder : order
        if !isRecent { order.state = .unknown }
        order.provenance = order.provenance.markedStale
        return order
    }
}
