import Brokerage
import GraphQL
import Storage
import Upstream

/// Some orders out of those of several connections, newest first.
struct OrderConnectionPage: Sendable {
    /// Behind the orders a failure for each order, and for each connection, that could not be read.
    let entries: BatchResults<OrderEdge>
    let hasNext: Bool
    let hasPrevious: Bool
    /// Behind the last order; what could not be read is still to come.
    let end: OrderCursor

    /// An order and its place in the list.
    struct OrderEdge: Sendable {
        let order: ConnectedOrder
        let cursor: String

        fileprivate init(order: ConnectedOrder, cursor: String) {
            self.order = order
            self.cursor = cursor
        }

        /// The edge of an order alone.
        init(_ order: ConnectedOrder) {
            var cursor = OrderCursor()
            cursor.advance(past: order)
            self.init(order: order, cursor: cursor.text)
        }
    }

    /// Merges the next orders of each connection.
    init(_ stretches: BatchResults<ConnectionOrderPage>, after start: OrderCursor?, first: Int) {
        var orders: [ConnectedOrder] = []
        var failures: BatchResults<OrderEdge> = []
        var unreadable: BatchResults<OrderEdge> = []
        var hasMore = false
        for stretch in stretches {
            switch stretch {
            case .success(let stretch):
                orders += stretch.orders
                unreadable += stretch.failures.map { .failure($0) }
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
        if orders.count <= first {
            for case .success(let stretch) in stretches { cursor.advance(to: stretch.examined) }
        }
        entries = listed.map { .success($0) } + unreadable + failures
        hasNext = hasMore || orders.count > first || !failures.isEmpty
        hasPrevious = start != nil
        end = cursor
    }
}

extension OrderService {
    /// A page of orders over all connections of the user, or of one account.
    func orders(_ arguments: OrdersArguments) throws -> MaybeAsync<OrderConnectionPage?> {
        let connections = try ConnectionDirectory(scope).connections(with: nil)
        let start = try arguments.checkedStart()
        guard let id = arguments.account else {
            return page(of: connections.filter { $0.orders != nil }, arguments.filter, after: start)
        }
        return .async {
            let account = try await AccountService(scope).account(id: id, of: "accountId")
            return try await self.page(ofAccount: account, arguments.filter, after: start)
        }
    }

    /// A page of the orders of one account.
    func orders(of account: ConnectedAccount, _ arguments: OrdersArguments) throws -> MaybeAsync<
        OrderConnectionPage?
    > {
        let start = try arguments.checkedStart()
        return .async { try await self.page(ofAccount: account, arguments.filter, after: start) }
    }

    private func page(
        ofAccount account: ConnectedAccount, _ filter: OrderFilter, after start: OrderCursor?
    ) async throws -> OrderConnectionPage {
        guard account.connection.orders != nil else {
            let provider = account.connection.provider
            throw FieldError(.unsupported, "\(provider.name.text) takes no orders.", provider: provider)
        }
        let place = start?.positions[account.connection.id]
        // A cursor of other connections only, with which the list would begin again.
        if let start, place == nil, !start.positions.isEmpty { throw FieldError.noCursor(start.text) }
        var filter = filter
        filter.account = account.stored.id
        let stretch = try await orders(filter, of: account.connection, after: place)
        return OrderConnectionPage([.success(stretch)], after: start, first: filter.first)
    }

    private func page(
        of connections: [BrokerConnection], _ filter: OrderFilter, after start: OrderCursor?
    ) -> MaybeAsync<OrderConnectionPage?> {
        MaybeAsync.each(connections) { connection in
            .async {
                try await self.orders(filter, of: connection, after: start?.positions[connection.id])
            }
        }.map { OrderConnectionPage($0, after: start, first: filter.first) }
    }
}

struct OrdersArguments: GraphQLArguments {
    let filter: OrderFilter
    let account: String?
    private let page: PageArguments

    init(_ arguments: ArgumentReader) throws {
        try self.init(arguments, account: (arguments["accountId"] as IDText?)?.text)
    }

    fileprivate init(_ arguments: ArgumentReader, account: String?) throws {
        filter = try OrderFilter(arguments)
        self.account = account
        page = try PageArguments(arguments)
    }

    /// Checks the arguments.
    ///
    /// - Returns: The place after which the page begins; nil for the newest order.
    func checkedStart() throws(FieldError) -> OrderCursor? {
        let start = try page.start(OrderCursor.self, atMost: OrderFilter.maximumOrders)
        try FieldError.checkCount(of: filter.symbols ?? [], maximum: 50)
        if let from = filter.from, let to = filter.to, from >= to {
            throw FieldError.argument("from", "It is \(from), which is not before `to`, \(to).")
        }
        return start
    }
}

/// The arguments of an account's orders.
struct AccountOrdersArguments: GraphQLArguments {
    let orders: OrdersArguments

    init(_ arguments: ArgumentReader) throws {
        orders = try OrdersArguments(arguments, account: nil)
    }
}

/// A place in the orders of several connections: for each the last that was listed.
struct OrderCursor: PageCursor {
    /// By connection; one that is not there is still to be listed from its newest.
    private(set) var positions: [String: Position] = [:]

    /// The place of an order in its connection's list, newest first.
    struct Position: Hashable, Sendable, Comparable {
        /// With all its digits, which the journal stores, too: an order has one position wherever it was read.
        let time: Instant
        /// The text of the broker's own sequence of orders of the same time; empty without one.
        let sequence: String
        /// Distinguishes orders of the same time.
        let name: String

        init(time: Instant, sequence: String = "", name: String) {
            (self.time, self.sequence, self.name) = (time, sequence, name)
        }

        init(_ connected: ConnectedOrder) {
            self.init(
                time: connected.time, sequence: BrokerSequence(id: connected.order.id)?.text ?? "",
                name: connected.name.text)
        }

        /// Whether the position precedes the other in the list.
        static func < (one: Position, other: Position) -> Bool {
            if one.time != other.time { return one.time > other.time }
            return one.sequence == other.sequence ? one.name < other.name : one.sequence > other.sequence
        }
    }

    /// In bytes: as many connections as a user may have, and more.
    static let maximumLength = 8_192
    /// The prefix of the text, so that no text is empty.
    private static let header = "orders"

    init() {}

    init?(plain: String) {
        let lines = plain.split(separator: "\n")
        guard plain.utf8.allSatisfy({ $0 < 0x80 }), lines.first == Self.header[...] else { return nil }
        for line in lines.dropFirst() {
            let parts = line.split(separator: " ", omittingEmptySubsequences: false)
            // Those of earlier versions have no sequence.
            guard (3...4).contains(parts.count), let time = Instant(String(parts[1])), let name = parts.last
            else {
                return nil
            }
            positions[String(parts[0])] = Position(
                time: time, sequence: parts.count == 4 ? String(parts[2]) : "", name: String(name))
        }
    }

    var plain: String {
        let lines = positions.sorted { $0.key < $1.key }.map { connection, position in
            "\(connection) \(position.time) \(position.sequence) \(position.name)"
        }
        return ([Self.header] + lines).joined(separator: "\n")
    }

    /// The same, with an order listed.
    mutating func advance(past connected: ConnectedOrder) {
        positions[connected.connection.id] = Position(connected)
    }

    /// The same, with all orders of a connection up to a position examined.
    fileprivate mutating func advance(to examined: ConnectionOrderPage.Examined?) {
        guard let examined else { return }
        positions[examined.connection] = examined.position
    }
}
