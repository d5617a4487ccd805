import Brokerage
import ProviderTestSupport
import Sandbox
import Testing
import Upstream
import Yahoo

@Suite("Beside the sandbox, which knows nothing of the client")
struct SandboxTests {
    /// An instrument in Portico's words and in the market's.
    struct Listed: CustomTestStringConvertible {
        let symbol: String
        let name: String
        /// How many of the market's units make one of Portico's.
        var unit: Decimal = 1
        var digits = 2
        var currency: String? = "USD"

        var testDescription: String { symbol }
    }

    static let listed = [
        Listed(symbol: "AAPL", name: "AAPL"), Listed(symbol: "BRK.B", name: "BRK.B"),
        Listed(symbol: "^SPX", name: "SPX"), Listed(symbol: "BTC/USD", name: "BTC/USD"),
        Listed(symbol: "EUR/USD", name: "EUR/USD", digits: 4),
        Listed(symbol: "USD/JPY", name: "USD/JPY", digits: 4, currency: "JPY"),
        Listed(symbol: "TSCO:XLON", name: "TSCO.L", unit: 100, currency: "GBP"),
    ]

    /// The market's price, in Portico's words.
    private func price(of listed: Listed, _ fixture: RunningSandbox) throws -> Decimal {
        let ticks = try #require(fixture.view.price(listed.name))
        let instrument = try #require(fixture.sandbox.market.anyInstrument(listed.name))
        return try instrument.price(ticks).rounded(to: listed.digits, .halfEven)
            .divided(by: listed.unit, to: 6, .halfEven)
    }

    @Test("a quote has the market's price, whatever the instrument", arguments: listed)
    func quotes(listed: Listed) async throws {
        try await withSandbox { fixture in
            let symbol = try symbol(listed.symbol)
            let quote = try #require(try await fixture.client.quotes(for: [symbol], in: .patient)[symbol])
            #expect(quote.price == (try price(of: listed, fixture)))
            #expect(quote.currency == listed.currency)
            #expect(quote.marketState == (listed.symbol.hasSuffix("XLON") ? .closed : .open))
            #expect(quote.provenance.source == .yahoo)
        }
    }

    @Test("many symbols are one call; what is unknown or no longer listed is left out")
    func many() async throws {
        try await withSandbox { fixture in
            let symbols = try (Self.listed.map(\.symbol) + ["BRKS", "NOSUCH", "GC=F"]).map(symbol)
            let quotes = try await fixture.client.quotes(for: symbols, in: .patient).found
            #expect(Set(quotes.keys.map(\.text)) == Set(Self.listed.map(\.symbol)))
            #expect(fixture.calls("GET /v7/finance/quote") == 1)
            #expect(fixture.calls("GET /") == 1)
            #expect(fixture.calls("GET /v1/test/getcrumb") == 1)
        }
    }

    @Test("a crumb that is past its time is renewed")
    func expiry() async throws {
        try await withSandbox {
            $0.crumbLifetime = .seconds(60)
        } _: { fixture in
            let aapl = try symbol("AAPL")
            for calls in [1, 1, 2] {
                let quotes = try await fixture.client.quotes(for: [aapl], in: .patient).found
                #expect(quotes.count == 1)
                #expect(fixture.calls("GET /v1/test/getcrumb") == calls)
                fixture.clock.advance(by: .seconds(59))
            }
            // The third was refused once.
            #expect(fixture.calls("GET /v7/finance/quote") == 4)
        }
    }

    @Test("an error in the crumb's place is a failure, and is not kept", arguments: [200, 429])
    func crumbText(status: Int) async throws {
        try await withSandbox {
            $0.crumbResponse = .tooManyRequests(status: status)
        } _: { fixture in
            let retryAt = fixture.clock.now + .seconds(300)
            for _ in 1...2 {
                await #expect(throws: ProviderFailure(.yahoo, .rateLimited(retryAt: retryAt))) {
                    try await fixture.client.quotes(for: [symbol("AAPL")], in: .patient)
                }
            }
            #expect(fixture.calls("GET /v1/test/getcrumb") == 2)
            #expect(fixture.calls("GET /v7/finance/quote") == 0)
        }
    }

    @Test("a page of consent is not filled in")
    func consent() async throws {
        try await withSandbox {
            $0.crumbResponse = .page
        } _: { fixture in
            await #expect(throws: ProviderFailure(.yahoo, .invalidResponse(nil))) {
                try await fixture.client.quotes(for: [symbol("AAPL")], in: .patient)
            }
        }
    }

    @Test("a limit of the address is told as one, though its body is plain text")
    func limit() async throws {
        try await withSandbox {
            $0.requestsPerMinute = 1
        } _: { fixture in
            let hits = try await fixture.client.search("apple", limit: 1, in: .patient)
            #expect(hits.count == 1)
            await #expect(
                throws: ProviderFailure(.yahoo, .rateLimited(retryAt: fixture.clock.now + .seconds(300)))
            ) {
                try await fixture.client.search("apple", limit: 1, in: .patient)
            }
        }
    }

    @Test("days have the market's closes, in whole cents, by midnights of the exchange", arguments: listed)
    func days(listed: Listed) async throws {
        try await withSandbox { fixture in
            let symbol = try symbol(listed.symbol)
            let window = ChartWindow(interval: .oneDay, last: 5)
            let series = try #require(
                try await fixture.client.charts(of: [symbol], window, in: .patient)[symbol])
            #expect(series.count == 5)
            #expect(series.currency == listed.currency)
            #expect(series[4].prices.close == (try price(of: listed, fixture)))
            let instrument = try #require(fixture.sandbox.market.anyInstrument(listed.name))
            var session = fixture.view.tradingDay(of: instrument)
            for index in (0..<4).reversed() {
                session = session.flatMap { instrument.schedule.session(before: $0.date) }
                let day = try #require(session)
                let close = try instrument.price(fixture.sandbox.market.close(instrument, day))
                    .rounded(to: listed.digits, .halfEven).divided(by: listed.unit, to: 6, .halfEven)
                #expect(series[index].prices.close == close)
            }
        }
    }

    @Test("hours lie on the grid; a bar that is missing is no candle, and the running one is one")
    func hours() async throws {
        try await withSandbox {
            $0.missingBarOneIn = 3
        } _: { fixture in
            let aapl = try symbol("AAPL")
            let window = ChartWindow(interval: .oneHour, last: 28)
            let series = try #require(try await fixture.client.charts(of: [aapl], window, in: .patient)[aapl])
            #expect(series.count == 28)
            // There are hours without a candle in the middle of days.
            #expect(
                zip(series.times, series.times.dropFirst()).contains { [7_200, 10_800].contains($1 - $0) })
            // 09:30 in New York, and hours after it.
            #expect(series.times.allSatisfy { $0 % 3_600 == 1_800 })
            #expect(series.times == series.times.sorted())
            #expect(series.isLastComplete == false)
            #expect(
                series[series.count - 1].prices.close
                    == (try price(of: Listed(symbol: "AAPL", name: "AAPL"), fixture)))
        }
    }

    @Test("a chart of what is not listed is none, by either status", arguments: [200, 404])
    func unknownChart(status: Int) async throws {
        try await withSandbox {
            $0.unknownSymbolStatus = status
        } _: { fixture in
            let window = ChartWindow(interval: .oneDay)
            let charts = try await fixture.client.charts(of: [symbol("NOSUCH")], window, in: .patient).found
            #expect(charts.isEmpty)
        }
    }

    @Test(
        "a search finds what is listed, in Portico's spelling, and no private company",
        arguments: [("berkshire", ["BRK.A", "BRK.B"]), ("tesco", ["TSCO:XLON"]), ("bitcoin", ["BTC/USD"])])
    func search(text: String, symbols: [String]) async throws {
        try await withSandbox { fixture in
            let hits = try await fixture.client.search(text, limit: 10, in: .patient)
            #expect(hits.map(\.instrument.symbol.text).sorted() == symbols)
            #expect(hits.allSatisfy { $0.instrument.name?.isEmpty == false })
        }
    }

    @Test("a company is described; a fund is none")
    func profile() async throws {
        try await withSandbox { fixture in
            let apple = try await fixture.client.fundamentals(of: symbol("AAPL"), in: .patient)
            #expect(apple.about?.hasPrefix("Apple Inc. ") == true)
            #expect(apple.country == "United States")
            await #expect(throws: ProviderFailure(.yahoo, .notFound)) {
                try await fixture.client.fundamentals(of: symbol("SPY"), in: .patient)
            }
        }
    }

    @Test(
        "the query language tells the same prices: one is an object there, several an array",
        arguments: [["AAPL"], listed.map(\.symbol), ["NOSUCH"]])
    func queryLanguage(names: [String]) async throws {
        try await withSandbox { fixture in
            let symbols = try names.map(symbol)
            let quotes = try await fixture.queryClient.quotes(for: symbols, in: .patient).found
            let today = try await fixture.client.quotes(for: symbols, in: .patient).found
            #expect(Set(quotes.keys) == Set(today.keys))
            for (symbol, quote) in quotes {
                let listed = try #require(Self.listed.first { $0.symbol == symbol.text })
                // It has all digits.
                #expect(
                    quote.price?.rounded(to: listed.digits == 4 ? 4 : 6, .halfEven) == today[symbol]?.price)
                #expect(quote.currency == today[symbol]?.currency)
            }
            #expect(fixture.calls("GET /v1/public/yql") == 1)
        }
    }

    @Test("the query language is not to be had since November 2017")
    func discontinued() async throws {
        try await withSandbox {
            $0.yql = .discontinued
        } _: { fixture in
            await #expect(throws: ProviderFailure(.yahoo, .notEntitled)) {
                try await fixture.queryClient.quotes(for: [symbol("AAPL")], in: .patient)
            }
        }
    }

    @Test(
        "each price of a day says when it was",
        arguments: [(midday, midday), ("2026-11-21T17:00:00Z", "2026-11-20T21:00:00Z")])
    func times(moment: String, asOf: String) async throws {
        try await withSandbox(at: moment) { fixture in
            let aapl = try symbol("AAPL")
            let today = try await fixture.client.quotes(for: [aapl], in: .patient)[aapl]
            #expect(today?.provenance.asOf == Instant(asOf))
            // Minutes are all that it tells.
            let formerly = try await fixture.queryClient.quotes(for: [aapl], in: .patient)[aapl]
            #expect(formerly?.provenance.asOf == Instant(asOf.replacing(":56Z", with: ":00Z")))
        }
    }
}
