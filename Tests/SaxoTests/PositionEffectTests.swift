import Brokerage
import ProviderTestSupport
import Saxo
import TestSupport
import Testing
import Upstream

/// The sandbox has no options: the responses are those of Saxo's OpenAPI documents of portfolios and reference data.
@Suite("An order for an option at Saxo")
struct PositionEffectTests {
    private static let answers = [
        "/ref/v1/instruments/details/900/StockOption":
            #"{"Uic":900,"AssetType":"StockOption","Symbol":"AAPL/20Z26C200:xcbf","CurrencyCode":"USD"}"#,
        "/port/v1/clients/me": #"{"ClientKey":"client","DefaultAccountKey":"account"}"#,
        "/port/v1/accounts/me":
            #"{"Data":[{"AccountKey":"account","AccountId":"1","ClientKey":"client","Currency":"USD"}]}"#,
        "/trade/v2/orders": #"{"OrderId":"11"}"#,
    ]

    /// An order against a position of so many contracts.
    struct Case: CustomTestStringConvertible, Sendable {
        let held: Int
        let side: OrderSide
        let size: Int
        /// Nil if it is refused.
        let effect: String?
        var testDescription: String { "\(side) \(size) with \(held) held" }
    }

    private static func placing(
        _ wanted: Case, exits: OrderExits? = nil,
        _ check: (OrderResult, JSONValue?, CannedServer) throws -> Void
    ) async throws {
        var answers = answers
        answers["/port/v1/netpositions"] =
            wanted.held == 0
            ? #"{"Data":[]}"#
            : #"{"Data":[{"NetPositionBase":{"Uic":900,"AssetType":"StockOption","Amount":\#(wanted.held)}}]}"#
        try await withSaxo(answers) { saxo, server in
            var ticket = OrderTicket(
                clientOrderID: "portico-1", accountID: "account", symbol: try symbol("UIC=900:StockOption"),
                side: wanted.side, size: .quantity(Decimal(wanted.size)), price: .limit(5))
            ticket.exits = exits
            let result = try await saxo.place(ticket, in: .patient)
            let sent = server.requests.first { $0.path == "/trade/v2/orders" }
            let body = try sent.map { try JSONValue(parsing: String(decoding: $0.body, as: UTF8.self)) }
            try check(result, body, server)
        }
    }

    @Test(
        "closes a position if it is against one, and opens one otherwise",
        arguments: [
            Case(held: 0, side: .buy, size: 2, effect: "ToOpen"),
            Case(held: 0, side: .sell, size: 2, effect: "ToOpen"),
            Case(held: 3, side: .buy, size: 2, effect: "ToOpen"),
            Case(held: -3, side: .sell, size: 2, effect: "ToOpen"),
            Case(held: 3, side: .sell, size: 3, effect: "ToClose"),
            Case(held: -3, side: .buy, size: 1, effect: "ToClose"),
            Case(held: 3, side: .sell, size: 4, effect: nil),
        ])
    func effects(_ wanted: Case) async throws {
        try await Self.placing(wanted) { result, body, server in
            #expect(body?["ToOpenClose"]?.string == wanted.effect)
            if wanted.effect == nil {
                guard case .rejected(let rejection) = result else {
                    Issue.record("\(result)")
                    return
                }
                #expect(rejection.reason == .quantity)
                #expect(
                    rejection.message
                        == "The order is larger than the position that it closes. Close the position first, then place an order for the rest."
                )
            }
            let query = server.requests.first { $0.path == "/port/v1/netpositions" }?.query
            #expect(
                query == [
                    "ClientKey": "client", "AccountKey": "account", "Uic": "900",
                    "AssetType": "StockOption", "FieldGroups": "NetPositionBase",
                ])
        }
    }

    @Test("opens a position that its exits close")
    func exits() async throws {
        try await Self.placing(
            Case(held: 0, side: .buy, size: 1, effect: "ToOpen"),
            exits: OrderExits(takeProfit: 8, stopLoss: .init(stop: 3))
        ) { _, body, _ in
            #expect(body?["ToOpenClose"] == "ToOpen")
            #expect(body?["Orders"]?.elements?.map { $0["ToOpenClose"] } == ["ToClose", "ToClose"])
        }
    }

    @Test("for a share has no such member, and needs no call for the position")
    func shares() async throws {
        try await RunningSandbox.run { fixture in
            let ticket = OrderTicket(
                clientOrderID: "portico-1", accountID: "uQ7xN3c-5m1Y8aFz2LQw4A==", symbol: try symbol("AAPL"),
                side: .buy, size: .quantity(1), price: .limit(150), timeInForce: .goodTillCanceled)
            _ = try await fixture.client().place(ticket, in: .patient)
            #expect(fixture.calls("GET /port/v1/netpositions") == 0)
        }
    }
}

@Suite("An order for extended hours at Saxo")
struct ExtendedHoursTests {
    /// A Friday, 08:00 in New York: the market opens at 09:30.
    private static let early = "2026-11-20T13:00:00Z"

    private func ticket(_ text: String, _ price: OrderPricing) throws -> OrderTicket {
        OrderTicket(
            clientOrderID: "portico-1", accountID: "uQ7xN3c-5m1Y8aFz2LQw4A==", symbol: try symbol(text),
            side: .buy, size: .quantity(1), price: price, isExtendedHours: true)
    }

    @Test("is executed before the market opens; one for the regular hours waits", arguments: [true, false])
    func filled(isExtendedHours: Bool) async throws {
        try await RunningSandbox.run(at: Self.early) { fixture in
            let saxo = try fixture.client()
            let apple = try symbol("AAPL")
            let quote = try #require(try await saxo.quotes(for: [apple], in: .patient)[apple])
            var ticket = try ticket("AAPL", .limit(try #require(quote.price) + 2))
            ticket.isExtendedHours = isExtendedHours
            let outcome = try await saxo.place(ticket, in: .patient)
            guard case .accepted(let order) = outcome else {
                Issue.record("not accepted: \(outcome)")
                return
            }
            #expect(order.isExtendedHours == isExtendedHours)
            let later = try await saxo.order(order.id, of: nil, in: .patient)
            #expect(later.state == (isExtendedHours ? .filled : .open), "\(later)")
        }
    }

    @Test("keeps its sessions when it is changed, as Saxo lists them")
    func changed() async throws {
        try await RunningSandbox.run(at: Self.early) { fixture in
            let saxo = try fixture.client()
            let apple = try symbol("AAPL")
            let price = try #require(try await saxo.quotes(for: [apple], in: .patient)[apple]?.price)
            guard
                case .accepted(let placed) = try await saxo.place(
                    try ticket("AAPL", .limit(price - 2)), in: .patient)
            else {
                Issue.record("not accepted")
                return
            }
            let listed = try await saxo.order(placed.id, of: nil, in: .patient)
            #expect(listed.isExtendedHours == true)
            // The sandbox rejects a change to other sessions, like Saxo (`ExtendedHoursTradingCannotBeChanged`).
            let outcome = try await saxo.replace(
                listed, by: OrderReplacement(price: .limit(price - 3)), clientOrderID: "portico-2",
                in: .patient)
            guard case .accepted = outcome else {
                Issue.record("\(outcome)")
                return
            }
        }
    }

    @Test(
        "is refused before it is sent unless it is a limit order for an instrument that is traded then",
        arguments: [
            ("AAPL", OrderPricing.market, "Saxo takes only limit orders for extended hours."),
            ("AAPL", .stop(150), "Saxo takes only limit orders for extended hours."),
            ("EUR/USD", .limit(1), "Saxo does not trade the instrument outside of the regular hours."),
        ])
    func refused(symbol: String, price: OrderPricing, message: String) async throws {
        try await RunningSandbox.run { fixture in
            guard
                case .rejected(let rejection) = try await fixture.client().place(
                    try ticket(symbol, price), in: .patient)
            else {
                Issue.record("not rejected")
                return
            }
            #expect(rejection.message == message)
            #expect(fixture.calls("POST /trade/v2/orders") == 0)
        }
    }
}
