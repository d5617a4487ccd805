import Brokerage
import Polygon
import PorticoCore
import ProviderTestSupport
import Sandbox
import TestSupport
import Testing
import Upstream

@Suite("Quotes of Polygon")
struct QuoteTests {
    /// The example of Polygon's document of `/v2/snapshot/locale/us/markets/stocks/tickers`, without the quote's sizes.
    private static let snapshot = """
        {"count":1,"status":"OK","tickers":[{"day":{"c":20.506,"h":20.64,"l":20.506,"o":20.64,"v":37216,
        "vw":20.616},"lastQuote":{"P":20.6,"S":22,"p":20.5,"s":13,"t":1605192959994246100},"lastTrade":{"c":[14,41],
        "i":"71675577320245","p":20.506,"s":2416,"t":1605192894630916600,"x":4},"min":{"av":37216,"c":20.5,
        "h":20.506,"l":20.506,"n":1,"o":20.506,"t":1684428600000,"v":5000,"vw":20.5105},"prevDay":{"c":20.63,
        "h":21,"l":20.5,"o":20.79,"v":292738,"vw":20.6939},"ticker":"BCAT","todaysChange":-0.124,
        "todaysChangePerc":-0.601,"updated":1605192894630916600}]}
        """

    private func quotes(
        _ body: String, _ names: [String] = ["BCAT"]
    ) async throws -> (KeyedResults<Symbol, Quote>, targets: [String]) {
        var result: (KeyedResults<Symbol, Quote>, [String])?
        try await withPolygon(answering: { _, _ in .text(body) }) { client, server in
            let quotes = try await client.quotes(for: names.map(symbol), in: .patient)
            result = (quotes, server.requests.map(\.target))
        }
        return try #require(result)
    }

    @Test("have the values of a snapshot, with the time of the last trade, by one call for all symbols")
    func snapshots() async throws {
        let (quotes, targets) = try await quotes(Self.snapshot, ["BCAT", "IBM", "BRK.B"])
        let quote = try #require(try quotes[symbol("BCAT")])
        #expect(
            quote.price == Decimal("20.506") && quote.bid == Decimal("20.5") && quote.ask == Decimal("20.6"))
        #expect(
            quote.open == Decimal("20.64") && quote.high == Decimal("20.64") && quote.low == Decimal("20.506")
        )
        #expect(quote.previousClose == Decimal("20.63") && quote.volume == 37_216 && quote.currency == "USD")
        #expect(quote.provenance.asOf == Instant(nanosecondsSince1970: 1_605_192_894_630_916_600))
        #expect(quote.timeliness == .realTime && quote.delayMinutes == 0)
        #expect(quotes.found.count == 1 && quotes.failures.isEmpty)
        #expect(
            targets == [
                "/polygon/v2/snapshot/locale/us/markets/stocks/tickers?tickers=BCAT%2CBRK.B%2CIBM"
            ])
    }

    @Test("are delayed with a plan of delayed prices")
    func delayed() async throws {
        let body = Self.snapshot.replacing(#""status":"OK""#, with: #""status":"DELAYED""#)
        let quote = try #require(try await quotes(body).0[symbol("BCAT")])
        #expect(quote.timeliness == .delayed && quote.delayMinutes == 15)
    }

    @Test(
        "have no values for the zeros of a day without trades, and the last minute with a plan without trades",
        arguments: [
            (#""lastTrade":null,"lastQuote":null"#, "20.5", String?.none),
            (#""lastTrade":{"p":0,"t":0},"lastQuote":{"p":0,"P":0}"#, "20.5", nil),
            (#""lastTrade":{"p":20.4}"#, "20.4", nil),
        ])
    func zeros(members: String, price: String, bid: String?) async throws {
        let body = """
            {"status":"OK","tickers":[{"ticker":"BCAT",\(members),"day":{"o":0,"h":0,"l":0,"c":0,"v":0,"vw":0},
            "min":{"c":20.5,"o":20.5},"prevDay":{"c":20.63},"updated":1605192894630916600}]}
            """
        let quote = try #require(try await quotes(body).0[symbol("BCAT")])
        #expect(quote.price == Decimal(price) && quote.bid == bid.flatMap { Decimal($0) } && quote.ask == nil)
        #expect(quote.open == nil && quote.high == nil && quote.low == nil && quote.volume == nil)
        #expect(quote.provenance.asOf == Instant(nanosecondsSince1970: 1_605_192_894_630_916_600))
    }

    // MARK: The free plan

    private static let refusal = CannedServer.Reply.text(
        #"{"status":"NOT_AUTHORIZED","request_id":"1","message":"You are not entitled to this data."}"#,
        status: 403)

    @Test(
        "with the free plan are the last complete day, and the refusal of snapshots is remembered for the key"
    )
    func previousDays() async throws {
        try await withPolygon(answering: { request, _ in
            if request.target.contains("/snapshot/") { return Self.refusal }
            // 16:00 in New York, as in the example of Polygon's document.
            return request.target.contains("/NOSUCH/")
                ? .text(#"{"status":"OK","resultsCount":0}"#)
                : .text(
                    #"""
                    {"status":"OK","ticker":"AAPL","results":[{"T":"AAPL","c":115.97,"h":117.59,"l":114.13,
                    "o":115.55,"t":1605042000000,"v":131704427,"vw":116.3058}]}
                    """#)
        }) { client, server in
            #expect(client.symbolsPerCall == 100)
            let symbols = try ["AAPL", "NOSUCH", "BTC/USD"].map(symbol)
            let quotes = try await client.quotes(for: symbols, in: .patient)
            let quote = try #require(quotes[symbols[0]])
            #expect(
                quote.price == Decimal("115.97") && quote.open == Decimal("115.55")
                    && quote.volume == 131_704_427)
            #expect(quote.timeliness == .endOfDay && quote.delayMinutes == nil && quote.previousClose == nil)
            #expect(quote.provenance.asOf == Instant("2020-11-10T21:00:00Z"))
            #expect(quotes.found.count == 1 && quotes.failures.isEmpty)
            #expect(client.symbolsPerCall == 1)
            _ = try await client.quotes(for: [symbols[0]], in: .patient)
            #expect(server.requests.count { $0.target.contains("/snapshot/") } == 1)
            #expect(server.requests.count { $0.target.hasSuffix("/v2/aggs/ticker/AAPL/prev") } == 2)
        }
    }

    @Test("of one symbol fail alone with the free plan")
    func failures() async throws {
        try await withPolygon(answering: { request, _ in
            if request.target.contains("/snapshot/") { return Self.refusal }
            return request.target.contains("/IBM/")
                ? .text("{}", status: 500)
                : .text(
                    #"{"status":"OK","results":[{"T":"AAPL","c":1,"h":1,"l":1,"o":1,"t":1605042000000,"v":1}]}"#
                )
        }) { client, _ in
            let (aapl, ibm) = (try symbol("AAPL"), try symbol("IBM"))
            let quotes = try await client.quotes(for: [aapl, ibm], in: .patient)
            #expect(quotes[aapl]?.price == 1 && quotes.failures[ibm]?.cause == .unavailable)
        }
    }

    // MARK: The sandbox

    @Test(
        "of the sandbox are those of its market, by the plan of the key",
        arguments: [
            (FakePolygonSettings.realtimeKey, Timeliness.realTime),
            (FakePolygonSettings.delayedKey, .delayed),
            (FakePolygonSettings.demoKey, .endOfDay),
        ])
    func sandbox(key: String, timeliness: Timeliness) async throws {
        let clock = ManualClock(try #require(Instant("2026-11-20T18:30:00Z")))
        let sandbox = try await Sandbox.start(SandboxConfiguration(seed: 7, clock: clock.clock))
        let result = await Result.of {
            try await HTTPClient.with(userAgent: "portico-tests") { transport in
                let base = try ProviderBaseURL(#require(HTTPURL(sandbox.polygon.baseURL)))
                let client = PolygonClient(
                    PolygonConfiguration(base: base, key: try APIKey(key), windows: []),
                    over: ProviderChannel(
                        QuotaAccount(.polygon), over: transport, clock: .showing(clock.now), retry: .once))
                let symbols = try ["AAPL", "BRK.B", "NOSUCH"].map(symbol)
                return try await client.quotes(for: symbols, in: .patient)
            }
        }
        await sandbox.stop()
        let quotes = try result.get()
        #expect(quotes.failures.isEmpty && quotes.found.count == 2)
        for quote in quotes.found.values {
            #expect(quote.timeliness == timeliness && quote.price != nil && quote.provenance.asOf != nil)
            #expect((quote.bid != nil) == (timeliness != .endOfDay))
            let age = try #require(quote.provenance.asOf).secondsSince1970.distance(
                to: clock.now.secondsSince1970)
            switch timeliness {
            case .delayed: #expect(age >= 900)
            case .endOfDay: #expect(quote.provenance.asOf == Instant("2026-11-19T21:00:00Z"))
            default: #expect(age < 900)
            }
        }
    }
}
