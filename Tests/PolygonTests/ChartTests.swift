import Brokerage
import Polygon
import ProviderTestSupport
import Synchronization
import Testing
import Upstream

@Suite("A chart")
struct ChartTests {
    private func seconds(_ texts: [String]) throws -> [Int64] {
        try texts.map { try #require(Instant($0)).secondsSince1970 }
    }

    /// An answer of bars that begin at some times, newest first as they are asked for.
    static func bars(_ times: [String], hasMore: Bool = false, status: String = "OK") -> String {
        let results = times.compactMap { Instant($0) }.map { time in
            #"{"o":1,"h":2,"l":0.5,"c":1.5,"v":10,"t":\#(time.secondsSince1970)000}"#
        }
        let next = hasMore ? #""next_url":"https://api.polygon.io/v2/aggs/x?cursor=YQ","# : ""
        return #"{"status":"\#(status)",\#(next)"results":[\#(results.joined(separator: ","))]}"#
    }

    /// The chart out of one body.
    private func chart(
        _ body: String, _ window: ChartWindow, of name: String = "AAPL"
    ) async throws -> CandleSeries? {
        var series: CandleSeries?
        let details = try example("openapi-ticker-details")
        try await withPolygon(answering: { request, _ in
            .text(request.target.contains("/v3/reference/tickers/") ? details : body)
        }) { client, _ in
            let symbol = try symbol(name)
            series = try await client.charts(of: [symbol], window, in: .patient)[symbol]
        }
        return series
    }

    @Test("has days from midnight in New York, exact to the digit, oldest first")
    func days() async throws {
        let series = try #require(try await chart(example("aggs"), ChartWindow(interval: .oneDay)))
        #expect(series.times == (try seconds(["2026-11-19T05:00:00Z", "2026-11-20T05:00:00Z"])))
        #expect(series[1].prices.close == Decimal("227.45"))
        #expect(series[0].prices.open == Decimal("225.2"))
        #expect(series[0].volume == Decimal("28.5"))
        #expect(series.currency == "USD")
        #expect(series.adjustment == .splits)
        #expect(series.isExtendedHours == nil)
        #expect(series.timeZone == "America/New_York")
        #expect(series.isLastComplete == true)
        #expect(!series.isTruncated)
    }

    @Test("out of Polygon's own example is the same")
    func openAPI() async throws {
        let from = try #require(Instant("2020-01-01T05:00:00Z"))
        let series = try #require(
            try await chart(example("openapi-aggs"), ChartWindow(interval: .oneDay, from: from)))
        #expect(series.count == 2)
        #expect(series[0].prices.close == Decimal("75.0875"))
        #expect(series[1].volume == 146_535_512)
        // There is a next page.
        #expect(series.isTruncated)
    }

    @Test("has weeks from Monday, whichever day Polygon begins them with")
    func weeks() async throws {
        let body = Self.bars(["2026-11-16T05:00:00Z", "2026-11-08T05:00:00Z"])
        let series = try #require(try await chart(body, ChartWindow(interval: .oneWeek)))
        #expect(series.times == (try seconds(["2026-11-09T05:00:00Z", "2026-11-16T05:00:00Z"])))
        #expect(series.isLastComplete == false)
    }

    @Test("of what is traded around the clock has days of UTC, where they begin so")
    func aroundTheClock() async throws {
        let crypto = try #require(
            try await chart(
                Self.bars(["2026-11-21T00:00:00Z"]), ChartWindow(interval: .oneDay), of: "BTC/USD"))
        #expect(crypto.timeZone == "Etc/UTC")
        #expect(crypto.currency == "USD")
        #expect(crypto.isLastComplete == false)
        let fx = try #require(
            try await chart(
                Self.bars(["2026-11-20T05:00:00Z"]), ChartWindow(interval: .oneDay), of: "EUR/DKK"))
        #expect(fx.timeZone == "America/New_York")
        #expect(fx.currency == "DKK")
        let index = try #require(
            try await chart(Self.bars([]), ChartWindow(interval: .oneDay), of: "^SPX"))
        #expect(index.currency == nil)
    }

    @Test(
        "without data is empty",
        arguments: [
            #"{"ticker":"X","adjusted":true,"queryCount":0,"resultsCount":0,"status":"OK","request_id":"r"}"#,
            #"{"resultsCount":0,"status":"DELAYED","results":null}"#,
        ])
    func empty(body: String) async throws {
        let series = try #require(try await chart(body, ChartWindow(interval: .oneDay)))
        #expect(series.count == 0)
        #expect(series.isLastComplete == nil)
    }

    @Test("of an unknown ticker is none, where Polygon says so")
    func unknown() async throws {
        try await withPolygon(answering: { _, _ in
            .text(#"{"status":"NOT_FOUND","request_id":"r","message":"Ticker not found."}"#, status: 404)
        }) { client, _ in
            let charts = try await client.charts(
                of: [symbol("NOSUCH")], ChartWindow(interval: .oneDay), in: .patient)
            #expect(charts.found.isEmpty && charts.failures.isEmpty)
        }
    }

    /// A free plan at Saturday, 2026-11-21: two years, less a day, begin on 2024-11-22 at midnight in New York.
    @Test(
        "of a window before the plan's history begins with it, and says that it lacks older candles",
        arguments: [
            (ChartWindow(interval: .oneDay, last: 361), 2, true),
            (ChartWindow(interval: .oneDay, last: 2), 1, false),
            (ChartWindow(interval: .oneDay, from: Instant("2020-01-01T00:00:00Z")), 2, true),
            (ChartWindow(interval: .oneDay, from: Instant("2026-01-01T00:00:00Z")), 1, false),
            (ChartWindow(interval: .oneWeek, last: 53), 2, true),
            (ChartWindow(interval: .oneMonth, last: 13), 2, true),
        ])
    func freePlan(window: ChartWindow, calls: Int, isTruncated: Bool) async throws {
        let refusal = try example("error")
        let first = try #require(Instant("2024-11-22T05:00:00Z"))
        try await withPolygon(answering: { request, _ in
            let parts = request.target.split(separator: "/")
            let from = parts.dropLast().last.flatMap { Int64($0) } ?? 0
            return from < first.secondsSince1970 * 1_000
                ? .text(refusal, status: 403)
                : .text(Self.bars(["2026-11-20T05:00:00Z", "2026-11-19T05:00:00Z"]))
        }) { client, server in
            let aapl = try symbol("AAPL")
            let series = try #require(try await client.charts(of: [aapl], window, in: .patient)[aapl])
            #expect(series.isTruncated == isTruncated)
            #expect(series.count >= 1)
            #expect(server.requests.count == calls)
            if calls == 2 {
                #expect(server.requests[1].target.contains("/\(first.secondsSince1970)000/1795262400000?"))
            }
        }
    }

    @Test("of a later refused window begins with the plan's history at once, in the same market")
    func rememberedHistory() async throws {
        let refusal = try example("error")
        let first = try #require(Instant("2024-11-22T05:00:00Z"))
        try await withPolygon(
            windows: [],
            answering: { request, _ in
                let parts = request.target.split(separator: "/")
                let from = parts.dropLast().last.flatMap { Int64($0) } ?? 0
                return from < first.secondsSince1970 * 1_000
                    ? .text(refusal, status: 403) : .text(Self.bars(["2026-11-20T05:00:00Z"]))
            }
        ) { client, server in
            let charts = [
                ("AAPL", 2020, 2), ("AAPL", 2020, 1), ("IBM", 2019, 1),
                // A later beginning may be included, and is then known to be refused too.
                ("IBM", 2023, 2), ("AAPL", 2022, 1), ("AAPL", 2025, 1),
                // Other markets have plans of their own.
                ("BTC/USD", 2020, 2), ("EUR/USD", 2020, 1),
            ]
            for (name, year, calls) in charts {
                let before = server.requests.count
                let window = ChartWindow(interval: .oneDay, from: Instant("\(year)-01-01T00:00:00Z"))
                let symbol = try symbol(name)
                let series = try #require(try await client.charts(of: [symbol], window, in: .patient)[symbol])
                #expect(series.isTruncated == (year < 2025) && series.count == 1, "\(name) \(year)")
                #expect(server.requests.count - before == calls, "\(name) \(year)")
            }
        }
    }

    @Test("of the latest candles is requested once after a refusal, though its window begins later each time")
    func movingWindow() async throws {
        let refusal = try example("error")
        let passed = Mutex(Duration.zero)
        let start = ContinuousClock.now
        let clock = TimeSource(
            now: { start + passed.withLock(\.self) }, wallTime: { wallTime + passed.withLock(\.self) },
            sleep: { _ in })
        try await withPolygon(
            windows: [], clock: clock,
            answering: { _, number in
                number == 1 ? .text(refusal, status: 403) : .text(Self.bars(["2026-11-20T05:00:00Z"]))
            }
        ) { client, server in
            for calls in [2, 3, 4] {
                let window = ChartWindow(interval: .oneDay, last: 1_000)
                _ = try await client.charts(of: [symbol("AAPL")], window, in: .patient)
                #expect(server.requests.count == calls)
                passed.withLock { $0 += .seconds(5) }
            }
        }
    }

    @Test("of a window that ended before the plan's history is not entitled")
    func beforeFreePlan() async throws {
        let (refusal, details) = (try example("error"), try example("openapi-ticker-details"))
        try await withPolygon(answering: { request, _ in
            request.target.contains("/v3/reference/tickers/") ? .text(details) : .text(refusal, status: 403)
        }) { client, server in
            let window = ChartWindow(
                interval: .oneDay, from: Instant("2020-01-01T00:00:00Z"), to: Instant("2021-01-01T00:00:00Z"))
            await #expect(throws: ProviderFailure(.polygon, .notEntitled)) {
                try await client.charts(of: [symbol("AAPL")], window, in: .patient)
            }
            #expect(server.requests.count == 2)
        }
    }

    @Test(
        "asks on by time where the limit of base bars cut it off, and does not tell of a bar that was cut in two"
    )
    func pages() async throws {
        try await withPolygon(answering: { _, number in
            switch number {
            case 1:
                .text(
                    Self.bars(
                        ["2026-11-20T20:00:00Z", "2026-11-20T19:00:00Z", "2026-11-20T18:00:00Z"],
                        hasMore: true))
            default: .text(Self.bars(["2026-11-20T18:00:00Z", "2026-11-20T17:00:00Z"]))
            }
        }) { client, server in
            let from = try #require(Instant("2026-11-20T14:00:00Z"))
            let aapl = try symbol("AAPL")
            let window = ChartWindow(interval: .oneHour, from: from)
            let series = try #require(try await client.charts(of: [aapl], window, in: .patient)[aapl])
            #expect(
                series.times
                    == (try seconds([
                        "2026-11-20T17:00:00Z", "2026-11-20T18:00:00Z", "2026-11-20T19:00:00Z",
                        "2026-11-20T20:00:00Z",
                    ])))
            #expect(!series.isTruncated)
            #expect(
                server.requests.map(\.target) == [
                    "/polygon/v2/aggs/ticker/AAPL/range/1/hour/1795096800000/1795262400000"
                        + "?adjusted=true&sort=desc&limit=50000",
                    "/polygon/v2/aggs/ticker/AAPL/range/1/hour/1795096800000/1795201199999"
                        + "?adjusted=true&sort=desc&limit=50000",
                ])
        }
    }

    @Test("stops asking after some pages, and says that there is more")
    func patience() async throws {
        try await withPolygon(answering: { _, number in
            .text(Self.bars(["2026-11-\(20 - number)T05:00:00Z"], hasMore: true))
        }) { client, server in
            let aapl = try symbol("AAPL")
            let window = ChartWindow(interval: .oneDay, from: Instant("2020-01-01T00:00:00Z"))
            let series = try #require(try await client.charts(of: [aapl], window, in: .patient)[aapl])
            #expect(series.count == 3)
            #expect(series.isTruncated)
            #expect(server.requests.count == 3)
        }
    }

    @Test("has the candles of the window only, the latest ones")
    func window() async throws {
        let days = [
            "2026-11-20T05:00:00Z", "2026-11-19T05:00:00Z", "2026-11-18T05:00:00Z", "2026-11-17T05:00:00Z",
        ]
        let window = ChartWindow(
            interval: .oneDay, from: Instant(days[2]), to: Instant(days[0]), last: 5)
        let all = try #require(try await chart(Self.bars(days), window))
        #expect(all.times == (try seconds([days[2], days[1]])))
        #expect(!all.isTruncated)
        var short = window
        short.last = 1
        let last = try #require(try await chart(Self.bars(days), short))
        #expect(last.times == (try seconds([days[1]])))
        #expect(last.isTruncated)
    }

    @Test("of a delayed plan is complete a quarter of an hour later")
    func delayed() async throws {
        // It is 12:00; this bar ended at 11:50.
        let window = ChartWindow(interval: .fiveMinutes)
        let current = try #require(try await chart(Self.bars(["2026-11-21T11:45:00Z"]), window))
        #expect(current.isLastComplete == true)
        let delayed = try #require(
            try await chart(Self.bars(["2026-11-21T11:45:00Z"], status: "DELAYED"), window))
        #expect(delayed.isLastComplete == false)
    }

    @Test(
        "is asked for by the name of its interval",
        arguments: [
            (Interval.oneMinute, "1/minute"), (.fiveMinutes, "5/minute"), (.fifteenMinutes, "15/minute"),
            (.thirtyMinutes, "30/minute"), (.oneHour, "1/hour"), (.oneDay, "1/day"), (.oneWeek, "1/week"),
            (.oneMonth, "1/month"),
        ])
    func intervals(interval: Interval, name: String) async throws {
        let bar = Self.bars(["2026-11-16T05:00:00Z"])
        try await withPolygon(answering: { _, _ in .text(bar) }) { client, server in
            let window = ChartWindow(interval: interval, adjustment: .raw)
            _ = try await client.charts(of: [symbol("EUR/USD")], window, in: .patient)
            let target = try #require(server.requests.first?.target)
            #expect(target.hasPrefix("/polygon/v2/aggs/ticker/C%3AEURUSD/range/\(name)/"))
            #expect(target.contains("adjusted=false"))
        }
    }

    @Test(
        "that Polygon does not have is not asked for",
        arguments: [
            ChartWindow(interval: .oneDay, adjustment: .splitsAndDividends),
            ChartWindow(interval: .oneDay, isExtendedHours: true),
            ChartWindow(interval: .oneHour, isExtendedHours: false),
        ])
    func unsupported(window: ChartWindow) async throws {
        try await withPolygon(answering: { _, _ in .text("{}") }) { client, server in
            await #expect(throws: ProviderFailure(.polygon, .unsupported)) {
                try await client.charts(of: [symbol("AAPL")], window, in: .patient)
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test("of a window that lies ahead, or ends before it begins, is empty without a call")
    func ahead() async throws {
        try await withPolygon(answering: { _, _ in .text("{}") }) { client, server in
            let window = ChartWindow(interval: .oneDay, from: wallTime + .seconds(172_800))
            let aapl = try symbol("AAPL")
            let charts = try await client.charts(of: [aapl], window, in: .patient).found
            #expect(charts[aapl]?.count == 0)
            #expect(server.requests.isEmpty)
        }
    }

    @Test(
        "that makes no sense is refused with the place of what is wrong",
        arguments: [
            (
                #""status":"OK""#, #""status":"NOT_AUTHORIZED""#,
                "status: expected one of OK, DELAYED, found a string that is none (byte 251)"
            )
        ])
    func invalid(old: String, new: String, wording: String) async throws {
        let body = try example("aggs").replacing(old, with: new)
        let failure = await #expect(throws: ProviderFailure.self) {
            try await chart(body, ChartWindow(interval: .oneDay))
        }
        #expect(failure?.description == "polygon: an invalid response: " + wording)
    }

    @Test(
        "has the place of a bar that cannot be read",
        arguments: [
            (#""c":227.45"#, #""x":227.45"#, #"results[0]: no "c" (byte 173)"#),
            ("227.45", "true", "results[0].c: expected a decimal, found true (byte 116)"),
            ("227.45", "1e30", "candle of 2026-11-20T05:00:00Z: more digits than a series of candles holds"),
        ])
    func unreadable(old: String, new: String, reason: String) async throws {
        let body = try example("aggs").replacing(old, with: new)
        let series = try #require(try await chart(body, ChartWindow(interval: .oneDay)))
        #expect(series.unreadable == [reason] && series.count == 1)
    }

    @Test("has volumes without the errors of binary sums, which would leave the others no digits")
    func binarySums() async throws {
        let body = #"""
            {"status":"OK","results":[{"o":1,"h":1,"l":1,"c":1,"v":0.30000000000000004,"t":1795150860000},
            {"o":1,"h":1,"l":1,"c":1,"v":1000.5,"t":1795150800000}]}
            """#
        let series = try #require(try await chart(body, ChartWindow(interval: .oneMinute)))
        #expect(series.unreadable.isEmpty && series.count == 2)
        #expect(series[0].volume == Decimal("1000.5"))
        #expect(series[1].volume == Decimal("0.3"))
    }
}
