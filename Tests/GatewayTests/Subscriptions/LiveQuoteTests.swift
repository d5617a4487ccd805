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

@Suite("Subscriptions to prices")
struct LiveQuoteTests {
    private static let symbols = ["AAPL", "KO", "MSFT", "BRK.B", "SPY", "TSLA"].compactMap { Symbol($0) }

    /// What a user's own connection tells of prices, for them alone.
    private func connection(_ gateway: TestGateway, of owner: OwnerID) throws -> BrokerConnection {
        let client = try gateway.client(.demo)
        return BrokerConnection(
            id: "alpaca", owner: owner, provider: .alpaca, environment: .sandbox, accounts: client,
            market: MarketDataSource(
                client, symbolMapping: AlpacaSymbols(), provider: .alpaca, environment: .sandbox,
                for: .owner(owner, connection: "alpaca")))
    }

    private func backends(_ connections: [BrokerConnection], _ gateway: TestGateway) -> GatewayServices {
        GatewayServices(
            connections: connections.map { ProviderConnection($0) }, market: [],
            reads: ReadCaches(clock: gateway.clock.calls),
            userData: gateway.userData,
            condition: { provider in
                ProviderHealthReport(health: ProviderMonitor().health(of: provider), rateLimits: [])
            })
    }

    private func scope(_ owner: OwnerID, _ backends: GatewayServices) -> RequestScope {
        RequestScope(
            session: Session(owner: owner, scopes: [.read]), services: backends,
            call: CallContext(deadline: .now + .seconds(60)))
    }

    /// The first price of each symbol.
    private func followed(_ symbols: [Symbol], by scope: RequestScope) async throws -> [Symbol: Decimal?] {
        var prices: [Symbol: Decimal?] = [:]
        for await news in try SubscriptionService(scope).follow(symbols, from: nil) {
            for (symbol, item) in news { prices[symbol] = try item.get().price }
            if prices.count == Set(symbols).count { break }
        }
        return prices
    }

    private func asked(
        _ symbols: [Symbol], by owner: OwnerID, _ gateway: TestGateway, _ backends: GatewayServices
    ) async throws -> [Symbol: Decimal?] {
        let answer = try await gateway.ask(
            "{ quotes(symbols: \(symbols.map(\.text))) { symbol price } }", as: owner, backends)
        var prices: [Symbol: Decimal?] = [:]
        for quote in try #require(answer["data"]?["quotes"]?.elements) {
            let symbol = try #require(quote["symbol"]?.string.flatMap { Symbol($0) })
            prices[symbol] = quote["price"]?.string.flatMap { Decimal($0) }
        }
        return prices
    }

    @Test(
        "of two users with own connections never get each other's prices, in any interleaving",
        arguments: [1, 2, 3] as [UInt64])
    func isolation(seed: UInt64) async throws {
        try await withGateway { gatewayOfAlice in
            // Another world with other prices, so that one can tell whose they are.
            try await withGateway(seed: 2) { gatewayOfBob in
                let gateways = [alice: gatewayOfAlice, bob: gatewayOfBob]
                let connections = try gateways.map { try connection($0.value, of: $0.key) }
                let shared = backends(connections, gatewayOfAlice)
                var truth: [OwnerID: [Symbol: Decimal?]] = [:]
                for (owner, gateway) in gateways {
                    let alone = backends(connections.filter { $0.owner == owner }, gateway)
                    truth[owner] = try await asked(Self.symbols, by: owner, gateway, alone)
                }
                #expect(Self.symbols.allSatisfy { truth[alice]?[$0] != truth[bob]?[$0] })
                var random = SplitMix(seed: seed)
                for _ in 0..<25 {
                    let questions = (0..<Int.random(in: 1...10, using: &random)).map { _ in
                        (
                            owner: Bool.random(using: &random) ? alice : bob,
                            symbols: Array(
                                Self.symbols.shuffled(using: &random)
                                    .prefix(Int.random(in: 1...Self.symbols.count, using: &random))),
                            isFollowing: Bool.random(using: &random)
                        )
                    }
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for question in questions {
                            let expected = truth[question.owner]?.filter { question.symbols.contains($0.key) }
                            group.addTask {
                                let prices =
                                    question.isFollowing
                                    ? try await followed(
                                        question.symbols, by: scope(question.owner, shared))
                                    : try await asked(
                                        question.symbols, by: question.owner, gatewayOfAlice, shared)
                                #expect(prices == expected)
                            }
                        }
                        try await group.waitForAll()
                    }
                    // Some of what is kept is too old for the next round, and some is not.
                    gatewayOfAlice.clock.advance(by: .milliseconds(Int.random(in: 0...3_000, using: &random)))
                }
            }
        }
    }

    @Test("share one feed for all permitted users, and a symbol that cannot exist is not followed")
    func shared() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([])
            let (first, second) = (scope(alice, backends), scope(bob, backends))
            let apple = try #require(Symbol("AAPL"))
            let unknown = try #require(Symbol("X1"))
            let prices = try SubscriptionService(first).follow([apple, unknown], from: nil)
            #expect(await prices.first { _ in true }?.keys.map(\.self) == [apple])
            #expect(try await followed([apple], by: second).keys.map(\.self) == [apple])
            #expect(gateway.calls == ["GET /v2/stocks/snapshots": 1])
            withExtendedLifetime(prices) {}
        }
    }

    @Test("get prices from the next source of the route if the first fails, or does not have the symbol")
    func fallThrough() async throws {
        try await withGateway { gateway in
            let backends = gateway.market([try gateway.alpaca(), try gateway.yahoo()])
            let scope = scope(alice, backends)
            let symbols = ["AAPL", "TSCO:XLON", "^SPX"].compactMap { Symbol($0) }
            #expect(gateway.sandbox.faults.add(Fault(.status(503), provider: .alpaca)))
            var sources: [Symbol: ProviderID] = [:]
            for await news in try SubscriptionService(scope).follow(symbols, from: nil) {
                for (symbol, item) in news { sources[symbol] = try item.get().provenance.source }
                if sources.count == symbols.count { break }
            }
            #expect(Set(sources.values) == [.yahoo])
            // One that is named is the only one.
            var failures: [FieldError] = []
            for await news in try SubscriptionService(scope).follow([symbols[0]], from: .alpaca) {
                for case .failure(let failure) in news.values { failures.append(failure) }
                break
            }
            #expect(failures == [FieldError(ProviderFailure(.alpaca, .unavailable))])
        }
    }

    @Test("use a feed for each source, which is removed some time after the last subscriber")
    func dropped() async throws {
        try await withGateway { gateway in
            let reads = ReadCaches(clock: gateway.clock.calls)
            let hubs = QuoteFeedRegistry(quotes: reads.quotes, clock: gateway.clock.calls)
            let (first, second) = (try gateway.alpaca(), try gateway.yahoo())
            let apple = try #require(Symbol("AAPL"))
            let hub = hubs.feed(for: first)
            var follower: QuoteFeedSubscriber? = try hub.follow([apple], for: .user(alice)) {}
            #expect(hub.idleSince == nil)
            _ = hubs.feed(for: second)
            #expect(hubs.count == 2)
            // The one that nobody follows goes, the other stays.
            gateway.clock.advance(by: QuoteFeedRegistry.idleTimeout)
            #expect(hubs.feed(for: first) === hub)
            #expect(hubs.count == 1)
            follower = nil
            #expect(follower == nil)
            #expect(hub.idleSince == gateway.clock.calls.now())
            // Who comes back in time finds it.
            gateway.clock.advance(by: QuoteFeedRegistry.idleTimeout - .seconds(1))
            #expect(hubs.feed(for: first) === hub)
            gateway.clock.advance(by: QuoteFeedRegistry.idleTimeout * 2)
            #expect(hubs.feed(for: first) !== hub)
        }
    }

    @Test("end with the task that reads them")
    func cancelled() async throws {
        try await withGateway { gateway in
            let apple = try #require(Symbol("AAPL"))
            let hub = QuoteFeedRegistry(
                quotes: ReadCaches(clock: gateway.clock.calls).quotes, clock: gateway.clock.calls
            ).feed(for: try gateway.alpaca())
            let (told, tell) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                for await _ in QuoteSubscription([apple: [0]], for: .user(alice), at: { _ in hub }) {
                    tell.yield()
                }
            }
            var iterator = told.makeAsyncIterator()
            await iterator.next(isolation: #isolation)
            #expect(hub.symbolCount == 1)
            task.cancel()
            await task.value
            #expect(hub.symbolCount == 0)
        }
    }

    @Test("continue at the feed that replaces a closed one")
    func reopened() async throws {
        try await withGateway { gateway in
            let apple = try #require(Symbol("AAPL"))
            let clock = gateway.clock.calls
            let source = try gateway.alpaca()
            func hub() -> QuoteFeed {
                QuoteFeedRegistry(quotes: ReadCaches(clock: clock).quotes, clock: clock).feed(for: source)
            }
            let (first, second) = (hub(), hub())
            let asked = Mutex(0)
            let quotes = QuoteSubscription([apple: [0]], for: .user(alice)) { _ in
                asked.withLock { $0 += 1 }
                return asked.withLock(\.self) == 1 ? first : second
            }
            #expect(await quotes.first { _ in true }?.keys.map(\.self) == [apple])
            first.close()
            #expect(second.symbolCount == 1, "before anybody looks")
            #expect(asked.withLock(\.self) == 2)
            withExtendedLifetime(quotes) {}
        }
    }

    @Test("have at most 200 symbols, from existing providers")
    func refused() async throws {
        try await withGateway { gateway in
            let scope = scope(alice, try gateway.backends([]))
            let many = (0..<201).compactMap { Symbol("A\($0)") }
            #expect(
                throws: FieldError.argument("symbols", "It has 201 entries; at most 200 are allowed.")
            ) { try SubscriptionService(scope).follow(many, from: nil) }
            let error = #expect(throws: FieldError.self) {
                try SubscriptionService(scope).follow(Self.symbols, from: .yahoo)
            }
            #expect(error?.code == .unsupported)
        }
    }
}
