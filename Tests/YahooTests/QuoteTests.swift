import Brokerage
import ProviderTestSupport
import Testing
import Upstream
import Yahoo

@Suite("A quote")
struct QuoteTests {
    @Test("is told as it came, but for the words; what is no longer listed has none")
    func golden() async throws {
        try await withYahoo(example("quote")) { client, server in
            #expect(client.symbolsPerCall == 50)
            let aapl = try symbol("AAPL")
            let symbols = try [aapl, symbol("BRKS"), symbol("NOSUCH"), symbol("ETH/BTC")]
            let quotes = try await client.quotes(for: symbols, in: .patient).found
            let quote = try #require(quotes[aapl])
            #expect(quotes.count == 1)
            #expect(quote.price == Decimal("227.45"))
            #expect(quote.bid == Decimal("227.4"))
            #expect(quote.ask == Decimal("227.6"))
            #expect(quote.open == Decimal("226.1"))
            #expect(quote.high == Decimal("228.02"))
            #expect(quote.low == Decimal("225.4"))
            #expect(quote.previousClose == 226)
            #expect(quote.volume == 32_129_951)
            #expect(quote.extendedHoursPrice == Decimal("227.6"))
            #expect(quote.marketState == .closed)
            #expect(quote.currency == "USD")
            #expect(quote.delayMinutes == 0)
            #expect(quote.timeliness == .realTime)
            #expect(quote.feed == "Nasdaq Real Time Price")
            #expect(quote.provenance.asOf == Instant(secondsSince1970: 1_795_208_401))
            #expect(
                server.targets == ["/q/v7/finance/quote?symbols=AAPL%2CBRKS%2CNOSUCH&crumb=aB.c%2FD_e-f1"])
        }
    }

    @Test("of nothing that Yahoo could have is not asked for")
    func spared() async throws {
        try await withYahoo("{}") { client, server in
            let quotes = try await client.quotes(for: [symbol("ETH/BTC")], in: .patient).found
            #expect(quotes.isEmpty)
            #expect(server.requests.isEmpty)
        }
    }

    @Test("of symbols with an ampersand and an equals sign is requested with both escaped")
    func escapes() async throws {
        try await withYahoo(example("quote")) { client, server in
            _ = try await client.quotes(for: [symbol("GC=F"), symbol("M&M:XNSE")], in: .patient)
            #expect(
                server.targets == ["/q/v7/finance/quote?symbols=GC%3DF%2CM%26M.NS&crumb=aB.c%2FD_e-f1"])
        }
    }

    @Test(
        "in a minor unit is told in whole currency, exactly",
        arguments: [
            ("GBp", "TSCO.L", "TSCO:XLON", "GBP", "2.2745"), ("ILA", "TEVA.TA", "TEVA:XTAE", "ILS", "2.2745"),
            ("ZAc", "NPN.JO", "NPN:XJSE", "ZAR", "2.2745"), ("GBP", "VOD.L", "VOD:XLON", "GBP", "227.45"),
        ])
    func units(unit: String, spelling: String, name: String, currency: String, price: String) async throws {
        let body = try example("quote").replacing("USD", with: unit).replacing("AAPL", with: spelling)
        try await withYahoo(body) { client, _ in
            let quote = try await client.quotes(for: [symbol(name)], in: .patient).found.values.first
            #expect(quote?.currency == currency)
            #expect(quote?.price?.description == price)
            #expect(quote?.volume == 32_129_951)
        }
    }

    @Test("from abroad in what nobody knows is refused, not guessed at")
    func unknownUnit() async throws {
        let body = try example("quote").replacing(#""currency":"USD","#, with: "").replacing(
            "AAPL", with: "TSCO.L")
        try await withYahoo(body) { client, _ in
            let tesco = try symbol("TSCO:XLON")
            let quotes = try await client.quotes(for: [tesco], in: .patient)
            #expect(quotes.found.isEmpty)
            #expect(quotes.failures == [tesco: ProviderFailure(.yahoo, .invalidResponse(nil))])
        }
    }

    @Test("has the digits that are meant, and no offer where there is 0")
    func noise() async throws {
        let body = try example("quote").replacing("227.45,", with: "227.4499969482422,")
            .replacing(#""bid":227.4"#, with: #""bid":0"#)
        try await withYahoo(body) { client, _ in
            let quote = try await client.quotes(for: [symbol("AAPL")], in: .patient).found.values.first
            #expect(quote?.price?.description == "227.45")
            #expect(quote?.bid == nil)
        }
    }

    @Test("has no figure of the day where there is 0, and so no change")
    func zeros() async throws {
        let body = try example("quote").replacing(
            #""regularMarketPreviousClose":226"#, with: #""regularMarketPreviousClose":0"#
        )
        .replacing(#""regularMarketOpen":226.1"#, with: #""regularMarketOpen":0"#)
        .replacing(#""regularMarketDayHigh":228.02"#, with: #""regularMarketDayHigh":0"#)
        .replacing(#""regularMarketDayLow":225.4"#, with: #""regularMarketDayLow":0.0"#)
        try await withYahoo(body) { client, _ in
            let quote = try #require(
                try await client.quotes(for: [symbol("AAPL")], in: .patient).found.values.first)
            #expect(quote.price == Decimal("227.45"))
            #expect([quote.previousClose, quote.open, quote.high, quote.low] == [nil, nil, nil, nil])
            #expect(quote.change == nil)
        }
    }

    @Test("that cannot be read does not remove the others, and fails for the symbol that it may be of")
    func unreadable() async throws {
        let body = try example("quote").replacing(
            #"{"quoteResponse":{"result":["#,
            with: #"{"quoteResponse":{"result":[{"symbol":"MSFT","regularMarketPrice":[]},"#)
        try await withYahoo(body) { client, _ in
            let (aapl, msft) = (try symbol("AAPL"), try symbol("MSFT"))
            let quotes = try await client.quotes(for: [aapl, msft], in: .patient)
            #expect(quotes[aapl]?.price == Decimal("227.45"))
            #expect(
                quotes.failures[msft]?.description.hasPrefix(
                    "yahoo: an invalid response: [0].regularMarketPrice: expected a decimal, found an array"
                )
                    == true)
        }
    }

    @Test("of a pair of the dollar is that pair's by either name, and no other row fails it")
    func dollarPairs() async throws {
        let pair = #"{"symbol":"JPY=X","quoteType":"CURRENCY","currency":"JPY","regularMarketPrice":155.25}"#
        let foreign = #"{"symbol":"CHF=X","quoteType":"CURRENCY","currency":"CHF","regularMarketPrice":0.8}"#
        let broken = #"{"symbol":"EURUSD=X","regularMarketPrice":[]}"#
        let body = #"{"quoteResponse":{"result":[\#(pair),\#(foreign),\#(broken)],"error":null}}"#
        try await withYahoo(body) { client, _ in
            let symbols = try ["USD/JPY", "EUR/USD"].map(symbol)
            let quotes = try await client.quotes(for: symbols, in: .patient)
            #expect(quotes[symbols[0]]?.price == Decimal("155.25"))
            #expect(quotes[symbols[0]]?.currency == "JPY")
            // Not requested.
            #expect(quotes.found.count == 1)
            #expect(Array(quotes.failures.keys) == [symbols[1]])
        }
    }

    @Test(
        "tells where the day stands",
        arguments: [
            ("REGULAR", MarketState.open, nil), ("PRE", .pre, "1"), ("PREPRE", .closed, "227.6"),
            ("POST", .post, "227.6"), ("POSTPOST", .closed, "227.6"), ("CLOSED", .closed, "227.6"),
            ("NEW", nil, "227.6"),
        ] as [(String, MarketState?, String?)])
    func states(word: String, state: MarketState?, price: String?) async throws {
        let body = try example("quote").replacing(
            #""marketState":"CLOSED""#, with: #""marketState":"\#(word)","preMarketPrice":1"#)
        try await withYahoo(body) { client, _ in
            let quote = try await client.quotes(for: [symbol("AAPL")], in: .patient).found.values.first
            #expect(quote?.marketState == state)
            #expect(quote?.extendedHoursPrice?.description == price)
        }
    }

    @Test(
        "that makes no sense is refused with the place of what is wrong",
        arguments: [
            (
                #"{"quoteResponse":{"result":null,"error":{"code":"x"}}}"#,
                #"quoteResponse: no "result" (byte 53)"#
            ),
            (
                #"{"quoteResponse":{"result":[{"quoteType":"EQUITY"}],"error":null}}"#,
                #"[0]: no "symbol" (byte 50)"#
            ),
            (
                #"{"quoteResponse":{"result":[{"symbol":"AAPL","regularMarketPrice":true}]}}"#,
                "[0].regularMarketPrice: expected a decimal, found true (byte 66)"
            ),
            ("<html>", "unexpected '<' (byte 0)"),
        ])
    func invalid(body: String, wording: String) async throws {
        try await withYahoo(body) { client, _ in
            var failure: ProviderFailure?
            let aapl = try symbol("AAPL")
            do throws(ProviderFailure) {
                failure = try await client.quotes(for: [aapl], in: .patient).failures.values.first
            } catch {
                failure = error
            }
            #expect(failure?.description == "yahoo: an invalid response: " + wording)
        }
    }
}
