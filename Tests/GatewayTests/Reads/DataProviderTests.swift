import Brokerage
import Gateway
import Sandbox
import TestSupport
import Testing
import Upstream

import struct Sandbox.FakeInstrument

@Suite("Several market-data providers")
struct DataProviderTests {
    private static let figures = "price open high low previousClose"

    /// Of some fields of an object, the numbers.
    private func decimals(_ names: String, of object: JSONValue?) -> [Decimal?] {
        names.split(separator: " ").map { name in
            object?[String(name)]?.string.flatMap { Decimal($0) }
        }
    }

    @Test("return consistent quotes of a share", arguments: ["AAPL", "BRK.B"])
    func quotes(symbol: String) async throws {
        try await withGateway { gateway in
            let fields = "{ symbol currency source \(Self.figures) }"
            let answer = try await gateway.ask(
                """
                { a: quote(symbol: "\(symbol)", provider: "alpaca") \(fields)
                  b: quote(symbol: "\(symbol)", provider: "yahoo") \(fields)
                  c: quote(symbol: "\(symbol)", provider: "alpha-vantage") \(fields) }
                """, as: nil, gateway.wholeMarket())
            #expect(answer.failures.isEmpty)
            let quotes = ["a", "b", "c"].map { answer["data"]?[$0] }
            #expect(quotes.map { $0?["source"] } == ["alpaca", "yahoo", "alpha-vantage"])
            let ticks = try #require(MarketView(gateway.sandbox.market, at: moment()).price(symbol))
            for quote in quotes {
                #expect(quote?["symbol"]?.string == symbol)
                #expect(quote?["currency"] == "USD")
                let figures = decimals(Self.figures, of: quote)
                #expect(figures[0] == Decimal(coefficient: Int128(ticks), scale: 2))
                #expect(!figures.contains(nil), "\(answer)")
                #expect(figures == decimals(Self.figures, of: quotes[0]), "\(answer)")
            }
        }
    }

    @Test(
        "are asked in turn for a price that one of them does not have; a quote without one is better than none"
    )
    func withoutPrice() async throws {
        try await withGateway { gateway in
            let query = "{ quotes(symbols: [\"AAPL\", \"KO\"]) { symbol price source marketState } }"
            let market = gateway.market([
                try gateway.yahoo(), try gateway.polygon(), try gateway.alphaVantage(),
            ])
            gateway.sandbox.setScript(MarketScript(unpriced: ["AAPL"]), of: .yahoo)
            let answer = try await gateway.ask(query, as: nil, market)
            #expect(answer.failures.isEmpty)
            let quotes = try #require(answer["data"]?["quotes"]?.elements)
            #expect(quotes.map { $0["source"] } == ["polygon", "yahoo"])
            #expect(quotes.allSatisfy { $0["price"]?.string != nil }, "\(answer)")
            let alone = try await gateway.ask(query, as: nil, gateway.market([try gateway.yahoo()]))
            #expect(alone.failures.isEmpty)
            #expect(
                alone["data"]?["quotes"]?[0]?["price"] == .null
                    && alone["data"]?["quotes"]?[0]?["source"] == "yahoo")
        }
    }

    @Test("read the instruments of fifty symbols of Yahoo with one call")
    func instruments() async throws {
        try await withGateway { gateway in
            let symbols = FakeInstrument.listing.prefix(50).map { "\"\($0.symbol)\"" }.joined(separator: ",")
            let market = gateway.market([try gateway.yahoo()])
            let answer = try await gateway.ask(
                "{ quotes(symbols: [\(symbols)]) { instrument { name currency } } }", as: nil, market)
            #expect(answer.failures.isEmpty)
            #expect(answer["data"]?["quotes"]?.elements?.count == 50)
            #expect(gateway.sandbox.calls[.yahoo, "GET /v7/finance/quote"] == 1)
        }
    }

    private func moment() throws -> Instant { try #require(Instant(TestGateway.now)) }

    @Test(
        "return consistent daily candles of a share", arguments: ["AAPL", "BRK.B"])
    func days(symbol: String) async throws {
        try await withGateway { gateway in
            let names = ["alpaca", "yahoo", "polygon", "alpha-vantage"]
            // Names of providers can have hyphens, aliases cannot.
            let charts = names.enumerated().map { index, name in
                "chart\(index): chart(symbol: \"\(symbol)\", last: 6, provider: \"\(name)\") "
                    + "{ source timeZone candles { time date open high low close complete } }"
            }
            let answer = try await gateway.ask(
                "{ \(charts.joined(separator: " ")) }", as: nil, gateway.wholeMarket())
            #expect(answer.failures.isEmpty)
            let series = try names.enumerated().map { index, name in
                try #require(answer["data"]?["chart\(index)"]?["candles"]?.elements, "\(name): \(answer)")
            }
            for (name, candles) in zip(names, series) {
                #expect(candles.count == 6, "\(name)")
                #expect(candles.map { $0["date"] } == series[0].map { $0["date"] }, "\(name)")
                #expect(candles.map { $0["time"] } == series[0].map { $0["time"] }, "\(name)")
                #expect(candles.map { $0["complete"] } == series[0].map { $0["complete"] }, "\(name)")
                for (candle, other) in zip(candles, series[0]) {
                    let prices = decimals("open high low close", of: candle)
                    #expect(!prices.contains(nil), "\(name)")
                    #expect(prices == decimals("open high low close", of: other), "\(name)")
                }
            }
        }
    }

    @Test("get their own symbols, and return Portico's")
    func translation() async throws {
        try await withGateway { gateway in
            let answer = try await gateway.ask(
                """
                { instrument(symbol: "BRK.B") { symbol listings { provider key } }
                  yahoo: instrument(symbol: "BRK-B", provider: "yahoo") { symbol }
                  alphaVantage: instrument(symbol: "BRK-B", provider: "alpha-vantage") { symbol }
                  polygon: instrument(symbol: "BRK.B", provider: "polygon") { symbol }
                  alpaca: instrument(symbol: "BRK.B", provider: "alpaca") { symbol } }
                """, as: nil, gateway.wholeMarket())
            #expect(answer.failures.isEmpty, "\(answer)")
            for name in ["instrument", "yahoo", "alphaVantage", "polygon", "alpaca"] {
                #expect(answer["data"]?[name]?["symbol"] == "BRK.B", "\(name): \(answer)")
            }
            let listings = try #require(answer["data"]?["instrument"]?["listings"]?.elements)
            let keys = Dictionary(
                listings.map { ($0["provider"]?.string, $0["key"]?.string) }, uniquingKeysWith: { $1 })
            #expect(
                keys == ["alpaca": "BRK.B", "yahoo": "BRK-B", "polygon": "BRK.B", "alpha-vantage": "BRK-B"])
        }
    }

    /// An instrument that is no American share: by which spelling of which provider it is found.
    struct Foreign: CustomTestStringConvertible {
        let symbol: String
        let provider: ProviderID
        let spelling: String

        var testDescription: String { "\(spelling) of \(provider)" }
    }

    @Test(
        "find currencies, indices, coins and foreign shares by their own symbols",
        arguments: [
            Foreign(symbol: "EUR/USD", provider: .yahoo, spelling: "EURUSD=X"),
            Foreign(symbol: "EUR/USD", provider: .polygon, spelling: "C:EURUSD"),
            Foreign(symbol: "^SPX", provider: .yahoo, spelling: "^GSPC"),
            Foreign(symbol: "^SPX", provider: .polygon, spelling: "I:SPX"),
            Foreign(symbol: "BTC/USD", provider: .yahoo, spelling: "BTC-USD"),
            Foreign(symbol: "BTC/USD", provider: .polygon, spelling: "X:BTCUSD"),
            Foreign(symbol: "TSCO:XLON", provider: .yahoo, spelling: "TSCO.L"),
            Foreign(symbol: "TSCO:XLON", provider: .alphaVantage, spelling: "TSCO.LON"),
        ])
    func foreign(_ foreign: Foreign) async throws {
        try await withGateway { gateway in
            let answer = try await gateway.ask(
                """
                { own: instrument(symbol: "\(foreign.symbol)", provider: "\(foreign.provider.name.text)") { symbol }
                  theirs: instrument(symbol: "\(foreign.spelling)", provider: "\(foreign.provider.name.text)") {
                    symbol listings { provider key } } }
                """, as: nil, gateway.wholeMarket())
            #expect(answer.failures.isEmpty, "\(answer)")
            #expect(answer["data"]?["own"]?["symbol"]?.string == foreign.symbol)
            #expect(answer["data"]?["theirs"]?["symbol"]?.string == foreign.symbol)
            let listings = answer["data"]?["theirs"]?["listings"]?.elements
            let own = listings?.first { $0["provider"]?.string == foreign.provider.name.text }
            #expect(own?["key"]?.string == foreign.spelling, "\(answer)")
        }
    }

    @Test("are called concurrently, each for its own symbols")
    func route() async throws {
        try await withGateway { gateway in
            let symbols = ["AAPL", "EUR/USD", "^SPX", "TSCO:XLON", "BRK.B"]
            let list = symbols.map { "\"\($0)\"" }.joined(separator: ", ")
            let answer = try await gateway.ask(
                "{ quotes(symbols: [\(list)]) { symbol source currency price } }", as: nil,
                gateway.wholeMarket())
            #expect(answer.failures.isEmpty, "\(answer)")
            let quotes = try #require(answer["data"]?["quotes"]?.elements)
            #expect(quotes.map { $0["symbol"]?.string } == symbols)
            #expect(
                quotes.map { $0["source"]?.string } == ["alpaca", "yahoo", "yahoo", "yahoo", "alpaca"])
            #expect(quotes.map { $0["currency"]?.string } == ["USD", "USD", "USD", "GBP", "USD"])
            #expect(gateway.calls(of: .alpaca) == ["GET /v2/stocks/snapshots": 1])
            #expect(gateway.calls(of: .yahoo)["GET /v7/finance/quote"] == 1)
            #expect(gateway.calls(of: .alphaVantage).isEmpty)
        }
    }

    @Test("replace one that fails")
    func fallThrough() async throws {
        try await withGateway { gateway in
            let fault = Fault(.status(503), provider: .alpaca)
            #expect(gateway.sandbox.faults.add(fault))
            let answer = try await gateway.ask(
                """
                { quotes(symbols: ["AAPL", "MSFT"]) { source price }
                  chart(symbol: "AAPL", last: 2) { source }
                  news(symbols: ["AAPL"], first: 1) { nodes { provider symbols } } }
                """, as: nil, gateway.wholeMarket())
            #expect(answer.failures.isEmpty, "\(answer)")
            #expect(
                answer["data"]?["quotes"]?.elements?.map { $0["source"]?.string } == ["yahoo", "yahoo"])
            #expect(answer["data"]?["chart"]?["source"] == "yahoo")
            let article = answer["data"]?["news"]?["nodes"]?[0]
            #expect(article?["provider"] == "polygon")
            #expect(article?["symbols"]?.elements?.contains("AAPL") == true)
        }
    }

    @Test("together report an unknown symbol, for its price, its chart and its name")
    func unknown() async throws {
        try await withGateway { gateway in
            let answer = try await gateway.ask(
                """
                { quote(symbol: "NOPE") { price }
                  chart(symbol: "NOPE", last: 2) { source }
                  instrument(symbol: "NOPE") { name } }
                """, as: nil, gateway.wholeMarket())
            #expect(
                answer.failures
                    == ["quote", "chart", "instrument"].map { FieldFailure($0, "NOT_FOUND", nil) })
            #expect(
                answer["errors"]?[0]?["message"]
                    == "None of alpaca, yahoo, polygon, alpha-vantage knows any symbol \"NOPE\".")
        }
    }

    @Test("get one call for charts of any length of an unknown symbol")
    func unknownChart() async throws {
        try await withGateway { gateway in
            let backends = gateway.market([try gateway.alphaVantage(perMinute: 60)])
            var calls: [Int] = []
            for last in 2...5 {
                let answer = try await gateway.ask(
                    "{ chart(symbol: \"NOPE\", last: \(last), provider: \"alpha-vantage\") { source } }",
                    as: nil,
                    backends)
                #expect(answer.failures.map(\.code) == ["NOT_FOUND"], "\(answer)")
                calls.append(gateway.calls(of: .alphaVantage).values.reduce(0, +))
            }
            #expect(calls == Array(repeating: calls[0], count: 4), "\(calls)")
            // Another symbol is requested.
            let known = try await gateway.ask(
                "{ chart(symbol: \"AAPL\", last: 2, provider: \"alpha-vantage\") { source } }", as: nil,
                backends)
            #expect(known.failures.isEmpty, "\(known)")
        }
    }

    @Test("get one call for charts of an unknown symbol since one time, with any adjustment")
    func unknownChartSinceTime() async throws {
        try await withGateway { gateway in
            let backends = gateway.market([try gateway.polygon()])
            let prices = "GET /v2/aggs/ticker/{ticker}/range/{multiplier}/{timespan}/{from}/{to}"
            let charts = [
                ("2026-06-01", "", 1), ("2026-06-01", "adjustment: RAW", 1),
                ("2026-06-01", "adjustment: SPLITS", 1),
                // The symbol may have had no prices at the other time.
                ("2026-05-01", "", 2), ("2026-05-01", "adjustment: RAW", 2),
            ]
            for (day, adjustment, calls) in charts {
                let answer = try await gateway.ask(
                    """
                    { chart(symbol: "NOPE", from: "\(day)T00:00:00Z", provider: "polygon" \(adjustment)) { source } }
                    """, as: nil, backends)
                #expect(answer.failures == [FieldFailure("chart", "NOT_FOUND", "polygon")], "\(answer)")
                #expect(gateway.calls(of: .polygon)[prices] == calls, "\(day) \(adjustment)")
            }
        }
    }

    @Test("get as few calls for 200 symbols as they allow")
    func batches() async throws {
        try await withGateway { gateway in
            let symbols = (0..<200).map { number in
                "QQ" + [number / 26, number % 26].map { String(UnicodeScalar(UInt8(65 + $0))) }.joined()
            }
            let list = symbols.map { "\"\($0)\"" }.joined(separator: ", ")
            let answer = try await gateway.ask(
                "{ quotes(symbols: [\(list)], provider: \"yahoo\") { price } }", as: nil,
                gateway.market([gateway.yahoo()]))
            #expect(answer.failures.count == 200)
            // 50 at a time, and one cookie and crumb for all.
            #expect(
                gateway.calls(of: .yahoo) == [
                    "GET /v7/finance/quote": 4, "GET /": 1, "GET /v1/test/getcrumb": 1,
                ])
        }
    }

    @Test(
        "have a budget: another provider responds, or the error has the time of the next call",
        arguments: [true, false])
    func budget(hasOther: Bool) async throws {
        try await withGateway { gateway in
            let instruments = FakeInstrument.listing.prefix(30).map(\.symbol)
            let list = instruments.map { "\"\($0)\"" }.joined(separator: ", ")
            var sources = [try gateway.alphaVantage(perMinute: 5)]
            if hasOther { sources.append(try gateway.yahoo()) }
            var routes = ProviderRoutes.standard
            routes[.quotes] = [.alphaVantage, .yahoo]
            let answer = try await gateway.ask(
                "{ quotes(symbols: [\(list)]) { source price } }", as: nil,
                gateway.market(sources, routes: routes))
            let quotes = try #require(answer["data"]?["quotes"]?.elements)
            #expect(quotes.count { $0["source"]?.string == "alpha-vantage" } == 5)
            #expect(quotes.count { $0["source"]?.string == "yahoo" } == (hasOther ? 25 : 0))
            #expect(gateway.sandbox.calls.all(of: .alphaVantage).map(\.count) == [5])
            #expect(answer.failures.count == (hasOther ? 0 : 25))
            for (failure, error) in zip(answer.failures, answer["errors"]?.elements ?? []) {
                #expect(failure.code == "QUOTA_EXHAUSTED" && failure.provider == "alpha-vantage")
                #expect(error["extensions"]?["retryAt"]?.string != nil)
            }
        }
    }

    @Test("describe a company if the first provider does not")
    func description() async throws {
        try await withGateway { gateway in
            let answer = try await gateway.ask(
                "{ instrument(symbol: \"AAPL\") { symbol description } }", as: nil,
                gateway.market([gateway.alpaca(), gateway.yahoo()]))
            #expect(answer.failures.isEmpty, "\(answer)")
            let description = answer["data"]?["instrument"]?["description"]?.string
            #expect(description?.hasPrefix("Apple Inc. ") == true)
            #expect(gateway.calls(of: .yahoo)["GET /v10/finance/quoteSummary/{symbol}"] == 1)
        }
    }

    @Test("continue news at their cursor")
    func news() async throws {
        try await withGateway { gateway in
            let backends = gateway.market([try gateway.polygon()])
            var (ids, cursor) = ([String](), "")
            for _ in 1...3 {
                let answer = try await gateway.ask(
                    """
                    { news(symbols: ["AAPL"], first: 30\(cursor)) {
                        nodes { id provider symbols } pageInfo { hasNextPage endCursor } } }
                    """, as: nil, backends)
                #expect(answer.failures.isEmpty, "\(answer)")
                let nodes = try #require(answer["data"]?["news"]?["nodes"]?.elements)
                #expect(nodes.allSatisfy { $0["symbols"]?.elements?.contains("AAPL") == true })
                ids += nodes.compactMap { $0["id"]?.string }
                let end = try #require(answer["data"]?["news"]?["pageInfo"]?["endCursor"]?.string)
                cursor = ", after: \"\(end)\""
            }
            #expect(ids.count == 90 && Set(ids).count == 90)
        }
    }

    @Test("are in the standard route of each kind of data that they have, and in no other one")
    func standardRoutes() async throws {
        try await withGateway { gateway in
            let answer = try await gateway.ask(
                "{ providers { name capabilities { features } } }", as: alice, gateway.marketWithSaxo())
            let providers = try #require(answer["data"]?["providers"]?.elements, "\(answer)")
            #expect(providers.count == ProviderID.allCases.count)
            let features: [(MarketDataCapability, JSONValue)] = [
                (.quotes, "QUOTES"), (.charts, "CHARTS"), (.instruments, "SEARCH"),
                (.fundamentals, "FUNDAMENTALS"), (.news, "NEWS"), (.clock, "MARKET_CLOCK"),
                (.corporateActions, "CORPORATE_ACTIONS"),
            ]
            #expect(features.count == MarketDataCapability.allCases.count)
            for provider in providers {
                let id = try #require(provider["name"]?.string.flatMap { ProviderID(named: $0) })
                let found = provider["capabilities"]?["features"]?.elements ?? []
                for (capability, feature) in features {
                    #expect(
                        found.contains(feature) == (id.traits.ranks[capability] != nil), "\(id) \(capability)"
                    )
                }
            }
        }
    }
}
