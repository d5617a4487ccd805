import Brokerage
import GraphQL
import Storage
import Upstream

extension GatewayContext {
    private var journal: OrderJournal { services.userData.orders.journal }

    /// The order with an id.
    ///
    /// - Throws: `FieldError` with NOT_FOUND where the user has none such.
    func order(id: String) throws -> MaybeAsync<ConnectedOrder> {
        let connections = try connections(with: nil)
        guard let connection = connections.first(where: { id.hasPrefix(OrderReference.prefix(of: $0)) })
        else {
            throw FieldError.noOrder(id)
        }
        let name = OrderReference(id.dropFirst(OrderReference.prefix(of: connection).count))
        return .later {
            guard let order = try await self.order(name, of: connection) else { throw FieldError.noOrder(id) }
            return order
        }
    }

    /// The order with an id; nil where the user has none such.
    func orderIfAny(_ id: String) -> MaybeAsync<ConnectedOrder?> {
        .later {
            do {
                return try await self.order(id: id).value()
            } catch let error as FieldError where error.code == .notFound {
                return nil
            }
        }
    }

    /// An order of a connection; nil where there is none of that name.
    func order(_ name: OrderReference, of connection: BrokerConnection) async throws -> ConnectedOrder? {
        switch name {
        case .replaced(let id):
            guard let order = try await brokerOrder(id, of: connection) else { return nil }
            return try await linked([order], of: connection).first
        case .current(let id):
            let identity = OrderIdentity(owner: connection.owner, connection: connection.id, id: id)
            guard
                let known = try await mapStorageErrors({ () throws(StorageError) in
                    try await journal.order(identity)
                })
            else {
                guard let order = try await brokerOrder(id, of: connection) else { return nil }
                return try await linked([order], of: connection).first { $0.name == name }
            }
            guard let providerID = known.providerOrderID else {
                return ConnectedOrder(known, known.standing, of: connection)
            }
            guard let order = try await brokerOrder(providerID, of: connection) else {
                return ConnectedOrder(known, known.ended, of: connection)
            }
            return ConnectedOrder(order, known.names, of: connection)
        }
    }

    /// An order by the broker's own id; nil where the broker does not know it (any more).
    private func brokerOrder(_ id: String, of connection: BrokerConnection) async throws -> Order? {
        guard let desk = connection.orders else { return nil }
        do {
            return try await read("order/\(id)", of: connection, in: services.reads.order) {
                call throws(ProviderFailure) in
                try await desk.order(id, of: nil, in: call)
            }.value()
        } catch let error as FieldError where error.code == .notFound {
            return nil
        }
    }

    /// The orders of a broker with their names in the journal.
    ///
    /// If an order belongs to a write whose outcome is unknown or could not be determined, records that
    /// outcome first.
    func linked(_ orders: [Order], of connection: BrokerConnection) async throws -> [ConnectedOrder] {
        let ids = Set(orders.map(\.id))
        let names = try await mapStorageErrors { () throws(StorageError) in
            var names = try await journal.names(of: ids, of: connection.owner, connection.id)
            let unknown = orders.filter { names.standing[$0.id] == nil && !names.replaced.contains($0.id) }
            if try await journal.settle(unknown, of: connection.owner, connection.id) {
                names = try await journal.names(of: ids, of: connection.owner, connection.id)
            }
            return names
        }
        return orders.map { ConnectedOrder($0, names, of: connection) }
    }

    /// The orders with the broker's ids that some orders tell of: those that they replaced, or were replaced by.
    func related(
        _ orders: [ConnectedOrder], by id: any KeyPath<Order, String?> & Sendable
    ) -> MaybeAsync<BatchResults<ConnectedOrder?>> {
        .each(orders) { linked in
            guard let id = linked.order[keyPath: id] else { return .ready(nil) }
            return .later {
                guard let order = try await self.brokerOrder(id, of: linked.connection) else { return nil }
                let related = try await self.linked([order], of: linked.connection).first
                return related.map { event?.order(instead: $0)?.linked ?? $0 }
            }
        }
    }

    /// The orders that are tied to one.
    func legs(of linked: ConnectedOrder) -> MaybeAsync<[ConnectedOrder]?> {
        if linked.order.legs.isEmpty { return .ready([]) }
        return .later {
            let legs = try await self.linked(linked.order.legs, of: linked.connection)
            return legs.map { event?.order(instead: $0)?.linked ?? $0 }
        }
    }

    /// What the store said, its failures in a client's words.
    func mapStorageErrors<Value>(_ body: () async throws(StorageError) -> Value) async throws(FieldError)
        -> Value
    {
        do throws(StorageError) {
            return try await body()
        } catch {
            throw FieldError(error)
        }
    }
}

extension JournalOrder {
    /// The name of this order alone.
    fileprivate var names: OrderJournal.OrderAliases {
        var names = OrderJournal.OrderAliases()
        names.standing[order.id] = self
        return names
    }
}

extension FieldError {
    /// No order of the user has this id.
    static func noOrder(_ id: String) -> FieldError {
        FieldError(.notFound, "There is no order \"\(id.beginning(80))\".")
    }
}
