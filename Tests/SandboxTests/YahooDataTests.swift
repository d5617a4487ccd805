import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("What Yahoo's stand-in tells")
struct YahooDataTests {
    private func quote(_ fixture: RunningSandbox, _ symbol: String) async throws -> JSONValue {
        let reply = try await fixture.yahooWithCrumb("/v7/finance/quote?symbols=\(symbol)")
        return try #require(JSONValue(parsing: reply.body)["quoteResponse"]?["result"]?[0])
    }

    @Test(
        "a quote is the day that Alpaca tells of, and knows what the exchange does",
        arguments: [
            (Moment.midday, "REGULAR", nil), (Moment.morning, "PRE", "preMarketPrice"),
            (Moment.evening, "POST", "postMarketPrice"), (Moment.weekend, "CLOSED", "postMarketPrice"),
            ("2026-11-19T08:00:00Z", "PREPRE", "postMarketPrice"),
            ("2026-11-20T02:00:00Z", "POSTPOST", "postMarketPrice"),
        ] as [(String, String, String?)])
    func quote(moment: String, state: String, extended: String?) async throws {
        try await withSandbox(at: moment) { fixture in
            let reply = try await fixture.data("/v2/stocks/snapshots?symbols=BRK.B")
            let alpaca = try #require(JSONValue(parsing: reply.body)["BRK.B"])
            let quote = try await quote(fixture, "BRK-B")
            #expect(quote["symbol"] == "BRK-B" && quote["currency"] == "USD")
            #expect(quote["marketState"] == .string(state))
            let names = [
                ("c", "regularMarketPrice"), ("o", "regularMarketOpen"), ("h", "regularMarketDayHigh"),
                ("l", "regularMarketDayLow"), ("v", "regularMarketVolume"),
            ]
            for (alpacas, own) in names {
                #expect(try decimal(quote[own]) == decimal(alpaca["dailyBar"]?[alpacas]))
            }
            let previous = try decimal(alpaca["prevDailyBar"]?["c"])
            #expect(try decimal(quote["regularMarketPreviousClose"]) == previous)
            let change = try decimal(quote["regularMarketPrice"]) - previous
            let distance = try (decimal(quote["regularMarketChange"]) - change).magnitude
            #expect(distance < (Decimal("0.001") ?? 0))
            let percent = try #require(change.percent(of: previous))
            let other = try (decimal(quote["regularMarketChangePercent"]) - percent).magnitude
            #expect(other < (Decimal("0.001") ?? 0))
            for name in ["preMarketPrice", "postMarketPrice"] {
                #expect((quote[name] != nil) == (name == extended))
            }
            if state == "PRE" || state == "POST", let extended {
                #expect(try decimal(quote[extended]) == decimal(alpaca["latestTrade"]?["p"]))
            }
        }
    }

    @Test(
        "quotes come in the order of the request, each once; a delisted one has no price, an unknown is absent"
    )
    func quotes() async throws {
        try await withSandbox { fixture in
            let reply = try await fixture.yahooWithCrumb(
                "/v7/finance/quote?symbols=SPY,NOSUCH,AAPL,BRKS,SPY,%5EGSPC,EURUSD%3DX,BTC-USD")
            let quotes = try #require(
                JSONValue(parsing: reply.body)["quoteResponse"]?["result"]?.elements)
            #expect(
                quotes.map { $0["symbol"]?.string } == [
                    "SPY", "AAPL", "BRKS", "^GSPC", "EURUSD=X", "BTC-USD",
                ])
            #expect(
                quotes.map { $0["quoteType"]?.string } == [
                    "ETF", "EQUITY", "NONE", "INDEX", "CURRENCY", "CRYPTOCURRENCY",
                ])
            #expect(
                quotes.map { $0["regularMarketPrice"] == nil } == [false, false, true, false, false, false])
            let few = try await fixture.yahooWithCrumb("/v7/finance/quote?symbols=AAPL&fields=currency")
            let fields = try JSONValue(parsing: few.body)["quoteResponse"]?["result"]?[0]?.members?.keys
            #expect(
                fields?.sorted() == ["currency", "language", "quoteType", "region", "symbol", "tradeable"])
        }
    }

    @Test("a chart of days has Alpaca's days, stamped with the opening, as numbers of 32 bits")
    func daily() async throws {
        try await withSandbox { fixture in
            let chart = try await fixture.yahooChart("AAPL?range=5d&interval=1d")
            let reply = try await fixture.data("/v2/stocks/snapshots?symbols=AAPL")
            let alpaca = try #require(JSONValue(parsing: reply.body)["AAPL"])
            let stamps = try #require(chart["timestamp"]?.elements)
            // The 19th at 09:30 in New York.
            #expect(stamps.count == 5 && stamps.last == 1_795_098_600)
            let columns = try #require(chart["indicators"]?["quote"]?[0])
            for (own, alpacas) in [("open", "o"), ("high", "h"), ("low", "l"), ("close", "c")] {
                let wire = try #require(columns[own]?[4]?.digits)
                let exact = try #require(alpaca["dailyBar"]?[alpacas]?.digits)
                #expect(Double(wire).map { Float($0) } == Float(exact))
            }
            #expect(columns["volume"]?[4] == alpaca["dailyBar"]?["v"])
            #expect(chart["indicators"]?["adjclose"]?[0]?["adjclose"] == columns["close"])
            #expect(chart["meta"]?["previousClose"] == nil)
            #expect(chart["meta"]?["dataGranularity"] == "1d" && chart["meta"]?["range"] == "5d")
            let exact = try await withSandbox({ $0.yahoo.pricesAreSinglePrecision = false }) {
                try await $0.yahooChart("AAPL?range=5d&interval=1d")
            }
            #expect(exact["indicators"]?["quote"]?[0]?["close"]?[4] == alpaca["dailyBar"]?["c"])
        }
    }

    @Test("a chart of hours begins with the opening, has holes, and ends with the running second")
    func intraday() async throws {
        try await withSandbox({ $0.yahoo.missingBarOneIn = 3 }) { fixture in
            let chart = try await fixture.yahooChart("AAPL?range=5d&interval=60m")
            let stamps = try #require(
                chart["timestamp"]?.elements?.compactMap(\.digits).compactMap { Int($0) })
            // Four whole days of seven bars, four bars of the fifth, and the running second.
            #expect(stamps.count == 4 * 7 + 4 + 1)
            #expect(stamps.last == 1_795_109_696)
            #expect(zip(stamps, stamps.dropFirst()).allSatisfy { $0 < $1 })
            let columns = try #require(chart["indicators"]?["quote"]?[0]?.members)
            let holes = columns.mapValues { column in column.elements?.map { $0 == .null } }
            #expect(Set(holes.values.compactMap(\.self)).count == 1)
            let missing = holes["close"]??.count { $0 } ?? 0
            #expect((3...20).contains(missing))
            #expect(columns["volume"]?[32] == 0)
            #expect(chart["meta"]?["previousClose"] != nil)
            #expect(chart["indicators"]?["adjclose"] == nil)
            let extended = try await fixture.yahooChart("AAPL?range=1d&interval=60m&includePrePost=true")
            #expect(extended["timestamp"]?[0] == 1_795_078_800)
            // Half past nine to four o'clock in New York, on each day.
            let periods = try #require(chart["meta"]?["tradingPeriods"]?.elements)
            #expect(periods.count == 5 && periods.allSatisfy { $0.elements?.count == 1 })
            #expect(periods.last?[0]?["start"] == 1_795_098_600 && periods.last?[0]?["end"] == 1_795_122_000)
            let phases = try #require(extended["meta"]?["tradingPeriods"])
            #expect(phases["pre"]?[0]?[0]?["start"] == 1_795_078_800)
            #expect(phases["regular"]?[0]?[0] == periods.last?[0] && phases["post"]?.elements?.count == 1)
            let daily = try await fixture.yahooChart("AAPL?range=5d&interval=1d")
            #expect(daily["meta"]?["tradingPeriods"] == nil)
        }
        let plain = try await withSandbox({
            $0.yahoo.missingBarOneIn = nil
            $0.yahoo.addsLiveBar = false
        }) { try await $0.yahooChart("AAPL?range=1d&interval=60m") }
        #expect(plain["timestamp"]?.elements?.count == 4)
        #expect(plain["indicators"]?["quote"]?[0]?["close"]?.elements?.contains(.null) == false)
    }

    @Test("a range without trading has no stamps and an empty column")
    func nothing() async throws {
        try await withSandbox(at: Moment.weekend) { fixture in
            // Saturday, in seconds.
            let chart = try await fixture.yahooChart(
                "AAPL?period1=1795244400&period2=1795280400&interval=5m")
            #expect(chart["timestamp"] == nil)
            #expect(chart["indicators"]?["quote"] == .array([.object([:])]))
            #expect(chart["meta"]?["range"] == "")
        }
    }

    @Test("the close before a chart is that of the session before its first bar")
    func chartPreviousClose() async throws {
        try await withSandbox({ $0.yahoo.pricesAreSinglePrecision = false }) { fixture in
            let week = try await fixture.yahooChart("AAPL?range=5d&interval=1d")
            let day = try await fixture.yahooChart("AAPL?range=1d&interval=5m")
            #expect(day["meta"]?["chartPreviousClose"] == week["indicators"]?["quote"]?[0]?["close"]?[3])
            #expect(day["meta"]?["previousClose"] == day["meta"]?["chartPreviousClose"])
            #expect(week["meta"]?["chartPreviousClose"] != day["meta"]?["chartPreviousClose"])
        }
    }

    @Test("a symbol without a price has holes from its trading day on, and no price")
    func unpriced() async throws {
        try await withSandbox { fixture in
            fixture.sandbox.script = MarketScript(unpriced: ["AAPL"])
            let chart = try await fixture.yahooChart("AAPL?range=5d&interval=60m")
            #expect(chart["meta"]?["regularMarketPrice"] == nil)
            let close = try #require(chart["indicators"]?["quote"]?[0]?["close"]?.elements)
            #expect(close.suffix(4).allSatisfy { $0 == .null } && close.contains { $0 != .null })
            #expect(try await quote(fixture, "AAPL")["regularMarketPrice"] == nil)
        }
    }

    @Test("a summary has the modules that were asked for, with numbers bare or in objects")
    func summary() async throws {
        try await withSandbox { fixture in
            func summary(_ query: String) async throws -> JSONValue {
                let reply = try await fixture.yahooWithCrumb("/v10/finance/quoteSummary/" + query)
                return try #require(JSONValue(parsing: reply.body)["quoteSummary"]?["result"]?[0])
            }
            let bare = try await summary("AAPL?modules=price,summaryProfile,nonsense&formatted=false")
            #expect(bare.members?.keys.sorted() == ["price", "summaryProfile"])
            let quote = try await quote(fixture, "AAPL")
            #expect(bare["price"]?["regularMarketPrice"] == quote["regularMarketPrice"])
            let fraction = try decimal(bare["price"]?["regularMarketChangePercent"])
            let percent = try decimal(quote["regularMarketChangePercent"])
            #expect(try (fraction * 100 - percent).magnitude < (Decimal("0.0001") ?? 0))
            let summary = bare["summaryProfile"]?["longBusinessSummary"]?.string
            #expect(summary?.hasPrefix("Apple Inc. designs phones") == true)
            #expect(bare["summaryProfile"]?["companyOfficers"] == nil)
            let formatted = try await self.formatted(fixture, "AAPL")
            #expect(formatted["regularMarketPrice"]?["raw"] == quote["regularMarketPrice"])
            #expect(formatted["regularMarketPrice"]?["fmt"]?.string != nil)
            #expect(try await self.formatted(fixture, "SPY")["marketCap"] == .object([:]))
        }
    }

    private func formatted(_ fixture: RunningSandbox, _ symbol: String) async throws -> JSONValue {
        let reply = try await fixture.yahooWithCrumb("/v10/finance/quoteSummary/\(symbol)?modules=price")
        return try #require(JSONValue(parsing: reply.body)["quoteSummary"]?["result"]?[0]?["price"])
    }

    @Test("a search mixes listed companies with one that is not, and has their news")
    func search() async throws {
        try await withSandbox { fixture in
            let reply = try await fixture.yahoo("/v1/finance/search?q=berkshire&quotesCount=3&newsCount=2")
            let document = try JSONValue(parsing: reply.body)
            let quotes = try #require(document["quotes"]?.elements)
            #expect(quotes.map { $0["symbol"]?.string } == ["BRK-A", nil, "BRK-B"])
            #expect(quotes[1]["isYahooFinance"] == .bool(false))
            let news = try #require(document["news"]?.elements)
            #expect(news.count == 2 && document["count"] == 5)
            for story in news {
                let tickers = story["relatedTickers"]?.elements ?? []
                #expect(tickers.contains("BRK-A") || tickers.contains("BRK-B"))
            }
            let index = try JSONValue(parsing: try await fixture.yahoo("/v1/finance/search?q=%5EGSPC").body)
            #expect(index["quotes"]?[0]?["symbol"] == "^GSPC")
        }
    }
}
