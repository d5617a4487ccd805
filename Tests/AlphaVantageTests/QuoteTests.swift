import AlphaVantage
import Brokerage
import ProviderTestSupport
import Testing
import Upstream

@Suite("A quote")
struct QuoteTests {
    @Test("is told as it came, but for the words")
    func golden() async throws {
        let bodies = ["GLOBAL_QUOTE": try example("global-quote")]
        try await withAlphaVantage(answering: functions(bodies)) { client, server in
            let ibm = try symbol("IBM")
            let quotes = try await client.quotes(for: [ibm], in: .patient).found
            let quote = try #require(quotes[ibm])
            #expect(quotes.count == 1)
            #expect(quote.price?.description == "303.4500")
            #expect(quote.open?.description == "301.2000")
            #expect(quote.high?.description == "304.8800")
            #expect(quote.low?.description == "299.9100")
            #expect(quote.previousClose?.description == "300.0200")
            #expect(quote.volume == 3_120_455)
            #expect(quote.currency == "USD")
            #expect(quote.changePercent?.description == "1.1433")
            #expect(quote.timeliness == .endOfDay)
            // A day that is over: since its close in New York.
            #expect(quote.provenance.asOf == Instant("2026-11-20T21:00:00Z"))
            #expect(quote.provenance.fetchedAt == wallTime)
            #expect(quote.provenance.source == .alphaVantage)
            #expect(
                server.requests.map(\.target) == [
                    "/av/query?function=GLOBAL_QUOTE&symbol=IBM&apikey=\(secretKey)"
                ])
        }
    }

    @Test("of a day that still goes on has no time of its own")
    func today() async throws {
        let body = try example("global-quote").replacing("2026-11-20", with: "2026-11-21")
        try await withAlphaVantage(answering: functions(["GLOBAL_QUOTE": body])) { client, _ in
            let quote = try await client.quotes(for: [symbol("IBM")], in: .patient).found.values.first
            #expect(try #require(quote).provenance.asOf == nil)
        }
    }

    @Test("is of a delayed entitlement under a longer name")
    func delayed() async throws {
        let body = try example("global-quote").replacing(
            "Global Quote", with: "Global Quote - DATA DELAYED BY 15 MINUTES")
        try await withAlphaVantage(
            .premium(callsPerMinute: 75), entitlement: .delayed, answering: functions(["GLOBAL_QUOTE": body])
        ) { client, server in
            let quote = try await client.quotes(for: [symbol("MBG:XETR")], in: .patient).found.values.first
            #expect(quote?.delayMinutes == 15)
            #expect(quote?.timeliness == .delayed)
            #expect(quote?.currency == "EUR")
            #expect(server.requests.first?.target.contains("entitlement=delayed") == true)
        }
    }

    @Test("of an unknown symbol is none", arguments: ["global-quote-2", ""])
    func unknown(name: String) async throws {
        let body = name.isEmpty ? "{}" : try example(name)
        try await withAlphaVantage(answering: { _, _ in .text(body) }) { client, _ in
            let quotes = try await client.quotes(for: [symbol("NOSUCH")], in: .patient).found
            #expect(quotes.isEmpty)
        }
    }

    @Test("is not asked for where Alpha Vantage has no such kind")
    func spared() async throws {
        try await withAlphaVantage(answering: { _, _ in .text("{}") }) { client, server in
            #expect(client.symbolsPerCall == 1)
            let quotes = try await client.quotes(for: [symbol("EUR/USD"), symbol("^SPX")], in: .patient).found
            #expect(quotes.isEmpty)
            #expect(server.requests.isEmpty)
        }
    }

    @Test("in pence is told in pounds, digit by digit, and the search that tells so is made once")
    func pence() async throws {
        let bodies = [
            "GLOBAL_QUOTE": try example("global-quote").replacing("IBM", with: "TSCO.LON"),
            "SYMBOL_SEARCH": try example("symbol-search"),
        ]
        try await withAlphaVantage(answering: functions(bodies)) { client, server in
            let tesco = try symbol("TSCO:XLON")
            for _ in 1...2 {
                let quote = try #require(try await client.quotes(for: [tesco], in: .patient)[tesco])
                #expect(quote.price?.description == "3.034500")
                #expect(quote.previousClose?.description == "3.000200")
                #expect(quote.volume == 3_120_455)
                #expect(quote.currency == "GBP")
                // When London closed is not known here.
                #expect(quote.provenance.asOf == nil)
            }
            #expect(
                server.requests.map { $0.target.prefix { $0 != "&" } } == [
                    "/av/query?function=SYMBOL_SEARCH", "/av/query?function=GLOBAL_QUOTE",
                    "/av/query?function=GLOBAL_QUOTE",
                ])
        }
    }

    @Test("is not guessed at where nobody tells whether it is in pence")
    func unknownUnit() async throws {
        let search = try example("symbol-search")
        let bodies = [
            "GLOBAL_QUOTE": try example("global-quote"),
            "SYMBOL_SEARCH": search.replacing("GBX", with: "None"),
        ]
        try await withAlphaVantage(answering: functions(bodies)) { client, _ in
            let tesco = try symbol("TSCO:XLON")
            let quotes = try await client.quotes(for: [tesco, symbol("ABC:XLON")], in: .patient)
            #expect(quotes.found.isEmpty)
            // The other one is not known, which is no failure.
            #expect(quotes.failures == [tesco: ProviderFailure(.alphaVantage, .invalidResponse(nil))])
        }
    }

    @Test("comes with up to 99 others where that is paid for")
    func bulk() async throws {
        let bodies = ["REALTIME_BULK_QUOTES": try example("bulk-quotes")]
        try await withAlphaVantage(
            .premium(callsPerMinute: 75), entitlement: .realTime, answering: functions(bodies)
        ) { client, server in
            #expect(client.symbolsPerCall == 100)
            let msft = try symbol("MSFT")
            let quotes = try await client.quotes(for: [msft, symbol("BRK.B"), symbol("^SPX")], in: .patient)
                .found
            let quote = try #require(quotes[msft])
            #expect(quotes.count == 1)
            #expect(quote.price?.description == "516.99")
            #expect(quote.previousClose?.description == "511.2")
            #expect(quote.extendedHoursPrice?.description == "517.1")
            #expect(quote.timeliness == .realTime)
            #expect(quote.delayMinutes == 0)
            #expect(quote.provenance.asOf == Instant("2026-11-21T00:59:59.667Z"))
            #expect(
                server.requests.map(\.target) == [
                    "/av/query?function=REALTIME_BULK_QUOTES&symbol=BRK-B%2CMSFT&entitlement=realtime"
                        + "&apikey=\(secretKey)"
                ])
        }
    }

    @Test("out of a sample for those who have not paid is no quote")
    func sample() async throws {
        let body = try example("bulk-quotes").replacing(
            #""message":"success""#, with: #""message":"Sample data for illustration purposes""#)
        try await withAlphaVantage(.premium(callsPerMinute: 75), answering: { _, _ in .text(body) }) {
            client, _ in
            let msft = try symbol("MSFT")
            let quotes = try await client.quotes(for: [msft], in: .patient)
            #expect(quotes.found.isEmpty)
            #expect(quotes.failures == [msft: ProviderFailure(.alphaVantage, .notEntitled)])
        }
    }

    @Test("of a listing that cannot be told fails alone, and the bulk of the others stands")
    func mixed() async throws {
        let bodies = [
            "REALTIME_BULK_QUOTES": try example("bulk-quotes"),
            "SYMBOL_SEARCH": try example("symbol-search").replacing("GBX", with: "None"),
        ]
        try await withAlphaVantage(.premium(callsPerMinute: 75), answering: functions(bodies)) { client, _ in
            let (msft, tesco) = (try symbol("MSFT"), try symbol("TSCO:XLON"))
            let quotes = try await client.quotes(for: [tesco, msft], in: .patient)
            #expect(quotes.found.keys.map(\.text) == ["MSFT"])
            #expect(quotes.failures == [tesco: ProviderFailure(.alphaVantage, .invalidResponse(nil))])
        }
        // And the other way round: who has not paid for the bulk has single quotes all the same.
        let sample = [
            "REALTIME_BULK_QUOTES": try example("bulk-quotes").replacing(
                #""message":"success""#, with: #""message":"Sample data for illustration purposes""#),
            "SYMBOL_SEARCH": try example("symbol-search"), "GLOBAL_QUOTE": try example("global-quote"),
        ]
        try await withAlphaVantage(.premium(callsPerMinute: 75), answering: functions(sample)) { client, _ in
            let (msft, tesco) = (try symbol("MSFT"), try symbol("TSCO:XLON"))
            let quotes = try await client.quotes(for: [tesco, msft], in: .patient)
            #expect(quotes.found.keys.map(\.text) == ["TSCO:XLON"])
            #expect(quotes.failures == [msft: ProviderFailure(.alphaVantage, .notEntitled)])
        }
    }

    @Test(
        "that makes no sense is refused with the place of what is wrong",
        arguments: [
            ("\"303.4500\"", "true", "Global Quote.05. price: expected a decimal, found true (byte 113)"),
            (
                "\"303.4500\"", "\"?\"",
                "Global Quote.05. price: expected a decimal, found a string that is none (byte 113)"
            ),
            ("05. price", "05. prize", #"Global Quote: no "05. price" (byte 270)"#),
            ("Global Quote", "Globe", #"no "Global Quote" (byte 264)"#),
            (
                "2026-11-20", "20.11.2026",
                "Global Quote.07. latest trading day: expected a date, found a string that is none (byte 172)"
            ),
        ])
    func invalid(old: String, new: String, wording: String) async throws {
        let body = try example("global-quote").replacing(old, with: new)
        try await withAlphaVantage(answering: { _, _ in .text(body) }) { client, _ in
            let ibm = try symbol("IBM")
            let failure = try await client.quotes(for: [ibm], in: .patient).failures[ibm]
            #expect(failure?.description == "alpha-vantage: an invalid response: " + wording)
        }
    }
}
