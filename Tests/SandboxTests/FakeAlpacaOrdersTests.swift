import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("Alpaca's orders")
struct FakeAlpacaOrdersTests {
    static let market = #"{"symbol":"AAPL","qty":"2","side":"buy","type":"market","time_in_force":"day"}"#
    /// The price is far from the market, so the order stays open.
    static func resting(_ more: String = "") -> String {
        #"{"symbol":"AAPL","qty":"2","side":"buy","type":"limit","time_in_force":"gtc","limit_price":"1.5""#
            + more + "}"
    }

    @Test("a market order is filled at what is asked, and the account follows to the cent")
    func filled() async throws {
        try await withSandbox { fixture in
            let before = try await fixture.document("Account", "/v2/account")
            let held = try await fixture.document("Position", "/v2/positions/AAPL")
            let quotes = try JSONValue(
                parsing: await fixture.data("/v2/stocks/quotes/latest?symbols=AAPL").body)
            let placed = try await fixture.place(Self.market)
            #expect(placed["status"] == "new" && placed["filled_qty"] == "0")
            let id = try #require(placed["id"]?.string)
            let order = try await fixture.document("Order", "/v2/orders/\(id)")
            #expect(order["status"] == "filled" && order["filled_qty"] == "2")
            let price = try decimal(order["filled_avg_price"])
            #expect(price == (try decimal(quotes["quotes"]?["AAPL"]?["ap"])))
            let paid = try price * 2
            let after = try await fixture.document("Account", "/v2/account")
            #expect(try decimal(after["cash"]) == decimal(before["cash"]) - paid)
            let now = try await fixture.document("Position", "/v2/positions/AAPL")
            #expect(try decimal(now["qty"]) == decimal(held["qty"]) + 2)
            #expect(try decimal(now["cost_basis"]) == decimal(held["cost_basis"]) + paid)
            #expect(
                try decimal(after["equity"]) == decimal(before["equity"]) + decimal(now["current_price"]) * 2
                    - paid)
            let submitted = try #require(order["submitted_at"]?.string.flatMap { Instant($0) })
            let filled = try #require(order["filled_at"]?.string.flatMap { Instant($0) })
            #expect(submitted <= filled)
        }
    }

    @Test("what orders of today made is in what the positions made today, and in the day's history")
    func today() async throws {
        try await withClock { fixture, clock in
            _ = try await fixture.place(Self.market)
            _ = try await fixture.place(
                #"{"symbol":"AMD","notional":"1000","side":"buy","type":"market","time_in_force":"day"}"#)
            clock.advance(by: .seconds(3_600))
            let account = try await fixture.document("Account", "/v2/account")
            let positions = try await fixture.document("PositionList", "/v2/positions")
            let made = try #require(positions.elements).map { try decimal($0["unrealized_intraday_pl"]) }
            let before = try decimal(account["last_equity"])
            #expect(
                try decimal(account["equity"])
                    == made.reduce(before) { try $0 + $1 }.rounded(to: 2, .halfEven))
            let history = try await fixture.document(
                "PortfolioHistory", "/v2/account/portfolio/history?period=1D&timeframe=1Min")
            let equity = try #require(history["equity"]?.elements).filter { $0 != .null }
            #expect(try decimal(equity.last).rounded(to: 2, .halfEven) == decimal(account["equity"]))
        }
    }

    @Test("shares are sold at the average price that was paid, and then one may be short of them")
    func sold() async throws {
        try await withSandbox { fixture in
            func sell(_ quantity: String) async throws {
                _ = try await fixture.place(
                    #"{"symbol":"KO","qty":"\#(quantity)","side":"sell","type":"market","time_in_force":"day"}"#
                )
            }
            let held = try await fixture.document("Position", "/v2/positions/KO")
            try await sell("30")
            let rest = try await fixture.document("Position", "/v2/positions/KO")
            #expect(rest["qty"] == "90" && rest["avg_entry_price"] == held["avg_entry_price"])
            try await sell("90")
            #expect(try await fixture.trading("/v2/positions/KO").status == 404)
            try await sell("5")
            let short = try await fixture.document("Position", "/v2/positions/KO")
            #expect(short["qty"] == "-5" && short["side"] == "short")
            let orders = try await fixture.document("OrderList", "/v2/orders?status=closed&limit=1")
            #expect(short["avg_entry_price"] == orders[0]?["filled_avg_price"])
        }
    }

    @Test("an order by value buys parts of shares")
    func notional() async throws {
        try await withSandbox { fixture in
            let placed = try await fixture.place(
                #"{"symbol":"AMD","notional":100,"side":"buy","type":"market","time_in_force":"day"}"#)
            #expect(placed["notional"] == "100" && placed["qty"] == .null)
            let order = try await fixture.document("Order", "/v2/orders/\(placed["id"]?.string ?? "")")
            let bought = try decimal(order["filled_qty"])
            let value = try bought * decimal(order["filled_avg_price"])
            #expect(value <= 100 && value > 99)
            #expect(try await fixture.document("Position", "/v2/positions/AMD")["qty"] == order["filled_qty"])
        }
    }

    @Test("a market that gives a few shares a second fills piece by piece")
    func partial() async throws {
        try await withClock({ $0.alpaca.sharesPerSecond = 1 }) { fixture, clock in
            let id = try #require(try await fixture.place(Self.market)["id"]?.string)
            let first = try await fixture.document("Order", "/v2/orders/\(id)")
            #expect(first["status"] == "partially_filled" && first["filled_qty"] == "1")
            #expect(first["filled_at"] == .null)
            clock.advance(by: .seconds(1))
            let last = try await fixture.document("Order", "/v2/orders/\(id)")
            #expect(last["status"] == "filled" && last["filled_qty"] == "2")
        }
    }

    struct Touched: CustomTestStringConvertible, Sendable {
        let side: String
        let terms: String
        var testDescription: String { "\(side) \(terms)" }
    }

    @Test(
        "orders with a price wait for the market to come to it",
        arguments: [
            Touched(side: "buy", terms: #""type":"limit","limit_price":"#),
            Touched(side: "sell", terms: #""type":"limit","limit_price":"#),
            Touched(side: "buy", terms: #""type":"stop","stop_price":"#),
            Touched(side: "sell", terms: #""type":"stop","stop_price":"#),
            Touched(side: "sell", terms: #""type":"stop_limit","limit_price":"100","stop_price":"#),
        ])
    func touched(_ order: Touched) async throws {
        let start = try instant("2026-11-19T14:31:00Z")
        let clock = ManualClock(start)
        try await withSandbox({ $0.clock = clock.clock }) { fixture in
            let day = try session("2026-11-19")
            let apple = try #require(fixture.sandbox.market.instrument("AAPL"))
            let tape = fixture.sandbox.market.tape(apple, day)
            let begin = Int(start.secondsSince1970)
            let first = try #require(tape.price(at: begin))
            let rises = order.terms.hasPrefix(#""type":"limit""#) ? order.side == "sell" : order.side == "buy"
            // The most distant price in the order's direction that occurs within the session.
            let seconds = begin..<day.close
            let prices = seconds.compactMap { tape.price(at: $0) }
            let wanted = try #require(rises ? prices.max() : prices.min())
            try #require(wanted != first)
            let touch = try #require(seconds.first { tape.price(at: $0) == wanted })
            let price = Decimal(cents: wanted)
            let body =
                #"{"symbol":"AAPL","qty":1,"side":"\#(order.side)","time_in_force":"day",\#(order.terms)"\#(price)"}"#
            let id = try #require(try await fixture.place(body)["id"]?.string)
            clock.set(try #require(Instant(secondsSince1970: Int64(touch - 1))))
            #expect(try await fixture.document("Order", "/v2/orders/\(id)")["status"] == "new")
            clock.set(try #require(Instant(secondsSince1970: Int64(touch + 60))))
            let filled = try await fixture.document("Order", "/v2/orders/\(id)")
            #expect(filled["status"] == "filled")
            #expect(
                filled["filled_at"]?.string
                    == Instant(secondsSince1970: Int64(touch)).map { "\($0)" })
        }
    }

    @Test("an order given while the market is closed is accepted, and filled when it opens")
    func queued() async throws {
        try await withClock(at: Moment.weekend) { fixture, clock in
            let placed = try await fixture.place(Self.market)
            #expect(placed["status"] == "accepted")
            #expect(placed["expires_at"] == "2026-11-23T21:00:00Z")
            let id = try #require(placed["id"]?.string)
            clock.set(try instant("2026-11-23T14:29:59Z"))
            #expect(try await fixture.document("Order", "/v2/orders/\(id)")["status"] == "accepted")
            clock.set(try instant("2026-11-23T15:00:00Z"))
            let filled = try await fixture.document("Order", "/v2/orders/\(id)")
            #expect(filled["status"] == "filled" && filled["filled_at"] == "2026-11-23T14:30:00Z")
        }
    }

    @Test("a script that opens the market fills what waits for it")
    func scripted() async throws {
        try await withSandbox(at: Moment.weekend) { fixture in
            let id = try #require(try await fixture.place(Self.market)["id"]?.string)
            fixture.sandbox.script = MarketScript(hours: .open)
            #expect(try await fixture.document("Order", "/v2/orders/\(id)")["status"] == "filled")
        }
    }

    @Test("a day's order ends with the day")
    func expired() async throws {
        try await withClock { fixture, clock in
            let body = Self.resting().replacing("gtc", with: "day")
            let id = try #require(try await fixture.place(body)["id"]?.string)
            clock.set(try instant("2026-11-19T21:00:00Z"))
            let order = try await fixture.document("Order", "/v2/orders/\(id)")
            #expect(order["status"] == "expired" && order["expired_at"] == "2026-11-19T21:00:00Z")
        }
    }

    @Test("what must be filled at once is, or is gone", arguments: ["ioc", "fok"], [true, false])
    func atOnce(timeInForce: String, canBe: Bool) async throws {
        try await withSandbox({ $0.alpaca.sharesPerSecond = canBe ? nil : 1 }) { fixture in
            let id = try #require(
                try await fixture.place(Self.market.replacing(#""day""#, with: "\"\(timeInForce)\""))["id"]?
                    .string)
            let order = try await fixture.document("Order", "/v2/orders/\(id)")
            #expect(order["status"] == (canBe ? "filled" : "canceled"))
            #expect(order["filled_qty"] == (canBe ? "2" : timeInForce == "ioc" ? "1" : "0"))
        }
    }

    @Test("a replaced order lives on under a new id, and each names the other")
    func replaced() async throws {
        try await withSandbox { fixture in
            let old = try #require(
                try await fixture.place(Self.resting(#","client_order_id":"first""#))["id"]?.string)
            let reply = try await fixture.write(
                "PATCH", "/v2/orders/\(old)", #"{"qty":"3","limit_price":"1.75","client_order_id":"second"}"#)
            let new = try RunningSandbox.valid(reply, "Order")
            #expect(new["replaces"]?.string == old && new["id"]?.string != old)
            #expect(new["qty"] == "3" && new["limit_price"] == "1.75" && new["time_in_force"] == "gtc")
            let gone = try await fixture.document("Order", "/v2/orders/\(old)")
            #expect(gone["status"] == "replaced" && gone["replaced_by"] == new["id"])
            let found = try await fixture.document(
                "Order", "/v2/orders:by_client_order_id?client_order_id=second")
            #expect(found == new)
            let again = try await fixture.write("PATCH", "/v2/orders/\(old)", #"{"qty":"4"}"#)
            #expect(again.status == 422)
            #expect(again.body == #"{"code":42210000,"message":"order is not open"}"#)
        }
    }

    @Test(
        "an order in the place of one that is partly filled begins with nothing filled",
        arguments: [#"{"qty":"2"}"#, #"{"time_in_force":"gtc"}"#])
    func replacedPartlyFilled(change: String) async throws {
        try await withClock({ $0.alpaca.sharesPerSecond = 1 }) { fixture, clock in
            let old = try #require(try await fixture.place(Self.market)["id"]?.string)
            #expect(try await fixture.document("Order", "/v2/orders/\(old)")["filled_qty"] == "1")
            let new = try RunningSandbox.valid(
                try await fixture.write("PATCH", "/v2/orders/\(old)", change), "Order")
            #expect(new["qty"] == "2" && new["filled_qty"] == "0")
            clock.advance(by: .seconds(2))
            // Three shares are bought in all.
            let filled = try await fixture.document("Order", "/v2/orders/\(new["id"]?.string ?? "")")
            #expect(filled["status"] == "filled" && filled["filled_qty"] == "2")
            #expect(try await fixture.document("Order", "/v2/orders/\(old)")["filled_qty"] == "1")
        }
    }

    @Test("an order is cancelled once; all of them together too")
    func cancelled() async throws {
        try await withSandbox { fixture in
            let id = try #require(try await fixture.place(Self.resting())["id"]?.string)
            let done = try await fixture.write("DELETE", "/v2/orders/\(id)")
            #expect(done.status == 204 && done.body.isEmpty)
            let order = try await fixture.document("Order", "/v2/orders/\(id)")
            #expect(order["status"] == "canceled" && order["canceled_at"] != .null)
            let again = try await fixture.write("DELETE", "/v2/orders/\(id)")
            #expect(again.status == 422)
            #expect(again.body == #"{"code":42210000,"message":"order is not cancelable"}"#)
            let more = [try await fixture.place(Self.resting()), try await fixture.place(Self.resting())]
            let all = try await fixture.write("DELETE", "/v2/orders")
            #expect(all.status == 207)
            let list = try JSONValue(parsing: all.body)
            #expect(try Golden.schema(of: "alpaca").definition("CancelAllOrders").violations(in: list) == [])
            #expect(list.elements?.map { $0["id"] } == more.map { $0["id"] })
            #expect(try await fixture.document("OrderList", "/v2/orders").elements?.isEmpty == true)
        }
    }

    @Test("lists are paged by time and by id, in either direction, and filtered")
    func lists() async throws {
        try await withSandbox { fixture in
            var ids: [JSONValue?] = []
            for symbol in ["AAPL", "MSFT", "AAPL", "KO"] {
                let placed = try await fixture.place(Self.resting().replacing("AAPL", with: symbol))
                ids.append(placed["id"])
            }
            func list(_ query: String) async throws -> [JSONValue?] {
                let list = try await fixture.document("OrderList", "/v2/orders?\(query)")
                return list.elements?.map { $0["id"] } ?? []
            }
            #expect(try await list("") == ids.reversed())
            #expect(try await list("direction=asc&limit=2") == Array(ids[..<2]))
            let page = try await fixture.document("OrderList", "/v2/orders?limit=2")
            let last = try #require(page[1]?["submitted_at"]?.string)
            #expect(try await list("limit=2&until=\(last)") == [ids[1], ids[0]])
            #expect(try await list("after=\(last)") == [ids[3]])
            let second = try #require(ids[1]?.string)
            #expect(try await list("before_order_id=\(second)") == [ids[0]])
            #expect(try await list("after_order_id=\(second)") == [ids[3], ids[2]])
            #expect(try await list("symbols=AAPL,KO") == [ids[3], ids[2], ids[0]])
            #expect(try await list("side=sell") == [])
            #expect(try await list("status=closed") == [])
            #expect(try await list("status=all&asset_class=crypto") == [])
            #expect(
                try await fixture.document("OrderList", "/v2/orders", RunningSandbox.second).elements == [])
        }
    }

    struct Refusal: CustomTestStringConvertible, Sendable {
        let body: String
        let status: Int
        let response: String
        var testDescription: String { body }

        init(_ changes: String, _ status: Int, code: Int, _ message: String) {
            body = changes
            self.status = status
            let escaped = message.replacing("\"", with: "\\\"")
            response = #"{"code":\#(code),"message":"\#(escaped)"}"#
        }
    }

    @Test(
        "what does not fit is refused in Alpaca's words, and nothing is kept of it",
        arguments: [
            Refusal("{", 400, code: 40_010_000, "request body format is invalid"),
            Refusal("{}", 422, code: 40_010_001, "symbol is required"),
            Refusal(
                market.replacing("AAPL", with: "NOSUCH"), 422, code: 42_210_000,
                #"asset "NOSUCH" not found"#),
            Refusal(
                market.replacing("AAPL", with: "T"), 422, code: 42_210_000, #"asset "T" is not tradable"#),
            Refusal(market.replacing("buy", with: "hold"), 422, code: 40_010_001, "invalid side: hold"),
            Refusal(
                market.replacing(#""2""#, with: #""two""#), 422, code: 40_010_001, "qty is not a number: two"),
            Refusal(market.replacing(#""2""#, with: "-2"), 422, code: 40_010_001, "qty must be > 0"),
            Refusal(
                market.replacing(#""2""#, with: "1e30"), 422, code: 40_010_001, "qty must be < 1000000000"),
            Refusal(
                market.replacing(#""2""#, with: #""2","notional":"5""#), 422, code: 40_010_001,
                "only one of qty or notional is accepted"),
            Refusal(
                resting().replacing(#""2""#, with: #""2.5""#), 422, code: 42_210_000,
                "fractional orders must be DAY orders"),
            Refusal(
                resting().replacing("1.5", with: "290.123"), 422, code: 42_210_000,
                "invalid limit_price 290.123. sub-penny increment does not fulfill minimum pricing criteria"),
            Refusal(
                market.replacing("market", with: "limit"), 422, code: 40_010_001,
                "limit orders require a limit_price"),
            Refusal(
                market.replacing("}", with: #","extended_hours":true}"#), 422, code: 42_210_000,
                "extended hours order must be DAY or GTC limit orders"),
            Refusal(
                market.replacing("}", with: #","order_class":"bracket"}"#), 422, code: 42_210_000,
                "bracket orders require take_profit.limit_price and stop_loss.stop_price"),
            Refusal(
                resting(#","client_order_id":"taken""#), 422, code: 40_010_001,
                "client_order_id must be unique"),
            Refusal(
                market.replacing(#""2""#, with: #""2.5""#).replacing("buy", with: "sell")
                    .replacing("AAPL", with: "AMD"), 422, code: 42_210_000,
                "fractional orders cannot be sold short"),
        ])
    func refused(_ refusal: Refusal) async throws {
        try await withSandbox({ $0.alpaca.untradable = ["T"] }) { fixture in
            let known = try await fixture.place(Self.resting(#","client_order_id":"taken""#))
            let reply = try await fixture.write("POST", "/v2/orders", refusal.body)
            #expect(reply.status == refusal.status)
            #expect(reply.body == refusal.response)
            let list = try await fixture.document("OrderList", "/v2/orders?status=all")
            #expect(list.elements?.map { $0["id"] } == [known["id"]])
        }
    }

    @Test("money and shares that are spoken for cannot be spent twice")
    func insufficient() async throws {
        try await withSandbox { fixture in
            let funds = try decimal(try await fixture.document("Account", "/v2/account")["buying_power"])
            let dear = try await fixture.write(
                "POST", "/v2/orders", Self.resting().replacing(#""qty":"2""#, with: #""qty":"1000000""#))
            #expect(dear.status == 403)
            #expect(
                dear.body
                    == #"{"buying_power":"\#(funds.rounded(to: 2, .halfUp).withoutTrailingZeros)","code":40310000,"#
                    + #""cost_basis":"1500000","message":"insufficient buying power"}"#)
            let sell =
                #"{"symbol":"KO","qty":"100","side":"sell","type":"limit","time_in_force":"gtc","limit_price":900}"#
            _ = try await fixture.place(sell)
            #expect(try await fixture.document("Position", "/v2/positions/KO")["qty_available"] == "20")
            let more = try await fixture.write("POST", "/v2/orders", sell)
            #expect(more.status == 403)
            #expect(
                more.body
                    == #"{"available":"20","code":40310000,"existing_qty":"120","held_for_orders":"100","#
                    + #""message":"insufficient qty available for order (requested: 100, available: 20)","#
                    + #""symbol":"KO"}"#)
            _ = try await fixture.place(Self.resting())
            let left = try decimal(try await fixture.document("Account", "/v2/account")["buying_power"])
            #expect(try left == funds - 3)
        }
    }

    @Test("an order that is not there, or is another user's")
    func strangers() async throws {
        try await withSandbox { fixture in
            let none = try await fixture.trading("/v2/orders/0b9c3a46-9d3b-4f0b-8c0e-0a5f2d2f7f51")
            #expect(none.status == 404)
            #expect(
                none.body
                    == #"{"code":40410000,"message":"order not found for 0b9c3a46-9d3b-4f0b-8c0e-0a5f2d2f7f51"}"#
            )
            let id = try #require(try await fixture.place(Self.resting())["id"]?.string)
            #expect(try await fixture.trading("/v2/orders/\(id)", RunningSandbox.second).status == 404)
        }
    }

    @Test("a reset of the sandbox forgets orders and what they filled")
    func reset() async throws {
        try await withSandbox { fixture in
            let before = try await fixture.document("Account", "/v2/account")
            _ = try await fixture.place(Self.market)
            #expect(try await fixture.document("Account", "/v2/account") != before)
            fixture.sandbox.reset()
            #expect(try await fixture.document("Account", "/v2/account") == before)
            #expect(try await fixture.document("OrderList", "/v2/orders?status=all").elements == [])
        }
    }
}
