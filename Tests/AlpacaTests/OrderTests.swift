import Brokerage
import ProviderTestSupport
import TestSupport
import Testing

@testable import Alpaca
@testable import Upstream

@Suite("An order")
struct OrderTests {
    private func read(_ body: [UInt8]) throws(JSONError) -> Order {
        try AlpacaOrder(json: body).order(fetchedAt: wallTime)
    }

    @Test("is told of as Alpaca has it")
    func whole() throws {
        let order = try read(example("order"))
        #expect(order.id == "0b9c3a46-9d3b-4f0b-8c0e-0a5f2d2f7f51")
        #expect(order.clientOrderID == "bourse-7Q2M-000184")
        #expect(order.symbol.text == "AAPL")
        #expect(order.side == .buy)
        #expect(order.type == .limit)
        #expect(order.timeInForce == .day)
        #expect(order.isExtendedHours == false)
        #expect(order.quantity == 2)
        #expect(order.notional == nil)
        #expect(order.limitPrice?.description == "225.1")
        #expect(order.stopPrice == nil)
        #expect(order.filledQuantity == 0)
        #expect(order.averageFillPrice == nil)
        #expect(order.state == .accepted)
        #expect(order.providerState == "accepted")
        #expect(order.legs == [])
        #expect(order.submittedAt == (try instant("2026-11-20T15:04:11.28337745Z")))
        #expect(order.updatedAt == (try instant("2026-11-20T15:04:11.291002118Z")))
        #expect(order.expiresAt == (try instant("2026-11-20T21:00:00Z")))
        #expect(order.filledAt == nil)
        #expect(order.replaces == nil)
        #expect(order.accountID == nil)
    }

    @Test("of each kind among Alpaca's own examples is read, a spread as what its first leg is of")
    func openAPI() throws {
        let body = try example("openapi/orders")
        let rows = try JSONReader.read(body) { reader throws(JSONError) in
            try reader.rows(of: AlpacaOrder.self)
        }
        #expect(rows.failures.isEmpty)
        let orders = rows.elements.map { $0.order(fetchedAt: wallTime) }
        #expect(
            orders.map(\.symbol.text) == [
                "AAPL", "ETH/USD", "AAPL250620C00100000", "AAPL241213C00250000", "FI111225",
            ])
        #expect(orders.map(\.side) == [.buy, .buy, .buy, .buy, .buy])
        #expect(orders.map(\.type) == [.limit, .limit, .limit, .limit, .market])
        #expect(orders.map(\.state) == [.accepted, .accepted, .accepted, .filled, .accepted])
        let spread = orders[3]
        #expect(spread.legs.map(\.symbol.text) == ["AAPL241213C00250000", "AAPL241213C00260000"])
        #expect(spread.legs.map(\.side) == [.buy, .sell])
        #expect(spread.legs.map(\.type) == [nil, nil])
        #expect(orders[4].notional == 500)
        #expect(orders[4].quantity == nil)
    }

    @Test(
        "is as far as its status says, and what of it is filled",
        arguments: [
            ("new", "0", OrderState.open), ("partially_filled", "1", .partiallyFilled),
            ("filled", "2", .filled),
            ("done_for_day", "0", .accepted), ("done_for_day", "1", .partiallyFilled),
            ("canceled", "1", .canceled),
            ("expired", "0", .expired), ("replaced", "0", .replaced), ("pending_cancel", "0", .pendingCancel),
            ("pending_replace", "0", .pendingReplace), ("accepted", "0", .accepted),
            ("pending_new", "0", .accepted),
            ("accepted_for_bidding", "0", .open), ("stopped", "0", .open), ("stopped", "1", .partiallyFilled),
            ("rejected", "0", .rejected), ("suspended", "0", .accepted), ("calculated", "2", .filled),
            ("calculated", "1", .partiallyFilled), ("calculated", "0", .accepted), ("held", "0", .accepted),
        ])
    func states(status: String, filled: String, expected: OrderState) throws {
        let body = try example("order")
            .replacing(#""status":"accepted""#, with: #""status":"\#(status)""#)
            .replacing(#""filled_qty":"0""#, with: #""filled_qty":\#(filled)"#)
        let order = try read(body)
        #expect(order.state == expected)
        #expect(order.providerState == status)
    }

    @Test("has a state for each of Alpaca's statuses")
    func allStatuses() {
        #expect(AlpacaOrderStatus.allCases.count == 18)
    }

    @Test(
        "of a new status or side is read: it has not ended, and has the broker's term",
        arguments: [
            ("pending_review", "0", "buy", OrderState.accepted, OrderSide.buy),
            ("lost", "0", "sell_short", .accepted, .sell), ("lost", "1", "sell", .partiallyFilled, .sell),
            ("lost", "2", "buy_minus", .filled, .buy),
        ])
    func growing(status: String, filled: String, side: String, state: OrderState, expected: OrderSide) throws
    {
        let order = try read(
            example("order").replacing(#""status":"accepted""#, with: #""status":"\#(status)""#)
                .replacing(#""filled_qty":"0""#, with: #""filled_qty":"\#(filled)""#)
                .replacing(#""side":"buy""#, with: #""side":"\#(side)""#))
        #expect(order.state == state && order.side == expected)
        #expect(order.providerState == status)
    }

    @Test(
        "of an unknown word for anything but its side is read, and only what the word says is unknown",
        arguments: ["status", "type", "time_in_force", "order_class", "asset_class"])
    func unknownWord(member: String) throws {
        let whole = try JSONValue(parsing: example("order"))
        let old = try #require(whole[member]?.string)
        let body = try example("order").replacing(
            #""\#(member)":"\#(old)""#, with: #""\#(member)":"unheard_of""#)
        let order = try read(body)
        #expect(order.symbol.text == "AAPL" && order.side == .buy && order.quantity == 2)
        #expect((order.type == nil) == (member == "type"))
        #expect((order.timeInForce == nil) == (member == "time_in_force"))
        #expect(order.providerState == (member == "status" ? "unheard_of" : "accepted"))
        #expect(order.state == .accepted)
    }

    @Test("with a leg that cannot be read has the other legs, and names the place")
    func unreadableLeg() throws {
        func leg(_ side: String) -> String {
            #"{"id":"\#(side)","status":"held","symbol":"AAPL","side":"\#(side)","qty":"2"}"#
        }
        let legs = #""legs":[\#(leg("sell")),\#(leg("barter")),\#(leg("sell_short"))]"#
        let order = try read(example("order").replacing(#""legs":null"#, with: legs))
        #expect(order.legs.map(\.id) == ["sell", "sell_short"])
        #expect(order.legs.allSatisfy { $0.side == .sell && $0.parentID == order.id })
        #expect(order.unreadableLegs.count == 1)
        #expect(order.unreadableLegs[0].hasPrefix("legs[1].side: expected one of buy, sell"))
    }

    @Test(
        "that cannot be read is named with its place",
        arguments: [
            (#""status":"accepted""#, #""status":7"#, "status: expected a string, found a number"),
            (#""qty":"2""#, #""qty":"two""#, "qty: expected a decimal"),
            (#""side":"buy""#, #""side":"hold""#, "side: expected one of buy, sell"),
            (
                #""symbol":"AAPL""#, #""symbol":"A PL""#,
                "symbol: expected one of the symbols that markets have"
            ),
            (#""symbol":"AAPL""#, #""symbol":"""#, #"no "symbol""#),
            (#""side":"buy""#, #""side":"""#, #"no "side""#),
            (
                #""updated_at":"2026-11-20T15:04:11.291002118Z""#, #""updated_at":"today""#,
                "updated_at: expected"
            ),
        ])
    func faults(old: String, new: String, wording: String) throws {
        let body = try example("order").replacing(old, with: new)
        let error = #expect(throws: JSONError.self) { try read(body) }
        #expect(error?.description.hasPrefix(wording) == true, "\(error?.description ?? "")")
    }

    @Test(
        "is refused for a reason that the words tell, as codes are overloaded",
        arguments: [
            (403, 40_310_000, "insufficient buying power", RejectionReason.insufficientFunds),
            (
                403, 40_310_000, "insufficient qty available for order (requested: 10, available: 0)",
                .insufficientQuantity
            ),
            (403, 40_310_000, "new orders are rejected by user request", .tradingBlocked),
            (422, 40_010_001, "asset not found: ", .notTradable),
            (
                422, 42_210_000,
                "invalid limit_price 290.123. sub-penny increment does not fulfill minimum pricing criteria",
                .price
            ),
            (422, 40_010_001, "qty must be > 0", .quantity),
            (
                403, 40_310_000, "insufficient underlying qty available for covered call (requested: 100)",
                .insufficientQuantity
            ),
            (403, 40_310_000, "cannot short a non-marginable asset", .notTradable),
            (403, 40_310_000, "account is not allowed to short", .notTradable),
            (422, 42_210_000, "invalid symbol: ABCD", .notTradable),
            (422, 42_210_000, "invalid crypto time_in_force", .other),
            (403, 40_310_000, "cost basis must be >= minimal amount of order 10", .quantity),
            (422, 42_210_000, #"order is already in "filled" state"#, .tooLate),
            (422, 40_010_001, "something new", .other),
        ])
    func refusals(status: Int, code: Int, message: String, reason: RejectionReason) throws {
        let refusal = try #require(AlpacaWriteRejection(refusal(status, code, message)))
        #expect(OrderRejection(refusal) == OrderRejection(reason, message: message))
    }

    @Test("is refused with words that can be shown, and no more of them than fit")
    func words() throws {
        let long = String(repeating: "x", count: 1_000)
        let first = try #require(AlpacaWriteRejection(refusal(422, 1, #"a\u0000b\u202Ec"#)))
        #expect(OrderRejection(first).message == "abc")
        let second = try #require(AlpacaWriteRejection(refusal(422, 1, long)))
        #expect(OrderRejection(second).message?.count == 300)
        let third = try #require(AlpacaWriteRejection(refusal(422, 1, #" \u0007"#)))
        #expect(OrderRejection(third).message == nil)
    }

    private func refusal(_ status: Int, _ code: Int, _ message: String) -> HTTPClientResponse {
        let text = message.replacing("\"", with: "\\\"")
        return HTTPClientResponse(
            status: status, head: [],
            body: Array(#"{"code":\#(code),"message":"\#(text)","available":"0"}"#.utf8))
    }
}
