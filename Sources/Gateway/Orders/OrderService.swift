package import Brokerage
package import GraphQL
import PorticoCore
import Storage
import Upstream

/// Orders of brokers and of the journal, with what brokers report about them.
package struct OrderService: Sendable {
    let scope: RequestScope
    let journal: OrderJournal
    let reads: ConnectionReads
    let caches: ReadCaches
}

extension OrderService {
    package init(_ scope: RequestScope) {
        self.init(
            scope: scope, journal: scope.services.userData.orders.journal, reads: ConnectionReads(scope),
            caches: scope.services.reads)
    }

    /// The order with an id.
    ///
    /// - Throws: `FieldError` with NOT_FOUND if the user has no such order.
    package func order(id: String) throws -> MaybeAsync<ConnectedOrder> {
        let connections = try ConnectionDirectory(scope).connections(with: nil)
        guard let connection = connections.first(where: { id.hasPrefix(ConnectedOrder.Name.prefix(of: $0)) })
        else {
            throw FieldError.noOrder(id)
        }
        let name = ConnectedOrder.Name(id.dropFirst(ConnectedOrder.Name.prefix(of: connection).count))
        return .async {
            guard let order = try await self.order(name, of: connection) else { throw FieldError.noOrder(id) }
            return order
        }
    }

    /// The order with an id; nil if the user has no such order.
    func orderIfAny(_ id: String) -> MaybeAsync<ConnectedOrder?> {
        .async {
            do {
                return try await self.order(id: id).value()
            } catch let error as FieldError where error.code == .notFound {
                return nil
            }
        }
    }

    /// An order of a connection; nil if there is none with the name.
    func order(_ name: ConnectedOrder.Name, of connection: BrokerConnection) async throws -> ConnectedOrder? {
        switch name {
        case .replaced(let id):
            guard let order = try await brokerOrder(id, of: connection) else { return nil }
            return try await connectedOrders([order], of: connection).first
        case .current(let id):
            let identity = OrderIdentity(owner: connection.owner, connection: connection.id, id: id)
            guard let known = try await journal.order(identity) else {
                guard let order = try await brokerOrder(id, of: connection) else { return nil }
                return try await connectedOrders([order], of: connection).first { $0.name == name }
            }
            guard let providerID = known.providerOrderID else {
                return ConnectedOrder(known, known.currentOrder, of: connection)
            }
            // The journal has its end.
            if known.order.state.isFinal, !connection.listsAllOrders {
                return ConnectedOrder(known, known.currentOrder, of: connection)
            }
            guard let order = try await brokerOrder(providerID, of: connection) else {
                let now = scope.clock.wallTime()
                return ConnectedOrder(known, known.unreported(at: now), of: connection)
            }
            try await record([order], among: [known], of: connection)
            guard order.state.isFinal, let now = try await journal.order(identity) else {
                return ConnectedOrder(order, known.names, of: connection)
            }
            // Another order has the place meanwhile: the one that replaced this one, or the one that this one was to replace.
            if now.providerOrderID != providerID { return try await self.order(name, of: connection) }
            guard !connection.listsAllOrders, now.order.state.isFinal else {
                return ConnectedOrder(order, now.names, of: connection)
            }
            return ConnectedOrder(now, now.currentOrder, of: connection)
        }
    }

    /// The order with the broker's id; nil if it is unknown.
    ///
    /// For a broker that does not list all orders, it is unknown unless it was placed or changed through Portico.
    func order(providerID: String, of connection: BrokerConnection) async throws -> ConnectedOrder? {
        if connection.listsAllOrders {
            guard let order = try await brokerOrder(providerID, of: connection) else { return nil }
            return try await connectedOrders([order], of: connection).first
        }
        let names = try await journal.names(of: [providerID], of: connection.owner, connection.id)
        guard let known = names.current[providerID] else { return nil }
        return try await order(.current(known.identity.id), of: connection)
    }

    /// An order by the broker's id; nil if the broker does not know it, or no longer.
    private func brokerOrder(_ id: String, of connection: BrokerConnection) async throws -> Order? {
        guard let tradingAPI = connection.orders else { return nil }
        do {
            return try await reads.read(ExactText(id), of: connection, in: caches.order) {
                call throws(ProviderFailure) in
                try await tradingAPI.order(id, of: nil, in: call)
            }.value()
        } catch let error as FieldError where error.code == .notFound {
            return nil
        }
    }

    /// The orders of a broker with their names in the journal.
    ///
    /// If an order belongs to a write whose outcome is unknown or could not be determined, records that
    /// outcome first; likewise, if the broker has rejected an order that was to replace another one. If that cannot be recorded,
    /// the order has the journal's state, and the next read repeats it.
    package func connectedOrders(_ orders: [Order], of connection: BrokerConnection) async throws
        -> [ConnectedOrder]
    {
        let ids = Set(orders.map(\.id))
        var names = try await journal.names(of: ids, of: connection.owner, connection.id)
        let unknown = orders.filter { names.current[$0.id] == nil && !names.replaced.contains($0.id) }
        let rejected = orders.filter { order in
            order.state == .rejected && order.replaces != nil
                && names.current[order.id].map { !$0.order.state.isFinal } ?? false
        }
        let decided = try await scope.services.decide(
            unknown.filter { $0.replaces != nil } + rejected, of: connection, in: scope.call)
        var isRecorded = try await journal.settle(
            unknown, decided.previous, of: connection.owner, connection.id)
        let ended = rejected.filter(decided.orders.contains)
        if let hasChanged = try? await journal.receive(
            ended, decided.previous, of: connection.owner, connection.id), hasChanged
        {
            scope.services.ordersChanged(of: connection)
            isRecorded = true
        }
        if isRecorded { names = try await journal.names(of: ids, of: connection.owner, connection.id) }
        return orders.map { ConnectedOrder($0, names, of: connection) }
    }

    /// The orders with the broker's ids to which other orders refer: those that they replaced, or that
    /// replaced them.
    func related(
        _ orders: [ConnectedOrder], by id: any KeyPath<Order, String?> & Sendable
    ) -> MaybeAsync<BatchResults<ConnectedOrder?>> {
        .each(orders) { connected in
            guard let id = connected.order[keyPath: id] else { return .ready(nil) }
            return .async { [self] in
                guard let order = try await self.brokerOrder(id, of: connected.connection) else { return nil }
                let related = try await self.connectedOrders([order], of: connected.connection).first
                return related.map { scope.event?.order(instead: $0)?.connectedOrder ?? $0 }
            }
        }
    }

    /// The legs of an order: as the broker reports them, else as the journal knows them; behind them a failure for each that
    /// could not be read.
    func legs(of connected: ConnectedOrder) -> MaybeAsync<BatchResults<ConnectedOrder>?> {
        let failures: BatchResults<ConnectedOrder> = connected.order.unreadableLegs.map {
            .failure(FieldError.unreadable("a leg of an order", $0, of: connected.connection.provider))
        }
        if connected.order.legs.isEmpty, !connected.isInJournal { return .ready(failures) }
        return .async { [self] in
            let legs: BatchResults<ConnectedOrder> = try await readLegs(of: connected).map { leg in
                .success(scope.event?.order(instead: leg)?.connectedOrder ?? leg)
            }
            return legs + failures
        }
    }

    private func readLegs(of connected: ConnectedOrder) async throws -> [ConnectedOrder] {
        let (reported, connection) = (connected.order.legs, connected.connection)
        // A broker that lists all orders reports all legs together with their parent. An order that comes
        // from the journal has no legs.
        if !connected.isInJournal || (connection.listsAllOrders && !reported.isEmpty) {
            return try await self.connectedOrders(reported, of: connection)
        }
        func journalLegs() async throws -> [JournalOrder] {
            let name = connected.name.text
            return try await journal.legs(of: [name], connection.owner, connection.id)[name, default: []]
        }
        var known = try await journalLegs()
        if known.isEmpty { return try await self.connectedOrders(reported, of: connection) }
        let open = try await openLegs(known, reported, of: connection)
        let byID = Dictionary((reported + open).map { ($0.id, $0) }) { first, _ in first }
        var settled = Set(byID.keys)
        if let tradingAPI = connection.orders {
            let missing = known.filter { leg in
                !leg.order.state.hasEnded && leg.providerOrderID.map { byID[$0] == nil } ?? false
            }
            let outcomes = try await settle(missing, of: connection, tradingAPI)
            settled.formUnion(outcomes.reported)
            if outcomes.hasChanged { known = try await journalLegs() }
        }
        let now = scope.clock.wallTime()
        let ids = Set(known.map(\.order.id))
        let others = try await self.connectedOrders(reported.filter { !ids.contains($0.id) }, of: connection)
        return known.map { leg in
            guard let id = leg.providerOrderID else {
                return ConnectedOrder(leg, leg.currentOrder, of: connection)
            }
            if let order = byID[id] { return ConnectedOrder(order, leg.names, of: connection) }
            let isReported = connection.listsAllOrders || settled.contains(id)
            return ConnectedOrder(
                leg, isReported ? leg.currentOrder : leg.unreported(at: now), of: connection)
        } + others
    }

    /// The open orders of a broker, if a leg that has not ended is missing among the reported ones.
    private func openLegs(
        _ known: [JournalOrder], _ reported: [Order], of connection: BrokerConnection
    ) async throws -> [Order] {
        let ids = Set(reported.map(\.id))
        guard !connection.listsAllOrders, let tradingAPI = connection.orders,
            known.contains(where: { leg in
                !leg.order.state.hasEnded && leg.providerOrderID.map { !ids.contains($0) } ?? false
            })
        else { return [] }
        let query = OrderQuery(isOpen: true, limit: OrderFilter.maximumBrokerPage)
        return try await orderPage(query, of: connection, tradingAPI).orders
    }

    /// The order that each order is a leg of; nil for an order that is no leg.
    func parents(of orders: [ConnectedOrder]) -> MaybeAsync<BatchResults<ConnectedOrder?>> {
        .each(orders) { connected in
            if let parent = connected.parent {
                return .async { try await self.order(.current(parent), of: connected.connection) }
            }
            guard let id = connected.order.parentID else { return .ready(nil) }
            return .async {
                guard let order = try await self.brokerOrder(id, of: connected.connection) else { return nil }
                return try await self.connectedOrders([order], of: connected.connection).first
            }
        }
    }
}

extension JournalOrder {
    /// The name of this order alone.
    fileprivate var names: OrderJournal.OrderAliases {
        var names = OrderJournal.OrderAliases()
        names.current[order.id] = self
        return names
    }
}

extension FieldError {
    /// No order of the user has this id.
    static func noOrder(_ id: String) -> FieldError {
        FieldError(.notFound, "There is no order \"\(id.beginning(80))\".")
    }
}
