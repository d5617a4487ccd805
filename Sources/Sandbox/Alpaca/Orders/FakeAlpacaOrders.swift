import Brokerage
import NIOHTTP1

/// Alpaca's orders.
struct FakeAlpacaOrders: Sendable {
    let host: FakeAlpacaHost
    let accounts: FakeAlpacaAccounts
    let settings: FakeAlpacaSettings

    var routes: [SandboxRoute] {
        [
            host.get("/v2/orders") { context in
                let query = try FakeAlpacaOrderQuery(context.request, settings)
                return .array(try accounts.with(context) { try query.documents($0) })
            },
            host.get("/v2/orders:by_client_order_id") { context in
                let wanted = context.request[query: "client_order_id"] ?? ""
                return try accounts.with(context) { account in
                    guard let order = account.order(clientID: wanted) else {
                        throw FakeAlpacaError.orderNotFound(wanted)
                    }
                    return try order.json
                }
            },
            host.get("/v2/orders/{order_id}") { context in
                let isNested = try context.request.flag("nested")
                return try accounts.with(context) { account in
                    let order = try order(context, account)
                    return try order.json(withLegs: isNested ? account.legs(of: order) : [])
                }
            },
            host.route(.POST, "/v2/orders", scope: .trading) { context in
                let ticket = try FakeAlpacaOrderTicket(Self.body(context), settings)
                return .json(
                    try accounts.with(context) { account in
                        let order = try account.submit(ticket, context.view, at: context.now)
                        return try order.json(withLegs: account.legs(of: order))
                    })
            },
            host.route(.PATCH, "/v2/orders/{order_id}", scope: .trading) { context in
                let body = try Self.body(context)
                return .json(try accounts.with(context) { try replace(context, body, &$0) })
            },
            host.route(.DELETE, "/v2/orders/{order_id}", scope: .trading) { context in
                try accounts.with(context) { account in
                    let order = try order(context, account)
                    guard order.status.isOpen else {
                        throw FakeAlpacaError.unprocessable("order is not cancelable")
                    }
                    account.end(order.id, as: .canceled, at: context.now)
                }
                return SandboxResponse(status: .noContent)
            },
            host.route(.DELETE, "/v2/orders", scope: .trading) { context in
                let ended = try accounts.with(context) { $0.cancelAll(at: context.now) }
                return .json(.array(ended.map { ["id": .string($0), "status": 200] }), status: .multiStatus)
            },
        ]
    }

    /// Parses the request's body.
    static func body(_ context: FakeAlpacaHost.AuthenticatedRequest) throws(FakeAlpacaError) -> JSONDocument {
        do {
            return try JSONDocument(parsing: context.request.body)
        } catch {
            throw .malformedBody
        }
    }

    private func order(_ context: FakeAlpacaHost.AuthenticatedRequest, _ account: FakeAlpacaAccount) throws
        -> FakeAlpacaOrder
    {
        let id = context.request.parameters["order_id"] ?? ""
        guard let order = account.order(id: id) else { throw FakeAlpacaError.orderNotFound(id) }
        return order
    }

    /// Replaces an open order by a new one with the changes of the body.
    ///
    /// The shares that are filled stay with the old order, and do not count towards the quantity of the new one (Alpaca-API,
    /// issue 165).
    private func replace(
        _ context: FakeAlpacaHost.AuthenticatedRequest, _ body: JSONDocument,
        _ account: inout FakeAlpacaAccount
    ) throws -> JSONDocument {
        let old = try order(context, account)
        guard old.status.isOpen else { throw FakeAlpacaError.unprocessable("order is not open") }
        guard old.ticket.notional == nil, (old.ticket.quantity?.withoutTrailingZeros.scale ?? 0) == 0 else {
            throw FakeAlpacaError.unprocessable("fractional and notional orders cannot be replaced")
        }
        var ticket = FakeAlpacaOrderTicket(
            instrument: old.ticket.instrument, side: old.ticket.side, type: old.ticket.type,
            timeInForce: body["time_in_force"] == nil
                ? old.ticket.timeInForce : try body.enumValue("time_in_force"))
        ticket.quantity = try body.amount("qty") ?? old.ticket.quantity
        ticket.limitPrice = try body.amount("limit_price") ?? old.ticket.limitPrice
        ticket.stopPrice = try body.amount("stop_price") ?? old.ticket.stopPrice
        let trail = try body.amount("trail")
        // Not `map`: Swift 6.3 aligns an optional Decimal that a closure captures wrongly in a debug build.
        if let old = old.ticket.trailPrice { ticket.trailPrice = trail ?? old }
        if let old = old.ticket.trailPercent { ticket.trailPercent = trail ?? old }
        ticket.orderClass = old.ticket.orderClass
        ticket.extendedHours = old.ticket.extendedHours
        if old.isInGroup {
            guard old.parentID == nil || old.ticket.orderClass != .oneTriggersOther else {
                throw FakeAlpacaError.unprocessable("legs of oto orders cannot be replaced")
            }
            guard ticket.quantity == old.ticket.quantity else {
                throw FakeAlpacaError.unprocessable("qty of orders with legs cannot be replaced")
            }
        }
        ticket.clientOrderID = body["client_order_id"]?.string
        guard let quantity = ticket.quantity, quantity.withoutTrailingZeros.scale == 0, quantity > .zero
        else { throw FakeAlpacaError.unprocessable("qty must be whole, and above 0") }
        try ticket.checkPrices()
        let order = try account.submit(ticket, replacing: old, context.view, at: context.now)
        return try order.json(withLegs: account.legs(of: order))
    }
}

/// The validated parameters of `GET /v2/orders`.
struct FakeAlpacaOrderQuery {
    private let isOpen: Bool?
    private let limit: Int
    private let after: Instant?
    private let until: Instant?
    private let newestFirst: Bool
    private let symbols: Set<String>?
    private let side: String?
    private let beforeID: String?
    private let afterID: String?
    private let isOfShares: Bool
    private let isNested: Bool
    private let hasAllExits: Bool

    init(_ request: SandboxRequest, _ settings: FakeAlpacaSettings) throws(FakeAlpacaError) {
        hasAllExits = settings.openListHasAllExits
        func instant(_ name: String) throws(FakeAlpacaError) -> Instant? {
            guard let text = request[query: name] else { return nil }
            if let instant = Instant(text) { return instant }
            guard let date = CalendarDate(text) else { throw .unprocessable("invalid \(name): \(text)") }
            return Instant(newYorkMidnight: date)
        }
        switch try request.choice("status", of: ["open", "closed", "all"]) ?? "open" {
        case "open": isOpen = true
        case "closed": isOpen = false
        default: isOpen = nil
        }
        limit = try request.integer("limit", in: 1...500) ?? 50
        after = try instant("after")
        until = try instant("until")
        newestFirst = try request.choice("direction", of: ["asc", "desc"]) != "asc"
        isNested = try request.flag("nested")
        symbols = request[query: "symbols"].map { Set($0.split(separator: ",").map(String.init)) }
        side = try request.choice("side", of: ["buy", "sell"])
        beforeID = request[query: "before_order_id"]
        afterID = request[query: "after_order_id"]
        isOfShares =
            request[query: "asset_class"].map { $0.split(separator: ",").contains("us_equity") } ?? true
    }

    /// Returns the selected orders; nested, a leg is part of its parent, and by the settings also in the list without it.
    func documents(_ account: FakeAlpacaAccount) throws -> [JSONDocument] {
        let orders = try select(account)
        guard isNested else { return try orders.map { try $0.json } }
        let ids = Set(orders.map(\.id))
        return try orders.filter { $0.parentID.map { hasAllExits && !ids.contains($0) } ?? true }
            .map { try $0.json(withLegs: account.legs(of: $0)) }
    }

    private func isListedAsOpen(_ order: FakeAlpacaOrder) -> Bool {
        order.status.isOpen && (hasAllExits || order.status != .held)
    }

    private func select(_ account: FakeAlpacaAccount) throws -> [FakeAlpacaOrder] {
        func time(_ id: String?) throws -> Instant? {
            guard let id else { return nil }
            guard let order = account.order(id: id) else { throw FakeAlpacaError.orderNotFound(id) }
            return order.createdAt
        }
        let (before, behind) = (try time(beforeID), try time(afterID))
        let found = account.orders.filter { order in
            isOfShares && (isOpen.map { $0 == isListedAsOpen(order) } ?? true)
                && (symbols?.contains(order.ticket.instrument.symbol) ?? true)
                && (side.map { $0 == order.ticket.side.rawValue } ?? true)
                && [after, behind].allSatisfy { $0.map { order.createdAt > $0 } ?? true }
                && [until, before].allSatisfy { $0.map { order.createdAt < $0 } ?? true }
        }
        return Array((newestFirst ? found.reversed() : found).prefix(limit))
    }
}
