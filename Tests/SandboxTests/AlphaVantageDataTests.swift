import Brokerage
import Sandbox
import TestSupport
import Testing

import struct Sandbox.FakeInstrument

@Suite("What Alpha Vantage's stand-in tells")
struct AlphaVantageDataTests {
    /// Returns the fake Alpaca's snapshot of Apple, so that both providers can be compared.
    private func snapshot(_ fixture: RunningSandbox, _ symbol: String = "AAPL") async throws -> JSONValue {
        let reply = try await fixture.data("/v2/stocks/snapshots?symbols=\(symbol)")
        return try #require(JSONValue(parsing: reply.body)[symbol])
    }

    @Test("a quote is the day that Alpaca tells of, at any time of the week", arguments: Moment.all)
    func quote(moment: String) async throws {
        try await withSandbox(at: moment) { fixture in
            let alpaca = try await snapshot(fixture, "BRK.B")
            let document = try await fixture.alphaVantageDocument("function=GLOBAL_QUOTE&symbol=BRK-B")
            let quote = try #require(document["Global Quote"])
            #expect(quote["01. symbol"] == "BRK-B")
            let names = [("o", "02. open"), ("h", "03. high"), ("l", "04. low"), ("c", "05. price")]
            for (alpacas, own) in names {
                #expect(try decimal(quote[own]) == decimal(alpaca["dailyBar"]?[alpacas]))
                #expect(quote[own]?.string?.split(separator: ".").last?.count == 4)
            }
            #expect(try decimal(quote["06. volume"]) == decimal(alpaca["dailyBar"]?["v"]))
            let price = try decimal(quote["05. price"])
            let previous = try decimal(quote["08. previous close"])
            #expect(try previous == decimal(alpaca["prevDailyBar"]?["c"]))
            #expect(try decimal(quote["09. change"]) == price - previous)
            let percent = try #require((try price - previous).percent(of: previous))
            #expect(quote["10. change percent"]?.string == "\(percent)%")
            let day = try #require(alpaca["dailyBar"]?["t"]?.string)
            #expect(quote["07. latest trading day"]?.string == String(day.prefix(10)))
        }
    }

    /// A function, the first line of its CSV, and the members of the same values.
    private static let csvFunctions = [
        (
            "TIME_SERIES_DAILY&symbol=IBM", "timestamp,open,high,low,close,volume", "Time Series (Daily)"
        ),
        (
            "TIME_SERIES_INTRADAY&interval=5min&symbol=IBM", "timestamp,open,high,low,close,volume",
            "Time Series (5min)"
        ),
        (
            "GLOBAL_QUOTE&symbol=IBM",
            "symbol,open,high,low,price,volume,latestDay,previousClose,change,changePercent", "Global Quote"
        ),
        (
            "SYMBOL_SEARCH&keywords=apple",
            "symbol,name,type,region,marketOpen,marketClose,timezone,currency,matchScore", "bestMatches"
        ),
    ]

    @Test(
        "a series, a quote and a search are lines of the same values with datatype=csv",
        arguments: csvFunctions)
    func csv(function: String, head: String, member: String) async throws {
        try await withSandbox { fixture in
            let reply = try await fixture.alphaVantage(
                "function=\(function)&datatype=csv", key: FakeAlphaVantageSettings.premiumKey)
            #expect(reply.headers["content-type"]?.hasPrefix("application/x-download") == true)
            let lines = reply.body.split(separator: "\r\n", omittingEmptySubsequences: false)
            #expect(lines.first.map { String($0) } == head && lines.last == "")
            let document = try await fixture.alphaVantageDocument("function=\(function)")
            let values = try #require(document[member])
            switch member {
            case "Global Quote":
                #expect(lines.count == 3)
                for name in ["01. symbol", "05. price", "10. change percent"] {
                    let value = try #require(values[name]?.string)
                    #expect(lines[1].split(separator: ",").contains(value[...]))
                }
            case "bestMatches":
                #expect(lines.count == values.elements.map { $0.count + 2 })
                #expect(lines[1].hasPrefix(values[0]?["1. symbol"]?.string ?? "?"))
            default:
                let days = try #require(values.members)
                #expect(lines.count == days.count + 2)
                let latest = try #require(days.keys.max())
                let names = ["1. open", "2. high", "3. low", "4. close", "5. volume"]
                let row = [latest] + names.map { days[latest]?[$0]?.string ?? "?" }
                #expect(lines[1] == row.joined(separator: ","))
            }
        }
    }

    @Test("what has no CSV is JSON, and so are notices")
    func noCSV() async throws {
        try await withSandbox { fixture in
            for query in ["function=OVERVIEW&symbol=IBM", "function=TIME_SERIES_DAILY&symbol=NOSUCH"] {
                let plain = try await fixture.alphaVantageDocument(query)
                #expect(try await fixture.alphaVantageDocument(query + "&datatype=csv") == plain)
            }
        }
    }

    @Test("quotes for many are those for one, without numbers and signs, and tell of the hours beside")
    func bulk() async throws {
        try await withSandbox(at: Moment.evening) { fixture in
            let quoted = try await fixture.alphaVantageDocument("function=GLOBAL_QUOTE&symbol=AAPL")
            let one = quoted["Global Quote"]
            let many = try await fixture.alphaVantageDocument(
                "function=REALTIME_BULK_QUOTES&symbol=MSFT,AAPL,NOSUCH")
            let symbols = many["data"]?.elements?.map { $0["symbol"]?.string }
            #expect(symbols == ["MSFT", "AAPL"])
            let quote = try #require(many["data"]?[1])
            #expect(try decimal(quote["close"]) == decimal(one?["05. price"]))
            #expect(try decimal(quote["change"]) == decimal(one?["09. change"]))
            #expect(quote["timestamp"]?.string?.hasPrefix("2026-11-19 18:00:00.") == true)
            let trade = try await snapshot(fixture)["latestTrade"]?["p"]
            #expect(try decimal(quote["extended_hours_quote"]) == decimal(trade))
        }
        try await withSandbox(at: Moment.midday) { fixture in
            let many = try await fixture.alphaVantageDocument("function=REALTIME_BULK_QUOTES&symbol=AAPL")
            #expect(many["data"]?[0]?["extended_hours_quote"] == nil)
        }
    }

    @Test("a delayed quote stands under another name")
    func delayed() async throws {
        try await withSandbox { fixture in
            let document = try await fixture.alphaVantageDocument(
                "function=GLOBAL_QUOTE&symbol=IBM&entitlement=delayed")
            #expect(document.members?.keys.first == "Global Quote - DATA DELAYED BY 15 MINUTES")
        }
    }

    @Test("a search finds by symbol and by name, the best first")
    func search() async throws {
        try await withSandbox { fixture in
            func symbols(_ keywords: String) async throws -> [String?]? {
                let document = try await fixture.alphaVantageDocument(
                    "function=SYMBOL_SEARCH&keywords=\(keywords)")
                return document["bestMatches"]?.elements?.map { $0["1. symbol"]?.string }
            }
            #expect(try await symbols("AAPL") == ["AAPL"])
            #expect(try await symbols("berkshire") == ["BRK-A", "BRK-B"])
            #expect(try await symbols("c")?.first == "C")
            #expect(try await symbols("gold") == ["GLD", "GS"])
            let document = try await fixture.alphaVantageDocument("function=SYMBOL_SEARCH&keywords=spy")
            #expect(document["bestMatches"]?[0]?["3. type"] == "ETF")
            #expect(document["bestMatches"]?[0]?["9. matchScore"] == "1.0000")
        }
    }

    @Test("a day's series is 100 days, newest first, the running one included, and is Alpaca's")
    func daily() async throws {
        try await withSandbox { fixture in
            let reply = try await fixture.alphaVantage("function=TIME_SERIES_DAILY&symbol=AAPL")
            let document = try JSONValue(parsing: reply.body)
            let series = try #require(document["Time Series (Daily)"]?.members)
            #expect(series.count == 100)
            #expect(document["Meta Data"]?["3. Last Refreshed"] == "2026-11-19")
            let newer = try #require(reply.body.firstRange(of: #""2026-11-19":{"#))
            let older = try #require(reply.body.firstRange(of: #""2026-11-18":{"#))
            #expect(newer.upperBound < older.lowerBound)
            let alpaca = try await snapshot(fixture)
            for (date, bar) in [("2026-11-19", "dailyBar"), ("2026-11-18", "prevDailyBar")] {
                let names = [("1. open", "o"), ("2. high", "h"), ("3. low", "l"), ("4. close", "c")]
                for (own, alpacas) in names + [("5. volume", "v")] {
                    #expect(try decimal(series[date]?[own]) == decimal(alpaca[bar]?[alpacas]))
                }
            }
        }
    }

    @Test(
        "weeks and months bear the date of their last trading day, the running ones the latest",
        arguments: [
            ("WEEKLY", "Weekly", ["2026-11-19", "2026-11-13"]),
            ("MONTHLY", "Monthly", ["2026-11-19", "2026-10-30"]),
        ])
    func periods(function: String, title: String, newest: [String]) async throws {
        try await withSandbox { fixture in
            let document = try await fixture.alphaVantageDocument(
                "function=TIME_SERIES_\(function)&symbol=AAPL")
            let series = try #require(document["\(title) Time Series"]?.members)
            let dates = series.keys.sorted().reversed()
            #expect(Array(dates.prefix(2)) == newest)
            // The calendar's first November day of 1999.
            #expect(try #require(dates.last) < "1999-12-01")
            let days = try await fixture.alphaVantageDocument(
                "function=TIME_SERIES_DAILY&symbol=AAPL")["Time Series (Daily)"]?.members
            let inside = try #require(days?.filter { newest[1] < $0.key && $0.key <= newest[0] })
            let highs = try inside.values.map { try decimal($0["2. high"]) }
            #expect(try decimal(series[newest[0]]?["2. high"]) == highs.max())
            #expect(series[newest[0]]?["4. close"] == days?[newest[0]]?["4. close"])
        }
    }

    @Test("an intraday series has the hours of New York's clock, with or without those beside the market's")
    func intraday() async throws {
        try await withSandbox { fixture in
            let query = "function=TIME_SERIES_INTRADAY&symbol=AAPL&interval=60min"
            let all = try await fixture.alphaVantageDocument(query)["Time Series (60min)"]?.members
            #expect(all?.count == 100)
            let thursday = try #require(all?.keys.filter { $0.hasPrefix("2026-11-19") }.sorted())
            #expect(thursday.first == "2026-11-19 04:00:00" && thursday.last == "2026-11-19 12:00:00")
            let wednesday = try #require(all?.keys.filter { $0.hasPrefix("2026-11-18") }.sorted())
            #expect(wednesday.count == 16 && wednesday.last == "2026-11-18 19:00:00")
            let regular = try await fixture.alphaVantageDocument(query + "&extended_hours=false")
            let hours = try #require(
                regular["Time Series (60min)"]?.members?.filter { $0.key < "2026-11-19" })
            #expect(hours.keys.filter { $0.hasPrefix("2026-11-18") }.count == 7)
            let october = try await fixture.alphaVantageDocument(query + "&month=2026-10&outputsize=full")
            let times = try #require(october["Time Series (60min)"]?.members?.keys)
            #expect(times.count == 22 * 16 && times.allSatisfy { $0.hasPrefix("2026-10-") })
        }
    }

    @Test(
        "an overview tells of the company, and says None where there is nothing to tell",
        arguments: ["None", "-"])
    func overview(missing: String) async throws {
        try await withSandbox({ $0.alphaVantage.missingNumber = missing }) { fixture in
            let apple = try await fixture.alphaVantageDocument("function=OVERVIEW&symbol=AAPL")
            #expect(apple["Name"] == "Apple Inc." && apple["CIK"] == "320193")
            #expect(apple["Sector"] == "TECHNOLOGY")
            #expect(apple["PEGRatio"] == .string(missing))
            let quote = try await fixture.alphaVantageDocument("function=GLOBAL_QUOTE&symbol=AAPL")
            let price = try decimal(quote["Global Quote"]?["05. price"])
            #expect(try decimal(apple["MarketCapitalization"]) == price * 14_800_000_000)
            #expect(try decimal(apple["52WeekHigh"]) >= decimal(apple["50DayMovingAverage"]))
            let boeing = try await fixture.alphaVantageDocument("function=OVERVIEW&symbol=BA")
            #expect(boeing["EPS"] == "-18.6" && boeing["PERatio"] == .string(missing))
            #expect(boeing["DividendPerShare"] == .string(missing))
            fixture.sandbox.script = MarketScript(unpriced: ["AAPL"])
            let unpriced = try await fixture.alphaVantageDocument("function=OVERVIEW&symbol=AAPL")
            #expect(unpriced["MarketCapitalization"] == .string(missing))
        }
    }

    @Test("every share of the market has a company behind it, and funds have none")
    func companies() async throws {
        try await withSandbox({ $0.alphaVantage.premiumRequestsPerMinute = 1_000 }) { fixture in
            var funds: [String] = []
            for instrument in FakeInstrument.listing {
                let symbol = instrument.symbol.replacing(".", with: "-")
                let overview = try await fixture.alphaVantageDocument("function=OVERVIEW&symbol=\(symbol)")
                if overview.members?.isEmpty == true { funds.append(symbol) }
            }
            #expect(funds == ["GLD", "IWM", "QQQ", "SPY", "VTI"])
        }
    }
}
