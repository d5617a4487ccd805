import Brokerage
import ProviderTestSupport
import Testing
import Upstream
import Yahoo

@Suite("A chart")
struct ChartTests {
    func chart(_ body: String, _ window: ChartWindow, of name: String = "AAPL") async throws
        -> CandleSeries?
    {
        var series: CandleSeries?
        try await withYahoo(body) { client, _ in
            let symbol = try symbol(name)
            series = try await client.charts(of: [symbol], window, in: .patient)[symbol]
        }
        return series
    }

    func seconds(_ texts: [String]) throws -> [Int64] {
        try texts.map { try #require(Instant($0)).secondsSince1970 }
    }

    /// An answer with bars of one price at some times.
    func body(_ times: [String], meta: String) throws -> String {
        let stamps = try seconds(times).map(String.init).joined(separator: ",")
        let ones = times.map { _ in "1" }.joined(separator: ",")
        let columns = ["open", "high", "low", "close", "volume"].map { #""\#($0)":[\#(ones)]"# }
        return #"{"chart":{"result":[{"meta":{\#(meta)},"timestamp":[\#(stamps)],"indicators":{"quote":[{"#
            + columns.joined(separator: ",") + "}]}}],\"error\":null}}"
    }

    static let newYork =
        #""currency":"USD","exchangeTimezoneName":"America/New_York","gmtoffset":-18000"#
    static let london =
        #""currency":"GBp","exchangeTimezoneName":"Europe/London","gmtoffset":0,"currentTradingPeriod":"#
        + #"{"regular":{"start":1795161600,"end":1795192200,"gmtoffset":0}}"#

    @Test("has the bars with prices only, in the digits that are meant")
    func golden() async throws {
        let window = ChartWindow(interval: .oneHour)
        let series = try #require(try await chart(example("chart"), window))
        #expect(series.times == [1_795_185_000, 1_795_192_200])
        #expect(series[0].prices.open.description == "226.1")
        #expect(series[0].prices == OHLC(tenths: 2261, high: 2269, low: 2258, close: 2264))
        #expect(series.volume.coefficients == [9_021_100, 4_110_022])
        #expect(series.currency == "USD")
        #expect(series.adjustment == .splits)
        #expect(series.isExtendedHours == false)
        #expect(series.timeZone == "America/New_York")
        #expect(series.isLastComplete == true)
        #expect(series.provenance.asOf == Instant(secondsSince1970: 1_795_208_400))
    }

    @Test("of an unknown symbol is none, by either status", arguments: [200, 404])
    func unknown(status: Int) async throws {
        try await withYahoo(example("chart-error"), status: status) { client, _ in
            let charts = try await client.charts(
                of: [symbol("NOSUCH"), symbol("GC=F")], ChartWindow(interval: .oneDay), in: .patient)
            #expect(charts.found.isEmpty && charts.failures.isEmpty)
        }
    }

    @Test(
        "of a range without trading is empty",
        arguments: [
            #"{"chart":{"result":[{"meta":{},"indicators":{"quote":[{}]}}],"error":null}}"#,
            #"{"chart":{"result":[{"meta":{"currency":null},"timestamp":null,"indicators":{"quote":[{"open":null}]}}]}}"#,
            #"{"chart":{"result":[{"meta":{},"timestamp":[1795185000],"indicators":{"quote":[{}]}}],"error":null}}"#,
        ])
    func empty(body: String) async throws {
        let series = try #require(try await chart(body, ChartWindow(interval: .oneDay)))
        #expect(series.count == 0)
        #expect(series.isLastComplete == nil)
    }

    @Test(
        "without times is empty, unless the listing has shorter ranges only, which are tried once",
        arguments: [
            ("null", ["6mo"], true), (#"["1d","5d","1mo","3mo","6mo","ytd","max"]"#, ["6mo"], true),
            (#"["1d","5d","1mo","3mo","6mo"]"#, ["6mo"], true), ("[]", ["6mo"], true),
            ("[7,{}]", ["6mo"], true),
            (#"["1d","5d"]"#, ["6mo", "5d"], false), (#"["1d"]"#, ["6mo", "1d"], false),
            (#"["unknown"]"#, ["6mo"], false),
        ])
    func validRanges(member: String, ranges: [String], isEmpty: Bool) async throws {
        let body = #"""
            {"chart":{"result":[{"meta":{"currency":"USD","validRanges":\#(member)},
            "indicators":{"quote":[{}]}}],"error":null}}
            """#
        try await withYahoo(body) { client, server in
            let aapl = try symbol("AAPL")
            do {
                let charts = try await client.charts(
                    of: [aapl], ChartWindow(interval: .oneDay), in: .patient)
                #expect(isEmpty && charts[aapl]?.count == 0)
            } catch let failure as ProviderFailure {
                #expect(!isEmpty && failure == ProviderFailure(.yahoo, .unsupported))
            }
            let path = "/q/v8/finance/chart/AAPL?interval=1d&range="
            #expect(server.targets == ranges.map { path + $0 })
        }
    }

    @Test(
        "has days from midnight in New York, in summer and winter, though they are stamped with the opening")
    func newYorkDays() async throws {
        let body = try body(
            ["2026-10-30T13:30:00Z", "2026-11-02T14:30:00Z", "2026-11-20T14:30:00Z"], meta: Self.newYork)
        let series = try #require(try await chart(body, ChartWindow(interval: .oneDay)))
        #expect(
            series.times
                == (try seconds(["2026-10-30T04:00:00Z", "2026-11-02T05:00:00Z", "2026-11-20T05:00:00Z"])))
    }

    @Test(
        "is read or refused with any whole numbers",
        arguments: [Interval.oneHour, .oneDay, .oneWeek, .oneMonth],
        [
            Int64.min, .min + 1, -62_135_596_801, -62_135_596_800, -86_401, -1, 0, 86_401, 253_402_300_799,
            253_402_300_800, .max - 1, .max,
        ])
    func wholeNumbers(interval: Interval, number: Int64) async throws {
        let meta = [
            #""currency":"USD","exchangeTimezoneName":"Europe/London","gmtoffset":\#(number)"#,
            #""currency":"USD","exchangeTimezoneName":"America/New_York","gmtoffset":\#(number)"#,
            #""currency":"USD","gmtoffset":0,"priceHint":\#(number)"#,
            #""currency":"USD","gmtoffset":0,"regularMarketTime":\#(number)"#,
            #""currency":"USD","gmtoffset":\#(number),"currentTradingPeriod":{"regular":{"start":\#(number)}}"#,
        ]
        for meta in meta {
            let good = try body(["2026-10-23T07:00:00Z", "2026-10-26T08:00:00Z"], meta: meta)
            for body in [good, good.replacing("1793001600", with: "\(number)")] {
                do {
                    _ = try await chart(body, ChartWindow(interval: interval))
                } catch let failure as ProviderFailure {
                    guard case .invalidResponse = failure.cause else { throw failure }
                }
            }
        }
    }

    @Test("has days from midnight in London, in summer and winter, and pounds for pence")
    func londonDays() async throws {
        let body = try body(["2026-10-23T07:00:00Z", "2026-10-26T08:00:00Z"], meta: Self.london)
        let series = try #require(try await chart(body, ChartWindow(interval: .oneDay), of: "TSCO:XLON"))
        #expect(series.times == (try seconds(["2026-10-22T23:00:00Z", "2026-10-26T00:00:00Z"])))
        #expect(series[0].prices.close == Decimal("0.01"))
        #expect(series.currency == "GBP")
    }

    @Test(
        "takes the bar of the running moment into its interval",
        arguments: [
            (Interval.oneHour, ["2026-11-20T19:30:00Z", "2026-11-20T20:17:03Z"], ["2026-11-20T19:30:00Z"]),
            (.oneDay, ["2026-11-20T14:30:00Z", "2026-11-20T20:17:03Z"], ["2026-11-20T05:00:00Z"]),
            (.oneWeek, ["2026-11-16T05:00:00Z", "2026-11-20T20:17:03Z"], ["2026-11-16T05:00:00Z"]),
            (.oneMonth, ["2026-11-01T04:00:00Z", "2026-11-20T20:17:03Z"], ["2026-11-01T04:00:00Z"]),
            (
                .oneDay, ["2026-11-19T14:30:00Z", "2026-11-20T20:17:03Z"],
                ["2026-11-19T05:00:00Z", "2026-11-20T05:00:00Z"]
            ),
        ])
    func live(interval: Interval, stamps: [String], starts: [String]) async throws {
        let body = try body(stamps, meta: Self.newYork)
            .replacing(#""high":[1,1]"#, with: #""high":[2,3]"#).replacing(
                #""low":[1,1]"#, with: #""low":[0.5,0.7]"#
            )
            .replacing(#""close":[1,1]"#, with: #""close":[1,2.5]"#)
        let series = try #require(try await chart(body, ChartWindow(interval: interval)))
        #expect(series.times == (try seconds(starts)))
        let last = series[series.count - 1]
        #expect(last.prices.high == 3)
        #expect(last.prices.close == Decimal("2.5"))
        #expect(last.prices.low == (starts.count == 1 ? Decimal("0.5") : Decimal("0.7")))
    }

    @Test(
        "of parts of a day has a complete last candle if a later trade is known, or after half an hour",
        arguments: [
            (Interval.fifteenMinutes, "2026-11-21T11:44:00Z", "2026-11-21T11:58:59Z", false),
            (.fifteenMinutes, "2026-11-21T11:44:00Z", "2026-11-21T11:59:00Z", true),
            (.fifteenMinutes, "2026-11-21T11:15:00Z", nil, true),
            (.fifteenMinutes, "2026-11-21T11:15:01Z", nil, false),
            // A time ahead of the clock says nothing.
            (.fifteenMinutes, "2026-11-21T11:44:00Z", "2026-11-21T12:00:01Z", false),
            (.oneDay, "2026-11-20T08:00:00Z", "2026-11-20T10:00:00Z", true),
        ] as [(Interval, String, String?, Bool)])
    func completeness(interval: Interval, stamp: String, lastTrade: String?, isComplete: Bool) async throws {
        let time = try lastTrade.map { try seconds([$0])[0] }
        let member = time.map { #","regularMarketTime":\#($0)"# } ?? ""
        let body = try body([stamp], meta: Self.london + member)
        let series = try #require(try await chart(body, ChartWindow(interval: interval), of: "TSCO:XLON"))
        #expect(series.isLastComplete == isComplete)
    }

    @Test(
        "takes the bar of the running moment into its month, in which clocks changed",
        arguments: [
            (
                -14_400, "2026-03-20T13:30:00Z",
                ["2026-02-01T05:00:00Z", "2026-03-01T05:00:00Z", "2026-03-20T18:00:00Z"]
            ),
            (
                -18_000, "2026-11-20T14:30:00Z",
                ["2026-10-01T04:00:00Z", "2026-11-01T04:00:00Z", "2026-11-20T20:17:03Z"]
            ),
        ])
    func liveAfterChangeOfClocks(offset: Int, open: String, stamps: [String]) async throws {
        let start = try seconds([open])[0]
        let meta =
            #""currency":"CAD","exchangeTimezoneName":"America/Toronto","gmtoffset":\#(offset),"#
            + #""currentTradingPeriod":{"regular":{"start":\#(start)}},"dataGranularity":"1mo""#
        let body = try body(stamps, meta: meta).replacing(#""close":[1,1,1]"#, with: #""close":[1,1,2.5]"#)
        let series = try #require(try await chart(body, ChartWindow(interval: .oneMonth)))
        #expect(series.times == (try seconds(Array(stamps.prefix(2)))))
        #expect(series.unreadable.isEmpty)
        #expect(series[series.count - 1].prices.close == Decimal("2.5"))
    }

    @Test(
        "is asked for by the shortest range that has enough, or by its ends",
        arguments: [
            (ChartWindow(interval: .oneDay), "interval=1d&range=6mo"),
            // The range `max` has months: 5,001 trading days, with those on which exchanges are closed.
            (
                ChartWindow(interval: .oneDay, last: 5_000),
                "interval=1d&period1=931089600&period2=1795262400"
            ),
            (ChartWindow(interval: .oneWeek, last: 52), "interval=1wk&range=2y"),
            (ChartWindow(interval: .oneMonth, last: 12), "interval=1mo&range=2y"),
            (ChartWindow(interval: .oneHour, last: 7), "interval=60m&includePrePost=false&range=5d"),
            (ChartWindow(interval: .oneMinute, last: 9_000), "interval=1m&includePrePost=false&range=5d"),
            (
                ChartWindow(interval: .fiveMinutes, last: 10, isExtendedHours: true),
                "interval=5m&includePrePost=true&range=5d"
            ),
            (
                ChartWindow(interval: .oneDay, from: Instant("2020-01-01T00:00:00Z")),
                "interval=1d&period1=1577836800&period2=1795262400"
            ),
            (
                ChartWindow(
                    interval: .thirtyMinutes, from: Instant("2020-01-01T00:00:00Z"),
                    to: Instant("2026-11-20T00:00:00Z")),
                "interval=30m&includePrePost=false&period1=1790078460&period2=1795132800"
            ),
            // Yahoo may refuse more than a hundred years.
            (
                ChartWindow(interval: .oneDay, from: Instant("1900-01-01T00:00:00Z")),
                "interval=1d&period1=-1358337600&period2=1795262400"
            ),
            // With two times, weeks would begin on the weekday of the first one.
            (
                ChartWindow(interval: .oneWeek, from: Instant("2026-11-11T00:00:00Z")),
                "interval=1wk&range=1mo"
            ),
            (
                ChartWindow(interval: .oneWeek, from: Instant("2025-11-19T00:00:00Z")),
                "interval=1wk&range=2y"
            ),
            (
                ChartWindow(
                    interval: .oneWeek, from: Instant("2020-01-01T00:00:00Z"),
                    to: Instant("2021-01-01T00:00:00Z")),
                "interval=1wk&range=10y"
            ),
            // No range has more than ten years: the days up to the end of the last week.
            (
                ChartWindow(
                    interval: .oneWeek, from: Instant("2015-01-01T00:00:00Z"),
                    to: Instant("2016-01-01T00:00:00Z")),
                "interval=1d&period1=1420070400&period2=1452211200"
            ),
        ])
    func queries(window: ChartWindow, query: String) async throws {
        try await withYahoo(example("chart-error"), status: 404) { client, server in
            _ = try await client.charts(of: [symbol("^SPX")], window, in: .patient)
            #expect(server.requests.map(\.target) == ["/q/v8/finance/chart/%5EGSPC?\(query)"])
        }
    }

    @Test(
        "has the decimals that its binary32 numbers stand for, whatever digits are displayed",
        arguments: [
            (2, "73.79750061035156", "73.7975"), (2, "0.5133929848670959", "0.513393"),
            (4, "1.0481081008911133", "1.0481081"), (2, "120.49500274658203", "120.495"),
        ])
    func digits(hint: Int, wire: String, price: String) async throws {
        let body = try body(["2026-11-20T14:30:00Z"], meta: Self.newYork + #","priceHint":\#(hint)"#)
            .replacing("\"low\":[1]", with: "\"low\":[\(wire)]")
        let series = try #require(try await chart(body, ChartWindow(interval: .oneDay)))
        #expect(series[0].prices.low.description == price)
    }

    @Test(
        "of another interval than requested is not one of the requested interval",
        arguments: [
            (Interval.oneDay, "1mo", false), (.oneDay, "1d", true), (.oneHour, "1h", true),
            (.oneHour, "60m", true), (.oneWeek, "3mo", false), (.oneMonth, "1mo", true),
        ])
    func granularity(interval: Interval, name: String, isServed: Bool) async throws {
        let body = try body(["2026-11-02T14:30:00Z"], meta: Self.newYork + #","dataGranularity":"\#(name)""#)
        do {
            let series = try await chart(body, ChartWindow(interval: interval))
            #expect(isServed && series?.count == 1)
        } catch let failure as ProviderFailure {
            #expect(!isServed && failure == ProviderFailure(.yahoo, .unsupported))
        }
    }

    @Test("of a listing that has ended is none, also without a currency")
    func delisted() async throws {
        let body = #"""
            {"chart":{"result":[{"meta":{"currency":null,"symbol":"CAPIO.ST","exchangeName":"YHD","instrumentType":
            "MUTUALFUND","firstTradeDate":null,"regularMarketTime":1561759658,"priceHint":2,"dataGranularity":"1d"},
            "indicators":{"quote":[{}]}}],"error":null}}
            """#
        #expect(try await chart(body, ChartWindow(interval: .oneDay), of: "CAPIO:XSTO") == nil)
        // A range without trading of a listing that exists.
        let listed = body.replacing("YHD", with: "STO")
        let series = try #require(try await chart(listed, ChartWindow(interval: .oneDay), of: "CAPIO:XSTO"))
        #expect(series.count == 0 && series.currency == nil)
    }

    @Test("of a window before the first trade is empty")
    func beforeFirstTrade() async throws {
        let body = #"""
            {"chart":{"result":null,"error":{"code":"Bad Request","description":
            "Data doesn't exist for startDate = 0, endDate = 86400"}}}
            """#
        try await withYahoo(body, status: 400) { client, _ in
            let window = ChartWindow(
                interval: .oneDay, from: Instant("1970-01-01T00:00:00Z"), to: Instant("1970-01-02T00:00:00Z"))
            let aapl = try symbol("AAPL")
            #expect(try await client.charts(of: [aapl], window, in: .patient)[aapl]?.count == 0)
        }
    }

    @Test(
        "leaves out a bar with a zero, which stands for no price",
        arguments: ["open", "high", "low", "close"])
    func zeros(column: String) async throws {
        let body = try body(["2026-11-19T14:30:00Z", "2026-11-20T14:30:00Z"], meta: Self.newYork)
            .replacing("\"\(column)\":[1,1]", with: "\"\(column)\":[0,1]")
        let series = try #require(try await chart(body, ChartWindow(interval: .oneDay)))
        #expect(series.times == (try seconds(["2026-11-20T05:00:00Z"])))
    }

    @Test("says when the window goes further back than Yahoo does")
    func cut() async throws {
        let long = ChartWindow(interval: .oneHour, from: Instant("2020-01-01T00:00:00Z"))
        #expect(try await chart(example("chart"), long)?.isTruncated == true)
        let many = ChartWindow(interval: .oneMinute, last: 9_000)
        let minutes = try example("chart").replacing(
            #""dataGranularity":"60m""#, with: #""dataGranularity":"1m""#)
        #expect(try await chart(minutes, many)?.isTruncated == true)
        let short = ChartWindow(interval: .oneHour, from: Instant("2026-11-20T00:00:00Z"))
        #expect(try await chart(example("chart"), short)?.isTruncated == false)
    }

    @Test("of a window that lies ahead is empty without a call")
    func ahead() async throws {
        try await withYahoo("{}") { client, server in
            let aapl = try symbol("AAPL")
            let window = ChartWindow(interval: .oneDay, from: wallTime + .seconds(1))
            let charts = try await client.charts(of: [aapl], window, in: .patient).found
            #expect(charts[aapl]?.count == 0)
            #expect(server.requests.isEmpty)
        }
    }

    @Test(
        "that Yahoo does not have is not asked for",
        arguments: [
            ChartWindow(interval: .oneDay, adjustment: .raw),
            ChartWindow(interval: .oneDay, isExtendedHours: true),
        ])
    func unsupported(window: ChartWindow) async throws {
        try await withYahoo("{}") { client, server in
            await #expect(throws: ProviderFailure(.yahoo, .unsupported)) {
                try await client.charts(of: [symbol("AAPL")], window, in: .patient)
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test(
        "that makes no sense is refused with the place of what is wrong",
        arguments: [
            (
                "226.4,null,227.05", "226.4",
                #"chart.result[0]: no "value in each column for each timestamp" (byte 1184)"#
            ),
            ("\"meta\"", "\"mega\"", #"chart.result[0]: no "meta" (byte 1196)"#),
            ("\"chart\":", "\"char\":", #"no "chart.result[0]" (byte 1211)"#),
        ])
    func invalid(old: String, new: String, wording: String) async throws {
        let body = try example("chart").replacing(old, with: new)
        let failure = await #expect(throws: ProviderFailure.self) {
            try await chart(body, ChartWindow(interval: .oneHour))
        }
        #expect(failure?.description == "yahoo: an invalid response: " + wording)
    }

    @Test("has the place of a candle with too many digits, and the others")
    func tooManyDigits() async throws {
        let body = try example("chart").replacing("226.4,null", with: "1e30,null")
        let series = try #require(try await chart(body, ChartWindow(interval: .oneHour)))
        #expect(series.times == [1_795_192_200])
        let reason = "candle of 2026-11-20T14:30:00Z: more digits than a series of candles holds"
        #expect(series.unreadable == [reason])
    }
}

extension OHLC {
    /// A bar of whole tenths.
    init(tenths open: Int128, high: Int128, low: Int128, close: Int128) {
        func price(_ tenths: Int128) -> Decimal { Decimal(coefficient: tenths, scale: 1) ?? .zero }
        self.init(open: price(open), high: price(high), low: price(low), close: price(close))
    }
}
