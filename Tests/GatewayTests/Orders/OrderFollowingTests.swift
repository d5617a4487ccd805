import Brokerage
import Gateway
import PorticoCore
import Sandbox
import Storage
import TestSupport
import Testing
import Upstream

@Suite("Orders that no client subscribes to")
struct OrderFollowingTests {
    /// A gateway whose sandbox's clock moves.
    private static func with(
        _ body: (TestGateway, ManualClock) async throws -> Void
    ) async throws {
        let clock = ManualClock(try #require(Instant(TestGateway.now)))
        try await withGateway(clock: clock) { gateway in
            let time = Task {
                while !Task.isCancelled {
                    clock.advance(by: .seconds(1))
                    // Slowly: a subscription without a message for 30 s begins again.
                    try? await Task.sleep(for: .milliseconds(250))
                }
            }
            defer { time.cancel() }
            try await body(gateway, clock)
        }
    }

    /// Follows orders while a test runs.
    private static func following(
        _ services: GatewayServices, _ settings: OrderFollowing.Settings = OrderFollowing.Settings(),
        _ body: (OrderFollowing) async throws -> Void
    ) async throws {
        let following = OrderFollowing(services, settings: settings)
        let run = Task { await following.run { Issue.record("\($0)") } }
        let result = await Result.of { try await body(following) }
        run.cancel()
        await run.value
        try result.get()
    }

    private static func connection(
        _ provider: ProviderID, _ gateway: TestGateway, isStreaming: Bool = false
    ) throws -> BrokerConnection {
        provider == .saxo
            ? try gateway.saxo(of: alice, isStreaming: isStreaming)
            : try gateway.connection("demo", of: alice)
    }

    /// The order of an id of the schema, as the journal has it.
    private static func recorded(_ id: String, _ gateway: TestGateway) async throws -> Order {
        let parts = id.split(separator: ":").map(String.init)
        let identity = OrderIdentity(owner: alice, connection: parts[1], id: parts[2])
        return try #require(try await gateway.userData.orders.journal.order(identity)).order
    }

    private static func order(_ gateway: TestGateway, at provider: ProviderID, _ services: GatewayServices)
        async throws -> TestOrder
    {
        var order = TestOrder(account: try await gateway.account(with: provider, services))
        (order.symbol, order.size) = ("AAPL", "{ quantity: \"1\" }")
        return order
    }

    @Test(
        "are recorded as filled, also if they were filled while no process ran",
        arguments: [ProviderID.saxo, .alpaca])
    func filled(provider: ProviderID) async throws {
        try await Self.with { gateway, clock in
            let before = try gateway.backends([Self.connection(provider, gateway)])
            let order = try await Self.order(gateway, at: provider, before)
            let id = try #require(try await gateway.placed(order, before)["id"]?.string)
            let services = try gateway.backends([Self.connection(provider, gateway)])
            try await Self.following(services) { following in
                try await waitUntil { try await Self.recorded(id, gateway).state == .filled }
                let filled = try await Self.recorded(id, gateway)
                #expect(
                    filled.filledQuantity == 1 && filled.averageFillPrice != nil && filled.filledAt != nil)
                try await waitUntil { following.count == 0 }
            }
        }
    }

    @Test("are followed by one stream, which ends with the last one", arguments: [ProviderID.saxo, .alpaca])
    func streamed(provider: ProviderID) async throws {
        try await Self.with { gateway, clock in
            let elsewhere = { try gateway.backends([Self.connection(provider, gateway)]) }
            var order = try await Self.order(gateway, at: provider, elsewhere())
            (order.price, order.rest) = ("{ limit: \"150\" }", "timeInForce: GTC")
            var ids: [String] = []
            for key in ["key-1", "key-2"] {
                order.key = key
                ids.append(try #require(try await gateway.placed(order, elsewhere())["id"]?.string))
            }
            let services = try gateway.backends([Self.connection(provider, gateway, isStreaming: true)])
            let stream = provider == .saxo ? "GET /connect" : "GET /stream"
            try await Self.following(services) { following in
                try await waitUntil { gateway.sandbox.streams[provider, stream] == 1 }
                if provider == .saxo {
                    try await waitUntil {
                        gateway.calls(of: .saxo)["POST /ens/v1/activities/subscriptions"] == 1
                    }
                }
                for id in ids {
                    _ = try await gateway.cancel(id, elsewhere())
                    // The response to the cancellation is not the end.
                    try await waitUntil { try await Self.recorded(id, gateway).state == .canceled }
                }
                try await waitUntil { following.count == 0 }
                try await waitUntil { gateway.sandbox.streams[provider, stream] == 0 }
            }
        }
    }

    @Test("of connections above the limit are checked without a stream")
    func bounded() async throws {
        try await Self.with { gateway, clock in
            let connections = {
                [
                    try gateway.connection("demo", of: alice),
                    try gateway.connection("second", of: alice, .second),
                ]
            }
            let before = try gateway.backends(connections())
            let answer = try await gateway.ask("{ accounts { id } }", as: alice, before)
            let accounts = (answer["data"]?["accounts"]?.elements ?? []).compactMap { $0["id"]?.string }
            var ids: [String] = []
            for account in accounts {
                // The newest is followed.
                for price in ["null", "{ limit: \"2.55\" }"] {
                    let order = TestOrder(account: account, key: "key-\(ids.count)", price: price)
                    ids.append(try #require(try await gateway.placed(order, before)["id"]?.string))
                }
            }
            try #require(ids.count == 4)
            var settings = OrderFollowing.Settings()
            settings.maximumConnections = 1
            try await Self.following(try gateway.backends(connections()), settings) { following in
                for id in [ids[0], ids[2]] {
                    try await waitUntil { try await Self.recorded(id, gateway).state == .filled }
                }
                #expect(following.count == 1)
                #expect(gateway.sandbox.streams[.alpaca, "GET /stream"] <= 1)
            }
        }
    }

    @Test("that the broker reports neither as open nor as ended are UNKNOWN, until it reports them")
    func unknown() async throws {
        try await withGateway { gateway in
            let fresh = { try gateway.backends([try gateway.saxo(of: alice)]) }
            let order = try await Self.order(gateway, at: .saxo, fresh())
            let id = try #require(try await gateway.placed(order, fresh())["id"]?.string)
            let log = Fault(
                .status(403), provider: .saxo, endpoint: "GET /cs/v1/audit/orderactivities")
            try #require(gateway.sandbox.faults.add(log))
            // The lists may be older than the order.
            #expect(try await gateway.order(id, fresh())["data"]?["order"]?["state"] == "ACCEPTED")
            gateway.clock.advanceWallClock(by: .seconds(60))
            let lists = """
                { open: orders(open: true) { nodes { id } } ended: orders(open: false) { nodes { id state stale } }
                  unknown: orders(states: [UNKNOWN]) { nodes { id } } }
                """
            let unknown = try await gateway.ask(lists, as: alice, fresh())["data"]
            #expect(unknown?["open"]?["nodes"]?.elements?.contains { $0["id"]?.string == id } == false)
            let ended = unknown?["ended"]?["nodes"]?.elements
            #expect(
                ended?.map { $0["id"]?.string } == [id] && ended?.first?["state"] == "UNKNOWN",
                "\(ended ?? [])")
            #expect(ended?.first?["stale"] == .bool(true))
            #expect(unknown?["unknown"]?["nodes"]?.elements?.map { $0["id"]?.string } == [id])
            gateway.sandbox.faults.reset()
            let known = try await gateway.ask(lists, as: alice, fresh())["data"]?["ended"]?["nodes"]?.elements
            #expect(
                known?.map { $0["id"]?.string } == [id] && known?.first?["state"] == "FILLED",
                "\(known ?? [])")
            #expect(known?.first?["stale"] == .bool(false))
        }
    }
}

@Suite("The filter of orders")
struct OrderFilterTests {
    private struct Listed: Equatable {
        let state: OrderState
        let side: OrderSide
    }

    @Test("agrees with the states of orders, for every combination of `open` and `states`")
    func agrees() {
        let all = OrderState.allCases
        for requestsOpen in [nil, true, false] {
            for set in 0...(1 << all.count) {
                // The last one is no filter.
                let states =
                    set == 1 << all.count
                    ? nil : Set(all.indices.filter { set & (1 << $0) != 0 }.map { all[$0] })
                let filter = OrderFilter(requestsOpen: requestsOpen, symbols: nil, first: 10, states: states)
                let matching = all.filter(filter.matches)
                let expected = all.filter { state in
                    states?.contains(state) ?? true && (requestsOpen == nil || requestsOpen != state.hasEnded)
                }
                guard matching == expected, filter.canMatch == !expected.isEmpty else {
                    Issue.record(
                        "\(String(describing: requestsOpen)) \(String(describing: states)): \(matching)")
                    return
                }
            }
        }
    }

    @Test(
        "and the states and sides of listed orders agree, so that no further argument adds an order",
        arguments: [ProviderID.saxo, .alpaca])
    func listed(provider: ProviderID) async throws {
        try await withGateway { gateway in
            let fresh = {
                try gateway.backends([
                    provider == .saxo ? gateway.saxo(of: alice) : gateway.connection("demo", of: alice)
                ])
            }
            var order = TestOrder(account: try await gateway.account(with: provider, fresh()))
            (order.symbol, order.size) = ("AAPL", "{ quantity: \"1\" }")
            for (key, price, rest) in [
                ("filled", "null", ""), ("open", "{ limit: \"150\" }", "timeInForce: GTC"),
                ("canceled", "{ limit: \"150\" }", "timeInForce: GTC"),
                (
                    "group", "{ limit: \"150\" }",
                    "exits: { takeProfit: { limit: \"180\" } stopLoss: { stop: \"140\" } } timeInForce: GTC"
                ),
                (
                    "exits", "null",
                    "exits: { takeProfit: { limit: \"300\" } stopLoss: { stop: \"150\" } } timeInForce: GTC"
                ),
                (
                    "ended", "null",
                    "exits: { takeProfit: { limit: \"300\" } stopLoss: { stop: \"150\" } } timeInForce: GTC"
                ),
            ] {
                (order.key, order.price, order.rest) = (key, price, rest)
                let placed = try await gateway.placed(order, fresh())
                if key == "canceled" { _ = try await gateway.cancel(placed["id"]?.string ?? "", fresh()) }
                guard key == "ended" else { continue }
                let entry = try await gateway.ask(
                    "{ order(id: \"\(placed["id"]?.string ?? "")\") { legs { id } } }", as: alice, fresh())
                for leg in entry["data"]?["order"]?["legs"]?.elements ?? [] {
                    _ = try await gateway.cancel(leg["id"]?.string ?? "", fresh())
                }
            }
            func list(_ arguments: String) async throws -> [String: Listed] {
                let answer = try await gateway.ask(
                    "{ orders\(arguments.isEmpty ? "" : "(\(arguments))") { nodes { id state side } } }",
                    as: alice, fresh())
                let nodes = try #require(answer["data"]?["orders"]?["nodes"]?.elements, "\(answer)")
                return Dictionary(
                    uniqueKeysWithValues: try nodes.map { node in
                        (
                            node["id"]?.string ?? "",
                            Listed(
                                state: try #require(OrderState(rawValue: node["state"]?.string ?? "")),
                                side: try #require(OrderSide(rawValue: node["side"]?.string ?? "")))
                        )
                    })
            }
            let all = try await list("")
            #expect(Set(all.values.map(\.state)).isSuperset(of: [.filled, .open, .canceled]), "\(all)")
            // The exits of the two entries that were filled. Those that work are a pair at Saxo: one is a leg of the other.
            #expect(all.values.filter { $0.side == .sell }.count == (provider == .saxo ? 3 : 4), "\(all)")
            for open in [nil, true, false] {
                for side in [nil, OrderSide.buy, .sell] {
                    for state in [nil] + OrderState.allCases.map(Optional.some) {
                        let choice = [
                            open.map { "open: \($0)" }, side.map { "side: \($0.rawValue)" },
                            state.map { "states: [\($0.rawValue)]" },
                        ].compactMap(\.self).joined(separator: " ")
                        let found = try await list(choice)
                        let expected = all.filter { _, order in
                            (state == nil || order.state == state) && (side == nil || order.side == side)
                                && (open == nil || open != order.state.hasEnded)
                        }
                        #expect(found == expected, "\(choice)")
                    }
                }
            }
        }
    }
}
