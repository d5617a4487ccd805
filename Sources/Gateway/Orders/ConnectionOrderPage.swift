import Brokerage
import GraphQL
import Storage
import Upstream

/// The next orders of one connection, newest first.
struct ConnectionOrderPage: Sendable {
    var orders: [ConnectedOrder]
    /// The errors of other orders of the broker's pages, which may match the filter.
    var failures: [FieldError] = []
    var hasMore: Bool
    /// The position up to which orders were compared with the filter; nil if it is that of the last order.
    var examined: Examined?

    struct Examined: Sendable {
        let connection: String
        let position: OrderCursor.Position
    }
}

extension OrderService {
    /// The orders of a connection after a position: from the broker and from the journal.
    ///
    /// If few orders match the filter, several pages of the broker are read.
    func orders(
        _ filter: OrderFilter, of connection: BrokerConnection, after place: OrderCursor.Position?
    ) async throws -> ConnectionOrderPage {
        guard let tradingAPI = connection.orders, filter.canMatch else {
            return ConnectionOrderPage(orders: [], hasMore: false)
        }
        var found: [ConnectedOrder] = []
        var failures: [FieldError] = []
        var place = filter.start(after: place)
        for _ in 0..<OrderFilter.maximumBrokerPages {
            let page = try await unfilteredPage(filter, of: connection, tradingAPI, after: place)
            found += page.orders.filter(filter.matches)
            failures += page.failures
            let hasMore = page.hasMore && !filter.ends(before: page.orders.last)
            if found.count >= filter.first || !hasMore {
                return ConnectionOrderPage(
                    orders: Array(found.prefix(filter.first)), failures: failures,
                    hasMore: hasMore || found.count > filter.first)
            }
            guard let last = page.orders.last else { break }
            place = OrderCursor.Position(last)
        }
        return ConnectionOrderPage(
            orders: found, failures: failures, hasMore: true,
            examined: place.map { .init(connection: connection.id, position: $0) })
    }

    /// The next orders of a connection, sorted; the filter is applied as far as the broker applies it.
    private func unfilteredPage(
        _ filter: OrderFilter, of connection: BrokerConnection, _ tradingAPI: any TradingAPI,
        after place: OrderCursor.Position?
    ) async throws -> ConnectionOrderPage {
        let (listed, unreadable, oldest) =
            try await connection.listsAllOrders
            ? fromBroker(filter, of: connection, tradingAPI, after: place)
            : fromBrokerAndJournal(filter, of: connection, tradingAPI, after: place)
        let orders = listed.compactMap { connected in
            guard let carried = scope.event?.order(instead: connected) else { return connected }
            return filter.matches(hasEnded: carried.hasEnded) ? carried.connectedOrder : nil
        }.filter { connected in
            place.map { $0 < OrderCursor.Position(connected) } ?? true
                // The page may lack orders between its older ones.
                && oldest.map { $0 <= connected.time } ?? true
        }.sorted { OrderCursor.Position($0) < OrderCursor.Position($1) }
        return ConnectionOrderPage(
            orders: orders,
            failures: unreadable.map { .unreadable("an order", $0, of: connection.provider) },
            hasMore: oldest != nil)
    }

    /// For a broker whose lists contain all orders by their submission; the journal adds only orders that never reached the
    /// broker.
    ///
    /// - Returns: The orders, the errors of others, and the time from which they are complete; nil if there are no older ones.
    private func fromBroker(
        _ filter: OrderFilter, of connection: BrokerConnection, _ tradingAPI: any TradingAPI,
        after place: OrderCursor.Position?
    ) async throws -> ([ConnectedOrder], unreadable: [String], oldest: Instant?) {
        let limit = filter.first + OrderFilter.slack
        // Orders of the same time are requested again, and skipped by their names.
        let before = place.map { $0.time + .milliseconds(1) }
        let query = OrderQuery(isOpen: filter.isOpen, symbols: filter.symbols, limit: limit, before: before)
        let page = try await orderPage(query, of: connection, tradingAPI)
        // Before the journal is read: the page may contain an order that the journal marks as unknown to the
        // broker.
        let listed = try await connectedOrders(page.orders, of: connection)
        let own = try await journal.orders(
            .unknownToBroker, of: connection.owner, connection.id, before: before, limit: limit)
        let fitting = own.filter { filter.matches(hasEnded: $0.order.state.hasEnded) }
        let ends = [
            page.hasMore ? page.orders.last?.listTime ?? .earliest : nil,
            own.count == limit ? own.last?.createdAt : nil,
        ]
        return (
            listed + fitting.map { ConnectedOrder($0, $0.currentOrder, of: connection) }, page.unreadable,
            ends.compactMap(\.self).max()
        )
    }

    /// For a broker that lists open orders, and at most those that ended lately: the others come from the journal, which
    /// gets the outcomes that the broker reports.
    ///
    /// - Returns: The orders, the errors of others, and the time from which they are complete; nil if there are no older ones.
    private func fromBrokerAndJournal(
        _ filter: OrderFilter, of connection: BrokerConnection, _ tradingAPI: any TradingAPI,
        after place: OrderCursor.Position?
    ) async throws -> ([ConnectedOrder], unreadable: [String], oldest: Instant?) {
        // The journal first: an order that is open in it by then is in the list that is requested
        // afterwards.
        let limit = filter.first + OrderFilter.maximumBrokerPage
        func journalOrders() async throws -> [JournalOrder] {
            try await journal.orders(
                .all, of: connection.owner, connection.id, before: place?.time, limit: limit)
        }
        var known = try await journalOrders()
        let query = OrderQuery(isOpen: true, limit: OrderFilter.maximumBrokerPage)
        let openPage = try await orderPage(query, of: connection, tradingAPI)
        let open = openPage.orders
        let ended =
            filter.isOpen == true
            ? OrderPage(orders: [], hasMore: false)
            : try await recentlyEnded(of: connection, tradingAPI, after: place)
        var reported = Set((open + ended.orders).map(\.id))
        let recorded = try await record(open + ended.orders, among: known, of: connection)
        let missing = known.filter { order in
            !order.order.state.hasEnded && order.providerOrderID.map { !reported.contains($0) } ?? false
        }
        let settled = try await settle(missing, of: connection, tradingAPI)
        reported.formUnion(settled.reported)
        if recorded || settled.hasChanged { known = try await journalOrders() }
        let ownIDs = Set(known.compactMap(\.providerOrderID))
        let listed = try await connectedOrders(
            open + ended.orders.filter { !ownIDs.contains($0.id) }, of: connection)
        // By id and by name: `connectedOrders` may just have matched one of them to an order of the journal.
        let (ids, listedNames) = (Set(listed.map(\.order.id)), Set(listed.map(\.name.text)))
        let now = scope.clock.wallTime()
        let others = known.filter { order in
            !listedNames.contains(order.identity.id)
                && order.providerOrderID.map { !ids.contains($0) } ?? true
        }.map { order in
            let isReported = order.providerOrderID.map(reported.contains) ?? true
            return ConnectedOrder(
                order, isReported ? order.currentOrder : order.unreported(at: now), of: connection)
        }
        // The same items as those of `Order.listItems`: a leg is below its parent only until that has ended.
        let all = listed + others
        let parents = all.filter { !$0.order.state.hasEnded }
        let (names, parentIDs) = (Set(parents.map(\.name.text)), Set(parents.map(\.order.id)))
        let orders = all.filter { connected in
            filter.matches(hasEnded: connected.order.state.hasEnded)
                && !(connected.parent.map(names.contains) ?? false)
                && !(connected.order.parentID.map(parentIDs.contains) ?? false)
        }
        let ends = [
            known.count == limit ? known.last?.createdAt : nil,
            ended.hasMore ? ended.orders.last?.listTime ?? .earliest : nil,
        ]
        return (orders, openPage.unreadable + ended.unreadable, ends.compactMap(\.self).max())
    }

    /// The orders that have ended lately, newest first; none if the broker does not list them, or not to this application.
    private func recentlyEnded(
        of connection: BrokerConnection, _ tradingAPI: any TradingAPI, after place: OrderCursor.Position?
    ) async throws -> OrderPage {
        guard tradingAPI.orderCapabilities.hasEndedOrders else {
            return OrderPage(orders: [], hasMore: false)
        }
        let query = OrderQuery(
            isOpen: false, limit: OrderFilter.maximumBrokerPage,
            before: place.map { $0.time + .milliseconds(1) })
        do {
            return try await orderPage(query, of: connection, tradingAPI)
        } catch let error as FieldError where error.code == .notEntitled {
            return OrderPage(orders: [], hasMore: false)
        }
    }

    /// One page of a broker's orders; equal reads share one call.
    func orderPage(
        _ query: OrderQuery, of connection: BrokerConnection, _ tradingAPI: any TradingAPI
    ) async throws -> OrderPage {
        try await reads.read(query, of: connection, in: caches.orders) {
            call throws(ProviderFailure) in
            try await tradingAPI.orders(query, in: call)
        }.value()
    }
}
