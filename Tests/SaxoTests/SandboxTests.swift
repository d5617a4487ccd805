import Brokerage
import ProviderTestSupport
import Saxo
import Testing
import Upstream

import struct Sandbox.Fault
import struct Sandbox.SandboxUser

/// The client against the stand-in, over HTTP: two independent readings of the same facts.
@Suite("Saxo's sandbox")
struct SandboxTests {
    @Test("has two accounts, each in its own currency, with figures that fit each other")
    func accounts() async throws {
        try await RunningSandbox.run { fixture in
            let saxo = try fixture.client()
            let accounts = try await saxo.accounts(in: .patient)
            #expect(accounts.map(\.number) == ["17304452", "17304453"])
            #expect(accounts.map(\.currency) == ["EUR", "DKK"])
            let positions = try await saxo.positions(in: .patient)
            for account in accounts {
                var value = try #require(account.cash)
                for position in positions where position.accountID == account.id {
                    let converted = try #require(position.inAccountCurrency)
                    #expect(converted.currency == account.currency)
                    // What is on margin is worth what it has won.
                    let worth =
                        position.assetClass == .fx
                        ? converted.unrealizedProfitLoss : converted.marketValue
                    value = try value + #require(worth)
                }
                #expect(account.equity == value)
            }
            #expect(fixture.calls("GET /port/v1/clients/me") == 1)
            #expect(fixture.calls("GET /port/v1/accounts/me") == 1)
            #expect(fixture.calls("GET /port/v1/balances") == 2)
            #expect(fixture.calls("GET /port/v1/netpositions") == 2)
        }
    }

    @Test("has positions by symbol, short ones too, without a look-up of any")
    func positions() async throws {
        try await RunningSandbox.run { fixture in
            let positions = try await fixture.client().positions(in: .patient)
            #expect(
                Set(positions.map(\.symbol.text))
                    == ["AAPL", "MSFT", "SPY", "EUR/USD", "BRK.B", "USD/JPY", "NVDA", "EUR/DKK"])
            #expect(positions.filter { $0.side == .short }.map(\.symbol.text) == ["USD/JPY"])
            #expect(positions.filter { $0.assetClass == .etf }.map(\.symbol.text) == ["SPY"])
            #expect(fixture.calls("GET /ref/v1/instruments") == 0)
            #expect(fixture.calls("GET /ref/v1/instruments/details") == 0)
        }
    }

    @Test("tells 50 positions over three pages, and their quotes in batches of one AssetType each")
    func paging() async throws {
        try await RunningSandbox.run(users: [.holding(50)], { $0.pageMaximum = 20 }) { fixture in
            let saxo = try fixture.client(token: "holder-access", pricesPerCall: 25)
            let positions = try await saxo.positions(in: .patient)
            #expect(positions.count == 50)
            #expect(Set(positions.map(\.symbol)).count == 50)
            #expect(fixture.calls("GET /port/v1/netpositions") == 3)
            let quotes = try await saxo.quotes(for: positions.map(\.symbol), in: .patient).found
            #expect(quotes.count == 50)
            let funds = positions.count { $0.assetClass == .etf }
            for position in positions {
                let quote = try #require(quotes[position.symbol])
                #expect(quote.price != nil)
                #expect(quote.currency == "USD")
                #expect(quote.marketState == .open)
            }
            // Shares and funds are two AssetTypes, of which a call takes one.
            #expect(0 < funds && funds < 25)
            #expect(fixture.calls("GET /trade/v1/infoprices/list") == (50 - funds + 24) / 25 + 1)
            #expect(fixture.calls("GET /ref/v1/instruments") == 0)
        }
    }

    @Test("quotes what it has, and leaves out what it does not know")
    func quotes() async throws {
        try await RunningSandbox.run { fixture in
            let saxo = try fixture.client()
            let symbols = try ["AAPL", "BRK.B", "EUR/DKK", "^SPX", "NOSUCH", "XXX/YYY"].map(symbol)
            let quotes = try await saxo.quotes(for: symbols, in: .patient).found
            #expect(Set(quotes.keys.map(\.text)) == ["AAPL", "BRK.B", "EUR/DKK", "^SPX"])
            let pair = try #require(quotes[try symbol("EUR/DKK")])
            let (bid, ask) = (try #require(pair.bid), try #require(pair.ask))
            #expect(pair.price == Decimal.middle(bid, ask))
            #expect(pair.currency == "DKK")
            #expect(fixture.calls("GET /trade/v1/infoprices/list") == 3)
            // What is not known is not looked up again at once.
            let lookUps = fixture.calls("GET /ref/v1/instruments")
            _ = try await saxo.quotes(for: symbols, in: .patient)
            #expect(fixture.calls("GET /ref/v1/instruments") == lookUps)
        }
    }

    @Test("without data of exchanges tells no price, rather than zero")
    func noAccess() async throws {
        try await RunningSandbox.run({ $0.includesExchangePrices = false }) { fixture in
            let aapl = try symbol("AAPL")
            let quote = try #require(try await fixture.client().quotes(for: [aapl], in: .patient)[aapl])
            #expect(quote.price == nil)
            #expect(quote.bid == nil)
            #expect(quote.timeliness == nil)
            let charts = try await fixture.client().charts(
                of: [aapl], ChartWindow(interval: .oneDay, last: 5), in: .patient)
            #expect(charts.found.isEmpty)
            #expect(charts.failures == [aapl: ProviderFailure(.saxo, .notEntitled)])
        }
    }

    @Test("has charts over pages, each candle once")
    func longChart() async throws {
        try await RunningSandbox.run { fixture in
            let saxo = try fixture.client()
            let aapl = try symbol("AAPL")
            let window = ChartWindow(interval: .fiveMinutes, last: 2_500)
            let chart = try #require(try await saxo.charts(of: [aapl], window, in: .patient)[aapl])
            #expect(chart.count == 2_500)
            #expect(zip(chart.times, chart.times.dropFirst()).allSatisfy { $0 < $1 })
            #expect(chart.isTruncated)
            #expect(fixture.calls("GET /chart/v3/charts") == 3)
            // One window in the middle of them is the same by one call.
            let from = try #require(Instant(secondsSince1970: chart.times[1_000]))
            let to = try #require(Instant(secondsSince1970: chart.times[1_400]))
            let part = try #require(
                try await saxo.charts(
                    of: [aapl], ChartWindow(interval: .fiveMinutes, from: from, to: to), in: .patient)[aapl])
            #expect(part.times == Array(chart.times[1_000..<1_400]))
            #expect(part[0] == chart[1_000])
            #expect(!part.isTruncated)
        }
    }

    @Test("has charts of pairs with both sides, whose prices are the middle")
    func pairChart() async throws {
        try await RunningSandbox.run { fixture in
            let pair = try symbol("EUR/DKK")
            let chart = try #require(
                try await fixture.client().charts(
                    of: [pair], ChartWindow(interval: .oneHour, last: 24), in: .patient)[pair])
            #expect(chart.count == 24)
            #expect(chart.currency == "DKK")
            for index in 0..<chart.count {
                let candle = chart[index]
                let (bid, ask) = (try #require(candle.bid), try #require(candle.ask))
                #expect(candle.prices.close == Decimal.middle(bid.close, ask.close))
                #expect(bid.low < ask.low)
            }
        }
    }

    @Test("finds instruments, and knows the rules of their orders")
    func instruments() async throws {
        try await RunningSandbox.run { fixture in
            let saxo = try fixture.client()
            let hits = try await saxo.search("apple", limit: 10, in: .patient)
            #expect(hits.map(\.instrument.symbol.text) == ["AAPL", "AAPL:XNAS:CfdOnStock"])
            let instrument = try await saxo.instrument(try symbol("AAPL:XNAS:CfdOnStock"), in: .patient)
            #expect(instrument.assetClass == .cfd)
            #expect(instrument.listing?.key == "211")
            #expect(instrument.listing?.tickSize?.description == "0.01")
            #expect(instrument.listing?.minimumQuantity == 1)
            let pair = try await saxo.instrument(try symbol("EUR/DKK"), in: .patient)
            #expect(pair.listing?.quantityIncrement == 1_000)
            // Printed as 1E-05.
            #expect(pair.listing?.tickSize?.description == "0.00001")
            await #expect(throws: ProviderFailure(.saxo, .notFound)) {
                try await saxo.instrument(try symbol("NOSUCH"), in: .patient)
            }
        }
    }

    @Test("fails as it does, and no account shows where one cannot be read")
    func faults() async throws {
        try await RunningSandbox.run { fixture in
            let endpoint = "GET /port/v1/balances"
            #expect(
                fixture.sandbox.faults.add(
                    Fault(.malformedBody, provider: .saxo, endpoint: endpoint, every: 2)))
            let failure = await #expect(throws: ProviderFailure.self) {
                try await fixture.client().accounts(in: .patient)
            }
            guard case .invalidResponse = failure?.cause else {
                Issue.record("a broken body is no \(String(describing: failure))")
                return
            }
        }
    }

    @Test("is asked again after a 503, which is HTML")
    func retry() async throws {
        try await RunningSandbox.run { fixture in
            let endpoint = "GET /port/v1/orders/me"
            #expect(
                fixture.sandbox.faults.add(
                    Fault(.status(503), provider: .saxo, endpoint: endpoint, remaining: 2)))
            let page = try await fixture.client().orders(OrderQuery(), in: .patient)
            #expect(page.orders.map(\.id) == ["5014824029"])
            #expect(fixture.calls(endpoint) == 3)
        }
    }
}
