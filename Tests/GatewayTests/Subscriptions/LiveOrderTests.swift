import Alpaca
import Brokerage
import Sandbox
import Storage
import TestSupport
import Testing
import Upstream

@testable import Gateway

@Suite("Subscriptions to orders")
struct LiveOrderTests {
    private static let query = """
        subscription { orders { id state quantity limitPrice providerOrderId clientOrderId provider stale } }
        """
    private static let endpoint = "GET /stream"

    /// An order that stands until it is cancelled.
    private func standing(
        _ gateway: TestGateway, _ backends: GatewayServices, key: String = "key-1"
    ) async throws -> TestOrder {
        TestOrder(account: try await gateway.account(backends), key: key, price: "{ limit: \"2.55\" }")
    }

    /// A subscription that has told the open order with an id, so that all that comes now is a change.
    private func following(
        _ id: String, _ gateway: TestGateway, _ backends: GatewayServices
    ) async throws -> FollowedAnswers {
        var answers = try await gateway.subscribe(Self.query, as: alice, backends)
        _ = try await answers.value(of: "orders") { $0["id"]?.string == id }
        return answers
    }

    /// Returns when the broker's stream stands: the sandbox tells nobody.
    private func streams(_ gateway: TestGateway, _ count: Int) async throws {
        try await waitUntil { gateway.sandbox.streams[.alpaca, Self.endpoint] == count }
    }

    @Test("report an order with one id by Alpaca's stream, although Alpaca replaces the order")
    func story() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let first = try await gateway.placed(standing(gateway, backends), backends)
            let firstID = try #require(first["id"]?.string)
            var answers = try await following(firstID, gateway, backends)
            try await streams(gateway, 1)
            let placed = try await gateway.placed(standing(gateway, backends, key: "key-2"), backends)
            let id = try #require(placed["id"]?.string)
            // The subscription may report the journal's entry, which is PENDING, before the broker's event arrives.
            let new = try await answers.value(of: "orders") {
                $0["id"]?.string == id && $0["state"] != "PENDING"
            }
            #expect(new["state"] == "OPEN" || new["state"] == "ACCEPTED", "\(new)")
            #expect(new["clientOrderId"] == "key-2" && new["provider"] == "alpaca")
            _ = try await gateway.ask(
                "mutation { replaceOrder(id: \"\(id)\", input: { quantity: \"3\" }) { order { id } } }",
                as: alice, backends)
            var told: [JSONValue] = []
            repeat { told.append(try await answers.value(of: "orders")) } while told.last?["quantity"] != "3"
            _ = try await gateway.cancel(id, backends)
            repeat {
                told.append(try await answers.value(of: "orders"))
            } while told.last?["state"] != "CANCELED"
            // Nothing was told of the order that had its place, nor of one without a name of its own.
            #expect(told.allSatisfy { $0["id"]?.string == id && $0["clientOrderId"] == "key-2" }, "\(told)")
            #expect(told.allSatisfy { $0["state"] != "REPLACED" && $0["stale"] == .bool(false) })
            #expect(told.last?["providerOrderId"] != placed["providerOrderId"])
        }
    }

    @Test("report orders that were placed elsewhere, and their end, by the stream")
    func elsewhere() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let open = try await gateway.placed(standing(gateway, backends), backends)
            var answers = try await following(try #require(open["id"]?.string), gateway, backends)
            try await streams(gateway, 1)
            let client = try gateway.client(.demo)
            let ticket = OrderTicket(
                clientOrderID: "by-hand", accountID: "any", symbol: try #require(Symbol("AMD")), side: .buy,
                size: .quantity(1), price: .limit(2))
            let call = CallContext(deadline: .now + .seconds(60))
            guard case .accepted(let order) = try await client.place(ticket, in: call) else {
                Issue.record("not taken")
                return
            }
            let told = try await answers.value(of: "orders") { $0["providerOrderId"]?.string == order.id }
            #expect(told["id"]?.string == "Order:demo:\(order.id)" && told["clientOrderId"] == "by-hand")
            // From here on nothing but the stream can tell it.
            for endpoint in ["GET /v2/orders", "GET /v2/orders/{order_id}"] {
                #expect(gateway.sandbox.faults.add(Fault(.status(503), endpoint: endpoint)))
            }
            _ = try await client.cancel(order, in: call)
            _ = try await answers.value(of: "orders") { $0["state"] == "CANCELED" && $0["id"] == told["id"] }
        }
    }

    @Test("confirm orders with a lost response by the stream, without a query")
    func lost() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let open = try await gateway.placed(standing(gateway, backends), backends)
            var answers = try await following(try #require(open["id"]?.string), gateway, backends)
            try await streams(gateway, 1)
            #expect(
                gateway.sandbox.faults.add(Fault(.lostResponse, endpoint: "POST /v2/orders", remaining: 1)))
            let placed = try await gateway.placed(standing(gateway, backends, key: "key-2"), backends)
            let id = try #require(placed["id"]?.string)
            let told = try await answers.value(of: "orders") {
                $0["id"]?.string == id && $0["providerOrderId"] != .null
            }
            #expect(told["state"] == "OPEN" || told["state"] == "ACCEPTED", "\(told)")
            #expect(gateway.calls["GET /v2/orders:by_client_order_id"] == nil)
            let known = try await gateway.order(id, backends)["data"]?["order"]
            #expect(known?["providerOrderId"] == told["providerOrderId"])
        }
    }

    @Test("use one stream of the broker for all subscribers, which ends with the last one")
    func shared() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([
                gateway.connection("demo", of: alice), gateway.connection("other", of: bob, .second),
            ])
            let open = try await gateway.placed(standing(gateway, backends), backends)
            let id = try #require(open["id"]?.string)
            do {
                var first = try await following(id, gateway, backends)
                try await streams(gateway, 1)
                var second = try await following(id, gateway, backends)
                let placed = try await gateway.placed(standing(gateway, backends, key: "key-2"), backends)
                _ = try await first.value(of: "orders") { $0["id"] == placed["id"] }
                _ = try await second.value(of: "orders") { $0["id"] == placed["id"] }
                #expect(gateway.sandbox.streams[.alpaca, Self.endpoint] == 1)
            }
            try await streams(gateway, 0)
        }
    }

    @Test("never report another user's orders")
    func isolation() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([
                gateway.connection("demo", of: alice), gateway.connection("other", of: bob, .second),
            ])
            let open = try await gateway.placed(standing(gateway, backends), backends)
            var answers = try await following(try #require(open["id"]?.string), gateway, backends)
            var order = TestOrder(account: try await gateway.account(of: bob, backends))
            order.price = "{ limit: \"2.55\" }"
            _ = try await gateway.placed(order, as: bob, backends)
            let last = try await gateway.placed(standing(gateway, backends, key: "last"), backends)
            let next = try await answers.value(of: "orders")
            #expect(next["id"] == last["id"])
        }
    }

    @Test("at a broker without a stream poll, and report changes by Portico at once")
    func polled() async throws {
        try await withGateway { gateway in
            // Saxo takes one write a second, which each line counts: the others are made elsewhere.
            let elsewhere = { try gateway.backends([try gateway.saxo(of: alice)]) }
            let backends = try elsewhere()
            var order = TestOrder(account: try await gateway.account(with: .saxo, backends))
            (order.symbol, order.size) = ("AAPL", "{ quantity: \"1\" }")
            (order.price, order.rest) = ("{ limit: \"150\" }", "timeInForce: GTC")
            let id = try #require(try await gateway.placed(order, elsewhere())["id"]?.string)
            var answers = try await following(id, gateway, backends)
            _ = try await gateway.ask(
                "mutation { replaceOrder(id: \"\(id)\", input: { price: { limit: \"151\" } }) { order { id } } }",
                as: alice, elsewhere())
            let changed = try await answers.value(of: "orders") {
                $0["limitPrice"]?.string?.hasPrefix("151") == true
            }
            #expect(changed["id"]?.string == id && changed["provider"] == "saxo")
            _ = try await gateway.cancel(id, backends)
            let over = try await answers.value(of: "orders")
            #expect(over["id"]?.string == id)
            #expect(over["state"] == "PENDING_CANCEL" || over["state"] == "CANCELED", "\(over)")
        }
    }

    @Test("report what happens at Saxo by its stream, each fill once, and orders keep the reported end")
    func saxoStream() async throws {
        let clock = ManualClock(try #require(Instant(TestGateway.now)))
        try await withGateway(clock: clock) { gateway in
            // Saxo's stream sends once a second of the sandbox's clock.
            let time = Task {
                while !Task.isCancelled {
                    clock.advance(by: .seconds(1))
                    // Slowly: a subscription without a message for 30 s begins again.
                    try? await Task.sleep(for: .milliseconds(250))
                }
            }
            defer { time.cancel() }
            // Saxo takes one write a second, which each client counts: all are made elsewhere.
            let elsewhere = { try gateway.backends([try gateway.saxo(of: alice)]) }
            let backends = try gateway.backends([try gateway.saxo(of: alice, isStreaming: true)])
            var order = TestOrder(account: try await gateway.account(with: .saxo, backends))
            (order.symbol, order.size) = ("AAPL", "{ quantity: \"1\" }")
            (order.price, order.rest) = ("{ limit: \"150\" }", "timeInForce: GTC")
            let open = try #require(try await gateway.placed(order, elsewhere())["id"]?.string)
            var answers = try await following(open, gateway, backends)
            try await waitUntil { gateway.calls(of: .saxo)["POST /ens/v1/activities/subscriptions"] == 1 }

            order.key = "key-2"
            (order.price, order.rest) = ("null", "")
            let bought = try #require(try await gateway.placed(order, elsewhere())["id"]?.string)
            var ends = 0
            _ = try await answers.value(of: "orders") { value in
                guard value["id"]?.string == bought, value["state"] == "FILLED" else { return false }
                ends += 1
                return true
            }
            let ended = try await gateway.order(bought, backends)["data"]?["order"]
            #expect(ended?["state"] == "FILLED" && ended?["filledQuantity"] == "1", "\(ended ?? .null)")
            #expect(ended?["stale"] == .bool(false))

            order.key = "key-3"
            (order.price, order.rest) = (
                "{ limit: \"150\" }",
                "exits: { takeProfit: { limit: \"180\" } stopLoss: { stop: \"140\" } } timeInForce: GTC"
            )
            let group = try #require(try await gateway.placed(order, elsewhere())["id"]?.string)
            _ = try await answers.value(of: "orders") { value in
                if value["id"]?.string == bought { ends += 1 }
                return value["id"]?.string == group && value["state"] == "OPEN"
            }
            #expect(ends == 1)
            let read = try await gateway.ask(
                "{ order(id: \"\(group)\") { legs { type parent { id } } } }", as: alice, backends)
            let legs = read["data"]?["order"]?["legs"]?.elements
            #expect(legs?.map { $0["type"] } == ["LIMIT", "STOP"], "\(read)")
            #expect(legs?.allSatisfy { $0["parent"]?["id"]?.string == group } == true)
            _ = try await gateway.cancel(open, elsewhere())
            _ = try await answers.value(of: "orders") {
                $0["id"]?.string == open && $0["state"] == "CANCELED"
            }
        }
    }

    @Test("at a failing broker are null with an error, and report orders after it works again")
    func failure() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([
                gateway.connection("lost", of: alice, isReachable: false)
            ])
            let told = try await gateway.follow(Self.query, as: alice, backends, count: 1)
            #expect(told.first?["data"]?["orders"] == .null)
            #expect(told.first?.failures.first?.code == "PROVIDER_UNAVAILABLE")
        }
    }
}

@Suite("The state of subscribed orders")
struct OrderSnapshotTests {
    private func connectedOrder(
        _ name: String, _ id: String, _ state: OrderState, at seconds: Int64 = 0, replaces: String? = nil
    ) throws -> ConnectedOrder {
        var order = Order(
            id: id, symbol: .example, side: .buy, state: state,
            provenance: Provenance(source: .alpaca, fetchedAt: .earliest))
        order.updatedAt = Instant(secondsSince1970: seconds)
        order.replaces = replaces
        return ConnectedOrder(
            order: order, connection: try connection(), name: .current(name), clientOrderID: nil,
            time: .earliest)
    }

    private func connection() throws -> BrokerConnection {
        BrokerConnection(
            id: "demo", owner: alice, provider: .alpaca, environment: .sandbox, accounts: NoAccounts())
    }

    private struct NoAccounts: AccountSource {
        func accounts(in call: CallContext) async throws(ProviderFailure) -> [Account] { [] }
        func positions(in call: CallContext) async throws(ProviderFailure) -> PositionList { [] }
        func history(
            of account: String, _ range: DateRange, interval: Interval?, in call: CallContext
        ) async throws(ProviderFailure) -> EquityHistory {
            throw ProviderFailure(.alpaca, .unsupported)
        }
    }

    @Test("is the latest of each, in any order of reports")
    func latest() throws {
        var board = OrderSnapshot()
        let steps: [(ConnectedOrder, OrderState, String)] = [
            (try connectedOrder("a", "1", .open, at: 10), .open, "1"),
            (try connectedOrder("a", "1", .partiallyFilled, at: 20), .partiallyFilled, "1"),
            // Read before the stream told the last one.
            (try connectedOrder("a", "1", .open, at: 10), .partiallyFilled, "1"),
            (try connectedOrder("a", "2", .open, at: 30, replaces: "1"), .open, "2"),
            (try connectedOrder("a", "1", .replaced, at: 30), .open, "2"),
            (try connectedOrder("a", "2", .filled, at: 40), .filled, "2"),
            (try connectedOrder("a", "2", .partiallyFilled, at: 50), .filled, "2"),
        ]
        for (index, (step, state, id)) in steps.enumerated() {
            board.merge(step)
            let all = board.all
            #expect(all.count == 1 && all[0].connectedOrder.order.state == state, "step \(index)")
            #expect(all[0].connectedOrder.order.id == id && all[0].hasEnded == state.isFinal, "step \(index)")
        }
    }

    @Test("has an order again that another one was to replace, if it is read again under its name")
    func restored() throws {
        var board = OrderSnapshot()
        board.merge(try connectedOrder("a", "1", .open, at: 10))
        let steps: [(ConnectedOrder, isReadAgain: Bool, OrderState, String)] = [
            (try connectedOrder("a", "2", .accepted, at: 20, replaces: "1"), false, .accepted, "2"),
            // An event of before.
            (try connectedOrder("a", "1", .open, at: 10), false, .accepted, "2"),
            (try connectedOrder("a", "1", .open, at: 10), true, .open, "1"),
            (try connectedOrder("a", "1", .filled, at: 30), false, .filled, "1"),
            // Its end is known, whichever it is.
            (try connectedOrder("a", "2", .accepted, at: 40, replaces: "1"), false, .accepted, "2"),
            (try connectedOrder("a", "1", .replaced, at: 20), true, .replaced, "1"),
        ]
        for (index, (step, isReadAgain, state, id)) in steps.enumerated() {
            board.merge(step, isReadAgain: isReadAgain)
            let all = board.all
            #expect(all.map(\.connectedOrder.order.state) == [state], "step \(index)")
            #expect(all.map(\.connectedOrder.order.id) == [id], "step \(index)")
        }
    }

    @Test("has the latest state of each leg")
    func legs() throws {
        var board = OrderSnapshot()
        let steps: [(reported: OrderState, state: OrderState)] = [
            (.accepted, .accepted), (.canceled, .canceled), (.accepted, .canceled),
        ]
        for (index, step) in steps.enumerated() {
            var entry = try connectedOrder("a", "1", .canceled, at: 10)
            entry.order.legs = [try connectedOrder("b", "2", step.reported).order]
            board.merge(entry)
            #expect(
                board.all.map { $0.connectedOrder.order.legs.map(\.state) } == [[step.state]], "step \(index)"
            )
        }
        // The leg has been reported as an order itself.
        board.merge(try connectedOrder("3", "3", .canceled))
        var other = try connectedOrder("c", "4", .canceled, at: 10)
        other.order.legs = [try connectedOrder("3", "3", .accepted).order]
        board.merge(other)
        #expect(board.all.last?.connectedOrder.order.legs.map(\.state) == [.canceled])
    }

    @Test("names orders that are no longer open, and keeps only the last ended ones")
    func ended() throws {
        var board = OrderSnapshot()
        #expect(
            try board.merge(open: [connectedOrder("a", "a", .open), connectedOrder("b", "b", .open)]).isEmpty)
        let missing = try board.merge(open: [connectedOrder("b", "b", .open)])
        #expect(missing.map(\.name) == [.current("a")])
        board.end(missing[0])
        #expect(try board.merge(open: [connectedOrder("b", "b", .open)]).isEmpty)
        for number in 0..<OrderSnapshot.maximumEnded {
            board.merge(try connectedOrder("c\(number)", "c\(number)", .filled))
        }
        let names = Set(board.all.map(\.connectedOrder.name))
        #expect(names.count == OrderSnapshot.maximumEnded + 1)
        #expect(names.contains(.current("b")) && !names.contains(.current("a")))
    }
}
