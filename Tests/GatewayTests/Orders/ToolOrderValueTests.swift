import Brokerage
import Gateway
import GraphQL
import Sandbox
import TestSupport
import Testing
import Upstream

@Suite("The value of an order of a tool")
struct ToolOrderValueTests {
    private typealias Tools = ToolOrderTests.Tools
    private typealias Number = Brokerage.Decimal

    private static func number(_ value: JSONValue?) throws -> Number {
        try #require(value?.string.flatMap { Number($0) }, "\(String(describing: value))")
    }

    /// The value with which an order counts, which its key states.
    private static func counted(_ order: JSONValue, in currency: String = "USD") throws -> Number {
        let key = try #require(order["clientOrderId"]?.string)
        let parts = key.split(separator: "-\(currency)-", maxSplits: 1)
        return try #require(parts.last.flatMap { Number($0.prefix { $0 != "-" }) }, "\(key)")
    }

    /// An order whose own price has little to do with its value.
    struct Evasion: CustomTestStringConvertible, Sendable {
        let symbol: String
        let side: String
        let quantity: Int
        let price: String
        var exits = ""

        var testDescription: String { "\(side) \(quantity) \(symbol) \(price) \(exits)" }

        static let all = [
            Evasion(symbol: "AMZN", side: "SELL", quantity: 5, price: "{ limit: \"0.01\" }"),
            Evasion(symbol: "AAPL", side: "BUY", quantity: 50, price: "{ stop: \"0.01\" }"),
            Evasion(
                symbol: "KO", side: "SELL", quantity: 100,
                price: "{ stopLimit: { stop: \"500\" limit: \"0.01\" } }"),
            Evasion(symbol: "AMD", side: "BUY", quantity: 1, price: "{ limit: \"0.01\" }"),
            Evasion(
                symbol: "KO", side: "SELL", quantity: 100, price: "null",
                exits:
                    "exits: { closesPosition: true takeProfit: { limit: \"0.02\" } stopLoss: { stop: \"0.01\" } }"
            ),
            Evasion(
                symbol: "AMD", side: "BUY", quantity: 1, price: "{ limit: \"0.05\" }",
                exits: "exits: { takeProfit: { limit: \"0.10\" } stopLoss: { stop: \"0.01\" } }"),
        ]
    }

    @Test("counts with the market price if its own price is lower", arguments: Evasion.all)
    func evasion(_ evasion: Evasion) async throws {
        try await Tools.with(["USD": 100]) { tools in
            var order = tools.order
            (order.symbol, order.side, order.price) = (evasion.symbol, evasion.side, evasion.price)
            (order.size, order.rest) = ("{ quantity: \"\(evasion.quantity)\" }", evasion.exits)
            try await tools.preview(order)
            let answer = try await tools.place(order, call: "1")
            let error = answer["errors"]?[0]
            #expect(error?["extensions"]?["code"] == "BAD_USER_INPUT", "\(answer)")
            #expect(error?["extensions"]?["argument"] == "input.size", "\(answer)")
            #expect(
                error?["message"]?.string?.contains(
                    "the orders of a session may have a value of 100 USD in a day") == true, "\(answer)")
            #expect(tools.gateway.placings == 0)
        }
    }

    /// A ticket with prices around the market, far below and far above it.
    private static func ticket(
        around market: Number, _ random: inout SplitMix
    ) throws -> (side: String, price: String, rest: String) {
        func price(_ low: Int, _ high: Int) throws -> String {
            let factor = Number(Int.random(in: low...high, using: &random))
            return try (market * factor).divided(by: 100, to: 2, .halfUp).description
        }
        let side = Bool.random(using: &random) ? "BUY" : "SELL"
        let near = Bool.random(using: &random)
        let range = near ? (95, 105) : (1, 400)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return (side, "null", "")
        case 1: return (side, "{ limit: \"\(try price(range.0, range.1))\" }", "")
        case 2: return (side, "{ stop: \"\(try price(range.0, range.1))\" }", "")
        case 3:
            let (stop, limit) = (try price(range.0, range.1), try price(range.0, range.1))
            return (side, "{ stopLimit: { stop: \"\(stop)\" limit: \"\(limit)\" } }", "")
        case 4: return (side, "{ trail: { percentage: \"\(Int.random(in: 1...50, using: &random))\" } }", "")
        default:
            let (profit, stop) = (try price(110, 400), try price(1, 90))
            let exits = "exits: { takeProfit: { limit: \"\(profit)\" } stopLoss: { stop: \"\(stop)\" } }"
            return ("BUY", "null", exits)
        }
    }

    @Test("is at least what the sandbox fills, for each type, side and price")
    func property() async throws {
        try await Tools.with(["USD": 1_000_000_000]) { tools in
            var random = SplitMix(seed: 0x0BDE)
            var (placed, filled) = ([String: Int](), 0)
            for round in 0..<120 {
                let symbol = ["PFE", "T", "INTC", "VZ", "BAC", "NKE"][round % 6]
                let quote = try await tools.ask("{ quote(symbol: \"\(symbol)\") { price } }")
                let market = try Self.number(quote["data"]?["quote"]?["price"])
                var order = tools.order
                order.symbol = symbol
                order.size = "{ quantity: \"\(Int.random(in: 1...3, using: &random))\" }"
                (order.side, order.price, order.rest) = try Self.ticket(around: market, &random)
                try await tools.preview(order)
                let answer = try await tools.place(order, call: "\(round)")
                // An order that Alpaca would reject has no preview that can be used.
                guard let told = answer["data"]?["placeOrder"]?["order"], told != .null else { continue }
                let kind = try #require(told["type"]?.string)
                placed["\(order.side) \(kind)", default: 0] += 1
                let id = try #require(told["id"]?.string)
                let fields = "state filledQuantity averageFillPrice"
                let known = try await tools.ask("{ order(id: \"\(id)\") { \(fields) } }")["data"]?["order"]
                guard let price = known?["averageFillPrice"]?.string.flatMap({ Number($0) }) else { continue }
                filled += 1
                let value = try Self.number(known?["filledQuantity"]) * price
                #expect(
                    try Self.counted(told) >= value,
                    "\(order) at \(market): \(told) \(String(describing: known))")
            }
            #expect(placed.count >= 9 && filled > 20, "\(placed), \(filled) filled")
        }
    }

    @Test("counts with the entry and the larger of its exits, and of the exits of a position with the larger")
    func exits() async throws {
        try await Tools.with(["USD": 1_000_000]) { tools in
            var order = tools.order
            (order.size, order.price) = ("{ quantity: \"2\" }", "{ limit: \"1000\" }")
            order.rest = "exits: { takeProfit: { limit: \"1500\" } stopLoss: { stop: \"10\" } }"
            try await tools.preview(order)
            #expect(try Self.counted(try await tools.placed(order, call: "1")) == 5_000)

            (order.symbol, order.side, order.price) = ("KO", "SELL", "null")
            order.rest =
                "exits: { closesPosition: true takeProfit: { limit: \"900\" } stopLoss: { stop: \"10\" } }"
            try await tools.preview(order)
            #expect(try Self.counted(try await tools.placed(order, call: "2")) == 1_800)
        }
    }

    @Test("needs a market price that is not stale: otherwise the order is refused and can be placed later")
    func withoutMarketPrice() async throws {
        try await Tools.with { tools in
            let endpoint = "GET /v2/stocks/snapshots"
            let message = """
                Argument "input.instrument": alpaca has no market price of AMD that was read in the last 15 seconds and is \
                delayed by 15 minutes at most. The value of an order counts with the market price, so that the order was \
                not placed. Repeat the call later.
                """
            try await tools.preview(tools.order)
            // The quote of the preview is still in memory, and is marked as stale because it cannot be read again.
            tools.gateway.clock.advance(by: .seconds(16))
            #expect(tools.gateway.sandbox.faults.add(Fault(.status(503), endpoint: endpoint)))
            tools.expectRefusal(
                try await tools.place(tools.order, call: "1"), "PROVIDER_UNAVAILABLE", message,
                argument: "input.instrument", provider: "alpaca")
            #expect(tools.gateway.placings == 0)
            tools.gateway.sandbox.faults.reset()
            _ = try await tools.placed(tools.order, call: "1")
            #expect(tools.gateway.placings == 1)
        }
    }

    @Test("is that of the quote of its placing, not of its preview, and a repeated call has the first value")
    func repeated() async throws {
        try await Tools.with { tools in
            try await tools.preview(tools.order)
            let first = try await tools.placed(tools.order, call: "1")
            #expect(
                tools.gateway.sandbox.faults.add(Fault(.status(503), endpoint: "GET /v2/stocks/snapshots")))
            tools.gateway.clock.advance(by: .seconds(60))
            let again = try await tools.placed(tools.order, call: "1")
            #expect(again["id"] == first["id"] && again["clientOrderId"] == first["clientOrderId"])
            #expect(tools.gateway.placings == 1)
        }
    }

    @Test("at Saxo is at least that of Saxo's quote, in the currency of the account if only that has a limit")
    func saxo() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends(
                [gateway.saxo(of: alice)], toolOrderLimits: ["USD": 1_000_000, "EUR": 1_000_000])
            let order = TestOrder(account: try await gateway.account(with: .saxo, backends))
            let tools = Tools(gateway: gateway, backends: backends, order: order)
            for (symbol, side, size, price, currency) in [
                ("AAPL", "BUY", "10", "{ limit: \"150\" }", "USD"),
                ("AAPL:XNAS:CfdOnStock", "SELL", "10", "null", "USD"),
                ("EUR/DKK", "BUY", "10000", "null", "EUR"),
            ] {
                let quote = try await tools.ask("{ quote(symbol: \"\(symbol)\") { bid ask } }")
                let best = try Self.number(quote["data"]?["quote"]?[side == "BUY" ? "ask" : "bid"])
                var order = tools.order
                (order.symbol, order.side, order.price) = (symbol, side, price)
                order.size = "{ quantity: \"\(size)\" }"
                try await tools.preview(order)
                let placed = try await tools.placed(order, call: symbol)
                let counted = try Self.counted(placed, in: currency)
                let value = try #require(Number(size)) * best
                if currency == "USD" {
                    #expect(counted >= value, "\(symbol)")
                } else {
                    // 74,600 DKK are about 10,000 EUR.
                    #expect(counted > 9_900 && counted < 10_200, "\(symbol): \(counted)")
                }
            }
        }
    }

    @Test("cannot change: a tool does not replace orders")
    func replacement() async throws {
        try await Tools.with { tools in
            try await tools.preview(tools.order)
            let order = try await tools.placed(tools.order, call: "1")
            let id = try #require(order["id"]?.string)
            let answer = try await tools.ask(
                "mutation { replaceOrder(id: \"\(id)\", input: { quantity: \"9\" }) { order { id } } }")
            #expect(answer.failures == [FieldFailure("replaceOrder", "UNSUPPORTED", nil)], "\(answer)")
            #expect(
                answer["errors"]?[0]?["message"] == """
                    A tool cannot replace an order, because no limit of value applies to a replacement. Cancel the order \
                    instead.
                    """)
        }
    }
}
