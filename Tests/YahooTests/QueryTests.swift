import Brokerage
import ProviderTestSupport
import Testing
import Upstream
import Yahoo

/// The wire format of 2017.
@Suite("The query language")
struct QueryTests {
    private func withQuery(
        _ body: String, symbolsPerCall: Int = 100,
        _ test: (YQLClient, CannedServer) async throws -> Void
    ) async throws {
        try await CannedServer.run(answering: { _, _ in .text(body) }) { server, transport in
            let configuration = try YQLConfiguration(
                base: ProviderBaseURL(#require(HTTPURL(server.url + "/y"))), symbolsPerCall: symbolsPerCall)
            let line = ProviderChannel(
                QuotaAccount(.yahoo), over: transport, clock: .showing(wallTime), retry: .once)
            try await test(YQLClient(configuration, over: line), server)
        }
    }

    private static func answer(_ quote: String) -> String {
        #"{"query":{"count":1,"created":"2017-04-10T12:56:27Z","lang":"en-US","results":{"quote":\#(quote)}}}"#
    }

    private static let apple =
        #"{"symbol":"AAPL","LastTradePriceOnly":"143.46","Name":"Apple Inc.","Currency":"USD"}"#

    @Test("asks for several by one query, and leaves out what has nulls only")
    func golden() async throws {
        try await withQuery(example("yql-quotes")) { client, server in
            let aapl = try symbol("AAPL")
            let symbols = try [aapl, symbol("NOSUCH"), symbol("BRK.B"), symbol("ETH/BTC")]
            let quotes = try await client.quotes(for: symbols, in: .patient).found
            let quote = try #require(quotes[aapl])
            #expect(quotes.count == 1)
            #expect(quote.price?.description == "143.46")
            #expect(quote.bid?.description == "143.55")
            #expect(quote.ask?.description == "143.60")
            #expect(quote.open?.description == "143.60")
            #expect(quote.high?.description == "143.88")
            #expect(quote.low?.description == "142.90")
            #expect(quote.previousClose?.description == "143.34")
            #expect(quote.volume == 18_933_397)
            #expect(quote.currency == "USD")
            // 4:00pm in New York, in summer.
            #expect(quote.provenance.asOf == Instant("2017-04-10T20:00:00Z"))
            #expect(
                server.requests.map(\.target) == [
                    "/y/v1/public/yql?q=select%20%2A%20from%20yahoo.finance.quotes%20where%20symbol%20in%20"
                        + "%28%22AAPL%22%2C%22BRK-B%22%2C%22NOSUCH%22%29&format=json"
                        + "&env=store%3A%2F%2Fdatatables.org%2Falltableswithkeys"
                ])
        }
    }

    @Test(
        "has an object for one, an array for several, and null for none",
        arguments: [
            (answer(apple), 1), (answer("[\(apple),\(apple.replacing("AAPL", with: "MSFT"))]"), 2),
            (answer("[]"), 0), (#"{"query":{"count":0,"results":null}}"#, 0),
        ])
    func shapes(body: String, count: Int) async throws {
        try await withQuery(body) { client, _ in
            let quotes = try await client.quotes(for: [symbol("AAPL"), symbol("MSFT")], in: .patient).found
            #expect(quotes.count == count)
        }
    }

    @Test("takes as many symbols as the configuration says, and asks for none that Yahoo could not have")
    func batch() async throws {
        try await withQuery("{}", symbolsPerCall: 7) { client, server in
            #expect(client.symbolsPerCall == 7)
            let quotes = try await client.quotes(for: [symbol("ETH/BTC")], in: .patient).found
            #expect(quotes.isEmpty)
            #expect(server.requests.isEmpty)
        }
    }

    @Test(
        "has figures that were made to be shown",
        arguments: [
            ("143.46", "143.46"), ("+0.12", "0.12"), ("-0.12", "-0.12"), ("+0.08%", "0.08"),
            ("753.40B", "753400000000.00"), ("-1.5M", "-1500000.0"), ("2K", "2000"), ("1T", "1000000000000"),
            ("<b>143.46</b>", "143.46"), (" <b>+1.5%</b> ", "1.5"), ("N/A", nil), ("-", nil), ("", nil),
            ("<b></b>", nil),
        ] as [(String, String?)])
    func figures(text: String, figure: String?) throws {
        let read = try #require(YQLNumber.read(text))
        #expect(read?.description == figure)
    }

    @Test(
        "has no figure in other words",
        arguments: ["n/a", "143.46 USD", "%", "B", "1,000", "4:00pm - 143.46", "--1", "1e99B"])
    func noFigures(text: String) {
        #expect(YQLNumber.read(text) == nil)
    }

    @Test(
        "has times by the clock of New York",
        arguments: [
            ("4/10/2017", "4:00pm", "2017-04-10T20:00:00Z"), ("12/1/2016", "9:31am", "2016-12-01T14:31:00Z"),
            ("1/3/2017", "12:00pm", "2017-01-03T17:00:00Z"), ("1/3/2017", "12:05AM", "2017-01-03T05:05:00Z"),
            ("13/1/2017", "4:00pm", nil), ("4/10/2017", "16:00", nil), ("4/10/2017", "0:00am", nil),
            ("2017-04-10", "4:00pm", nil), ("4/10/2017", "", nil), ("4/10/2017", "4:60pm", nil),
        ] as [(String, String, String?)])
    func times(date: String, time: String, instant: String?) {
        #expect(YQLNumber.newYorkTime(date: date, time: time)?.description == instant)
    }

    @Test("tells the price in bold type where it stands nowhere else")
    func bold() async throws {
        let quote = Self.apple.replacing(
            #""LastTradePriceOnly":"143.46""#,
            with: #""LastTradePriceOnly":null,"LastTradeWithTime":"4:00pm - <b>143.46</b>""#)
        try await withQuery(Self.answer(quote)) { client, _ in
            let quotes = try await client.quotes(for: [symbol("AAPL")], in: .patient).found
            #expect(quotes.values.first?.price?.description == "143.46")
        }
    }

    @Test("tells pounds for pence, and refuses what may be either")
    func pence() async throws {
        let tesco = try symbol("TSCO:XLON")
        let quote = Self.apple.replacing("AAPL", with: "TSCO.L").replacing("USD", with: "GBp")
        try await withQuery(Self.answer(quote)) { client, _ in
            let quotes = try await client.quotes(for: [tesco], in: .patient).found
            #expect(quotes[tesco]?.price?.description == "1.4346")
            #expect(quotes[tesco]?.currency == "GBP")
        }
        try await withQuery(Self.answer(quote.replacing("GBp", with: "N/A"))) { client, _ in
            let quotes = try await client.quotes(for: [tesco], in: .patient)
            #expect(quotes.found.isEmpty)
            #expect(quotes.failures == [tesco: ProviderFailure(.yahoo, .invalidResponse(nil))])
        }
    }

    @Test("tells of companies too")
    func fundamentals() async throws {
        try await withQuery(example("yql-quotes")) { client, _ in
            let figures = try await client.fundamentals(of: symbol("AAPL"), in: .patient)
            #expect(figures.name == "Apple Inc.")
            #expect(figures.marketCap == 753_400_000_000)
            #expect(figures.earningsPerShare?.description == "8.33")
            #expect(figures.dividendPerShare == nil)
            #expect(figures.yearHigh?.description == "145.46")
            #expect(figures.yearLow?.description == "89.47")
            await #expect(throws: ProviderFailure(.yahoo, .notFound)) {
                try await client.fundamentals(of: symbol("NOSUCH"), in: .patient)
            }
        }
    }

    @Test(
        "that makes no sense is refused with the place of what is wrong",
        arguments: [
            (
                answer(apple.replacing("143.46", with: "much")),
                "query.results.quote.LastTradePriceOnly: expected one of figures like +1.50, 0.5% and 753.40B, found a string that is none (byte 125)"
            ),
            (answer("7"), "query.results.quote: expected an object, found a number (byte 87)"),
            (#"{"error":{"description":"No definition found for Table"}}"#, #"no "query.results" (byte 57)"#),
        ])
    func invalid(body: String, wording: String) async throws {
        try await withQuery(body) { client, _ in
            let failure = await #expect(throws: ProviderFailure.self) {
                try await client.quotes(for: [symbol("AAPL")], in: .patient)
            }
            #expect(failure?.description == "yahoo: an answer that makes no sense: " + wording)
        }
    }
}
