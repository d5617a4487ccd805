import Brokerage
import NIOCore
import Sandbox
import TestSupport
import Testing

@Suite("Saxo's orders")
struct FakeSaxoOrderTests {
    static let account = FakeSaxoClient.demo.accounts[0].key
    static let accountQuery = "AccountKey=\(FakeSaxoClient.escaped(account))"

    /// Returns the body of an order to buy Apple's shares, with changed members; empty ones are removed.
    static func order(_ changes: [String: String] = [:]) -> String {
        var members = [
            "AccountKey": "\"\(account)\"", "Uic": "211", "AssetType": "\"Stock\"", "BuySell": "\"Buy\"",
            "Amount": "3", "OrderType": "\"Market\"", "OrderDuration": #"{"DurationType":"DayOrder"}"#,
            "ManualOrder": "false",
        ]
        for (name, value) in changes { members[name] = value.isEmpty ? nil : value }
        return "{"
            + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
            + "}"
    }

    static let currencies = ["Uic": "21", "AssetType": "\"FxSpot\"", "Amount": "10000"]
    static let limit = [
        "OrderType": "\"Limit\"", "OrderPrice": "1.05",
        "OrderDuration": #"{"DurationType":"GoodTillCancel"}"#,
    ].merging(currencies) { first, _ in first }

    private func result(_ reply: Client.Reply, _ shape: String = "OrderResult") throws -> JSONValue {
        let document = try JSONValue(parsing: reply.body)
        #expect(try Golden.schema(of: "saxo").definition(shape).violations(in: document) == [])
        return document
    }

    @Test("a market order is taken, and soon after is a position, paid for")
    func market() async throws {
        try await withClock { fixture, _ in
            let before = try decimal(try await fixture.saxoDocument("/port/v1/balances/me")["CashBalance"])
            let reply = try await fixture.saxo(
                "POST", "/trade/v2/orders", Self.order(["ExternalReference": "\"mine-1\""]))
            #expect(reply.status == 200)
            let order = try result(reply)
            #expect(order["OrderId"]?.string != nil && order["ExternalReference"] == "mine-1")
            let page = try await fixture.saxoDocument("/port/v1/netpositions/me?Uic=211&AssetType=Stock")
            #expect(page["Data"]?[0]?["NetPositionBase"]?["Amount"]?.digits == "53")
            let after = try decimal(try await fixture.saxoDocument("/port/v1/balances/me")["CashBalance"])
            #expect(after < before)
        }
    }

    @Test("a limit order waits among the open orders, keeps its id when changed, and goes when cancelled")
    func life() async throws {
        try await withClock { fixture, clock in
            let placed = try result(
                await fixture.saxo("POST", "/trade/v2/orders", Self.order(Self.limit)))
            let id = try #require(placed["OrderId"]?.string)
            clock.advance(by: .seconds(2))
            let change = Self.order(
                Self.limit.merging(["OrderId": "\"\(id)\"", "OrderPrice": "1.06", "Amount": "20000"]) { $1 })
            #expect(
                try result(await fixture.saxo("PATCH", "/trade/v2/orders", change))["OrderId"]?.string == id)
            let page = try result(await fixture.saxo("/port/v1/orders/me?OrderId=\(id)"), "OpenOrderPage")
            let order = try #require(page["Data"]?[0])
            #expect(order["Price"]?.digits == "1.06" && order["Amount"]?.digits == "20000")
            #expect(order["Status"] == "Working" && order["CurrentPriceType"] == "Ask")
            clock.advance(by: .seconds(2))
            let path = "/trade/v2/orders/\(id),77?\(Self.accountQuery)"
            let cancelled = try result(await fixture.saxo("DELETE", path, ""), "CancelResult")
            #expect(cancelled["Orders"]?[0]?["ErrorInfo"] == nil)
            #expect(cancelled["Orders"]?[1]?["ErrorInfo"]?["ErrorCode"] == "OrderNotFound")
            #expect(
                try await fixture.saxoDocument("/port/v1/orders/me?OrderId=\(id)")["__count"]?.digits == "0")
        }
    }

    @Test("all orders of an instrument go at once")
    func cancelAll() async throws {
        try await withClock { fixture, _ in
            let path = "/trade/v2/orders?\(Self.accountQuery)&AssetType=FxSpot&Uic=16"
            let cancelled = try result(await fixture.saxo("DELETE", path, ""), "CancelResult")
            #expect(cancelled["Orders"]?[0]?["OrderId"] == "5014824029")
            #expect(try await fixture.saxoDocument("/port/v1/orders/me")["__count"]?.digits == "0")
            fixture.sandbox.reset()
            #expect(try await fixture.saxoDocument("/port/v1/orders/me")["__count"]?.digits == "1")
        }
    }

    @Test("a waiting order is carried out when the market comes to it; a day's order ends with its day")
    func settles() async throws {
        try await withClock { fixture, clock in
            let price = try await fixture.saxoDocument(
                "/trade/v1/infoprices?Uic=211&AssetType=Stock&FieldGroups=Quote")["Quote"]?["Bid"]?.digits
            let change = [
                "OrderType": "\"Limit\"", "OrderPrice": try #require(price), "BuySell": "\"Sell\"",
                "Amount": "10",
            ]
            // A seller's limit at the bid is filled at once.
            _ = try result(await fixture.saxo("POST", "/trade/v2/orders", Self.order(change)))
            let page = try await fixture.saxoDocument("/port/v1/netpositions/me?Uic=211&AssetType=Stock")
            #expect(page["Data"]?[0]?["NetPositionBase"]?["Amount"]?.digits == "40")
            clock.advance(by: .seconds(2))
            let below = try #require(price.flatMap { Decimal($0) }) - 20
            let day = Self.order(["OrderType": "\"Limit\"", "OrderPrice": "\(below)"])
            _ = try result(await fixture.saxo("POST", "/trade/v2/orders", day))
            #expect(try await fixture.saxoDocument("/port/v1/orders/me")["__count"]?.digits == "2")
            clock.advance(by: .seconds(6 * 3600))
            #expect(try await fixture.saxoDocument("/port/v1/orders/me")["__count"]?.digits == "1")
        }
    }

    struct Rejected: CustomTestStringConvertible, Sendable {
        let changes: [String: String]
        let code: String
        var moment = Moment.midday
        var testDescription: String { "\(code) \(changes)" }

        static let all = [
            Rejected(changes: ["Uic": "1"], code: "IllegalInstrumentId"),
            Rejected(changes: ["Uic": "4910", "AssetType": "\"StockIndex\""], code: "InstrumentNotAllowed"),
            Rejected(changes: ["Amount": "0.5"], code: "AmountBelowMinimumLotSize"),
            Rejected(changes: ["Amount": "1.5"], code: "AmountNotInLotSize"),
            Rejected(changes: currencies.merging(["Amount": "1500"]) { $1 }, code: "AmountNotInLotSize"),
            Rejected(
                changes: limit.merging(["OrderPrice": "1.050001"]) { $1 },
                code: "PriceNotInTickSizeIncrements"),
            Rejected(changes: limit.merging(["OrderPrice": "0.2"]) { $1 }, code: "TooFarFromMarket"),
            Rejected(changes: limit.merging(["OrderPrice": "1.3"]) { $1 }, code: "OnWrongSideOfMarket"),
            Rejected(
                changes: limit.merging(["OrderPrice": "1.05", "OrderType": "\"Stop\""]) { $1 },
                code: "OnWrongSideOfMarket"),
            Rejected(changes: ["Amount": "900000"], code: "WouldExceedMargin"),
            Rejected(changes: currencies, code: "MarketClosed", moment: Moment.weekend),
        ]
    }

    @Test(
        "what an order wants is refused inside a 200, or a 400 by setting; a check says the same",
        arguments: Rejected.all)
    func refused(_ refused: Rejected) async throws {
        let body = Self.order(refused.changes)
        for isOK in [true, false] {
            try await withClock(at: refused.moment, { $0.saxo.rejectsOrdersWithOK = isOK }) { fixture, _ in
                let reply = try await fixture.saxo("POST", "/trade/v2/orders", body)
                #expect(reply.status == (isOK ? 200 : 400))
                let document = try result(reply)
                #expect(document["OrderId"] == nil)
                #expect(document["ErrorInfo"]?["ErrorCode"]?.string == refused.code)
                let check = try await fixture.saxo("POST", "/trade/v2/orders/precheck", body)
                #expect(check.status == 200)
                let checked = try result(check, "PreCheckResult")
                // A lack of funds is an error of a valid order.
                let isValid = refused.code == "WouldExceedMargin"
                #expect(checked["PreCheckResult"] == (isValid ? "Ok" : "Error"))
                #expect(checked["ErrorInfo"]?["ErrorCode"]?.string == refused.code)
            }
        }
    }

    @Test(
        "what has no form is a 400 that names the field",
        arguments: [
            ("ManualOrder", ""), ("Amount", "-3"), ("Amount", "\"3\""), ("BuySell", "\"Hold\""), ("Uic", ""),
            ("AssetType", "\"Bond\""), ("AccountKey", ""), ("OrderType", "\"TriggerStop\""),
            ("OrderDuration", ""), ("ExternalReference", "\"\(String(repeating: "x", count: 51))\""),
            ("Orders", "[{}]"), ("AmountType", "\"CashAmount\""),
        ])
    func malformed(field: String, value: String) async throws {
        try await withClock { fixture, _ in
            let reply = try await fixture.saxo("POST", "/trade/v2/orders", Self.order([field: value]))
            #expect(reply.status == 400)
            let document = try result(reply, "Error")
            #expect(document["ErrorCode"] == "InvalidModelState")
            #expect(document["ModelState"]?[field] != nil)
        }
    }

    @Test("a check tells what an order would take")
    func precheck() async throws {
        try await withClock { fixture, _ in
            let reply = try await fixture.saxo("POST", "/trade/v2/orders/precheck", Self.order())
            let document = try result(reply, "PreCheckResult")
            #expect(document["PreCheckResult"] == "Ok" && document["EstimatedCashRequiredCurrency"] == "EUR")
            #expect(try decimal(document["InstrumentToAccountConversionRate"]) < 1)
        }
    }

    @Test("an identical order within 15 seconds is a conflict, unless its request id is another")
    func duplicate() async throws {
        try await withClock { fixture, clock in
            func place(_ id: String?) async throws -> Client.Reply {
                clock.advance(by: .seconds(1))
                var headers = RunningSandbox.saxoDemo
                if let id { headers["X-Request-ID"] = id }
                return try await fixture.saxo("POST", "/trade/v2/orders", Self.order(Self.limit), headers)
            }
            #expect(try await place("a").status == 200)
            let conflict = try await place("a")
            #expect(conflict.status == 409 && conflict.headers["x-request-id"] == "a")
            _ = try result(conflict, "Error")
            #expect(try await place("b").status == 200)
            #expect(try await place(nil).status == 200)
            #expect(try await place(nil).status == 409)
            clock.advance(by: .seconds(15))
            #expect(try await place("a").status == 200)
        }
    }

    @Test("a second order within a second is one too many")
    func oneASecond() async throws {
        try await withClock { fixture, clock in
            #expect(try await fixture.saxo("POST", "/trade/v2/orders", Self.order()).status == 200)
            let refused = try await fixture.saxo("POST", "/trade/v2/orders", Self.order(Self.limit))
            #expect(refused.status == 429)
            #expect(refused.headers["x-ratelimit-sessionorders-remaining"] == "0")
            #expect(refused.headers["x-ratelimit-sessionorders-reset"] == "0")
            clock.advance(by: .seconds(1))
            #expect(try await fixture.saxo("POST", "/trade/v2/orders", Self.order(Self.limit)).status == 200)
        }
    }

    @Test("the log has each event of an order, or its last one")
    func log() async throws {
        try await withClock { fixture, clock in
            let bought = try result(
                await fixture.saxo(
                    "POST", "/trade/v2/orders", Self.order(["ExternalReference": "\"mine-1\""])))
            clock.advance(by: .seconds(60))
            // The sandbox executes an order when it is asked.
            _ = try await fixture.saxo("/port/v1/orders/me")
            clock.advance(by: .seconds(60))
            let between = clock.now.description
            let placed = try result(
                await fixture.saxo("POST", "/trade/v2/orders", Self.order(Self.limit)))
            let (market, limit) = (
                try #require(bought["OrderId"]?.string), try #require(placed["OrderId"]?.string)
            )
            func entries(_ query: String) async throws -> [[String?]] {
                let page = try await fixture.saxoDocument("/cs/v1/audit/orderactivities?\(query)")
                let shape = try Golden.schema(of: "supplement").definition("SaxoOrderActivityPage")
                #expect(shape.violations(in: page) == [], "\(page)")
                let items = try #require(page["Data"]?.elements, "\(page)")
                return items.map { [$0["OrderId"]?.string, $0["Status"]?.string] }
            }
            let (first, last, second) = ([market, "Placed"], [market, "FinalFill"], [limit, "Placed"])
            #expect(try await entries("EntryType=All") == [first, last, second])
            #expect(try await entries("") == [first, last, second])
            #expect(try await entries("EntryType=Last") == [last, second])
            #expect(try await entries("EntryType=Last&OrderId=\(market)") == [last])
            #expect(try await entries("Status=Placed,Cancelled") == [first, second])
            #expect(try await entries("EntryType=Last&FromDateTime=\(between)") == [second])
            #expect(try await entries("ToDateTime=2026-01-01T00:00:00Z") == [])
            // The latest state, whatever the end is.
            #expect(try await entries("EntryType=Last&ToDateTime=2026-01-01T00:00:00Z") == [last, second])
            let filled = try await fixture.saxoDocument(
                "/cs/v1/audit/orderactivities?EntryType=Last&OrderId=\(market)")["Data"]?[0]
            #expect(filled?["FillAmount"]?.digits == "3" && filled?["ExternalReference"] == "mine-1")
            #expect(
                filled?["ExecutionPrice"] == filled?["AveragePrice"] && filled?["SubStatus"] == "Confirmed")
            for (query, status) in [("EntryType=First", 400), ("FromDateTime=x", 400), ("ClientKey=x", 401)] {
                #expect(try await fixture.saxo("/cs/v1/audit/orderactivities?\(query)").status == status)
            }
        }
    }

    @Test(
        "the last day of an order is a date, or a minute without a zone and without seconds",
        arguments: [
            ("2026-12-24", "false", "2026-12-24T00:00:00"),
            ("2026-12-24T00:00", "false", "2026-12-24T00:00:00"),
            ("2026-12-24T14:00", "true", "2026-12-24T14:00:00"),
            ("2026-12-24T14:00:00", "true", "2026-12-24T14:00:00"),
            ("2026-12-24T14:00:30", "true", nil), ("2026-12-24T14:00:00Z", "true", nil),
            ("2026-12-24", "true", nil),
            ("2026-12-24T24:00", "true", nil), ("2026-12-24T14:00", "false", nil),
            ("2026-12-24T00:00:00Z", "false", nil), ("tomorrow", "false", nil), ("", "false", nil),
        ] as [(String, String, String?)])
    func lastDay(text: String, hasTime: String, listed: String?) async throws {
        try await withClock { fixture, _ in
            let duration =
                #"{"DurationType":"GoodTillDate","ExpirationDateTime":"\#(text)","ExpirationDateContainsTime":\#(hasTime)}"#
            let order = Self.order(Self.limit.merging(["OrderDuration": duration]) { $1 })
            let reply = try await fixture.saxo("POST", "/trade/v2/orders", order)
            guard let listed else {
                #expect(reply.status == 400 && reply.body.contains("OrderDuration.ExpirationDateTime"))
                return
            }
            let id = try #require(try result(reply)["OrderId"]?.string)
            let row = try await fixture.saxoDocument("/port/v1/orders/me?OrderId=\(id)")["Data"]?[0]?[
                "Duration"]
            #expect(row?["ExpirationDateTime"]?.string == listed)
            #expect(row?["ExpirationDateContainsTime"] == .bool(hasTime == "true"))
            let log = "/cs/v1/audit/orderactivities?EntryType=Last&OrderId=\(id)"
            let entry = try await fixture.saxoDocument(log)["Data"]?[0]
            #expect(entry?["Duration"]?["ExpirationDate"]?.string == "\(listed).000000Z")
            #expect(entry?["AccountId"]?.string == FakeSaxoClient.demo.accounts[0].id)
        }
    }

    @Test("exits keep their type, and orders are cancelled one after the other until one cannot be")
    func exits() async throws {
        try await withClock({ $0.saxo.ordersPerSecond = nil }) { fixture, _ in
            func exit(_ type: String, _ price: String) -> String {
                #"{"BuySell":"Sell","Amount":10000,"OrderType":"\#(type)","OrderPrice":\#(price),"ManualOrder":true,"#
                    + #""OrderDuration":{"DurationType":"GoodTillCancel"}}"#
            }
            func place(_ name: String) async throws -> [String] {
                let exits = "[\(exit("Limit", "1.2")),\(exit("Stop", "1.0"))]"
                let order = Self.order(
                    Self.limit.merging(["Orders": exits, "ExternalReference": "\"\(name)\""]) { $1 })
                let placed = try result(await fixture.saxo("POST", "/trade/v2/orders", order))
                return try [
                    #require(placed["OrderId"]?.string), #require(placed["Orders"]?[0]?["OrderId"]?.string),
                    #require(placed["Orders"]?[1]?["OrderId"]?.string),
                ]
            }
            func errors(cancelling ids: [String]) async throws -> [String?] {
                let path = "/trade/v2/orders/\(ids.joined(separator: ","))?\(Self.accountQuery)"
                let cancelled = try result(await fixture.saxo("DELETE", path, ""), "CancelResult")
                let items = try #require(cancelled["Orders"]?.elements, "\(cancelled)")
                #expect(items.map { $0["OrderId"]?.string } == ids)
                return items.map { $0["ErrorInfo"]?["ErrorCode"]?.string }
            }
            let first = try await place("one")
            for (type, isAccepted) in [("StopIfTraded", false), ("Limit", false), ("Stop", true)] {
                let members = [
                    "OrderId": "\"\(first[2])\"", "OrderType": "\"\(type)\"", "OrderPrice": "0.99",
                ]
                let change = Self.order(Self.limit.merging(members) { $1 })
                let reply = try await fixture.saxo("PATCH", "/trade/v2/orders", change)
                #expect(reply.body.contains("IllegalOrderTypeChange") != isAccepted, "\(type): \(reply.body)")
            }
            // The exits end with their entry.
            #expect(try await errors(cancelling: first) == [nil, "TooLateToCancelOrder", "None"])
            let second = try await place("two")
            #expect(try await errors(cancelling: ["77", second[0]]) == ["OrderNotFound", "None"])
            #expect(try await errors(cancelling: [second[1], second[2], second[0]]) == [nil, nil, nil])
        }
    }

    @Test("orders that wait for a working one are listed only with Status=All")
    func dependent() async throws {
        try await withClock { fixture, _ in
            let exit =
                #"{"BuySell":"Sell","Amount":10000,"OrderType":"Limit","OrderPrice":1.2,"ManualOrder":true,"#
                + #""OrderDuration":{"DurationType":"GoodTillCancel"}}"#
            let order = Self.order(Self.limit.merging(["Orders": "[\(exit)]"]) { $1 })
            let placed = try result(await fixture.saxo("POST", "/trade/v2/orders", order))
            #expect(placed["Orders"]?[0]?["OrderId"]?.string != nil, "\(placed)")
            for (query, count) in [("", "2"), ("?Status=Working", "2"), ("?Status=All", "3")] {
                #expect(
                    try await fixture.saxoDocument("/port/v1/orders/me\(query)")["__count"]?.digits == count,
                    "\(query)")
            }
            #expect(try await fixture.saxo("/port/v1/orders/me?Status=Ended").status == 400)
        }
    }

    @Test("paths may have a trailing slash and other capitals")
    func paths() async throws {
        try await withClock { fixture, _ in
            for path in ["/port/v1/orders/me/", "/Port/V1/Orders/Me", "/cs/v1/audit/orderActivities/"] {
                let reply = try await fixture.saxo(path)
                #expect(reply.status == 200, "\(path)")
            }
            let other = try await fixture.saxo("/port/v1/orders/me/2/details/3")
            #expect(other.status == 404)
        }
    }

    @Test("nobody changes or cancels another's order")
    func foreign() async throws {
        try await withClock { fixture, _ in
            let path = "/trade/v2/orders/5014824029?\(Self.accountQuery)"
            #expect(try await fixture.saxo("DELETE", path, "", RunningSandbox.saxoSecond).status == 401)
            let own = "AccountKey=\(FakeSaxoClient.escaped(FakeSaxoClient.second.accounts[0].key))"
            let reply = try await fixture.saxo(
                "DELETE", "/trade/v2/orders/5014824029?\(own)", "", RunningSandbox.saxoSecond)
            #expect(reply.status == 429 || reply.body.contains("OrderNotFound"))
            #expect(try await fixture.saxoDocument("/port/v1/orders/me")["__count"]?.digits == "1")
        }
    }
}
