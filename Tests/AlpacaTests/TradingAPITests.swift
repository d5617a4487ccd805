import Alpaca
import Brokerage
import ProviderTestSupport
import Testing
import Upstream

@Suite("The order desk")
struct TradingAPITests {
    private func ticket(
        _ text: String = "AAPL", size: OrderSize = .quantity(2), price: OrderPricing = .market,
        timeInForce: TimeInForce = .day, extended: Bool = false, id: String = "bourse-7Q2M-000184"
    ) throws -> OrderTicket {
        OrderTicket(
            clientOrderID: id, accountID: "any", symbol: try symbol(text), side: .buy, size: size,
            price: price,
            timeInForce: timeInForce, isExtendedHours: extended)
    }

    @Test("sends a ticket's prices as strings, just those that its type takes")
    func bodies() throws {
        let (stop, limit) = (try decimal("10.50"), try decimal("10.4"))
        let cases: [(OrderTicket, String)] = [
            (
                try ticket(size: .quantity(decimal("0.123456789"))),
                #"{"symbol":"AAPL","qty":"0.123456789","side":"buy","type":"market","time_in_force":"day","#
                    + #""client_order_id":"bourse-7Q2M-000184"}"#
            ),
            (
                try ticket("BRK.B", price: .limit(limit), timeInForce: .goodTillCanceled, extended: true),
                #"{"symbol":"BRK.B","qty":"2","side":"buy","type":"limit","time_in_force":"gtc","limit_price":"10.4","#
                    + #""extended_hours":true,"client_order_id":"bourse-7Q2M-000184"}"#
            ),
            (
                try ticket(
                    "BTC/USD", size: .notional(25), price: .stopLimit(stop: stop, limit: limit), id: #"a"\b"#),
                #"{"symbol":"BTC/USD","notional":"25","side":"buy","type":"stop_limit","time_in_force":"day","#
                    + #""stop_price":"10.50","limit_price":"10.4","client_order_id":"a\"\\b"}"#
            ),
            (
                try ticket(price: .stop(stop), timeInForce: .opening, id: "1"),
                #"{"symbol":"AAPL","qty":"2","side":"buy","type":"stop","time_in_force":"opg","stop_price":"10.50","#
                    + #""client_order_id":"1"}"#
            ),
            (
                try ticket(price: .trailingStop(.percent(5)), timeInForce: .closing, id: "1"),
                #"{"symbol":"AAPL","qty":"2","side":"buy","type":"trailing_stop","time_in_force":"cls","#
                    + #""trail_percent":"5","client_order_id":"1"}"#
            ),
            (
                try ticket(price: .trailingStop(.amount(limit)), timeInForce: .fillOrKill, id: "1"),
                #"{"symbol":"AAPL","qty":"2","side":"buy","type":"trailing_stop","time_in_force":"fok","#
                    + #""trail_price":"10.4","client_order_id":"1"}"#
            ),
        ]
        for (ticket, text) in cases {
            #expect(JSONObjectText(ticket).map { String(decoding: $0.bytes, as: UTF8.self) } == text)
        }
    }

    @Test("sends exits with the class of the order; without an entry the take profit is the order itself")
    func exits() throws {
        func body(_ exits: OrderExits) throws -> String? {
            var ticket = try ticket(price: .limit(225), timeInForce: .goodTillCanceled, id: "1")
            ticket.exits = exits
            return JSONObjectText(ticket).map { String(decoding: $0.bytes, as: UTF8.self) }
        }
        let start = #"{"symbol":"AAPL","qty":"2","side":"buy","type":"limit","time_in_force":"gtc","#
        #expect(
            try body(OrderExits(takeProfit: 240, stopLoss: .init(stop: 215, limit: 214)))
                == start
                + #""limit_price":"225","order_class":"bracket","take_profit":{"limit_price":"240"},"#
                + #""stop_loss":{"stop_price":"215","limit_price":"214"},"client_order_id":"1"}"#)
        #expect(
            try body(OrderExits(takeProfit: nil, stopLoss: .init(stop: 215)))
                == start + #""limit_price":"225","order_class":"oto","stop_loss":{"stop_price":"215"},"#
                + #""client_order_id":"1"}"#)
        #expect(
            try body(OrderExits(takeProfit: 240, stopLoss: .init(stop: 215), closesExistingPosition: true))
                == start + #""order_class":"oco","take_profit":{"limit_price":"240"},"#
                + #""stop_loss":{"stop_price":"215"},"client_order_id":"1"}"#)
    }

    @Test("does not send what Alpaca does not take")
    func unsupported() async throws {
        try await withAlpaca(answering: { _, _ in .text("{}") }) { alpaca, server in
            let tickets = [
                try ticket("EUR/USD"), try ticket(timeInForce: .goodTillDate), try ticket(id: ""),
                try ticket(id: String(repeating: "x", count: 129)),
            ]
            for ticket in tickets {
                await #expect(throws: ProviderFailure(.alpaca, .unsupported)) {
                    try await alpaca.place(ticket, in: .patient)
                }
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test("places an order by one call")
    func place() async throws {
        let body = try example("order")
        try await withAlpaca(answering: { _, _ in .body(body) }) { alpaca, server in
            let answer = try await alpaca.place(try ticket(), in: .patient)
            guard case .accepted(let order) = answer else { throw NotThere(text: "order") }
            #expect(order.id == "0b9c3a46-9d3b-4f0b-8c0e-0a5f2d2f7f51")
            #expect(order.state == .accepted)
            let request = try #require(server.requests.first)
            #expect(server.requests.count == 1)
            #expect(request.method == "POST")
            #expect(request.target == "/trading/v2/orders")
            #expect(request.headers["content-type"] == "application/json")
            #expect(request.headers["apca-api-key-id"] == keyID)
            #expect(request.text.hasPrefix(#"{"symbol":"AAPL","qty":"2""#))
        }
    }

    @Test("tells a refusal, with its reason")
    func refused() async throws {
        let body = try example("error-insufficient-quantity")
        try await withAlpaca(answering: { _, _ in .body(body, status: 403) }) { alpaca, server in
            let answer = try await alpaca.place(try ticket(), in: .patient)
            let rejection = OrderRejection(
                .insufficientQuantity,
                message: "insufficient qty available for order (requested: 10, available: 0)")
            #expect(answer == .rejected(rejection))
            #expect(server.requests.count == 1)
        }
    }

    @Test(
        "sends no write again, and calls no failure a refusal that is none",
        arguments: [
            (CannedServer.Reply.text("", status: 503), ProviderFailure.Cause.unavailable),
            (.disconnect, .unavailable), (.text("", status: 504), .timedOut),
            (.text(#"{"message":"forbidden."}"#, status: 403), .unauthorized),
            (.text(#"{"code":40110000,"message":"request is not authorized"}"#, status: 401), .unauthorized),
            (.text("", status: 429), .rateLimited(retryAt: nil)),
            // A proxy before Alpaca: the outcome of the write is unknown.
            (.text("", status: 404), .unavailable), (.text("", status: 410), .unavailable),
            (.text("<html><body>404 page not found</body></html>", status: 404), .unavailable),
            (.text(#"{"message":"Not Found"}"#, status: 404), .unavailable),
            (.text("<html><body>Forbidden</body></html>", status: 403), .unavailable),
            (.text("<html><body>Authorization Required</body></html>", status: 401), .unavailable),
            (.text("", status: 401), .unavailable),
            (.text(#"{"message":"Unauthorized"}"#, status: 401), .unavailable),
            (.text("<html><body>Bad Request</body></html>", status: 400), .unavailable),
            (.text("", status: 400), .unavailable), (.text("", status: 422), .unavailable),
            (.text(#"{"message":"Bad Request"}"#, status: 400), .unavailable),
            // As the data host says it, which takes no orders.
            (.text(#"{"message":"invalid symbol: AAPL"}"#, status: 400), .unavailable),
            (.text(#"{"code":40410000,"message":"order not found for x"}"#, status: 404), .notFound),
        ])
    func once(reply: CannedServer.Reply, cause: ProviderFailure.Cause) async throws {
        try await withAlpaca(answering: { _, _ in reply }, retry: .attempts(3)) { alpaca, server in
            let failure = ProviderFailure(.alpaca, cause)
            let order = try standing()
            await #expect(throws: failure) { try await alpaca.place(try ticket(), in: .patient) }
            await #expect(throws: failure) {
                try await alpaca.replace(
                    order, by: OrderReplacement(quantity: 3), clientOrderID: "c", in: .patient)
            }
            await #expect(throws: failure) { try await alpaca.cancel(order, in: .patient) }
            #expect(server.requests.map(\.method) == ["POST", "PATCH", "DELETE"])
        }
    }

    @Test("leaves open what became of an order whose answer makes no sense")
    func unreadable() async throws {
        try await withAlpaca(answering: { _, _ in .text(#"{"id":7}"#) }, retry: .attempts(3)) {
            alpaca, server in
            let failure = await #expect(throws: ProviderFailure.self) {
                try await alpaca.place(try ticket(), in: .patient)
            }
            #expect(
                failure?.description
                    == "alpaca: an invalid response: id: expected a string, found a number"
                    + " (byte 6)")
            #expect(server.requests.count == 1)
        }
    }

    private static let duplicate = CannedServer.Reply.text(
        #"{"code":40010001,"message":"client_order_id must be unique"}"#, status: 422)

    @Test("answers with the order that has the client's id, where Alpaca has it already")
    func duplicate() async throws {
        let body = try example("order")
        try await withAlpaca(answering: { request, _ in
            request.method == "POST" ? Self.duplicate : .body(body)
        }) { alpaca, server in
            let answer = try await alpaca.place(try ticket(), in: .patient)
            guard case .accepted(let order) = answer else { throw NotThere(text: "order") }
            #expect(order.clientOrderID == "bourse-7Q2M-000184")
            #expect(
                server.requests.map { $0.method + " " + $0.target } == [
                    "POST /trading/v2/orders",
                    "GET /trading/v2/orders:by_client_order_id?client_order_id=bourse-7Q2M-000184",
                ])
        }
    }

    @Test("refuses where the order that has the client's id is another one")
    func anotherOrder() async throws {
        let body = try example("order")
        try await withAlpaca(answering: { request, _ in
            request.method == "POST" ? Self.duplicate : .body(body)
        }) { alpaca, _ in
            let answer = try await alpaca.place(try ticket("MSFT"), in: .patient)
            #expect(answer == .rejected(OrderRejection(.other, message: "client_order_id must be unique")))
        }
    }

    @Test("does not know what to make of an id that is taken and that nobody has")
    func contradiction() async throws {
        try await withAlpaca(answering: { request, _ in
            request.method == "POST"
                ? Self.duplicate : .text(#"{"code":40410000,"message":"order not found for x"}"#, status: 404)
        }) { alpaca, _ in
            await #expect(throws: ProviderFailure(.alpaca, .invalidResponse(nil))) {
                try await alpaca.place(try ticket(), in: .patient)
            }
        }
    }

    private func standing(_ change: (inout Order) -> Void = { _ in }) throws -> Order {
        var order = try AlpacaOrder(json: example("order")).order(fetchedAt: wallTime)
        change(&order)
        return order
    }

    @Test("changes an order into a new one")
    func replace() async throws {
        let body = try example("order")
            .replacing(#""id":"0b9c3a46-9d3b-4f0b-8c0e-0a5f2d2f7f51""#, with: #""id":"new""#)
            .replacing(#""replaces":null"#, with: #""replaces":"0b9c3a46-9d3b-4f0b-8c0e-0a5f2d2f7f51""#)
        try await withAlpaca(answering: { _, _ in .body(body) }) { alpaca, server in
            let change = OrderReplacement(
                quantity: 3, price: .limit(try decimal("226.00")), timeInForce: .goodTillCanceled)
            let answer = try await alpaca.replace(
                try standing(), by: change, clientOrderID: "c2", in: .patient)
            guard case .accepted(let order) = answer else { throw NotThere(text: "order") }
            #expect(order.id == "new")
            #expect(order.replaces == "0b9c3a46-9d3b-4f0b-8c0e-0a5f2d2f7f51")
            let request = try #require(server.requests.first)
            #expect(request.method == "PATCH")
            #expect(request.target == "/trading/v2/orders/0b9c3a46-9d3b-4f0b-8c0e-0a5f2d2f7f51")
            #expect(
                request.text
                    == #"{"qty":"3","time_in_force":"gtc","limit_price":"226.00","client_order_id":"c2"}"#)
        }
    }

    @Test("changes no type, no unit of a trail, and nothing to a date")
    func unchangeable() async throws {
        try await withAlpaca(answering: { _, _ in .text("{}") }) { alpaca, server in
            let trailing = try standing { order in
                order.type = .trailingStop
                order.trailPercent = 5
            }
            let cases = [
                (try standing(), OrderReplacement(price: .market)),
                (try standing(), OrderReplacement(expiresOn: CalendarDate("2026-12-01"))),
                (try standing(), OrderReplacement(timeInForce: .goodTillDate)),
                (trailing, OrderReplacement(price: .trailingStop(.amount(1)))),
            ]
            for (order, change) in cases {
                await #expect(throws: ProviderFailure(.alpaca, .unsupported)) {
                    try await alpaca.replace(order, by: change, clientOrderID: "c", in: .patient)
                }
            }
            #expect(server.requests.isEmpty)
            let body = JSONObjectText(
                OrderReplacement(price: .trailingStop(.percent(4))), of: trailing, clientOrderID: "c")
            #expect(
                body.map { String(decoding: $0.bytes, as: UTF8.self) }
                    == #"{"trail":"4","client_order_id":"c"}"#)
        }
    }

    @Test(
        "asks for an order to be cancelled, and tells when that is too late",
        arguments: [
            (CannedServer.Reply.noContent, "taken"),
            (
                .text(#"{"code":42210000,"message":"order is already in \"filled\" state"}"#, status: 422),
                "TOO_LATE"
            ),
            (.text(#"{"code":42210000,"message":"no"}"#, status: 422), "TOO_LATE"),
            (.text(#"{"code":40410000,"message":"order not found for x"}"#, status: 404), "not found"),
        ])
    func cancel(reply: CannedServer.Reply, expected: String) async throws {
        try await withAlpaca(answering: { _, _ in reply }) { alpaca, server in
            let outcome: String
            let order = try standing()
            do throws(ProviderFailure) {
                switch try await alpaca.cancel(order, in: .patient) {
                case .accepted(let order):
                    outcome = "taken"
                    #expect(order.state == .pendingCancel)
                    #expect(order.providerState == nil)
                case .rejected(let rejection): outcome = rejection.reason.rawValue
                }
            } catch {
                outcome = error.cause.description
            }
            #expect(outcome == expected)
            #expect(server.requests.map(\.method) == ["DELETE"])
        }
    }

    @Test(
        "finds nothing for an id that is not a UUID, and does not call Alpaca",
        arguments: [
            "", ".", "..", "%2e%2e", "../account", "a/b", "1", "0b9c3a46-9d3b-4f0b-8c0e-0a5f2d2f7f5",
            "0b9c3a46-9d3b-4f0b-8c0e-0a5f2d2f7f5g", "0b9c3a469d3b4f0b8c0e0a5f2d2f7f51----",
            "0b9c3a46-9d3b-4f0b-8c0e-0a5f2d2f7f51\n", "０b9c3a46-9d3b-4f0b-8c0e-0a5f2d2f7f51",
        ])
    func malformed(_ id: String) async throws {
        try await withAlpaca(answering: { _, _ in .text("{}") }) { alpaca, server in
            let failure = ProviderFailure(.alpaca, .notFound)
            let order = try standing { $0.id = id }
            await #expect(throws: failure) { try await alpaca.order(id, of: nil, in: .patient) }
            await #expect(throws: failure) { try await alpaca.cancel(order, in: .patient) }
            await #expect(throws: failure) {
                try await alpaca.replace(
                    order, by: OrderReplacement(quantity: 3), clientOrderID: "c", in: .patient)
            }
            await #expect(throws: failure) { try await alpaca.watchlist(id, in: .patient) }
            await #expect(throws: failure) { try await alpaca.deleteWatchlist(id, in: .patient) }
            await #expect(throws: failure) {
                try await alpaca.replaceWatchlist(id, name: "x", symbols: [], in: .patient)
            }
            #expect(server.requests.isEmpty, "\(server.requests.map(\.target))")
        }
    }

    @Test("lists orders in one call, from where the page before ended")
    func list() async throws {
        let body = "[" + String(decoding: try example("order"), as: UTF8.self) + "]"
        try await withAlpaca(answering: { _, _ in .text(body) }) { alpaca, server in
            let before = try instant("2026-11-20T15:04:12Z")
            let query = OrderQuery(
                isOpen: true, symbols: [try symbol("AAPL"), try symbol("BTC/USD"), try symbol("EUR/USD")],
                limit: 2,
                before: before)
            let page = try await alpaca.orders(query, in: .patient)
            #expect(page.orders.count == 1)
            #expect(!page.hasMore)
            let all = try await alpaca.orders(OrderQuery(limit: 1), in: .patient)
            #expect(all.hasMore)
            _ = try await alpaca.orders(OrderQuery(isOpen: false, limit: 9_999), in: .patient)
            let none = try await alpaca.orders(OrderQuery(symbols: [try symbol("EUR/USD")]), in: .patient)
            #expect(none == OrderPage(orders: [], hasMore: false))
            #expect(
                server.requests.map(\.target) == [
                    "/trading/v2/orders?status=open&limit=500&direction=desc&symbols=AAPL%2CBTC%2FUSD",
                    "/trading/v2/orders?status=all&limit=1&direction=desc&nested=true",
                    "/trading/v2/orders?status=closed&limit=500&direction=desc&nested=true",
                ])
        }
    }

    @Test(
        "accepts only a response of Alpaca itself as proof that an order does not exist",
        arguments: [
            (CannedServer.Reply.text("", status: 404), ProviderFailure.Cause.unavailable),
            (.text("<html><body>404 page not found</body></html>", status: 404), .unavailable),
            (.text(#"{"message":"Not Found"}"#, status: 404), .unavailable),
            (.text("", status: 410), .unavailable),
            (.text(#"{"code":40410000,"message":"order not found for x"}"#, status: 404), .notFound),
        ])
    func edge(reply: CannedServer.Reply, cause: ProviderFailure.Cause) async throws {
        try await withAlpaca(answering: { _, _ in reply }) { alpaca, _ in
            let failure = ProviderFailure(.alpaca, cause)
            let id = "0b9c3a46-9d3b-4f0b-8c0e-0a5f2d2f7f51"
            await #expect(throws: failure) { try await alpaca.order(id, of: nil, in: .patient) }
            await #expect(throws: failure) { try await alpaca.orders(OrderQuery(), in: .patient) }
            if cause == .notFound {
                let none = try await alpaca.order(clientID: "x", of: nil, in: .patient)
                #expect(none == .absent)
            } else {
                await #expect(throws: failure) {
                    try await alpaca.order(clientID: "x", of: nil, in: .patient)
                }
            }
        }
    }

    @Test("never reports an order as absent that it has found, if the legs of the order cannot be read")
    func foundWithoutLegs() async throws {
        let text = String(decoding: try example("order"), as: UTF8.self)
        let body = text.replacing(#""order_class":""#, with: #""order_class":"bracket"#)
        #expect(body != text)
        try await withAlpaca(answering: { request, _ in
            request.target.contains("by_client_order_id")
                ? .text(body) : .text(#"{"code":40410000,"message":"order not found for x"}"#, status: 404)
        }) { alpaca, server in
            await #expect(throws: ProviderFailure(.alpaca, .unavailable)) {
                try await alpaca.order(clientID: "x", of: nil, in: .patient)
            }
            #expect(server.requests.count == 2)
        }
    }

    @Test("reads an order by either id, and knows none by a client's id that nobody has")
    func single() async throws {
        let body = try example("order")
        try await withAlpaca(answering: { request, _ in
            request.target.hasSuffix("unknown")
                ? .text(#"{"code":40410000,"message":"order not found for unknown"}"#, status: 404)
                : .body(body)
        }) { alpaca, server in
            let id = "0b9c3a46-9d3b-4f0b-8c0e-0a5f2d2f7f51"
            let order = try await alpaca.order(id, of: nil, in: .patient)
            #expect(order.symbol.text == "AAPL")
            let none = try await alpaca.order(clientID: "unknown", of: nil, in: .patient)
            #expect(none == .absent)
            let same = try await alpaca.order(clientID: "a b", of: nil, in: .patient)
            #expect(same == .found(order))
            #expect(
                server.requests.map(\.target) == [
                    "/trading/v2/orders/\(id)?nested=true",
                    "/trading/v2/orders:by_client_order_id?client_order_id=unknown",
                    "/trading/v2/orders:by_client_order_id?client_order_id=a%20b",
                ])
        }
    }
}
