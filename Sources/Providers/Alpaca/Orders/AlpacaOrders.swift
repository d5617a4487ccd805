package import Brokerage
package import Upstream

/// The file is longer than 350 lines, because all calls share the orders' paths, bodies and refusals.
extension AlpacaClient: TradingAPI {
    package var orderCapabilities: OrderCapabilities {
        OrderCapabilities(
            types: Set(OrderType.allCases),
            timesInForce: Set(TimeInForce.allCases).subtracting([.goodTillDate]),
            cryptoTimesInForce: AlpacaOrderRules.cryptoTimesInForce,
            optionTimesInForce: AlpacaOrderRules.optionTimesInForce, acceptsFractions: true,
            fractions: AlpacaOrderRules.fractions, acceptsNotional: true, acceptsExtendedHours: true,
            replaces: true, replacesTypes: false, replacesPartlyFilled: false,
            endedOrders: .all, acceptsPercentTrails: true,
            exits: .init(timesInForce: [.day, .goodTillCanceled], acceptsFractions: false))
    }

    package var previewMethod: OrderPreviewMethod {
        .estimate { AlpacaOrderEstimate($0, $1).preview }
    }

    // MARK: Reading

    /// Orders, legs under those that they belong to, and as ``Order/listItems``: `GET /v2/orders`.
    ///
    /// One call; for open orders two if an order of a group (bracket, OCO, OTO) is among them, and a third one if the
    /// group is older than the latest ``maximumOrders`` orders.
    package func orders(
        _ query: OrderQuery, in context: CallContext
    ) async throws(ProviderFailure) -> OrderPage {
        let symbols = query.symbols?.compactMap(AlpacaSymbols().providerSymbol(for:))
        if symbols?.isEmpty == true { return OrderPage(orders: [], hasMore: false) }
        let list = symbols?.joined(separator: ",")
        let limit = min(max(query.limit, 1), Self.maximumOrders)
        if query.isOpen == true { return try await openOrders(query, limit, of: list, in: context) }
        let read = try await readOrders(
            AlpacaOrderListQuery(
                query.isOpen == nil ? .all : .closed, isNested: true, limit: limit, until: query.before),
            of: list, in: context)
        let fetchedAt = clock.wallTime()
        let orders = read.elements.flatMap { $0.order(fetchedAt: fetchedAt).listItems }
            .filter { query.isOpen == nil || $0.state.hasEnded }
        // Whether legs count towards the limit is not documented: if they do, a full page has fewer orders.
        let count = read.elements.reduce(read.failures.count) { $0 + 1 + $1.legs.count }
        return OrderPage(orders: orders, unreadable: read.unreadable(in: "orders"), hasMore: count >= limit)
    }

    /// The most orders of one response.
    private static var maximumOrders: Int { 500 }

    /// Open orders.
    ///
    /// All are read, and not only those before `query.before`: the order by which a group is found can be newer than
    /// the others of the group. Only if there are more than ``maximumOrders`` are the newest left out.
    private func openOrders(
        _ query: OrderQuery, _ limit: Int, of symbols: String?, in context: CallContext
    ) async throws(ProviderFailure) -> OrderPage {
        func read(_ query: AlpacaOrderListQuery) async throws(ProviderFailure) -> JSONRows<AlpacaOrder> {
            try await readOrders(query, of: symbols, in: context)
        }
        func isFull(_ rows: JSONRows<AlpacaOrder>) -> Bool {
            rows.elements.count + rows.failures.count >= Self.maximumOrders
        }
        var newest = try await read(AlpacaOrderListQuery(.open, limit: Self.maximumOrders))
        if isFull(newest), let before = query.before {
            newest = try await read(
                AlpacaOrderListQuery(.open, limit: Self.maximumOrders, until: before))
        }
        var open = AlpacaOpenOrders(newest.elements)
        var unreadable = newest.unreadable(in: "orders")
        if !open.ungrouped.isEmpty {
            let recent = try await read(AlpacaOrderListQuery(.all, isNested: true, limit: Self.maximumOrders))
            open.add(recent.elements)
            let oldest = open.ungrouped.compactMap(\.submittedAt).min()
            var others = recent.unreadable(in: "orders")
            if isFull(recent), let oldest {
                // Legs are created with their parent.
                let older = try await read(
                    AlpacaOrderListQuery(
                        .all, isNested: true, limit: Self.maximumOrders, after: oldest - .seconds(1)))
                open.add(older.elements)
                others += older.unreadable(in: "orders")
            }
            // One of these may be the rest of a group.
            if !open.ungrouped.isEmpty { unreadable += others }
        }
        let orders = open.orders(fetchedAt: clock.wallTime()).filter { order in
            query.before.map { order.listTime ?? .latest < $0 } ?? true
        }
        return OrderPage(
            orders: Array(orders.prefix(limit)), unreadable: unreadable,
            hasMore: isFull(newest) || orders.count > limit)
    }

    /// Reads one list.
    private func readOrders(
        _ query: AlpacaOrderListQuery, of symbols: String? = nil, in context: CallContext
    ) async throws(ProviderFailure) -> JSONRows<AlpacaOrder> {
        let items = query.items + [("symbols", symbols)]
        return try await getOrders(
            "orders", { $0.appending(path: "v2", "orders")?.appending(query: items) }, in: context
        ) { response throws(JSONError) in
            try JSONReader.read(response.body) { reader throws(JSONError) in
                try reader.rows(of: AlpacaOrder.self)
            }
        }
    }

    /// An order: `GET /v2/orders/{id}`.
    package func order(
        _ id: String, of account: String?, in context: CallContext
    ) async throws(ProviderFailure) -> Order {
        let id = try AlpacaID(id)
        return try await readOrder(in: context) {
            $0.appending(path: "v2", "orders", id.text)?.appending(query: [("nested", "true")])
        }.order(fetchedAt: clock.wallTime())
    }

    /// The present states of orders: `GET /v2/orders`, one call for the orders since the submission of the first, and one for
    /// each of the others, at most ``maximumSingleReads``.
    package func outcomes(
        of orders: [Order], in context: CallContext
    ) async throws(ProviderFailure) -> [Order] {
        let ids = Set(orders.map(\.id))
        // Without legs: each order is an item of the list.
        let first = orders.compactMap(\.submittedAt).min().map { $0 - .seconds(1) }
        let rows = try await readOrders(
            AlpacaOrderListQuery(.all, limit: Self.maximumOrders, after: first), in: context)
        var found = rows.elements.filter { ids.contains($0.id) }.map { $0.order(fetchedAt: clock.wallTime()) }
        for id in ids.subtracting(found.map(\.id)).sorted().prefix(Self.maximumSingleReads) {
            do throws(ProviderFailure) {
                found.append(try await order(id, of: nil, in: context))
            } catch {
                // An order that cannot be read does not hide the others.
                guard error.cause == .notFound || error.isUnreadableContent else { throw error }
            }
        }
        return found
    }

    private static var maximumSingleReads: Int { 20 }

    /// An order by its client's id, among open and ended ones: `GET /v2/orders:by_client_order_id`.
    package func order(
        clientID: String, of account: String?, in context: CallContext
    ) async throws(ProviderFailure) -> OrderLookup {
        let order: AlpacaOrder
        do throws(ProviderFailure) {
            order = try await readOrder(in: context) { base in
                // A constant part of the path: `appending(path:)` would escape its colon, which Alpaca
                // does not accept.
                base.appending(path: "v2").flatMap { HTTPURL($0.text + "/orders:by_client_order_id") }?
                    .appending(query: [("client_order_id", clientID)])
            }
        } catch {
            guard error.cause == .notFound else { throw error }
            return .absent
        }
        // This path has no parameter for the legs of the order.
        guard order.isInGroup, order.legs.isEmpty else {
            return .found(order.order(fetchedAt: clock.wallTime()))
        }
        do throws(ProviderFailure) {
            return .found(try await self.order(order.id, of: account, in: context))
        } catch {
            // The order exists, but its legs could not be read: the two responses contradict each other.
            throw error.cause == .notFound ? ProviderFailure(.alpaca, .unavailable) : error
        }
    }

    private func readOrder(
        in context: CallContext, _ address: (HTTPURL) -> HTTPURL?
    ) async throws(ProviderFailure) -> AlpacaOrder {
        try await getOrders("order", address, in: context) { response throws(JSONError) in
            try AlpacaOrder(json: response.body)
        }
    }

    private func order(in response: HTTPClientResponse) throws(JSONError) -> Order {
        try AlpacaOrder(json: response.body).order(fetchedAt: clock.wallTime())
    }

    // MARK: Writing

    /// Places an order: `POST /v2/orders`, sent once.
    ///
    /// If Alpaca already has an order with this client id, of the same symbol and side, the result is that
    /// order: it is the same order, whose response was lost.
    package func place(
        _ ticket: OrderTicket, in context: CallContext
    ) async throws(ProviderFailure) -> OrderResult {
        guard let body = JSONObjectText(ticket) else { throw ProviderFailure(.alpaca, .unsupported) }
        let response = try await write(
            "place", .post, { $0.appending(path: "v2", "orders") }, body: body, in: context,
            read: writeResult(in:)
        )
        return try await settled(response, clientID: ticket.clientOrderID, in: context) {
            $0.symbol == ticket.symbol && $0.side == ticket.side
        }
    }

    /// Changes an order: `PATCH /v2/orders/{id}`, sent once.
    ///
    /// Alpaca puts a new order into the place of the old one. An accepted request does not guarantee it: if the old order is
    /// filled first, Alpaca rejects the new one. The new order has the quantity that is sent, or else the whole quantity of the
    /// old one, and none of it is filled (Alpaca-API, issue 165): the caller checks that nothing of the old order is filled, see
    /// ``OrderCapabilities/replacesPartlyFilled``.
    package func replace(
        _ order: Order, by change: OrderReplacement, clientOrderID: String, in context: CallContext
    ) async throws(ProviderFailure) -> OrderResult {
        let id = try AlpacaID(order.id)
        guard let body = JSONObjectText(change, of: order, clientOrderID: clientOrderID) else {
            throw ProviderFailure(.alpaca, .unsupported)
        }
        let response = try await write(
            "replace", .patch, { $0.appending(path: "v2", "orders", id.text) }, body: body, in: context,
            read: writeResult(in:))
        let result = try await settled(response, clientID: clientOrderID, in: context) {
            $0.replaces == order.id
        }
        guard case .accepted(let new) = result, new.state == .rejected else { return result }
        return .rejected(
            OrderRejection(.other, message: "Alpaca has rejected the order that was to replace this one."))
    }

    /// Requests the cancellation of an order: `DELETE /v2/orders/{id}`, whose response is empty.
    package func cancel(
        _ order: Order, in context: CallContext
    ) async throws(ProviderFailure) -> OrderResult {
        let id = try AlpacaID(order.id)
        let refusal = try await write(
            "cancel", .delete, { $0.appending(path: "v2", "orders", id.text) }, in: context
        ) { AlpacaWriteRejection($0) }
        guard let refusal else { return .accepted(pending(order)) }
        if refusal.status == 404 { throw ProviderFailure(.alpaca, .notFound) }
        var rejection = OrderRejection(refusal)
        // 422 has only one meaning for a cancellation: the order has ended.
        if refusal.status == 422 { rejection.reason = .tooLate }
        return .rejected(rejection)
    }

    /// The order after Alpaca has accepted a cancellation, and before its outcome is known.
    private func pending(_ order: Order) -> Order {
        var order = order
        order.state = .pendingCancel
        order.providerState = nil
        order.provenance = Provenance(source: .alpaca, fetchedAt: clock.wallTime())
        return order
    }

    private enum WriteResponse {
        case order(Order)
        case rejection(AlpacaWriteRejection)
    }

    private func writeResult(in response: HTTPClientResponse) throws(JSONError) -> WriteResponse {
        if let refusal = AlpacaWriteRejection(response) { return .rejection(refusal) }
        return .order(try order(in: response))
    }

    /// The response; for an id that is already used, the order that has it.
    private func settled(
        _ response: WriteResponse, clientID: String, in context: CallContext, isSame: (Order) -> Bool
    ) async throws(ProviderFailure) -> OrderResult {
        switch response {
        case .order(let order): return .accepted(order)
        case .rejection(let refusal) where refusal.isDuplicate:
            switch try await order(clientID: clientID, of: nil, in: context) {
            case .found(let order):
                return isSame(order) ? .accepted(order) : .rejected(OrderRejection(refusal))
            // An order of the list has exactly one of both.
            case .absent, .unknown: throw ProviderFailure(.alpaca, .invalidResponse(nil))
            }
        case .rejection(let refusal) where refusal.status == 404: throw ProviderFailure(.alpaca, .notFound)
        case .rejection(let refusal): return .rejected(OrderRejection(refusal))
        }
    }
}

/// The parameters of `GET /v2/orders`, without the symbols.
struct AlpacaOrderListQuery {
    let items: [(name: String, value: String?)]

    enum Status: String {
        case open, closed, all
    }

    /// - Parameters:
    ///   - status: The orders by their status.
    ///   - isNested: Whether legs are within their parents.
    ///   - limit: The most orders of the response.
    ///   - until: Orders that were submitted before, newest first.
    ///   - after: Orders that were submitted after, oldest first; nil for the newest ones, newest first.
    init(_ status: Status, isNested: Bool = false, limit: Int, until: Instant? = nil, after: Instant? = nil) {
        items = [
            ("status", status.rawValue), ("limit", String(limit)), ("until", until?.description),
            ("after", after?.description), ("direction", after == nil ? "desc" : "asc"),
            ("nested", isNested ? "true" : nil),
        ]
    }
}

extension AlpacaWriteRejection {
    /// Whether the client's id of an order is one that another has: code 40010001, which other mistakes have too.
    var isDuplicate: Bool {
        guard code == 40_010_001, let message else { return false }
        return message.contains("client_order_id") && message.contains("unique")
    }
}

extension JSONObjectText {
    /// The body of `POST /v2/orders`; nil for an order that Alpaca does not accept: a date of expiry, an
    /// unknown symbol, an id that is empty or longer than 128 characters.
    package init?(_ ticket: OrderTicket) {
        guard let symbol = AlpacaSymbols().providerSymbol(for: ticket.symbol),
            let timeInForce = ticket.timeInForce.alpacaName, ticket.expiresOn == nil,
            Self.isValidClientOrderID(ticket.clientOrderID)
        else { return nil }
        self.init()
        add("symbol", symbol)
        switch ticket.size {
        case .quantity(let quantity): add("qty", quantity)
        case .notional(let notional): add("notional", notional)
        }
        add("side", ticket.side.alpacaName)
        add("type", ticket.price.type.alpacaName)
        add("time_in_force", timeInForce)
        if let exits = ticket.exits {
            add(exits, of: ticket)
        } else {
            add(prices: ticket.price)
        }
        if ticket.isExtendedHours { add("extended_hours", true) }
        add("client_order_id", ticket.clientOrderID)
    }

    /// The body of `PATCH /v2/orders/{id}`; nil for what Alpaca does not take, which is another type of order too.
    package init?(_ change: OrderReplacement, of order: Order, clientOrderID: String) {
        guard change.expiresOn == nil, Self.isValidClientOrderID(clientOrderID) else { return nil }
        self.init()
        add("qty", change.quantity)
        if let timeInForce = change.timeInForce {
            guard let name = timeInForce.alpacaName else { return nil }
            add("time_in_force", name)
        }
        if let price = change.price {
            guard order.type == price.type else { return nil }
            switch price {
            case .trailingStop(.percent(let percent)):
                // Alpaca changes the value of the existing trail, and accepts no unit.
                guard order.trailPercent != nil else { return nil }
                add("trail", percent)
            case .trailingStop(.amount(let amount)):
                guard order.trailAmount != nil else { return nil }
                add("trail", amount)
            case .market, .limit, .stop, .stopLimit: add(prices: price)
            }
        }
        add("client_order_id", clientOrderID)
    }

    /// Adds an order with exits: of class `oco` if they close an existing position, where the take profit is
    /// the order itself; otherwise `bracket`, or `oto` for one exit.
    private mutating func add(_ exits: OrderExits, of ticket: OrderTicket) {
        if exits.closesExistingPosition {
            add("order_class", "oco")
        } else {
            add(prices: ticket.price)
            add("order_class", exits.legs.count > 1 ? "bracket" : "oto")
        }
        if let price = exits.takeProfit {
            var profit = JSONObjectText()
            profit.add("limit_price", price)
            add("take_profit", profit)
        }
        if let stopLoss = exits.stopLoss {
            var loss = JSONObjectText()
            loss.add("stop_price", stopLoss.stop)
            loss.add("limit_price", stopLoss.limit)
            add("stop_loss", loss)
        }
    }

    private mutating func add(prices price: OrderPricing) {
        switch price {
        case .market: break
        case .limit(let limit): add("limit_price", limit)
        case .stop(let stop): add("stop_price", stop)
        case .stopLimit(let stop, let limit):
            add("stop_price", stop)
            add("limit_price", limit)
        case .trailingStop(.percent(let percent)): add("trail_percent", percent)
        case .trailingStop(.amount(let amount)): add("trail_price", amount)
        }
    }

    private static func isValidClientOrderID(_ clientOrderID: String) -> Bool {
        (1...128).contains(clientOrderID.unicodeScalars.count)
    }
}
