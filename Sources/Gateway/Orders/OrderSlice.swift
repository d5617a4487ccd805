import Brokerage
import GraphQL
import Storage
import Upstream

/// Some orders out of those of several connections, newest first.
struct OrderSlice: Sendable {
    /// Behind the orders a failure for each connection that could not be read.
    let entries: Answers<OrderEntry>
    let hasNext: Bool
    let hasPrevious: Bool
    /// Behind the last order; what could not be read is still to come.
    let end: OrderCursor

    /// An order and its place in the list.
    struct OrderEntry: Sendable {
        let order: LinkedOrder
        let cursor: String
    }

    /// Merges what comes next of each connection.
    init(_ stretches: Answers<OrderStretch>, behind start: OrderCursor?, first: Int) {
        var orders: [LinkedOrder] = []
        var failures: Answers<OrderEntry> = []
        var hasMore = false
        for stretch in stretches {
            switch stretch {
            case .success(let stretch):
                orders += stretch.orders
                hasMore = hasMore || stretch.hasMore
            case .failure(let error): failures.append(.failure(error))
            }
        }
        orders.sort { OrderCursor.Place($0) < OrderCursor.Place($1) }
        var cursor = start ?? OrderCursor()
        let listed = orders.prefix(first).map { order -> OrderEntry in
            cursor.pass(order)
            return OrderEntry(order: order, cursor: cursor.text)
        }
        entries = listed.map { .success($0) } + failures
        hasNext = hasMore || orders.count > first || !failures.isEmpty
        hasPrevious = start != nil
        end = cursor
    }
}

extension GatewayContext {
    /// A page of orders over all connections of the user, or of one account.
    func orders(_ arguments: OrdersArguments) throws -> Loading<OrderSlice?> {
        let connections = try connections(with: nil)
        try arguments.check()
        guard let id = arguments.account else {
            return try slice(
                of: connections.filter { $0.orders != nil }, arguments.wish, after: arguments.after)
        }
        let account = try account(id: id, with: nil)
        let start = try arguments.after.map { text throws(FieldError) in try OrderCursor(text) }
        return .later {
            guard let account = try await account.value() else { throw FieldError.noAccount(id) }
            return try await self.slice(of: account, arguments.wish, behind: start)
        }
    }

    /// A page of the orders of one account.
    func orders(of account: LinkedAccount, _ arguments: OrdersArguments) throws -> Loading<OrderSlice?> {
        try arguments.check()
        let start = try arguments.after.map { text throws(FieldError) in try OrderCursor(text) }
        return .later { try await self.slice(of: account, arguments.wish, behind: start) }
    }

    private func slice(
        of account: LinkedAccount, _ wish: OrderWish, behind start: OrderCursor?
    ) async throws -> OrderSlice {
        guard account.connection.orders != nil else {
            let provider = account.connection.provider
            throw FieldError(.unsupported, "\(provider.rawValue) takes no orders.", provider: provider)
        }
        var wish = wish
        wish.account = account.who.id
        let stretch = try await orders(
            wish, of: account.connection, behind: start?.places[account.connection.id])
        return OrderSlice([.success(stretch)], behind: start, first: wish.first)
    }

    private func slice(
        of connections: [BrokerConnection], _ wish: OrderWish, after text: String?
    ) throws -> Loading<OrderSlice?> {
        let start = try text.map { text throws(FieldError) in try OrderCursor(text) }
        return Loading.each(connections) { connection in
            .later {
                try await self.orders(wish, of: connection, behind: start?.places[connection.id])
            }
        }.map { OrderSlice($0, behind: start, first: wish.first) }
    }
}

struct OrdersArguments: GraphQLArguments {
    let wish: OrderWish
    let account: String?
    let after: String?

    init(_ arguments: ArgumentReader) throws {
        wish = OrderWish(
            isOpen: try arguments["open"],
            symbols: try (arguments["symbols"] as BoundedList<Symbol>?)?.elements,
            first: try arguments["first"])
        account = try (arguments["accountId"] as IDText?)?.text
        after = try (arguments["after"] as CursorText?)?.text
    }

    init(wish: OrderWish, after: String?) {
        self.wish = wish
        account = nil
        self.after = after
    }

    func check() throws {
        try FieldError.check(wish.first, of: "first", in: 1...OrderWish.mostOrders)
        try GatewayContext.refuse(wish.symbols ?? [], beyond: 50)
    }
}

/// The arguments of an account's orders.
struct AccountOrdersArguments: GraphQLArguments {
    let orders: OrdersArguments

    init(_ arguments: ArgumentReader) throws {
        let wish = OrderWish(
            isOpen: try arguments["open"],
            symbols: try (arguments["symbols"] as BoundedList<Symbol>?)?.elements,
            first: try arguments["first"])
        orders = OrdersArguments(wish: wish, after: try (arguments["after"] as CursorText?)?.text)
    }
}
