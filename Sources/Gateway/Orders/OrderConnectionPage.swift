import Brokerage
import GraphQL
import Storage
import Upstream

/// Some orders out of those of several connections, newest first.
struct OrderConnectionPage: Sendable {
    /// Behind the orders a failure for each connection that could not be read.
    let entries: BatchResults<OrderEdge>
    let hasNext: Bool
    let hasPrevious: Bool
    /// Behind the last order; what could not be read is still to come.
    let end: OrderCursor

    /// An order and its place in the list.
    struct OrderEdge: Sendable {
        let order: ConnectedOrder
        let cursor: String
    }

    /// Merges what comes next of each connection.
    init(_ stretches: BatchResults<ConnectionOrderPage>, after start: OrderCursor?, first: Int) {
        var orders: [ConnectedOrder] = []
        var failures: BatchResults<OrderEdge> = []
        var hasMore = false
        for stretch in stretches {
            switch stretch {
            case .success(let stretch):
                orders += stretch.orders
                hasMore = hasMore || stretch.hasMore
            case .failure(let error): failures.append(.failure(error))
            }
        }
        orders.sort { OrderCursor.Position($0) < OrderCursor.Position($1) }
        var cursor = start ?? OrderCursor()
        let listed = orders.prefix(first).map { order -> OrderEdge in
            cursor.advance(past: order)
            return OrderEdge(order: order, cursor: cursor.text)
        }
        entries = listed.map { .success($0) } + failures
        hasNext = hasMore || orders.count > first || !failures.isEmpty
        hasPrevious = start != nil
        end = cursor
    }
}

extension GatewayContext {
    /// A page of orders over all connections of the user, or of one account.
    func orders(_ arguments: OrdersArguments) throws -> MaybeAsync<OrderConnectionPage?> {
        let connections = try connections(with: nil)
        try arguments.check()
        guard let id = arguments.account else {
            return try page(
                of: connections.filter { $0.orders != nil }, arguments.filter, after: arguments.after)
        }
        let account = try account(id: id, with: nil)
        let start = try arguments.after.map { text throws(FieldError) in try OrderCursor(text) }
        return .later {
            guard let account = try await account.value() else { throw FieldError.noAccount(id) }
            return try await self.page(ofAccount: account, arguments.filter, after: start)
        }
    }

    /// A page of the orders of one account.
    func orders(of account: ConnectedAccount, _ arguments: OrdersArguments) throws -> MaybeAsync<
        OrderConnectionPage?
    > {
        try arguments.check()
        let start = try arguments.after.map { text throws(FieldError) in try OrderCursor(text) }
        return .later { try await self.page(ofAccount: account, arguments.filter, after: start) }
    }

    private func page(
        ofAccount account: ConnectedAccount, _ wish: OrderFilter, after start: OrderCursor?
    ) async throws -> OrderConnectionPage {
        guard account.connection.orders != nil else {
            let provider = account.connection.provider
            throw FieldError(.unsupported, "\(provider.rawValue) takes no orders.", provider: provider)
        }
        var wish = wish
        wish.account = account.who.id
        let stretch = try await orders(
            wish, of: account.connection, after: start?.positions[account.connection.id])
        return OrderConnectionPage([.success(stretch)], after: start, first: wish.first)
    }

    private func page(
        of connections: [BrokerConnection], _ wish: OrderFilter, after text: String?
    ) throws -> MaybeAsync<OrderConnectionPage?> {
        let start = try text.map { text throws(FieldError) in try OrderCursor(text) }
        return MaybeAsync.each(connections) { connection in
            .later {
                try await self.orders(wish, of: connection, after: start?.positions[connection.id])
            }
        }.map { OrderConnectionPage($0, after: start, first: wish.first) }
    }
}

struct OrdersArguments: GraphQLArguments {
    let filter: OrderFilter
    let account: String?
    let after: String?

    init(_ arguments: ArgumentReader) throws {
        filter = OrderFilter(
            isOpen: try arguments["open"],
            symbols: try (arguments["symbols"] as BoundedList<Symbol>?)?.elements,
            first: try arguments["first"])
        account = try (arguments["accountId"] as IDText?)?.text
        after = try (arguments["after"] as CursorText?)?.text
    }

    init(filter: OrderFilter, after: String?) {
        self.filter = filter
        account = nil
        self.after = after
    }

    func check() throws {
        try FieldError.check(filter.first, of: "first", in: 1...OrderFilter.maximumOrders)
        try GatewayContext.checkCount(of: filter.symbols ?? [], maximum: 50)
    }
}

/// The arguments of an account's orders.
struct AccountOrdersArguments: GraphQLArguments {
    let orders: OrdersArguments

    init(_ arguments: ArgumentReader) throws {
        let wish = OrderFilter(
            isOpen: try arguments["open"],
            symbols: try (arguments["symbols"] as BoundedList<Symbol>?)?.elements,
            first: try arguments["first"])
        orders = OrdersArguments(filter: wish, after: try (arguments["after"] as CursorText?)?.text)
    }
}
