import Brokerage
import Sandbox
import TestSupport
import Testing

import struct Sandbox.FakeInstrument

@Suite("Shares of the London Stock Exchange")
struct LondonListingTests {
    /// Thursday, 10:00 in London, before trading in New York begins.
    static let morning = "2026-11-19T10:00:00Z"

    @Test(
        "keep London's hours, summer time and holidays",
        arguments: [
            ("2026-11-19", "2026-11-19T08:00:00Z", "2026-11-19T16:30:00Z"),
            ("2026-07-03", "2026-07-03T07:00:00Z", "2026-07-03T15:30:00Z"),
            // The clocks changed on the Sunday before.
            ("2026-03-30", "2026-03-30T07:00:00Z", "2026-03-30T15:30:00Z"),
            ("2026-10-26", "2026-10-26T08:00:00Z", "2026-10-26T16:30:00Z"),
            // Thanksgiving is a trading day in London.
            ("2026-11-26", "2026-11-26T08:00:00Z", "2026-11-26T16:30:00Z"),
        ])
    func hours(day: String, open: String, close: String) throws {
        let session = try #require(TradingHours.london.session(on: date(day)))
        #expect(session.open == Int(try instant(open).secondsSince1970))
        #expect(session.close == Int(try instant(close).secondsSince1970))
        #expect(session.preMarketOpen == session.open && session.postMarketClose == session.close)
    }

    @Test(
        "do not trade on holidays, those made up for among them",
        arguments: [
            "2026-01-01", "2026-04-03", "2026-04-06", "2026-05-04", "2026-05-25", "2026-08-31", "2026-12-25",
            "2026-12-28", "2027-12-27", "2027-12-28", "2022-01-03", "2028-01-03", "2026-11-21",
        ])
    func holidays(day: String) throws {
        #expect(TradingHours.london.session(on: try date(day)) == nil)
    }

    @Test("trade on the days after", arguments: ["2026-01-02", "2026-12-29", "2027-12-29", "2022-01-04"])
    func days(day: String) throws {
        #expect(TradingHours.london.session(on: try date(day)) != nil)
    }

    @Test("a second belongs to London's day", arguments: ["2026-07-03T23:00:00Z", "2026-07-04T22:59:59Z"])
    func dates(second: String) throws {
        #expect(TradingHours.london.date(at: try instant(second)) == (try date("2026-07-04")))
    }

    @Test("are known to Alpha Vantage and Yahoo in their own words, at one price")
    func oneStory() async throws {
        try await withSandbox(at: Self.morning) { fixture in
            let document = try await fixture.alphaVantageDocument("function=GLOBAL_QUOTE&symbol=TSCO.LON")
            let own = try #require(document["Global Quote"])
            #expect(own["01. symbol"] == "TSCO.LON" && own["07. latest trading day"] == "2026-11-19")
            let reply = try await fixture.yahooWithCrumb("/v7/finance/quote?symbols=TSCO.L")
            let quote = try #require(JSONValue(parsing: reply.body)["quoteResponse"]?["result"]?[0])
            #expect(quote["currency"] == "GBp" && quote["exchange"] == "LSE")
            #expect(quote["quoteType"] == "EQUITY" && quote["marketState"] == "REGULAR")
            #expect(quote["exchangeTimezoneName"] == "Europe/London" && quote["gmtOffSetMilliseconds"] == 0)
            #expect(try decimal(quote["regularMarketPrice"]) == decimal(own["05. price"]))
            #expect(
                try decimal(quote["regularMarketPreviousClose"]) == decimal(own["08. previous close"]))
            for (path, shape) in [
                ("/v8/finance/chart/TSCO.L?range=5d&interval=60m&includePrePost=true", "Chart"),
                ("/v8/finance/chart/TSCO.L?range=1mo&interval=1d", "Chart"),
                ("/v7/finance/quote?symbols=TSCO.L,VOD.L", "Quote"), ("/v1/finance/search?q=tesco", "Search"),
            ] {
                let schema = try Golden.schema(of: "yahoo").definition(shape)
                let body = try await fixture.yahooWithCrumb(path).body
                #expect(try schema.violations(in: JSONValue(parsing: body)) == [])
            }
            let chart = try await fixture.yahooChart("TSCO.L?range=1d&interval=60m")
            #expect(chart["meta"]?["currency"] == "GBp" && chart["meta"]?["timezone"] == "GMT")
            #expect(chart["timestamp"]?[0] == 1_795_075_200)
        }
    }

    @Test("are found by search, with their currency, hours and region")
    func search() async throws {
        try await withSandbox { fixture in
            let document = try await fixture.alphaVantageDocument("function=SYMBOL_SEARCH&keywords=tesco")
            let match = try #require(document["bestMatches"]?[0]?.members)
            #expect(match["1. symbol"] == "TSCO.LON" && match["3. type"] == "Equity")
            #expect(match["4. region"] == "United Kingdom" && match["8. currency"] == "GBX")
            #expect(match["5. marketOpen"] == "08:00" && match["6. marketClose"] == "16:30")
            #expect(match["7. timezone"] == "UTC+01")
            let yahoo = try await fixture.yahoo("/v1/finance/search?q=vodafone")
            #expect(try JSONValue(parsing: yahoo.body)["quotes"]?[0]?["symbol"] == "VOD.L")
        }
    }

    @Test(
        "have series by London's days",
        arguments: [
            ("DAILY", "Time Series (Daily)", "Daily", "2026-11-18"),
            ("WEEKLY", "Weekly Time Series", "Weekly", "2026-11-13"),
            ("MONTHLY", "Monthly Time Series", "Monthly", "2026-10-30"),
        ])
    func series(function: String, name: String, shape: String, previous: String) async throws {
        try await withSandbox(at: Self.morning) { fixture in
            let document = try await fixture.alphaVantageDocument(
                "function=TIME_SERIES_\(function)&symbol=TSCO.LON")
            let schema = try Golden.schema(of: "alphavantage").definition(shape)
            #expect(schema.violations(in: document) == [])
            let dates = try #require(document[name]?.members?.keys.sorted().suffix(2))
            #expect(dates == [previous, "2026-11-19"])
        }
    }

    @Test("are unknown to those that do not reach so far, and under other spellings")
    func elsewhere() async throws {
        try await withSandbox { fixture in
            let alpaca = try await fixture.data("/v2/stocks/snapshots?symbols=TSCO.L")
            #expect(alpaca.body == "{}")
            #expect(try await fixture.polygon("/v3/reference/tickers/TSCO.L").status == 404)
            for symbol in ["TSCO.L", "TSCO-L", "TSCO", "AAPL.LON"] {
                let body = try await fixture.alphaVantage(
                    "function=GLOBAL_QUOTE&symbol=\(symbol)", key: FakeAlphaVantageSettings.premiumKey
                ).body
                #expect(body == #"{"Global Quote":{}}"#)
            }
            for symbol in ["TSCO-L", "TSCO.LON", "TSCO"] {
                #expect(try await fixture.yahoo("/v8/finance/chart/\(symbol)").status == 404)
            }
        }
    }

    @Test("tell one story at every scale", arguments: FakeInstrument.london)
    func scales(_ instrument: FakeInstrument) throws {
        let view = MarketView(Market(seed: 7), at: try instant("2026-11-20T00:00:00Z"))
        let session = try #require(TradingHours.london.session(on: date("2026-11-19")))
        let minutes = Array(
            view.bars(of: instrument, every: .minute, from: session.open, through: session.close))
        let day = try #require(view.dayBar(instrument, session))
        #expect(minutes.count > 400)
        #expect(minutes.map(\.bar.high).max() == day.high && minutes.map(\.bar.low).min() == day.low)
        #expect(minutes.reduce(0) { $0 + $1.bar.volume } == day.volume)
    }
}
