import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("Alpaca's orders with legs, and its trailing stops")
struct FakeAlpacaOrderGroupTests {
    /// A purchase of two of Apple's shares far below the market, with exits.
    private static func bracket(_ changes: [String: String] = [:]) -> String {
        var members = [
            "symbol": #""AAPL""#, "qty": #""2""#, "side": #""buy""#, "type": #""limit""#,
            "limit_price": #""150.00""#, "time_in_force": #""gtc""#, "order_class": #""bracket""#,
            "take_profit": #"{"limit_price":"900.00"}"#, "stop_loss": #"{"stop_price":"100.00"}"#,
        ]
        for (name, value) in changes { members[name] = value.isEmpty ? nil : value }
        return "{"
            + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
            + "}"
    }

    private static let entry = ["type": #""market""#, "limit_price": ""]

    @Test("are placed with their legs, which a list has in itself or within their parent")
    func lists() async throws {
        try await withSandbox({ $0.alpaca.openListHasAllExits = true }) { fixture in
            let placed = try await fixture.place(Self.bracket())
            let id = try #require(placed["id"]?.string)
            let legs = try #require(placed["legs"]?.elements)
            #expect(
                legs.map { $0["type"] } == ["limit", "stop"] && legs.map { $0["side"] } == ["sell", "sell"])
            #expect(
                legs.map { $0["status"] } == ["held", "held"] && legs.map { $0["legs"] } == [.null, .null])
            #expect(placed["order_class"] == "bracket" && legs[0]["order_class"] == "bracket")
            let flat = try await fixture.document("OrderList", "/v2/orders")
            #expect(Set(flat.elements?.compactMap { $0["id"]?.string } ?? []).count == 3)
            let nested = try await fixture.document("OrderList", "/v2/orders?nested=true")
            #expect(nested.elements?.map { $0["id"]?.string } == [id])
            #expect(nested[0]?["legs"]?.elements?.map { $0["id"] } == legs.map { $0["id"] })
            // The forms that clients of several languages send.
            for (form, count) in [("True", 1), ("1", 1), ("t", 1), ("False", 3), ("0", 3)] {
                let listed = try await fixture.document("OrderList", "/v2/orders?nested=\(form)")
                #expect(listed.elements?.count == count, "\(form)")
            }
            let one = try await fixture.document("Order", "/v2/orders/\(id)?nested=true")
            #expect(one["legs"]?.elements?.count == 2)
            #expect(try await fixture.document("Order", "/v2/orders/\(id)")["legs"] == .null)
        }
    }

    @Test(
        "are in lists of open orders as users report it, or all of them by the settings",
        arguments: [false, true])
    func openLists(hasAllExits: Bool) async throws {
        try await withSandbox({ $0.alpaca.openListHasAllExits = hasAllExits }) { fixture in
            func ids(_ query: String) async throws -> [String?] {
                let list = try await fixture.document("OrderList", "/v2/orders?direction=asc&\(query)")
                return list.elements?.map { $0["id"]?.string } ?? []
            }
            let waiting = try await fixture.place(Self.bracket())
            let entry = waiting["id"]?.string
            let held = waiting["legs"]?.elements?.map { $0["id"]?.string } ?? []
            // Before the entry is filled, its exits are held, and below it.
            #expect(try await ids("status=open&nested=true") == [entry])
            #expect(try await ids("status=open") == (hasAllExits ? [entry] + held : [entry]))
            #expect(try await fixture.write("DELETE", "/v2/orders/\(entry ?? "")").status == 204)

            let placed = try await fixture.place(Self.bracket(Self.entry))
            let filled = placed["id"]?.string
            let exits = placed["legs"]?.elements?.map { $0["id"]?.string } ?? []
            let now = try await fixture.document("Order", "/v2/orders/\(filled ?? "")?nested=true")
            #expect(now["status"] == "filled")
            #expect(now["legs"]?.elements?.map { $0["status"] } == ["new", "held"])
            #expect(try await ids("status=open&nested=true") == (hasAllExits ? exits : []))
            #expect(try await ids("status=open") == (hasAllExits ? exits : [exits[0]]))
            let closed = try await ids("status=closed")
            #expect(closed.contains(exits[1]) != hasAllExits)
            #expect(try await ids("status=all&nested=true").contains(filled))
        }
    }

    @Test("end together when one of them is cancelled", arguments: [0, 1, 2])
    func cancelled(part: Int) async throws {
        try await withSandbox { fixture in
            let placed = try await fixture.place(Self.bracket())
            let ids = ([placed] + (placed["legs"]?.elements ?? [])).compactMap { $0["id"]?.string }
            try #require(ids.count == 3)
            #expect(try await fixture.write("DELETE", "/v2/orders/\(ids[part])").status == 204)
            for id in ids {
                #expect(try await fixture.document("Order", "/v2/orders/\(id)")["status"] == "canceled")
            }
        }
    }

    @Test(
        "sell the shares once: the exit that the market reaches first cancels the other",
        arguments: [true, false])
    func exits(takesProfit: Bool) async throws {
        let start = try instant("2026-11-19T14:31:00Z")
        let clock = ManualClock(start)
        try await withSandbox({ $0.clock = clock.clock }) { fixture in
            let day = try session("2026-11-19")
            let apple = try #require(fixture.sandbox.market.instrument("AAPL"))
            let tape = fixture.sandbox.market.tape(apple, day)
            let seconds = (Int(start.secondsSince1970) + 1)..<day.close
            let prices = seconds.compactMap { tape.price(at: $0) }
            let wanted = try #require(takesProfit ? prices.max() : prices.min())
            let touch = try #require(seconds.first { tape.price(at: $0) == wanted })
            let price = #""\#(Decimal(cents: wanted))""#
            let exits =
                takesProfit
                ? ["take_profit": "{\"limit_price\":\(price)}"] : ["stop_loss": "{\"stop_price\":\(price)}"]
            let before = try await fixture.document("Position", "/v2/positions/AAPL")["qty"]
            let placed = try await fixture.place(Self.bracket(Self.entry.merging(exits) { $1 }))
            let legs = try #require(placed["legs"]?.elements?.compactMap { $0["id"]?.string })
            clock.set(try #require(Instant(secondsSince1970: Int64(touch - 1))))
            // The entry is filled, and the take profit is in the market.
            #expect(try await fixture.document("Order", "/v2/orders/\(legs[0])")["status"] == "new")
            #expect(try await fixture.document("Order", "/v2/orders/\(legs[1])")["status"] == "held")
            clock.set(try #require(Instant(secondsSince1970: Int64(touch + 60))))
            let states = try await [
                fixture.document("Order", "/v2/orders/\(legs[0])")["status"],
                fixture.document("Order", "/v2/orders/\(legs[1])")["status"],
            ]
            #expect(states == (takesProfit ? ["filled", "canceled"] : ["canceled", "filled"]))
            #expect(try await fixture.document("Position", "/v2/positions/AAPL")["qty"] == before)
        }
    }

    @Test("of the class oco close a position: the take profit is the order, and reserves the shares once")
    func oneCancelsOther() async throws {
        try await withSandbox { fixture in
            let placed = try await fixture.place(
                Self.bracket([
                    "order_class": #""oco""#, "symbol": #""KO""#, "side": #""sell""#, "qty": #""100""#,
                    "limit_price": "", "stop_loss": #"{"stop_price":"1.00","limit_price":"0.90"}"#,
                ]))
            #expect(placed["type"] == "limit" && placed["limit_price"] == "900", "\(placed)")
            #expect(placed["legs"]?.elements?.map { $0["type"] } == ["stop_limit"])
            #expect(try await fixture.document("Position", "/v2/positions/KO")["qty_available"] == "20")
        }
    }

    @Test("change the price of a leg, but not the size")
    func replaced() async throws {
        try await withSandbox { fixture in
            let placed = try await fixture.place(Self.bracket())
            let leg = try #require(placed["legs"]?[1]?["id"]?.string)
            let reply = try await fixture.write("PATCH", "/v2/orders/\(leg)", #"{"stop_price":"101"}"#)
            let changed = try RunningSandbox.valid(reply, "Order")
            #expect(changed["replaces"]?.string == leg && changed["status"] == "held")
            let parent = try await fixture.document(
                "Order", "/v2/orders/\(placed["id"]?.string ?? "")?nested=true")
            #expect(parent["legs"]?[1]?["id"] == changed["id"] && parent["legs"]?[1]?["stop_price"] == "101")
            let larger = try await fixture.write(
                "PATCH", "/v2/orders/\(changed["id"]?.string ?? "")", #"{"qty":"3"}"#)
            #expect(larger.status == 422)
            #expect(
                larger.body == #"{"code":42210000,"message":"qty of orders with legs cannot be replaced"}"#)
        }
    }

    @Test(
        "that Alpaca does not take are refused",
        arguments: [
            (["stop_loss": ""], "bracket orders require take_profit.limit_price and stop_loss.stop_price"),
            (["order_class": #""oto""#], "oto orders require one of take_profit and stop_loss"),
            (
                ["stop_loss": #"{"stop_price":"950"}"#],
                "take_profit.limit_price must be beyond stop_loss.stop_price"
            ),
            (["qty": #""1.5""#], "fractional orders must be simple orders"),
            (["time_in_force": #""fok""#], "bracket orders must be DAY or GTC orders of the regular hours"),
        ])
    func refused(changes: [String: String], message: String) async throws {
        try await withSandbox { fixture in
            let reply = try await fixture.write("POST", "/v2/orders", Self.bracket(changes))
            #expect(reply.status == 422)
            #expect(reply.body == #"{"code":42210000,"message":"\#(message)"}"#)
        }
    }

    @Test("are refused with the base price if an exit is too close to it")
    func basePrice() async throws {
        try await withSandbox { fixture in
            let reply = try await fixture.write(
                "POST", "/v2/orders", Self.bracket(["take_profit": #"{"limit_price":"150.00"}"#]))
            #expect(reply.status == 422)
            #expect(
                reply.body
                    == #"{"base_price":"150","code":42210000,"message":"take_profit.limit_price must be >= base_price + 0.01"}"#
            )
        }
    }

    @Test(
        "follow the market at their distance, and are filled when it comes back",
        arguments: ["trail_price", "trail_percent"])
    func trailing(unit: String) async throws {
        let start = try instant("2026-11-19T14:31:00Z")
        let clock = ManualClock(start)
        try await withSandbox({ $0.clock = clock.clock }) { fixture in
            let day = try session("2026-11-19")
            let apple = try #require(fixture.sandbox.market.instrument("AAPL"))
            let tape = fixture.sandbox.market.tape(apple, day)
            let body =
                #"{"symbol":"AAPL","qty":1,"side":"sell","type":"trailing_stop","time_in_force":"day","\#(unit)":"0.4"}"#
            let placed = try await fixture.place(body)
            #expect(placed[unit] == "0.4" && placed["hwm"] != .null && placed["stop_price"] != .null)
            // The same by the tape alone.
            var mark = try decimal(placed["hwm"])
            let seconds = Int(start.secondsSince1970)..<day.close
            let touch = seconds.first { second in
                guard let price = tape.price(at: second).map({ Decimal(cents: $0) }) else { return false }
                mark = max(mark, price)
                let distance =
                    unit == "trail_price"
                    ? Decimal("0.4")
                    : try? (mark * (Decimal("0.4") ?? .zero)).divided(by: 100, to: 4, .halfEven)
                return (try? price <= mark - (distance ?? .zero)) ?? false
            }
            let second = try #require(touch)
            clock.set(try #require(Instant(secondsSince1970: Int64(second + 60))))
            let filled = try await fixture.document("Order", "/v2/orders/\(placed["id"]?.string ?? "")")
            #expect(filled["status"] == "filled")
            #expect(filled["filled_at"]?.string == Instant(secondsSince1970: Int64(second)).map { "\($0)" })
            #expect(try decimal(filled["hwm"]) == mark)
        }
    }
}
