import Brokerage
import ProviderTestSupport
import Testing
import Upstream

@testable import Saxo

@Suite("Saxo's orders")
struct OrderBodyTests {
    private func ticket(
        _ size: OrderSize, _ timeInForce: TimeInForce, until date: CalendarDate? = nil
    ) throws -> OrderTicket {
        OrderTicket(
            clientOrderID: "portico-1", accountID: "a|b=", symbol: try symbol("AAPL"), side: .sell,
            size: size,
            price: .market, timeInForce: timeInForce, expiresOn: date)
    }

    private let key = SaxoInstrumentKey(uic: 211, assetType: "Stock")

    @Test("are written with what Saxo requires, figures as exact numbers")
    func placing() throws {
        let body = SaxoOrderRequestBody.placing(
            try ticket(.quantity(decimal("0.123456789")), .goodTillDate, until: CalendarDate("2026-12-24")),
            .init(type: "StopLimit", price: try decimal("10.50"), stopLimitPrice: 10), of: key)
        #expect(
            String(decoding: body, as: UTF8.self)
                == #"{"AccountKey":"a|b=","Uic":211,"AssetType":"Stock","BuySell":"Sell","Amount":0.123456789,"#
                + #""AmountType":"Quantity","OrderType":"StopLimit","OrderPrice":10.50,"StopLimitPrice":10,"#
                + #""OrderDuration":{"DurationType":"GoodTillDate","ExpirationDateTime":"2026-12-24","#
                + #""ExpirationDateContainsTime":false},"ManualOrder":true,"ExternalReference":"portico-1"}"#)
    }

    @Test("with exits have related orders, each with a reference; without an entry they are a pair")
    func exits() throws {
        var ticket = try ticket(.quantity(4), .goodTillCanceled)
        (ticket.side, ticket.price) = (.buy, .limit(225))
        ticket.exits = OrderExits(takeProfit: 240, stopLoss: .init(stop: 215))
        let terms = [("Limit", 225), ("Limit", 240), ("StopIfTraded", 215)].map { type, price in
            SaxoOrderRequestBody.Terms(type: type, price: Brokerage.Decimal(price))
        }
        func common(_ side: String, _ type: String, _ price: Int, _ reference: String) -> String {
            #""BuySell":"\#(side)","Amount":4,"AmountType":"Quantity","OrderType":"\#(type)","OrderPrice":\#(price),"#
                + #""OrderDuration":{"DurationType":"GoodTillCancel"},"ManualOrder":true,"ExternalReference":"\#(reference)""#
        }
        let instrument = #""AccountKey":"a|b=","Uic":211,"AssetType":"Stock","#
        let entry = SaxoOrderRequestBody.placing(ticket, terms[0], exits: Array(terms[1...]), of: key)
        #expect(
            String(decoding: entry, as: UTF8.self)
                == "{\(instrument)\(common("Buy", "Limit", 225, "portico-1")),\"Orders\":["
                + "{\(common("Sell", "Limit", 240, "portico-1.1"))},"
                + "{\(common("Sell", "StopIfTraded", 215, "portico-1.2"))}]}")
        ticket.side = .sell
        ticket.exits?.closesExistingPosition = true
        let pair = SaxoOrderRequestBody.placing(
            ticket, terms[1], exits: [terms[2]], of: key, fieldGroups: ["Costs"])
        #expect(
            String(decoding: pair, as: UTF8.self)
                == "{\"Orders\":[{\(instrument)\(common("Sell", "Limit", 240, "portico-1"))},"
                + "{\(instrument)\(common("Sell", "StopIfTraded", 215, "portico-1.oco"))}],"
                + #""FieldGroups":["Costs"]}"#)
    }

    @Test(
        "that trail the market say where they begin, how far behind they stay and in which steps they follow")
    func trailing() throws {
        let body = SaxoOrderRequestBody.placing(
            try ticket(.quantity(10), .day),
            .init(
                type: "TrailingStopIfTraded", price: try decimal("225.10"),
                trailingDistance: try decimal("2.5"),
                trailingStep: try decimal("0.01")), of: key)
        #expect(
            String(decoding: body, as: UTF8.self).contains(
                #""OrderType":"TrailingStopIfTraded","OrderPrice":225.10,"TrailingStopDistanceToMarket":2.5,"#
                    + #""TrailingStopStep":0.01,"OrderDuration""#))
    }

    @Test(
        "have prices in steps that may grow with them",
        arguments: [
            ("0.5", "0.0001"), ("1", "0.0001"), ("1.0001", "0.005"), ("10", "0.005"), ("10.01", "0.05"),
        ])
    func ticks(price: String, tick: String) throws {
        let scheme = try decode(
            SaxoTickScheme.self,
            from: #"{"DefaultTickSize":0.05,"Elements":[{"HighPrice":10,"TickSize":0.005},"#
                + #"{"HighPrice":1,"TickSize":1E-04}]}"#)
        #expect(try scheme.tick(at: decimal(price)) == decimal(tick))
    }

    @Test("for money say so, and a market order has no price")
    func notional() throws {
        let body = SaxoOrderRequestBody.placing(
            try ticket(.notional(decimal("25.5")), .day), .init(type: "Market"), of: key)
        let text = String(decoding: body, as: UTF8.self)
        #expect(
            text.contains(
                #""Amount":25.5,"AmountType":"CashAmount","OrderType":"Market","OrderDuration":{"DurationType":"DayOrder"}"#
            ))
        #expect(!text.contains("OrderPrice"))
    }

    @Test("that Saxo would not take are not sent")
    func unsupported() async throws {
        try await withSaxo([:]) { saxo, server in
            var tickets = [try ticket(.quantity(1), .goodTillDate)]
            for id in ["", "with space", "é", String(repeating: "x", count: 51)] {
                var ticket = try ticket(.quantity(1), .day)
                ticket.clientOrderID = id
                tickets.append(ticket)
            }
            for ticket in tickets {
                await #expect(throws: ProviderFailure(.saxo, .unsupported)) {
                    try await saxo.place(ticket, in: .patient)
                }
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test("in pence are priced in pence again, also if Saxo names pence as the currency")
    func pence() async throws {
        let sheet =
            #"{"Data":[{"Identifier":5,"AssetType":"Stock","Symbol":"TSCO:xlon","CurrencyCode":"GBX"}]}"#
        try await withSaxo(["/ref/v1/instruments": sheet]) { saxo, _ in
            let listing = try #require(try await saxo.listing(for: try symbol("TSCO:XLON"), in: .patient))
            let terms = try await saxo.terms(.limit(try decimal("2.8735")), .buy, of: listing, in: .patient)
            #expect(try terms.get().price?.description == "287.35")
        }
    }

    @Test(
        "have numbers: an id of another form finds none, without a call to Saxo",
        arguments: ["", ".", "..", "1,2", "1/2", "-1", "P1", "１", "123456789012345678901"])
    func malformed(_ id: String) async throws {
        try await withSaxo(["/port/v1/orders/me": #"{"Data":[]}"#]) { saxo, server in
            let failure = ProviderFailure(.saxo, .notFound)
            var order = Order(
                id: id, symbol: try symbol("AAPL"), side: .buy, state: .open,
                provenance: Provenance(source: .saxo, fetchedAt: .now))
            order.accountID = "account"
            await #expect(throws: failure) { try await saxo.order(id, of: nil, in: .patient) }
            await #expect(throws: failure) { try await saxo.cancel(order, in: .patient) }
            await #expect(throws: failure) {
                try await saxo.replace(
                    order, by: OrderReplacement(quantity: 2), clientOrderID: "portico-1", in: .patient)
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test("are not reported as missing by a 404 for the list of all orders")
    func listOfNothing() async throws {
        try await withSaxo([:]) { saxo, _ in
            let failure = ProviderFailure(.saxo, .unavailable)
            await #expect(throws: failure) { try await saxo.order("1", of: nil, in: .patient) }
            await #expect(throws: failure) { try await saxo.order(clientID: "1", of: nil, in: .patient) }
            await #expect(throws: failure) { try await saxo.orders(OrderQuery(), in: .patient) }
        }
    }

    @Test(
        "that were changed before stay without an outcome if Saxo does not list them",
        arguments: [
            (CannedServer.Reply.text(#"{"Data":[]}"#), ProviderFailure.Cause.invalidResponse(nil)),
            (.text("", status: 404), .unavailable),
        ])
    func duplicate(list: CannedServer.Reply, cause: ProviderFailure.Cause) async throws {
        let instruments =
            #"{"Data":[{"Identifier":5,"AssetType":"Stock","Symbol":"TSCO:xlon","CurrencyCode":"GBX"}]}"#
        try await withSaxo(answering: { request, _ in
            switch request.path {
            case "/trade/v2/orders": .text("", status: 409)
            case "/ref/v1/instruments": .text(instruments)
            case "/port/v1/clients/me": .text(#"{"ClientKey":"client"}"#)
            default: list
            }
        }) { saxo, server in
            var ticket = try ticket(.quantity(1), .day)
            ticket.symbol = try symbol("TSCO:XLON")
            var order = Order(
                id: "1", symbol: ticket.symbol, side: .buy, state: .open,
                provenance: Provenance(source: .saxo, fetchedAt: .now))
            (order.accountID, order.timeInForce) = ("account", .day)
            let change = OrderReplacement(quantity: 2, price: .market)
            let failure = ProviderFailure(.saxo, cause)
            await #expect(throws: failure) { try await saxo.place(ticket, in: .patient) }
            await #expect(throws: failure) {
                try await saxo.replace(order, by: change, clientOrderID: "portico-2", in: .patient)
            }
            let writes = server.requests.filter { $0.path == "/trade/v2/orders" }
            #expect(writes.map(\.method) == ["POST", "PATCH"])
        }
    }

    @Test("are not taken for ended by a 404 in response to a change or a cancellation")
    func missing() async throws {
        let instruments =
            #"{"Data":[{"Identifier":5,"AssetType":"Stock","Symbol":"TSCO:xlon","CurrencyCode":"GBX"}]}"#
        try await withSaxo(["/ref/v1/instruments": instruments]) { saxo, server in
            var order = Order(
                id: "1", symbol: try symbol("TSCO:XLON"), side: .buy, state: .open,
                provenance: Provenance(source: .saxo, fetchedAt: .now))
            (order.accountID, order.timeInForce) = ("account", .day)
            let change = OrderReplacement(quantity: 2, price: .market)
            let failure = ProviderFailure(.saxo, .invalidResponse(nil))
            await #expect(throws: failure) {
                try await saxo.replace(order, by: change, clientOrderID: "portico-2", in: .patient)
            }
            await #expect(throws: failure) { try await saxo.cancel(order, in: .patient) }
            let writes = server.requests.filter { $0.path.hasPrefix("/trade/v2/orders") }
            #expect(writes.map(\.method) == ["PATCH", "DELETE"])
        }
    }

    /// A proxy repeats the request: Saxo accepts the first one, fills it, and responds to the second one with 409.
    @Test(
        "that were placed before are never reported as missing by a 404 of the look-up after it",
        arguments: ["/port/v1/clients/me", "/port/v1/accounts/me", "/cs/v1/audit/orderactivities"])
    func duplicate(missing path: String) async throws {
        let instruments =
            #"{"Data":[{"Identifier":5,"AssetType":"Stock","Symbol":"TSCO:xlon","CurrencyCode":"GBX"}]}"#
        try await withSaxo(answering: { request, _ in
            switch request.path {
            case path: .text("", status: 404)
            case "/trade/v2/orders": .text("", status: 409)
            case "/ref/v1/instruments": .text(instruments)
            case "/port/v1/clients/me": .text(#"{"ClientKey":"client"}"#)
            default: .text(#"{"Data":[]}"#)
            }
        }) { saxo, server in
            var ticket = try ticket(.quantity(1), .day)
            ticket.symbol = try symbol("TSCO:XLON")
            let failure = ProviderFailure(.saxo, .unavailable)
            await #expect(throws: failure) { try await saxo.place(ticket, in: .patient) }
            #expect(server.requests.contains { $0.path == path })
            await #expect(throws: failure) {
                try await saxo.order(clientID: ticket.clientOrderID, of: nil, in: .patient)
            }
            await #expect(throws: failure) { try await saxo.order("1", of: nil, in: .patient) }
        }
    }

    @Test("that are tied to another are its legs, and in the list themselves")
    func legs() async throws {
        func item(_ id: String, _ type: String, _ price: Int, related: [String]) -> String {
            let related = related.map { #"{"OrderId":"\#($0)","Status":"NotWorking"}"# }
            return #"{"OrderId":"\#(id)","Uic":211,"AssetType":"Stock","BuySell":"Sell","Amount":1,"#
                + #""OpenOrderType":"\#(type)","Status":"Working","Price":\#(price),"#
                + #""RelatedOpenOrders":[\#(related.joined(separator: ","))],"#
                + #""DisplayAndFormat":{"Symbol":"AAPL:xnas","Currency":"USD"}}"#
        }
        let items = [
            item("1", "Limit", 200, related: ["2", "3", "9"]), item("2", "Limit", 250, related: ["1", "3"]),
            item("3", "StopIfTraded", 180, related: []),
        ]
        try await withSaxo(["/port/v1/orders/me": #"{"Data":[\#(items.joined(separator: ","))]}"#]) {
            saxo, _ in
            let orders = try await saxo.orders(OrderQuery(isOpen: true), in: .patient).orders
            let legs = Dictionary(uniqueKeysWithValues: orders.map { ($0.id, $0.legs) })
            // One that is not open any more is not there.
            #expect(legs["1"]?.map(\.id) == ["2", "3"])
            #expect(legs["1"]?.map(\.type) == [.limit, .stop])
            #expect(legs["2"]?.map(\.id) == ["1", "3"])
            #expect(legs["3"] == [])
            // Legs have none of their own: they would lead round in a circle.
            #expect(legs["2"]?.allSatisfy(\.legs.isEmpty) == true)
        }
    }

    @Test("are legs of the order that Saxo names by their relation, under its old and its new names")
    func relations() async throws {
        func item(_ id: String, _ type: String, _ relation: String, related: [String]) -> String {
            let related = related.map { #"{"OrderId":"\#($0)"}"# }
            return #"{"OrderId":"\#(id)","Uic":211,"AssetType":"Stock","BuySell":"Sell","Amount":1,"#
                + #""OpenOrderType":"\#(type)","Status":"Working","Price":200,"OrderRelation":"\#(relation)","#
                + #""RelatedOpenOrders":[\#(related.joined(separator: ","))],"#
                + #""DisplayAndFormat":{"Symbol":"AAPL:xnas","Currency":"USD"}}"#
        }
        let items = [
            item("1", "Limit", "IfDoneMaster", related: ["2", "3"]),
            item("2", "Limit", "IfDoneSlaveOco", related: ["1", "3"]),
            item("3", "StopIfTraded", "IfDoneRelatedOco", related: ["1", "2"]),
            item("4", "StopIfTraded", "Oco", related: ["5"]), item("5", "Limit", "Oco", related: ["4"]),
            item("6", "Limit", "IfDoneMain", related: ["7"]),
            item("7", "Limit", "IfDoneSlave", related: ["6"]),
            item("8", "Limit", "StandAlone", related: []),
        ]
        try await withSaxo(["/port/v1/orders/me": #"{"Data":[\#(items.joined(separator: ","))]}"#]) {
            saxo, _ in
            let orders = try await saxo.orders(OrderQuery(isOpen: true), in: .patient).orders
            let legs = Dictionary(uniqueKeysWithValues: orders.map { ($0.id, $0.legs.map(\.id)) })
            #expect(
                legs == [
                    "1": ["2", "3"], "2": [], "3": [], "4": [], "5": ["4"], "6": ["7"], "7": [], "8": [],
                ])
            let parents = Dictionary(uniqueKeysWithValues: orders.map { ($0.id, $0.parentID) })
            #expect(
                parents == ["1": nil, "2": "1", "3": "1", "4": "5", "5": nil, "6": nil, "7": "6", "8": nil])
            #expect(orders.first { $0.id == "1" }?.legs.map(\.parentID) == ["1", "1"])
        }
    }

    @Test(
        "that are open are told in Portico's words",
        arguments: [
            ("Working", "0", OrderState.open), ("Working", "40", .partiallyFilled),
            ("Filled", "100", .filled),
            ("WorkingLockedCancelPending", "0", .pendingCancel), ("Novelty", "0", .accepted),
        ])
    func states(status: String, filled: String, state: OrderState) throws {
        let item = try decode(
            SaxoOpenOrder.self,
            from:
                #"{"OrderId":1,"Uic":211,"AssetType":"Stock","BuySell":"Buy","Amount":100,"OpenOrderType":"Limit","#
                + #""Status":"\#(status)","FilledAmount":\#(filled),"Price":10,"Duration":{"DurationType":"GoodTillDate","#
                + #""ExpirationDateTime":"2026-12-24T00:00:00.000000Z","ExpirationDateContainsTime":false}}"#)
        let listing = SaxoListing(key, symbol: try symbol("AAPL"), currencyName: "USD")
        let order = item.order(of: listing, fetchedAt: wallTime)
        #expect(order.id == "1")
        #expect(order.state == state)
        #expect(order.providerState == status)
        #expect(order.limitPrice == 10)
        #expect(order.timeInForce == .goodTillDate)
        #expect(order.expiresAt?.description == "2026-12-24T23:59:59Z")
    }
}
