import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("Alpaca's closing of positions, and the configuration of an account")
struct FakeAlpacaClosingTests {
    @Test(
        "closes a part of a position by a market order",
        arguments: [("?qty=20", "20"), ("?percentage=25", "30"), ("?percentage=0.9", "1"), ("", "120")])
    func part(query: String, quantity: String) async throws {
        try await withSandbox { fixture in
            #expect(try await fixture.document("Position", "/v2/positions/KO")["qty"] == "120")
            let reply = try await fixture.write("DELETE", "/v2/positions/KO\(query)")
            let order = try RunningSandbox.valid(reply, "Order")
            #expect(order["qty"]?.string == quantity && order["side"] == "sell" && order["type"] == "market")
            let now = try await fixture.document("Order", "/v2/orders/\(order["id"]?.string ?? "")")
            #expect(now["status"] == "filled")
            let rest = try #require(Decimal(quantity)).negated + 120
            let left = try await fixture.trading("/v2/positions/KO")
            #expect(
                rest.isZero
                    ? left.status == 404
                    : try JSONValue(parsing: left.body)["qty"] == .string(rest.description))
        }
    }

    @Test(
        "refuses sizes that Alpaca's document excludes, and more than is held",
        arguments: [
            ("KO?qty=1&percentage=1", 422, "only one of qty and percentage is accepted"),
            ("KO?qty=0", 422, "invalid qty: 0"),
            ("KO?percentage=101", 422, "percentage must be between 0 and 100"),
            ("KO?qty=121", 403, "insufficient qty available for order (requested: 121, available: 120)"),
            ("NOSUCH", 404, "position does not exist"),
        ])
    func refusals(path: String, status: Int, message: String) async throws {
        try await withSandbox { fixture in
            let reply = try await fixture.write("DELETE", "/v2/positions/\(path)")
            #expect(reply.status == status && reply.body.contains(message), "\(reply.body)")
        }
    }

    @Test("closes all positions, short ones too; one that is reserved by an order is refused alone")
    func all() async throws {
        try await withSandbox { fixture in
            _ = try await fixture.place(
                #"{"symbol":"KO","qty":1,"side":"sell","type":"limit","limit_price":900,"time_in_force":"gtc"}"#
            )
            let reply = try await fixture.write("DELETE", "/v2/positions")
            #expect(reply.status == 207)
            let rows = try #require(
                try RunningSandbox.valid(reply, "CloseAllPositions", status: 207).elements)
            let refused = rows.filter { $0["status"]?.digits != "200" }
            #expect(refused.map { $0["symbol"] } == ["KO"] && refused[0]["status"]?.digits == "403")
            #expect(rows.contains { $0["body"]?["side"] == "buy" })
            let left = try await fixture.document("PositionList", "/v2/positions")
            #expect(left.elements?.map { $0["symbol"] } == ["KO"])
            let rest = try await fixture.write("DELETE", "/v2/positions?cancel_orders=True")
            #expect(rest.status == 207)
            #expect(try await fixture.document("PositionList", "/v2/positions").elements == [])
        }
    }

    @Test("a configuration is the user's own, and suspends trading or short sales")
    func configuration() async throws {
        try await withSandbox { fixture in
            let path = "/v2/account/configurations"
            let before = try JSONValue(parsing: await fixture.trading(path).body)
            #expect(before["suspend_trade"] == .bool(false))
            let order = #"{"symbol":"AMD","qty":1,"side":"sell","type":"market","time_in_force":"day"}"#
            let bought = #"{"symbol":"AMD","qty":1,"side":"buy","type":"market","time_in_force":"day"}"#
            for (change, body, message) in [
                (#"{"no_shorting":true}"#, order, "account is not allowed to short"),
                (#"{"suspend_trade":true}"#, bought, "new orders are rejected by user request"),
            ] {
                #expect(try await fixture.write("PATCH", path, change).status == 200)
                let refused = try await fixture.write("POST", "/v2/orders", body)
                #expect(
                    refused.status == 403
                        && refused.body == #"{"code":40310000,"message":"\#(message)"}"#)
            }
            let account = try await fixture.document("Account", "/v2/account")
            #expect(account["trade_suspended_by_user"] == .bool(true))
            #expect(account["shorting_enabled"] == .bool(false))
            let wrong = try await fixture.write("PATCH", path, #"{"dtbp_check":"never"}"#)
            #expect(wrong.status == 422 && wrong.body.contains("dtbp_check must be one of both, entry, exit"))
        }
    }

    @Test(
        "only the paid plan has the latest prices of all exchanges, and more calls", arguments: [false, true])
    func plans(isPaid: Bool) async throws {
        try await withSandbox({ if isPaid { $0.alpaca.plans["demo"] = .unlimited } }) { fixture in
            for path in [
                "/v2/stocks/snapshots?symbols=AAPL", "/v2/stocks/AAPL/trades/latest?",
                "/v2/stocks/quotes/latest?symbols=AAPL",
            ] {
                let all = try await fixture.data(path + "&feed=sip")
                #expect(all.status == (isPaid ? 200 : 403), "\(path)")
                #expect(all.headers["x-ratelimit-limit"] == (isPaid ? "10000" : "200"))
                if !isPaid {
                    #expect(
                        all.body
                            == #"{"message":"subscription does not permit querying recent SIP data"}"#)
                }
                #expect(try await fixture.data(path + "&feed=iex").status == 200)
            }
        }
    }
}
