import Alpaca
import Brokerage
import ProviderTestSupport
import Sandbox
import Testing
import Upstream

/// The client against the stand-in, over HTTP: charts, orders, watchlists, news and the clock.
@Suite("The sandbox's charts, orders, watchlists and news")
struct SandboxTradingTests {
    private func ticket(
        _ text: String, _ side: OrderSide = .buy, _ quantity: Decimal = 2, _ price: OrderPricing = .market,
        id: String
    ) throws -> OrderTicket {
        OrderTicket(
            clientOrderID: id, accountID: "any", symbol: try symbol(text), side: side,
            size: .quantity(quantity),
            price: price, timeInForce: price == .market ? .day : .goodTillCanceled)
    }

    /// An order that was taken.
    private func order(_ answer: OrderResult) throws -> Order {
        guard case .accepted(let order) = answer else {
            Issue.record("taken was expected, not \(answer)")
            throw Refused()
        }
        return order
    }

    private func rejection(_ answer: OrderResult) -> OrderRejection? {
        guard case .rejected(let rejection) = answer else { return nil }
        return rejection
    }

    private struct Refused: Error {}

    @Test("charts of several symbols come over pages that they share, and are the same as each alone")
    func charts() async throws {
        try await withSandbox { alpaca, sandbox, _ in
            let symbols = try ["TSLA", "AAPL", "MSFT"].map(symbol)
            let window = ChartWindow(interval: .oneMinute, from: try instant("2026-11-16T09:00:00Z"))
            let together = try await alpaca.charts(of: symbols, window, in: .patient).found
            // 960 minutes a day, 4 days and 7 hours of the fifth, three times: more than a page of 10,000.
            #expect(sandbox.calls[.alpaca, "GET /v2/stocks/bars"] == 2)
            for symbol in symbols {
                let series = try #require(together[symbol])
                let alone = try await alpaca.charts(of: [symbol], window, in: .patient)
                #expect(series.count == 4 * 960 + 7 * 60)
                #expect(series.times == alone[symbol]?.times)
                #expect(series.prices == alone[symbol]?.prices)
                #expect(!series.isTruncated)
            }
        }
    }

    @Test("a chart's last day is what the quote tells of today", arguments: [1, 30])
    func days(count: Int) async throws {
        try await withSandbox { alpaca, sandbox, _ in
            let apple = try symbol("AAPL")
            let charts = try await alpaca.charts(
                of: [apple], ChartWindow(interval: .oneDay, last: count), in: .patient)
            let quotes = try await alpaca.quotes(for: [apple], in: .patient).found
            let (series, quote) = (try #require(charts[apple]), try #require(quotes[apple]))
            #expect(series.count == count)
            let last = series[series.count - 1]
            #expect(last.prices.open == quote.open)
            #expect(last.prices.high == quote.high)
            #expect(last.prices.low == quote.low)
            #expect(last.volume == quote.volume)
            #expect(sandbox.calls[.alpaca, "GET /v2/stocks/bars"] == 1)
        }
    }

    @Test("a market order is filled, and the account is what it was less what was paid")
    func filled() async throws {
        try await withSandbox { alpaca, _, _ in
            let before = try await alpaca.account(in: .patient)
            let placed = try order(await alpaca.place(ticket("AMD", id: "one"), in: .patient))
            #expect(placed.state == .open && placed.clientOrderID == "one")
            let filled = try await alpaca.order(placed.id, of: nil, in: .patient)
            #expect(filled.state == .filled && filled.filledQuantity == 2)
            let price = try #require(filled.averageFillPrice)
            let after = try await alpaca.account(in: .patient)
            #expect(after.cash == (try #require(before.cash) - 2 * price))
            let positions = try await alpaca.positions(in: .patient)
            let position = try #require(positions.first { $0.symbol.text == "AMD" })
            #expect(position.quantity == 2 && position.averageEntryPrice == price)
            let page = try await alpaca.orders(OrderQuery(isOpen: false), in: .patient)
            #expect(page.orders.map(\.id) == [placed.id])
        }
    }

    @Test("what became of many orders is read by one call; an order that is not in its response, by another")
    func outcomes() async throws {
        try await withSandbox { alpaca, sandbox, _ in
            let bought = try order(await alpaca.place(ticket("AMD", id: "one"), in: .patient))
            let waiting = try order(
                await alpaca.place(ticket("KO", .sell, 10, .limit(900), id: "two"), in: .patient))
            let found = try await alpaca.outcomes(of: [bought, waiting], in: .patient)
            let states = Dictionary(uniqueKeysWithValues: found.map { ($0.id, $0.state) })
            #expect(states == [bought.id: .filled, waiting.id: .open])
            #expect(sandbox.calls[.alpaca, "GET /v2/orders"] == 1)
            #expect(sandbox.calls[.alpaca, "GET /v2/orders/{order_id}"] == 0)
            var missing = bought
            missing.id = "b0b6dd9d-8b9b-48a9-ba46-b9d54906e415"
            let rest = try await alpaca.outcomes(of: [missing, waiting], in: .patient)
            #expect(rest.map(\.id) == [waiting.id])
            #expect(sandbox.calls[.alpaca, "GET /v2/orders/{order_id}"] == 1)
        }
    }

    @Test("an order whose answer is asked for twice is placed once")
    func idempotent() async throws {
        try await withSandbox { alpaca, _, _ in
            let ticket = try ticket("AMD", .buy, 1, .limit(decimal("2.5")), id: "same")
            let first = try order(await alpaca.place(ticket, in: .patient))
            let second = try order(await alpaca.place(ticket, in: .patient))
            #expect(first.id == second.id)
            let found = try await alpaca.order(clientID: "same", of: nil, in: .patient)
            guard case .found(let same) = found else {
                Issue.record("not found: \(found)")
                return
            }
            #expect(same.id == first.id)
            let none = try await alpaca.order(clientID: "other", of: nil, in: .patient)
            #expect(none == .absent)
            let page = try await alpaca.orders(OrderQuery(), in: .patient)
            #expect(page.orders.count == 1)
        }
    }

    @Test("an order is replaced under a new id, then cancelled, then too late for either")
    func replaced() async throws {
        try await withSandbox { alpaca, _, _ in
            let ticket = try ticket("KO", .sell, 10, .limit(900), id: "first")
            let placed = try order(await alpaca.place(ticket, in: .patient))
            let change = OrderReplacement(quantity: 12, price: .limit(901))
            let replaced = try order(
                await alpaca.replace(placed, by: change, clientOrderID: "second", in: .patient))
            #expect(replaced.id != placed.id && replaced.replaces == placed.id)
            #expect(replaced.quantity == 12 && replaced.limitPrice == 901)
            let old = try await alpaca.order(placed.id, of: nil, in: .patient)
            #expect(old.state == .replaced && old.replacedBy == replaced.id)
            let cancelled = try order(await alpaca.cancel(replaced, in: .patient))
            #expect(cancelled.state == .pendingCancel)
            let ended = try await alpaca.order(replaced.id, of: nil, in: .patient)
            #expect(ended.state == .canceled)
            let late = try await alpaca.cancel(replaced, in: .patient)
            #expect(rejection(late)?.reason == .tooLate)
        }
    }

    @Test("what the account cannot bear is refused, and why")
    func refused() async throws {
        try await withSandbox({ $0.alpaca.untradable = ["T"] }) { alpaca, _, _ in
            let dear = try await alpaca.place(
                ticket("AAPL", .buy, 100_000, .limit(200), id: "1"), in: .patient)
            #expect(rejection(dear)?.reason == .insufficientFunds)
            let more = try await alpaca.place(ticket("KO", .sell, 121, id: "2"), in: .patient)
            #expect(rejection(more)?.reason == .insufficientQuantity)
            let penny = try await alpaca.place(
                ticket("KO", .buy, 1, .limit(decimal("1.001")), id: "3"), in: .patient)
            #expect(rejection(penny)?.reason == .price)
            let page = try await alpaca.orders(OrderQuery(), in: .patient)
            #expect(page.orders.isEmpty)
        }
    }

    @Test("older orders come with the page that is asked for behind the first")
    func pages() async throws {
        try await withSandbox { alpaca, _, _ in
            var ids: [String] = []
            for number in 0..<5 {
                let ticket = try ticket("KO", .buy, 1, .limit(1), id: "order-\(number)")
                ids.append(try order(await alpaca.place(ticket, in: .patient)).id)
            }
            var told: [String] = []
            var query = OrderQuery(limit: 2)
            for _ in 0..<10 {
                let page = try await alpaca.orders(query, in: .patient)
                told += page.orders.map(\.id)
                guard page.hasMore, let last = page.orders.last?.submittedAt else { break }
                query.before = last
            }
            #expect(told == ids.reversed())
        }
    }

    @Test("watchlists are made, changed and deleted")
    func watchlists() async throws {
        try await withSandbox { alpaca, _, _ in
            let symbols = try ["MSFT", "BRK.B"].map(symbol)
            let made = try await alpaca.createWatchlist(named: "Core", of: symbols, in: .patient)
            #expect(made.items.map(\.symbol) == symbols)
            let listed = try await alpaca.watchlists(in: .patient)
            #expect(listed == [made])
            let changed = try await alpaca.replaceWatchlist(
                made.id, name: "Rest", symbols: symbols.reversed(), in: .patient)
            #expect(changed.name == "Rest" && changed.items.map(\.symbol) == symbols.reversed())
            await #expect(throws: ProviderFailure(.alpaca, .unsupported)) {
                try await alpaca.createWatchlist(named: "Rest", of: [], in: .patient)
            }
            await #expect(throws: ProviderFailure(.alpaca, .notFound)) {
                try await alpaca.createWatchlist(named: "New", of: [symbol("NOSUCH")], in: .patient)
            }
            try await alpaca.deleteWatchlist(made.id, in: .patient)
            let left = try await alpaca.watchlists(in: .patient)
            #expect(left.isEmpty)
            await #expect(throws: ProviderFailure(.alpaca, .notFound)) {
                try await alpaca.deleteWatchlist(made.id, in: .patient)
            }
        }
    }

    @Test("news come newest first, page behind page")
    func news() async throws {
        try await withSandbox { alpaca, sandbox, _ in
            let apple = try symbol("AAPL")
            let first = try await alpaca.news(about: [apple], limit: 60, after: nil, in: .patient)
            #expect(first.articles.count == 60)
            #expect(sandbox.calls[.alpaca, "GET /v1beta1/news"] == 2)
            #expect(first.next != nil)
            let second = try await alpaca.news(about: [apple], limit: 10, after: first.next, in: .patient)
            let all = first.articles + second.articles
            #expect(Set(all.map(\.id)).count == 70)
            #expect(all.allSatisfy { $0.symbols.contains(apple) })
            #expect(all.map(\.publishedAt) == all.map(\.publishedAt).sorted(by: >))
        }
    }

    @Test(
        "the clock tells what the market does",
        arguments: [
            ("2026-11-20T13:00:00Z", MarketState.pre), ("2026-11-20T16:00:00Z", .open),
            ("2026-11-20T22:30:00Z", .post), ("2026-11-21T12:00:00Z", .closed),
            // A half day, after its close at 13:00.
            ("2026-11-27T19:00:00Z", .post),
        ])
    func clock(time: String, state: MarketState) async throws {
        try await withSandbox(at: time) { alpaca, _, session in
            let clock = try await alpaca.clock(in: .patient)
            #expect(clock.state == state)
            #expect(clock.isOpen == (state == .open))
            #expect(clock.now == session.now)
            #expect(try #require(clock.nextClose) > session.now)
        }
    }

    @Test("instruments are found by ticker and by name")
    func instruments() async throws {
        try await withSandbox { alpaca, sandbox, _ in
            let hits = try await alpaca.search("berkshire", limit: 5, in: .patient)
            #expect(Set(hits.map(\.instrument.symbol.text)) == ["BRK.A", "BRK.B"])
            let apple = try await alpaca.instrument(symbol("AAPL"), in: .patient)
            #expect(apple.name == "Apple Inc. Common Stock")
            #expect(sandbox.calls[.alpaca, "GET /v2/assets"] == 1)
        }
    }
}
