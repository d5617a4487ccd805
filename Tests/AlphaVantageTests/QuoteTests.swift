import AlphaVantage
import Brokerage
import PorticoCore
import ProviderTestSupport
import Sandbox
import TestSupport
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

    @Test(
        "of an American listing is as late as the plan's entitlement, and has another name; other listings have the last close",
        arguments: [("IBM", Timeliness.delayed, 15), ("MBG:XETR", .endOfDay, nil)]
            as [(String, Timeliness, Int?)])
    func delayed(name: String, timeliness: Timeliness, delayMinutes: Int?) async throws {
        let isDelayed = timeliness == .delayed
        let body = try example("global-quote").replacing(
            "Global Quote", with: "Global Quote" + (isDelayed ? " - DATA DELAYED BY 15 MINUTES" : ""))
        try await withAlphaVantage(
            .premium(callsPerMinute: 75), entitlement: .delayed, answering: functions(["GLOBAL_QUOTE": body])
        ) { client, server in
            #expect(client.symbolsPerCall == 1)
            let quote = try await client.quotes(for: [symbol(name)], in: .patient).found.values.first
            #expect(quote?.delayMinutes == delayMinutes)
            #expect(quote?.timeliness == timeliness)
            #expect(server.requests.map { $0.target.contains("&entitlement=delayed&") } == [isDelayed])
            #expect(server.requests.map { $0.target.contains("entitlement") } == [isDelayed])
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

    @Test(
        "comes with up to 99 others where that is paid for",
        arguments: [nil, .realTime] as [AlphaVantageEntitlement?])
    func bulk(entitlement: AlphaVantageEntitlement?) async throws {
        let bodies = ["REALTIME_BULK_QUOTES": try example("bulk-quotes")]
        try await withAlphaVantage(
            .premium(callsPerMinute: 75), entitlement: entitlement, answering: functions(bodies)
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
                    "/av/query?function=REALTIME_BULK_QUOTES&symbol=BRK-B%2CMSFT&apikey=\(secretKey)"
                ])
        }
    }

    /// Responses to a call of bulk quotes with a plan without real-time prices.
    private static let bulkRefusals = [
        #"{"Information":"Thank you for using Alpha Vantage! This is a premium endpoint. You may subscribe…"}"#,
        #"{"Information":"Thank you for using Alpha Vantage! You are not yet entitled to realtime US market…"}"#,
        // Samples, whose rows have values that are none.
        #"{"message":"This is a premium endpoint. Sample data:","data":[{"symbol":"X","timestamp":"2099-99-99"}]}"#,
        #"{"message":"This is a premium endpoint."}"#,
    ]

    @Test(
        "is read alone with a plan without bulk quotes, whose refusal is remembered for the key",
        arguments: [nil, .realTime] as [AlphaVantageEntitlement?], bulkRefusals)
    func refusedBulk(entitlement: AlphaVantageEntitlement?, refusal: String) async throws {
        let bodies = ["REALTIME_BULK_QUOTES": refusal, "GLOBAL_QUOTE": try example("global-quote")]
        let timeliness: Timeliness = entitlement == nil ? .endOfDay : .realTime
        try await withAlphaVantage(
            .premium(callsPerMinute: 75), entitlement: entitlement, answering: functions(bodies)
        ) { client, server in
            #expect(client.symbolsPerCall == 100)
            let symbols = try ["IBM", "MSFT", "MBG:XETR"].map(symbol)
            for _ in 1...2 {
                let quotes = try await client.quotes(for: symbols, in: .patient)
                #expect(quotes.failures.isEmpty)
                #expect(symbols.map { quotes[$0]?.timeliness } == [timeliness, timeliness, .endOfDay])
                #expect(client.symbolsPerCall == 1)
            }
            #expect(server.requests.count { $0.target.contains("REALTIME_BULK_QUOTES") } == 1)
            #expect(server.requests.count { $0.target.contains("GLOBAL_QUOTE") } == 6)
            let isSent = server.requests.count { $0.target.contains("entitlement=realtime") }
            #expect(isSent == (entitlement == nil ? 0 : 4))
        }
    }

    @Test("of an American listing is not read alone if the bulk of it fails")
    func failedBulk() async throws {
        let quote = try example("global-quote")
        try await withAlphaVantage(
            .premium(callsPerMinute: 75),
            answering: { request, _ in
                request.target.contains("REALTIME_BULK_QUOTES") ? .text("", status: 500) : .text(quote)
            }
        ) { client, server in
            let ibm = try symbol("IBM")
            let quotes = try await client.quotes(for: [ibm], in: .patient)
            #expect(quotes.failures == [ibm: ProviderFailure(.alphaVantage, .unavailable)])
            #expect(server.requests.count == 1 && client.symbolsPerCall == 100)
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
    }

    @Test(
        "of the sandbox is that of the plan of the key",
        arguments: [
            (FakeAlphaVantageSettings.premiumKey, nil, false, .realTime, [1, 0]),
            (FakeAlphaVantageSettings.premiumKey, .realTime, false, .realTime, [1, 0]),
            (FakeAlphaVantageSettings.delayedKey, nil, false, .endOfDay, [1, 3]),
            (FakeAlphaVantageSettings.delayedKey, nil, true, .endOfDay, [1, 3]),
            (FakeAlphaVantageSettings.delayedKey, .delayed, false, .delayed, [0, 3]),
            (FakeAlphaVantageSettings.endOfDayKey, nil, false, .endOfDay, [1, 3]),
        ] as [(String, AlphaVantageEntitlement?, Bool, Timeliness, [Int])])
    func sandbox(
        key: String, entitlement: AlphaVantageEntitlement?, hasSamples: Bool, timeliness: Timeliness,
        calls: [Int]
    ) async throws {
        let clock = ManualClock(try #require(Instant("2026-11-20T18:30:00Z")))
        var configuration = SandboxConfiguration(seed: 7, clock: clock.clock)
        configuration.alphaVantage.keysWithoutBulkQuotesGetSamples = hasSamples
        let sandbox = try await Sandbox.start(configuration)
        let result = await Result.of {
            try await HTTPClient.with(userAgent: "portico-tests") { transport in
                let client = AlphaVantageClient(
                    AlphaVantageConfiguration(
                        base: try ProviderBaseURL(#require(HTTPURL(sandbox.alphaVantage.baseURL))),
                        key: try APIKey(key), plan: .premium(callsPerMinute: 75), entitlement: entitlement),
                    over: ProviderChannel(
                        QuotaAccount(.alphaVantage), over: transport, clock: .showing(clock.now), retry: .once
                    ))
                let symbols = try ["AAPL", "BRK.B", "NOSUCH"].map(symbol)
                return try await client.quotes(for: symbols, in: .patient)
            }
        }
        let counted = ["REALTIME_BULK_QUOTES", "GLOBAL_QUOTE"].map {
            sandbox.calls[.alphaVantage, "GET /query \($0)"]
        }
        await sandbox.stop()
        let quotes = try result.get()
        #expect(quotes.failures.isEmpty)
        #expect(quotes.found.values.map(\.timeliness) == [timeliness, timeliness])
        #expect(counted == calls)
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
