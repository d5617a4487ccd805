import Brokerage
import NIOHTTP1

/// Alpaca's orders (fact sheet, "Orders").
struct AlpacaOrders: Sendable {
    let host: AlpacaHost
    let desk: AlpacaTradingDesk
    let settings: AlpacaSettings

    var routes: [Route] {
        [
            host.get("/v2/orders") { visit in
                let query = try AlpacaOrderQuery(visit.request)
                return .array(try desk.with(visit) { try query.select($0).map { try $0.json } })
            },
            host.get("/v2/orders:by_client_order_id") { visit in
                let wanted = visit.request[query: "client_order_id"] ?? ""
                return try desk.with(visit) { account in
                    guard let order = account.order(clientID: wanted) else {
                        throw AlpacaError.orderNotFound(wanted)
                    }
                    return try order.json
                }
            },
            host.get("/v2/orders/{order_id}") { visit in
                try desk.with(visit) { try order(visit, $0).json }
            },
            host.route(.POST, "/v2/orders", scope: .trading) { visit in
                let ticket = try AlpacaTicket(Self.body(visit), settings)
                return .json(try desk.with(visit) { try $0.submit(ticket, visit.view, at: visit.now).json })
            },
            host.route(.PATCH, "/v2/orders/{order_id}", scope: .trading) { visit in
                let body = try Self.body(visit)
                return .json(try desk.with(visit) { try replace(visit, body, &$0) })
            },
            host.route(.DELETE, "/v2/orders/{order_id}", scope: .trading) { visit in
                try desk.with(visit) { account in
                    let order = try order(visit, account)
                    guard order.status.isOpen else {
                        throw AlpacaError.unprocessable("order is not cancelable")
                    }
                    account.end(order.id, as: .canceled, at: visit.now)
                }
                return Response(status: .noContent)
            },
            host.route(.DELETE, "/v2/orders", scope: .trading) { visit in
                let ended = try desk.with(visit) { account in
                    let open = account.orders.filter(\.status.isOpen)
                    for order in open { account.end(order.id, as: .canceled, at: visit.now) }
                    return open.map(\.id)
                }
                return .json(.array(ended.map { ["id": .string($0), "status": 200] }), status: .multiStatus)
            },
        ]
    }

    /// A document of the request's body.
    static func body(_ visit: AlpacaHost.Visit) throws(AlpacaError) -> JSON {
        do {
            return try JSON(parsing: visit.request.body)
        } catch {
            throw .malformedBody
        }
    }

    private func order(_ visit: AlpacaHost.Visit, _ account: AlpacaAccount) throws -> AlpacaOrder {
        let id = visit.request.parameters["order_id"] ?? ""
        guard let order = account.order(id: id) else { throw AlpacaError.orderNotFound(id) }
        return order
    }

    /// A new order in the place of an open one, with what the body changes.
    private func replace(
        _ visit: AlpacaHost.Visit, _ body: JSON, _ account: inout AlpacaAccount
    ) throws -> JSON {
        let old = try order(visit, account)
        guard old.status.isOpen else { throw AlpacaError.unprocessable("order is not open") }
        guard old.ticket.notional == nil, (old.ticket.quantity?.withoutTrailingZeros.scale ?? 0) == 0 else {
            throw AlpacaError.unprocessable("fractional and notional orders cannot be replaced")
        }
        var ticket = AlpacaTicket(
            instrument: old.ticket.instrument, side: old.ticket.side, type: old.ticket.type,
            timeInForce: body["time_in_force"] == nil
                ? old.ticket.timeInForce : try body.word("time_in_force"))
        ticket.quantity = try body.amount("qty") ?? old.ticket.quantity
        ticket.limitPrice = try body.amount("limit_price") ?? old.ticket.limitPrice
        ticket.stopPrice = try body.amount("stop_price") ?? old.ticket.stopPrice
        ticket.extendedHours = old.ticket.extendedHours
        ticket.clientOrderID = body["client_order_id"]?.string
        guard let quantity = ticket.quantity, quantity.withoutTrailingZeros.scale == 0,
            quantity > old.filledQuantity
        else { throw AlpacaError.unprocessable("qty must be whole, and above what is filled") }
        try ticket.checkPrices()
        // What is filled stays with the old order.
        ticket.quantity = try quantity - old.filledQuantity
        return try account.submit(ticket, replacing: old, visit.view, at: visit.now).json
    }
}
