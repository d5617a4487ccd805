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
        var currency: String? = "USD"

        var testDescription: String { symbol }
    }

    static let listed = [
        Listed(symbol: "AAPL", name: "AAPL"), Listed(symbol: "BRK.B", name: "BRK.B"),
        Listed(symbol: "^SPX", name: "SPX"), Listed(symbol: "BTC/USD", name: "BTC/USD"),
        Listed(symbol: "EUR/USD", name: "EUR/USD"),
        Listed(symbol: "USD/JPY", name: "USD/JPY", currency: "JPY"),
        Listed(symbol: "TSCO:XLON", name: "TSCO.L", unit: 100, currency: "GBP"),
    ]

    /// The market's price, in Portico's words.
    private func price(of listed: Listed, _ fixture: RunningSandbox) throws -> Decimal {
        let ticks = try #require(fixture.view.price(listed.name))
        let instrument = try #require(fixture.sandbox.market.anyInstrument(listed.name))
        return try instrument.price(ticks).divided(by: listed.unit, to: 7, .halfEven)
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
            let feed = listed.symbol == "AAPL" ? "Nasdaq Real Time Price" : "Free Realtime Quote"
            #expect(quote.feed == feed)
            #expect(quote.timeliness == .realTime && quote.delayMinutes == 0)
        }
    }

    @Test("a pair of the dollar has a price by either name that Yahoo has of it", arguments: [false, true])
    func dollarPairs(hasShortNames: Bool) async throws {
        try await withSandbox {
            $0.dollarPairsHaveShortNames = hasShortNames
        } _: { fixture in
            let symbols = try ["USD/JPY", "EUR/USD"].map(symbol)
            let quotes = try await fixture.client.quotes(for: symbols, in: .patient)
            #expect(quotes.failures.isEmpty && quotes.found.count == 2)
            let pair = Listed(symbol: "USD/JPY", name: "USD/JPY")
            #expect(quotes[symbols[0]]?.price == (try price(of: pair, fixture)))
            let instruments = try await fixture.client.instruments(symbols, in: .patient)
            #expect(instruments[symbols[0]]?.listing?.key == "USDJPY=X")
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

    @Test(
        "where Yahoo gives no crumb, prices and instruments come from charts",
        arguments: [
            FakeYahooSettings.CrumbResponse.tooManyRequests(status: 200), .tooManyRequests(status: 429),
            .page,
        ])
    func noCrumb(response: FakeYahooSettings.CrumbResponse) async throws {
        try await withSandbox {
            $0.crumbResponse = response
        } _: { fixture in
            let symbols = try Self.listed.map { try symbol($0.symbol) }
            let quotes = try await fixture.client.quotes(for: symbols, in: .patient)
            #expect(quotes.failures.isEmpty)
            for listed in Self.listed {
                let quote = try quotes[symbol(listed.symbol)]
                #expect(quote?.price == (try price(of: listed, fixture)))
                #expect(quote?.previousClose != nil)
            }
            let instruments = try await fixture.client.instruments(symbols, in: .patient)
            #expect(try instruments[symbol("AAPL")]?.exchange == "XNAS")
            #expect(fixture.calls("GET /v1/test/getcrumb") == 1)
            #expect(fixture.calls("GET /v7/finance/quote") == 0)
            #expect(fixture.calls("GET /v8/finance/chart/{symbol}") == symbols.count)
        }
    }

    @Test(
        "where Yahoo refuses each crumb, likewise",
        arguments: ["Invalid Cookie", "User is unable to access this feature"])
    func refusedCrumb(reason: String) async throws {
        try await withSandbox {
            $0.unauthorizedDescription = reason
            $0.crumbLifetime = .zero
        } _: { fixture in
            let aapl = try symbol("AAPL")
            for _ in 1...2 {
                let quote = try await fixture.client.quotes(for: [aapl], in: .patient)[aapl]
                #expect(quote?.price != nil)
            }
            #expect(fixture.calls("GET /v1/test/getcrumb") <= 2)
            #expect(fixture.calls("GET /v8/finance/chart/{symbol}") == 2)
        }
    }

    @Test("zeros are no figures", arguments: [true, false])
    func zeros(hasZeros: Bool) async throws {
        try await withSandbox {
            if hasZeros { $0.zeroFigures = ["AAPL"] }
        } _: { fixture in
            let aapl = try symbol("AAPL")
            let quote = try #require(try await fixture.client.quotes(for: [aapl], in: .patient)[aapl])
            #expect(quote.price != nil)
            #expect((quote.previousClose == nil) == hasZeros)
            #expect((quote.open == nil) == hasZeros && (quote.high == nil) == hasZeros)
        }
    }

    @Test("days of decades are days", arguments: [true, false])
    func decades(rangeIsMonthly: Bool) async throws {
        try await withSandbox {
            $0.maximumRangeIsMonthly = rangeIsMonthly
        } _: { fixture in
            let aapl = try symbol("AAPL")
            let window = ChartWindow(interval: .oneDay, last: 4_000)
            let series = try #require(try await fixture.client.charts(of: [aapl], window, in: .patient)[aapl])
            #expect(series.count == 4_000)
            #expect(zip(series.times, series.times.dropFirst()).allSatisfy { $1 - $0 < 7 * 86_400 })
        }
    }

    @Test(
        "weeks have the days from their Monday on, whatever day the window begins on",
        arguments: [
            ChartWindow(interval: .oneWeek, from: Instant("2026-10-07T15:00:00Z")),
            ChartWindow(
                interval: .oneWeek, from: Instant("2014-10-09T00:00:00Z"),
                to: Instant("2014-12-03T00:00:00Z")),
            ChartWindow(interval: .oneWeek, last: 6),
        ])
    func weeks(window: ChartWindow) async throws {
        try await withSandbox { fixture in
            for listed in Self.listed where listed.symbol != "EUR/USD" && listed.symbol != "USD/JPY" {
                let symbol = try symbol(listed.symbol)
                let calls = fixture.calls("GET /v8/finance/chart/{symbol}")
                let series = try #require(
                    try await fixture.client.charts(of: [symbol], window, in: .patient)[symbol])
                #expect(fixture.calls("GET /v8/finance/chart/{symbol}") == calls + 1)
                #expect(window.last.map { $0 == series.count } ?? (series.count >= 6))
                var daily = ChartWindow(interval: .oneDay, from: Instant(secondsSince1970: series.times[0]))
                daily.to = window.to.map { $0 + .seconds(7 * 86_400) }
                let days = try #require(
                    try await fixture.client.charts(of: [symbol], daily, in: .patient)[symbol])
                for index in 0..<series.count {
                    let end = series.times[index] + 7 * 86_400 - 3_600
                    let inWeek = (0..<days.count).map { days[$0] }.filter {
                        series.times[index] <= $0.time && $0.time < end
                    }
                    let monday = try #require(Instant(secondsSince1970: series.times[index] + 7_200))
                    #expect(
                        (listed.symbol.hasSuffix("XLON") || listed.symbol == "BTC/USD"
                            ? monday.dateInUTC : monday.inNewYork.date).weekday == .monday)
                    #expect(series[index].prices.open == inWeek.first?.prices.open)
                    #expect(series[index].prices.high == inWeek.map(\.prices.high).max())
                    #expect(series[index].prices.close == inWeek.last?.prices.close)
                }
            }
        }
    }

    @Test(
        "a chart before the first trade is empty, and that of a delisted symbol is none",
        arguments: [true, false])
    func nothing(delistedHaveCharts: Bool) async throws {
        try await withSandbox {
            $0.delistedHaveCharts = delistedHaveCharts
        } _: { fixture in
            let symbols = try [symbol("AAPL"), symbol("BRKS")]
            let window = ChartWindow(
                interval: .oneDay, from: Instant("1980-01-02T00:00:00Z"), to: Instant("1981-01-02T00:00:00Z"))
            let charts = try await fixture.client.charts(of: symbols, window, in: .patient)
            #expect(charts[symbols[0]]?.count == 0)
            #expect(charts.found.count == 1 && charts.failures.isEmpty)
        }
    }

    @Test(
        "dividends of a London share are in pounds",
        arguments: [
            FakeYahooSettings.DividendCurrency.missing, .empty, .named("GBp"), .named("GBP"), .named("USD"),
        ])
    func londonDividends(currency: FakeYahooSettings.DividendCurrency) async throws {
        try await withSandbox {
            $0.dividendCurrency = currency
        } _: { fixture in
            let tesco = try symbol("TSCO:XLON")
            let dividends = try await fixture.client.dividends(of: [tesco], in: .patient)[tesco]?.dividends
            let latest = try #require(dividends?.first)
            // The market has 4.73 in the unit of the price.
            switch currency {
            case .missing, .empty, .named("GBp"):
                #expect(latest.amount == Decimal("0.0473") && latest.currency == "GBP")
            case .named(let name): #expect(latest.amount == Decimal("4.73") && latest.currency == name)
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

    @Test(
        "days have the market's closes, in all their digits, by midnights of the exchange", arguments: listed)
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
                    .divided(by: listed.unit, to: 7, .halfEven)
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

    @Test(
        "the running candle of an exchange that is reported late is not complete before its trades are known",
        arguments: [(0, "16:31:30", true), (900, "16:31:30", false), (900, "16:46:30", true)])
    func delayed(seconds: Int, time: String, isComplete: Bool) async throws {
        try await withSandbox(at: "2026-11-19T\(time)Z") {
            $0.chartDelay = seconds
            $0.addsLiveBar = false
            $0.missingBarOneIn = nil
        } _: { fixture in
            let aapl = try symbol("AAPL")
            let window = ChartWindow(
                interval: .fifteenMinutes, from: Instant("2026-11-19T16:00:00Z"),
                to: Instant("2026-11-19T16:30:00Z"))
            let series = try #require(try await fixture.client.charts(of: [aapl], window, in: .patient)[aapl])
            #expect(series.times.last == Instant("2026-11-19T16:15:00Z")?.secondsSince1970)
            #expect(series.isLastComplete == isComplete)
        }
    }

    @Test("the chart of a half day ends with the closing auction, and has later trades on request only")
    func halfDay() async throws {
        try await withSandbox(at: "2026-11-27T22:30:00Z") { fixture in
            let aapl = try symbol("AAPL")
            var window = ChartWindow(interval: .fiveMinutes, from: Instant("2026-11-27T05:00:00Z"))
            let regular = try #require(
                try await fixture.client.charts(of: [aapl], window, in: .patient)[aapl])
            // 13:00 in New York.
            #expect(regular.times.last == Instant("2026-11-27T18:00:00Z")?.secondsSince1970)
            #expect(regular[regular.count - 1].volume == 0)
            let market = fixture.sandbox.market
            let instrument = try #require(market.anyInstrument("AAPL"))
            let day = try #require(fixture.view.tradingDay(of: instrument))
            let close = instrument.price(market.close(instrument, day))
            #expect(regular[regular.count - 1].prices.close == close)
            window.isExtendedHours = true
            let extended = try #require(
                try await fixture.client.charts(of: [aapl], window, in: .patient)[aapl])
            #expect(extended.count > regular.count)
            #expect(extended.times.last == Instant("2026-11-27T21:55:00Z")?.secondsSince1970)
        }
    }

    @Test(
        "of a listing with its latest days only, a longer window has these days, by two calls at first and then by one",
        arguments: [
            ChartWindow(interval: .oneDay), ChartWindow(interval: .oneHour, last: 400),
            ChartWindow(interval: .oneDay, from: Instant("2026-11-16T05:00:00Z")),
            ChartWindow(interval: .fiveMinutes, from: Instant("2026-10-19T05:00:00Z")),
            ChartWindow(interval: .oneDay, from: Instant("1900-01-01T00:00:00Z")),
        ])
    func shortHistory(window: ChartWindow) async throws {
        try await withSandbox {
            $0.shortHistories = ["AAPL"]
        } _: { fixture in
            let aapl = try symbol("AAPL")
            for calls in [2, 3] {
                let series = try #require(
                    try await fixture.client.charts(of: [aapl], window, in: .patient)[aapl])
                #expect(series.count >= 4)
                let first = try #require(series.times.first.flatMap { Instant(secondsSince1970: $0) })
                #expect(first.inNewYork.date >= CalendarDate("2026-11-13") ?? .latest)
                #expect(series.isTruncated == (window.from != Instant("2026-11-16T05:00:00Z")))
                #expect(fixture.calls("GET /v8/finance/chart/{symbol}") == calls)
            }
            // A range that the listing has.
            let day = ChartWindow(interval: .oneDay, last: 1)
            #expect(try await fixture.client.charts(of: [aapl], day, in: .patient)[aapl]?.count == 1)
            #expect(fixture.calls("GET /v8/finance/chart/{symbol}") == 4)
        }
    }

    @Test(
        "of a listing with its latest days only, a window without them is not an empty chart, and costs one call at most",
        arguments: [
            ChartWindow(interval: .oneWeek, last: 10), ChartWindow(interval: .oneMonth),
            ChartWindow(
                interval: .oneDay, from: Instant("2026-09-01T00:00:00Z"), to: Instant("2026-10-01T00:00:00Z")),
        ])
    func beforeShortHistory(window: ChartWindow) async throws {
        try await withSandbox {
            $0.shortHistories = ["AAPL"]
        } _: { fixture in
            let aapl = try symbol("AAPL")
            for _ in 1...2 {
                await #expect(throws: ProviderFailure(.yahoo, .unsupported)) {
                    try await fixture.client.charts(of: [aapl], window, in: .patient)
                }
                #expect(fixture.calls("GET /v8/finance/chart/{symbol}") == 1)
            }
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
        "each price of a day says when it was",
        arguments: [(midday, midday), ("2026-11-21T17:00:00Z", "2026-11-20T21:00:00Z")])
    func times(moment: String, asOf: String) async throws {
        try await withSandbox(at: moment) { fixture in
            let aapl = try symbol("AAPL")
            let today = try await fixture.client.quotes(for: [aapl], in: .patient)[aapl]
            #expect(today?.provenance.asOf == Instant(asOf))
        }
    }
}
