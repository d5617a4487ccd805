import Brokerage
import ProviderTestSupport
import Testing
import Upstream
import Yahoo

/// The weeks, and the bars of regular hours.
extension ChartTests {
    @Test(
        "of weeks that begin on another day than Monday needs the days, except for the first and the last one",
        arguments: [
            (["2026-11-03T05:00:00Z", "2026-11-10T05:00:00Z", "2026-11-17T05:00:00Z"], false),
            (["2026-11-10T05:00:00Z", "2026-11-20T20:17:03Z"], false),
            (["2026-10-26T04:00:00Z", "2026-11-02T05:00:00Z", "2026-11-09T05:00:00Z"], true),
            // The range begins on a Wednesday; the last row is that of the running moment.
            (
                [
                    "2026-11-04T05:00:00Z", "2026-11-09T05:00:00Z", "2026-11-16T05:00:00Z",
                    "2026-11-20T20:17:03Z",
                ], true
            ),
        ])
    func weekdays(stamps: [String], isServed: Bool) async throws {
        let body = try body(stamps, meta: Self.newYork + #","dataGranularity":"1wk""#)
        try await withYahoo(body) { client, server in
            let apple = try symbol("AAPL")
            do {
                let window = ChartWindow(interval: .oneWeek)
                let charts = try await client.charts(of: [apple], window, in: .patient)
                #expect(isServed && charts[apple]?.count == 3)
            } catch let failure as ProviderFailure {
                // The response to the call for days has weeks, too.
                #expect(!isServed && failure == ProviderFailure(.yahoo, .unsupported))
            }
            let intervals = server.requests.map { $0.target.contains("interval=1d") }
            #expect(intervals == (isServed ? [false] : [false, true]))
        }
    }

    @Test("of weeks in London begins on Mondays, in summer and winter")
    func londonWeeks() async throws {
        let stamps = ["2026-10-18T23:00:00Z", "2026-10-26T00:00:00Z", "2026-11-02T00:00:00Z"]
        let series = try #require(
            try await chart(body(stamps, meta: Self.london), ChartWindow(interval: .oneWeek), of: "TSCO:XLON")
        )
        #expect(series.times == (try seconds(stamps)))
    }

    @Test("of weeks that no range has is combined from days; a week with an unreadable day is unreadable")
    func combinedWeeks() async throws {
        let body = #"""
            {"chart":{"result":[{"meta":{\#(Self.newYork),"dataGranularity":"1d"},"timestamp":
            [1420122600,1420468200,1420554600,1421073000,1421159400,1421677800],"indicators":{"quote":[{
            "open":[1,2,3,4,[],6],"high":[2,9,4,5,6,7],"low":[1,2,1.5,3,4,5],"close":[1,3,2,4,5,6],
            "volume":[10,20,30,40,50,null]}]}}],"error":null}}
            """#
        let window = ChartWindow(interval: .oneWeek, from: Instant("2015-01-01T00:00:00Z"))
        let series = try #require(try await chart(body, window))
        // The first day is a Thursday, of the week in which the window begins.
        #expect(series.times == (try seconds(["2015-01-05T05:00:00Z", "2015-01-19T05:00:00Z"])))
        #expect(series[0].prices == OHLC(tenths: 20, high: 90, low: 15, close: 20))
        #expect(series[0].volume == 50)
        #expect(series[1].volume == nil)
        #expect(series.unreadable.count == 1)
        #expect(series.isLastComplete == true)
    }

    private static let riyadh =
        #""currency":"USD","exchangeTimezoneName":"Asia/Riyadh","gmtoffset":10800"#
    /// From 15:00 to 21:00 in UTC on 2026-11-20.
    private static let periods = #"{"start":1795186800,"end":1795208400}"#

    @Test(
        "of regular hours has no bars outside of them where Yahoo states those hours reliably",
        arguments: [
            (newYork, #"[[\#(periods)]]"#, 2...4), (newYork, #"[\#(periods)]"#, 2...4),
            (newYork, #"{"pre":[],"regular":[[\#(periods)]],"post":[]}"#, 2...4),
            // London's closing auction is after the end that Yahoo states.
            (london, #"[[\#(periods)]]"#, 2...5),
            // Unknown hours, and those of another exchange or day.
            (newYork, "null", 0...5), (newYork, "[]", 0...5), (newYork, #"[[{"start":"x"}]]"#, 0...5),
            (newYork, #"{"post":[[\#(periods)]]}"#, 0...5), (newYork, "7", 0...5),
            (newYork, #"[[{"start":1795208400,"end":1795186800}]]"#, 0...5),
            (newYork, #"[[{"start":1794582000,"end":1794603600}]]"#, 0...5),
            (riyadh, #"[[\#(periods)]]"#, 0...5),
        ] as [(String, String, ClosedRange<Int>)])
    func regularHours(exchange: String, member: String, kept: ClosedRange<Int>) async throws {
        let stamps = [
            "2026-11-20T13:00:00Z", "2026-11-20T14:00:00Z", "2026-11-20T15:00:00Z", "2026-11-20T16:00:00Z",
            "2026-11-20T21:00:00Z", "2026-11-20T22:00:00Z",
        ]
        let body = try body(stamps, meta: exchange + #","tradingPeriods":\#(member)"#)
        let symbol = exchange == Self.london ? "TSCO:XLON" : "AAPL"
        let series = try #require(try await chart(body, ChartWindow(interval: .oneHour), of: symbol))
        #expect(series.times == (try seconds(Array(stamps[kept]))))
        let extended = ChartWindow(interval: .oneHour, isExtendedHours: true)
        #expect(try await chart(body, extended, of: symbol)?.count == stamps.count)
    }

    @Test(
        "of an instrument that trades around the clock has all bars in summer, too",
        arguments: [
            ("Europe/London", "EUR/USD", "2026-07-15T23:00:00Z"),
            ("America/New_York", "GC=F", "2026-07-16T04:00:00Z"),
        ])
    func aroundTheClock(zone: String, name: String, midnight: String) async throws {
        let exchange = #""currency":"USD","exchangeTimezoneName":"\#(zone)""#
        let start = try #require(Instant(midnight))
        let days = [0, 1].map { start.secondsSince1970 + $0 * 86_400 }
        let periods = days.map { #"[{"start":\#($0),"end":\#($0 + 86_340)}]"# }.joined(separator: ",")
        let stamps = days.flatMap { day in (0..<24).map { day + $0 * 3_600 } }
        let texts = try stamps.map { "\(try #require(Instant(secondsSince1970: $0)))" }
        let body = try body(texts, meta: exchange + #","tradingPeriods":[\#(periods)]"#)
        let series = try await chart(body, ChartWindow(interval: .oneHour), of: name)
        #expect(series?.count == stamps.count)
    }

    @Test("of regular hours keeps the last trade of the day, though it is after the end")
    func lastTrade() async throws {
        let body = try body(
            ["2026-11-20T20:59:00Z", "2026-11-20T21:00:01Z"],
            meta: Self.newYork + #","regularMarketTime":1795208401,"tradingPeriods":[[\#(Self.periods)]]"#)
        let series = try #require(try await chart(body, ChartWindow(interval: .oneMinute)))
        #expect(series.count == 2)
    }
}
