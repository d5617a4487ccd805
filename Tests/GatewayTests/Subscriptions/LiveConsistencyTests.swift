import Alpaca
import Brokerage
import GraphQL
import Sandbox
import Storage
import Synchronization
import TestSupport
import Testing
import Upstream

@testable import Gateway

@Suite("One message of a subscription", .timeLimit(.minutes(5)))
struct LiveConsistencyTests {
    @Test(
        "shows the price of its event in every field that has the quote",
        arguments: ["quote", "quote(provider: \"alpaca\")"])
    func quotes(field: String) async throws {
        try await withGateway { gateway in
            let source = ScriptedQuotes(price: 200)
            let backends = gateway.market([source.marketSource, try gateway.yahoo()])
            let query = """
                subscription { quotes(symbols: ["AAPL"]) {
                    price asOf instrument { id q: \(field) { price asOf } } } }
                """
            var answers = try await gateway.subscribe(query, as: alice, backends)
            _ = try await answers.value(of: "quotes") { $0["price"]?.string == "200" }
            source.tell(price: 201)
            let quote = try await answers.value(of: "quotes") { $0["price"]?.string == "201" }
            let nested = quote["instrument"]?["q"]
            #expect(nested?["price"]?.string == "201", "\(quote)")
            #expect(nested?["asOf"] == quote["asOf"])
        }
    }

    @Test("shows another provider's price in a field that names that provider")
    func otherProvider() async throws {
        try await withGateway { gateway in
            let source = ScriptedQuotes(price: 200)
            let backends = gateway.market([source.marketSource, try gateway.yahoo()])
            let query = """
                subscription { quotes(symbols: ["AAPL"]) {
                    price instrument { quote(provider: "yahoo") { price source } } } }
                """
            let told = try await gateway.follow(query, as: alice, backends, count: 1)
            let nested = told.first?["data"]?["quotes"]?["instrument"]?["quote"]
            #expect(nested?["source"]?.string == "yahoo", "\(told)")
            #expect(nested?["price"]?.string != "200")
        }
    }

    @Test("shows the position of its event in the lists of its account and instrument")
    func positions() async throws {
        try await withGateway { gateway in
            gateway.clock.catchUp()
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let query = """
                subscription { positions { symbol quantity
                    account { positions { symbol quantity } } instrument { positions { symbol quantity } } } }
                """
            var answers = try await gateway.subscribe(query, as: alice, backends)
            let first = try await answers.value(of: "positions")
            let count = try #require(first["account"]?["positions"]?.elements?.count)
            let held = first["account"]?["positions"]?.elements?.compactMap { $0["symbol"]?.string } ?? []
            let symbol = try #require(
                held.first { $0 != first["symbol"]?.string && $0.allSatisfy(\.isLetter) })
            // The read whose result waits for the reader was before this purchase.
            try await buy(symbol, gateway)
            gateway.clock.advance(by: .seconds(10))
            for _ in 1..<count {
                let position = try await answers.value(of: "positions")
                for list in [position["account"]?["positions"], position["instrument"]?["positions"]] {
                    let same = list?.elements?.first { $0["symbol"] == position["symbol"] }
                    #expect(same?["quantity"] == position["quantity"], "\(position)")
                }
            }
        }
    }

    @Test("shows the figures of its account in the positions of that account")
    func account() async throws {
        try await withGateway { gateway in
            gateway.clock.catchUp()
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let query = "subscription { account { cash positions { account { cash } } } }"
            var answers = try await gateway.subscribe(query, as: alice, backends)
            try await waitUntil { gateway.calls["GET /v2/account"] == 1 }
            // Long enough for the responses to arrive; otherwise both are read later, and are equal.
            try await buy("AAPL", gateway)
            gateway.clock.advance(by: .seconds(10))
            let account = try await answers.value(of: "account")
            let nested = account["positions"]?.elements?.compactMap { $0["account"]?["cash"] } ?? []
            #expect(!nested.isEmpty && nested.allSatisfy { $0 == account["cash"] }, "\(account)")
        }
    }

    @Test("shows the order of its event in the lists of its account")
    func orders() async throws {
        try await withGateway { gateway in
            gateway.clock.catchUp()
            // Only reads report orders.
            #expect(gateway.sandbox.faults.add(Fault(.status(503), endpoint: "GET /stream")))
            let backends = try gateway.backends([gateway.connection("demo", of: alice)])
            let placed = try await gateway.placed(
                TestOrder(account: try await gateway.account(backends), price: "{ limit: \"2.55\" }"),
                backends)
            let id = try #require(placed["providerOrderId"]?.string)
            let query = """
                subscription { orders { id state account {
                    orders(first: 50) { nodes { id state } } } } }
                """
            let readings = gateway.calls["GET /v2/orders"] ?? 0
            var answers = try await gateway.subscribe(query, as: alice, backends)
            try await waitUntil { gateway.calls["GET /v2/orders"] ?? 0 != readings }
            let client = try gateway.client(.demo)
            let call = CallContext(deadline: .now + .seconds(60))
            _ = try await client.cancel(try await client.order(id, of: nil, in: call), in: call)
            gateway.clock.advance(by: .seconds(10))
            let order = try await answers.value(of: "orders") { $0["id"] == placed["id"] }
            let nested = order["account"]?["orders"]?["nodes"]?.elements?.first { $0["id"] == order["id"] }
            #expect(nested?["state"] == order["state"], "\(order)")
        }
    }

    @Test("shows the order of its event among the legs of another order")
    func legs() async throws {
        try await withGateway { gateway in
            let connection = try gateway.connection("demo", of: alice)
            let scope = RequestScope(
                session: Session(owner: alice, scopes: [.read]), services: try gateway.backends([connection]),
                call: CallContext(deadline: .now + .seconds(60)))
            let reading = Provenance(source: .alpaca, fetchedAt: .now)
            let older = Order(id: "leg", symbol: .example, side: .sell, state: .open, provenance: reading)
            let newer = Order(id: "leg", symbol: .example, side: .sell, state: .filled, provenance: reading)
            let other = Order(id: "other", symbol: .example, side: .sell, state: .open, provenance: reading)
            var parent = Order(
                id: "parent", symbol: .example, side: .buy, state: .filled, provenance: reading)
            parent.legs = [older, other]
            let connected = try await OrderService(scope).connectedOrders([parent, newer], of: connection)
            let event = EventValue.order(SubscribedOrder(connectedOrder: connected[1], hasEnded: true))
            for (scope, states) in [
                (scope, [OrderState.open, .open]), (scope.showing(event), [.filled, .open]),
            ] {
                let legs = try await OrderService(scope).legs(of: connected[0]).value()?.map { try $0.get() }
                #expect(legs?.map(\.order.id) == ["leg", "other"])
                #expect(legs?.map(\.order.state) == states)
            }
        }
    }

    /// Buys one share, as somebody else would: Portico learns of it when it reads the next time.
    private func buy(_ symbol: String, _ gateway: TestGateway) async throws {
        let ticket = OrderTicket(
            clientOrderID: "by-hand", accountID: "any", symbol: try #require(Symbol(symbol)), side: .buy,
            size: .quantity(1), price: .market)
        let call = CallContext(deadline: .now + .seconds(60))
        guard case .accepted = try await gateway.client(.demo).place(ticket, in: call) else {
            Issue.record("not taken")
            return
        }
    }
}

/// A source of one price for every symbol, with a stream: a test sets both.
private final class ScriptedQuotes: QuoteSource, QuoteStream {
    private struct Spelling: SymbolMapping {
        func providerSymbol(for symbol: Symbol) -> String? { symbol.text }
        func symbol(for spelling: String) -> Symbol? { Symbol(spelling) }
    }

    private let snapshot: Decimal
    private let prices: AsyncStream<Decimal>
    private let price: AsyncStream<Decimal>.Continuation

    let symbolsPerCall = 200
    let symbolLimit: Int? = nil

    init(price: Decimal) {
        snapshot = price
        (prices, self.price) = AsyncStream.makeStream()
    }

    var marketSource: MarketDataSource {
        MarketDataSource(
            self, symbolMapping: Spelling(), provider: .alpaca, environment: .sandbox, for: .everybody)
    }

    func tell(price: Decimal) { self.price.yield(price) }

    func quotes(for symbols: [Symbol], in call: CallContext) async throws(ProviderFailure) -> KeyedResults<
        Symbol, Quote
    > {
        var batch = KeyedResults<Symbol, Quote>()
        for symbol in symbols {
            var quote = Quote(
                symbol: symbol, provenance: Provenance(source: .alpaca, fetchedAt: .now, asOf: .now))
            quote.price = snapshot
            batch[symbol] = quote
        }
        return batch
    }

    func run(
        _ wanted: AsyncStream<Set<Symbol>>, deliver: @escaping @Sendable (StreamEvent<QuoteUpdate>) -> Void
    ) async throws(ProviderFailure) {
        var symbols = wanted.makeAsyncIterator()
        guard let symbol = await symbols.next(isolation: #isolation)?.first else {
            throw ProviderFailure(.alpaca, .cancelled)
        }
        deliver(.connected)
        for await price in prices {
            var change = QuoteUpdate(symbol: symbol)
            change.price = price
            change.asOf = .now
            deliver(.value(change))
        }
        throw ProviderFailure(.alpaca, .cancelled)
    }
}
