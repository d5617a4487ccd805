import Brokerage
import ProviderTestSupport
import Saxo
import Testing
import Upstream

@Suite("A change of an order at Saxo")
struct OrderChangeTests {
    private static let instruments =
        #"{"Data":[{"Identifier":211,"AssetType":"Stock","Symbol":"AAPL:xnas","CurrencyCode":"USD"}]}"#

    /// A share of the USA takes both stops.
    private static let details =
        #"{"Uic":211,"AssetType":"Stock","Symbol":"AAPL:xnas","CurrencyCode":"USD","TickSize":0.01,"#
        + #""SupportedOrderTypes":["Limit","Market","Stop","StopIfTraded","StopLimit","TrailingStop","TrailingStopIfTraded"]}"#

    /// An open order to sell 4 shares, with its type, prices and duration.
    private static func row(_ more: String) -> String {
        #"{"OrderId":"7","AccountKey":"account","Uic":211,"AssetType":"Stock","BuySell":"Sell","Amount":4,"Status":"Working","#
            + #"\#(more),"DisplayAndFormat":{"Symbol":"AAPL:xnas","Currency":"USD"}}"#
    }

    private static func withOrders(
        _ rows: CannedServer.Reply, _ body: (SaxoClient, CannedServer) async throws -> Void
    ) async throws {
        try await withSaxo(
            answering: { request, _ in
                switch request.path {
                case "/port/v1/orders/me": rows
                case "/trade/v2/orders": .text(#"{"OrderId":"7"}"#)
                case "/ref/v1/instruments": .text(instruments)
                case "/ref/v1/instruments/details/211/Stock": .text(details)
                default: .text("", status: 404)
                }
            }, body)
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The members of the open order.
        let row: String
        let change: OrderReplacement
        /// A part of the request.
        let sent: String
        /// The order is read again before the request, which needs more than the order of Portico has.
        var readings = 2
    }

    private static let untilMinute =
        #""Duration":{"DurationType":"GoodTillDate","ExpirationDateTime":"2026-12-24T14:00:00","#
        + #""ExpirationDateContainsTime":true}"#
    private static let christmas = CalendarDate(year: 2026, month: 12, day: 25)

    @Test(
        "repeats what does not change as Saxo has it",
        arguments: [
            Case(
                testDescription: "a stop by trades that moves",
                row:
                    #""OpenOrderType":"StopIfTraded","Price":215,"Duration":{"DurationType":"GoodTillCancel"}"#,
                change: OrderReplacement(price: .stop(210)),
                sent:
                    #""OrderType":"StopIfTraded","OrderPrice":210,"OrderDuration":{"DurationType":"GoodTillCancel"}"#
            ),
            Case(
                testDescription: "a stop by quotes that moves",
                row: #""OpenOrderType":"Stop","Price":215,"Duration":{"DurationType":"DayOrder"}"#,
                change: OrderReplacement(price: .stop(210)), sent: #""OrderType":"Stop","OrderPrice":210"#),
            Case(
                testDescription: "a stop by the bid of another amount",
                row: #""OpenOrderType":"StopIfBid","Price":215,"Duration":{"DurationType":"DayOrder"}"#,
                change: OrderReplacement(quantity: 2),
                sent: #""Amount":2,"AmountType":"Quantity","OrderType":"StopIfBid","OrderPrice":215"#),
            Case(
                testDescription: "a stop that becomes a limit",
                row: #""OpenOrderType":"StopIfTraded","Price":215,"Duration":{"DurationType":"DayOrder"}"#,
                change: OrderReplacement(price: .limit(240)), sent: #""OrderType":"Limit","OrderPrice":240"#,
                readings: 1),
            Case(
                testDescription: "a trailing stop by trades with its step",
                row: #""OpenOrderType":"TrailingStopIfTraded","Price":215,"TrailingStopDistanceToMarket":3,"#
                    + #""TrailingStopStep":0.5,"Duration":{"DurationType":"DayOrder"}"#,
                change: OrderReplacement(quantity: 2),
                sent:
                    #""OrderType":"TrailingStopIfTraded","OrderPrice":215,"TrailingStopDistanceToMarket":3,"#
                    + #""TrailingStopStep":0.5"#),
            Case(
                testDescription: "an order until a minute",
                row: #""OpenOrderType":"Limit","Price":240,\#(untilMinute)"#,
                change: OrderReplacement(price: .limit(241)),
                sent:
                    #""OrderDuration":{"DurationType":"GoodTillDate","ExpirationDateTime":"2026-12-24T14:00:00","#
                    + #""ExpirationDateContainsTime":true}"#),
            Case(
                testDescription: "an order until a day",
                row: #""OpenOrderType":"Limit","Price":240,"Duration":{"DurationType":"GoodTillDate","#
                    + #""ExpirationDateTime":"2026-12-24T00:00:00.000000Z","ExpirationDateContainsTime":false}"#,
                change: OrderReplacement(price: .limit(241)),
                sent: #""ExpirationDateTime":"2026-12-24","ExpirationDateContainsTime":false"#),
            Case(
                testDescription: "an order until a minute that gets another day",
                row: #""OpenOrderType":"Limit","Price":240,\#(untilMinute)"#,
                change: OrderReplacement(timeInForce: .goodTillDate, expiresOn: christmas),
                sent: #""ExpirationDateTime":"2026-12-25","ExpirationDateContainsTime":false"#, readings: 1),
            Case(
                testDescription: "an order until a minute that becomes one for the day",
                row: #""OpenOrderType":"Limit","Price":240,\#(untilMinute)"#,
                change: OrderReplacement(timeInForce: .day),
                sent: #""OrderDuration":{"DurationType":"DayOrder"}"#, readings: 1),
        ])
    func unchanged(_ wanted: Case) async throws {
        try await Self.withOrders(.text(#"{"Data":[\#(Self.row(wanted.row))]}"#)) { saxo, server in
            let page = try await saxo.orders(OrderQuery(isOpen: true), in: .patient)
            let order = try #require(page.orders.first, "\(page)")
            let result = try await saxo.replace(
                order, by: wanted.change, clientOrderID: "portico-2", in: .patient)
            guard case .accepted = result else {
                Issue.record("\(result)")
                return
            }
            let requests = server.requests.filter { $0.path == "/trade/v2/orders" }
            #expect(requests.map(\.method) == ["PATCH"])
            let body = String(decoding: requests.first?.body ?? [], as: UTF8.self)
            #expect(body.contains(wanted.sent), "\(body)")
            #expect(server.requests.filter { $0.path == "/port/v1/orders/me" }.count == wanted.readings)
        }
    }

    @Test("leaves a trailing stop where it is now, and not where it was when the order was read")
    func moved() async throws {
        let row = Self.row(
            #""OpenOrderType":"TrailingStop","Price":215,"TrailingStopDistanceToMarket":3,"TrailingStopStep":1,"#
                + #""Duration":{"DurationType":"DayOrder"}"#)
        try await Self.withOrders(.text(#"{"Data":[\#(row)]}"#)) { saxo, server in
            var order = try #require(
                try await saxo.orders(OrderQuery(isOpen: true), in: .patient).orders.first)
            order.stopPrice = 200
            let change = OrderReplacement(quantity: 2)
            guard
                case .accepted(let changed) = try await saxo.replace(
                    order, by: change, clientOrderID: "portico-2", in: .patient)
            else {
                Issue.record("not accepted")
                return
            }
            #expect(changed.stopPrice == 215)
            let body = String(decoding: server.requests.last?.body ?? [], as: UTF8.self)
            #expect(body.contains(#""OrderPrice":215"#), "\(body)")
        }
    }

    @Test("names the sessions of an order for extended hours, which cannot change")
    func extendedHours() async throws {
        // A change of an order until a minute reads the order again, whose session does not replace that of the given order.
        let row = Self.row(
            #""OpenOrderType":"Limit","Price":240,"ExecuteAtTradingSession":"Regular",\#(Self.untilMinute)"#)
        try await Self.withOrders(.text(#"{"Data":[\#(row)]}"#)) { saxo, server in
            var order = try #require(
                try await saxo.orders(OrderQuery(isOpen: true), in: .patient).orders.first)
            for (isExtended, isSent) in [(true, true), (false, false), (nil, false)] as [(Bool?, Bool)] {
                order.isExtendedHours = isExtended
                _ = try await saxo.replace(
                    order, by: OrderReplacement(price: .limit(241)), clientOrderID: "portico-2", in: .patient)
                let body = String(decoding: server.requests.last?.body ?? [], as: UTF8.self)
                #expect(body.contains(#""ExecuteAtTradingSession":"All""#) == isSent, "\(body)")
            }
        }
    }

    /// The session is that of developer.saxo, "Extended trading hours in OpenAPI".
    ///
    /// `IsExtendedHoursEnabled` is in an example of Saxo's reference (Portfolio, Orders), which does not state its meaning.
    @Test(
        "names the sessions of an order that was placed elsewhere",
        arguments: [
            (#""ExecuteAtTradingSession":"All""#, true), (#""ExecuteAtTradingSession":"Regular""#, false),
            (#""IsExtendedHoursEnabled":true"#, nil), (#""IsExtendedHoursEnabled":false"#, nil),
            (#""IsExtendedHoursEnabled":false,"ExecuteAtTradingSession":"All""#, true),
            (#""ExecuteAtTradingSession":"Regular","IsExtendedHoursEnabled":true"#, false),
            (#""ExecuteAtTradingSession":"Overnight""#, nil), (#""ExecuteAtTradingSession":1"#, nil),
            (#""ExecuteAtTradingSession":null"#, nil),
        ] as [(String, Bool?)])
    func sessions(members: String, isExtended: Bool?) async throws {
        let row = Self.row(
            #""OpenOrderType":"Limit","Price":240,"Duration":{"DurationType":"DayOrder"},\#(members)"#)
        try await Self.withOrders(.text(#"{"Data":[\#(row)]}"#)) { saxo, server in
            let page = try await saxo.orders(OrderQuery(isOpen: true), in: .patient)
            let order = try #require(page.orders.first, "\(page)")
            #expect(order.isExtendedHours == isExtended)
            _ = try await saxo.replace(
                order, by: OrderReplacement(price: .limit(241)), clientOrderID: "portico-2", in: .patient)
            let body = String(decoding: server.requests.last?.body ?? [], as: UTF8.self)
            #expect(body.contains(#""ExecuteAtTradingSession":"All""#) == (isExtended == true), "\(body)")
        }
    }

    @Test(
        "of a stop is not sent if Saxo does not show its trigger",
        arguments: [
            (.text(#"{"Data":[]}"#), nil),
            (.text(#"{"Data":[{"OrderId":"7"}]}"#), .invalidResponse(nil)),
            (.text("", status: 404), .unavailable),
        ] as [(CannedServer.Reply, ProviderFailure.Cause?)])
    func hidden(rows: CannedServer.Reply, cause: ProviderFailure.Cause?) async throws {
        try await Self.withOrders(rows) { saxo, server in
            var order = Order(
                id: "7", symbol: try symbol("AAPL"), side: .sell, state: .open,
                provenance: Provenance(source: .saxo, fetchedAt: .now))
            (order.accountID, order.type, order.stopPrice) = ("account", .stop, 215)
            (order.quantity, order.timeInForce) = (4, .day)
            let change = OrderReplacement(price: .stop(210))
            let sent: OrderResult?
            do throws(ProviderFailure) {
                sent = try await saxo.replace(order, by: change, clientOrderID: "portico-2", in: .patient)
            } catch {
                #expect(error == cause.map { ProviderFailure(.saxo, $0) })
                sent = nil
            }
            if cause == nil {
                let rejection = OrderRejection(.tooLate, message: "Saxo does not list the order as open.")
                #expect(sent == .rejected(rejection))
            }
            #expect(!server.requests.contains { $0.method == "PATCH" })
        }
    }

    @Test("shows no time at which an order until a minute ends, because the zone of the exchange is unknown")
    func expiry() async throws {
        let rows = [
            Self.row(#""OpenOrderType":"Limit","Price":240,\#(Self.untilMinute)"#),
            Self.row(
                #""OpenOrderType":"Limit","Price":240,"Duration":{"DurationType":"GoodTillDate","#
                    + #""ExpirationDateTime":"2026-12-24T00:00:00","ExpirationDateContainsTime":false}"#),
        ]
        for (row, end) in zip(rows, [nil, "2026-12-24T23:59:59Z"]) {
            try await Self.withOrders(.text(#"{"Data":[\#(row)]}"#)) { saxo, _ in
                let order = try await saxo.orders(OrderQuery(isOpen: true), in: .patient).orders.first
                #expect(order?.timeInForce == .goodTillDate && order?.expiresAt?.description == end)
            }
        }
    }
}
