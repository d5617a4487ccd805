import AlphaVantage
import Brokerage
import Foundation
import ProviderTestSupport
import Testing
import Upstream

@Suite("A series")
struct SeriesTests {
    /// The chart of IBM out of one body, whatever function is called.
    private func chart(
        _ body: String, _ window: ChartWindow, _ name: String = "IBM", plan: AlphaVantagePlan = .free,
        entitlement: AlphaVantageEntitlement? = nil
    ) async throws -> CandleSeries? {
        var series: CandleSeries?
        try await withAlphaVantage(plan, entitlement: entitlement, answering: { _, _ in .text(body) }) {
            client, _ in
            let symbol = try symbol(name)
            series = try await client.charts(of: [symbol], window, in: .patient)[symbol]
        }
        return series
    }

    private func times(_ texts: [String]) throws -> [Int64] {
        try texts.map { try #require(Instant($0)).secondsSince1970 }
    }

    @Test("of hours is in local time of New York, and oldest first")
    func hours() async throws {
        let series = try #require(
            try await chart(example("intraday-hourly"), ChartWindow(interval: .oneHour)))
        #expect(series.times == (try times(["2026-11-20T23:00:00Z", "2026-11-21T00:00:00Z"])))
        #expect(series.prices.close.coefficients == [3034, 3036])
        #expect(series.prices.close.scale == 1)
        #expect(series[1].prices.low == Decimal("303.3"))
        #expect(series[1].volume == 1204)
        #expect(series.currency == "USD")
        #expect(series.adjustment == .raw)
        #expect(series.isExtendedHours == true)
        #expect(series.timeZone == "America/New_York")
        #expect(series.isLastComplete == true)
        #expect(!series.isTruncated)
        #expect(series.provenance.asOf == Instant("2026-11-21T00:00:00Z"))
    }

    @Test(
        "of hours has a complete last candle when its end is as long ago as the prices are late",
        arguments: [(nil, true), (.realTime, true), (.delayed, false)] as [(AlphaVantageEntitlement?, Bool)])
    func delay(entitlement: AlphaVantageEntitlement?, isComplete: Bool) async throws {
        // The hour ends at the time of the clock.
        let body = try example("intraday-hourly")
            .replacingOccurrences(of: "2026-11-20 19:00:00", with: "2026-11-21 06:00:00")
        let series = try await chart(body, ChartWindow(interval: .oneHour), entitlement: entitlement)
        #expect(series?.isLastComplete == isComplete)
    }

    @Test(
        "of days and longer begins at midnight in New York: of the day, of Monday, of the first",
        arguments: [
            ("daily", Interval.oneDay, ["2026-11-20T05:00:00Z"], true),
            ("weekly", .oneWeek, ["2026-11-09T05:00:00Z", "2026-11-16T05:00:00Z"], false),
            ("monthly", .oneMonth, ["2026-10-01T04:00:00Z", "2026-11-01T04:00:00Z"], false),
        ])
    func days(name: String, interval: Interval, starts: [String], isLastComplete: Bool) async throws {
        let series = try #require(try await chart(example(name), ChartWindow(interval: interval)))
        #expect(series.times == (try times(starts)))
        #expect(series[series.count - 1].prices.close == Decimal("303.45"))
        #expect(series.isLastComplete == isLastComplete)
        #expect(series.isExtendedHours == nil)
        #expect(series.provenance.asOf == nil)
    }

    @Test("is sorted whatever the order of its members, and a week that is named twice counts once")
    func order() async throws {
        let row = #"{"1. open":"1","2. high":"1","3. low":"1","4. close":"1","5. volume":"1"}"#
        let later = row.replacing(#"close":"1"#, with: #"close":"2"#)
        let body =
            #"{"Meta Data":{"3. Last Refreshed":"2026-11-20","4. Time Zone":"US/Eastern"},"#
            + #""Weekly Time Series":{"2026-11-06":\#(row),"2026-11-20":\#(later),"2026-11-19":\#(row)}}"#
        let series = try #require(try await chart(body, ChartWindow(interval: .oneWeek)))
        #expect(series.times == (try times(["2026-11-02T05:00:00Z", "2026-11-16T05:00:00Z"])))
        #expect(series[1].prices.close == 2)
    }

    @Test("has the candles of the window only, and says when there are older ones")
    func window() async throws {
        let weekly = try example("weekly")
        let monday = try #require(Instant("2026-11-16T05:00:00Z"))
        let from = try #require(try await chart(weekly, ChartWindow(interval: .oneWeek, from: monday)))
        #expect(from.times == [monday.secondsSince1970])
        #expect(!from.isTruncated)
        let to = try #require(try await chart(weekly, ChartWindow(interval: .oneWeek, to: monday)))
        #expect(to.times == (try times(["2026-11-09T05:00:00Z"])))
        let last = try #require(try await chart(weekly, ChartWindow(interval: .oneWeek, last: 1)))
        #expect(last.times == [monday.secondsSince1970])
        #expect(last.isTruncated)
    }

    @Test("of 100 days is cut off where the window goes further back, unless more is paid for")
    func compact() async throws {
        let first = try #require(CalendarDate("2026-07-01"))
        let rows = try (0..<100).map { index in
            let date = try #require(first.adding(days: index))
            return #""\#(date)":{"1. open":"1","2. high":"1","3. low":"1","4. close":"1","5. volume":"1"}"#
        }
        let body =
            #"{"Meta Data":{"5. Time Zone":"US/Eastern"},"Time Series (Daily)":{"#
            + rows.joined(separator: ",") + "}}"
        func isTruncated(_ window: ChartWindow, _ plan: AlphaVantagePlan = .free) async throws -> Bool? {
            try await chart(body, window, plan: plan)?.isTruncated
        }
        let (july, august) = (
            try #require(Instant("2026-07-01T04:00:00Z")), try #require(Instant("2026-08-01T04:00:00Z"))
        )
        let june = try #require(Instant("2026-06-01T04:00:00Z"))
        #expect(try await isTruncated(ChartWindow(interval: .oneDay)) == true)
        #expect(try await isTruncated(ChartWindow(interval: .oneDay, from: june)) == true)
        #expect(try await isTruncated(ChartWindow(interval: .oneDay, from: july)) == false)
        #expect(try await isTruncated(ChartWindow(interval: .oneDay, from: august)) == false)
        #expect(
            try await isTruncated(ChartWindow(interval: .oneDay, from: june), .premium(callsPerMinute: 75))
                == false)
    }

    @Test(
        "of less than a day has the last 30 days, or the month in which an older window ends, and lacks what was before",
        arguments: [
            // It is 2026-11-21; 30 days ago it was 2026-10-22.
            (ChartWindow(interval: .oneHour, from: Instant("2026-11-01T00:00:00Z")), nil, false),
            (ChartWindow(interval: .oneHour, from: Instant("2026-10-01T00:00:00Z")), nil, true),
            (ChartWindow(interval: .oneHour, last: 500), nil, true),
            (
                ChartWindow(
                    interval: .oneHour, from: Instant("2026-09-10T00:00:00Z"),
                    to: Instant("2026-09-20T00:00:00Z")),
                "2026-09", false
            ),
            (
                ChartWindow(
                    interval: .oneHour, from: Instant("2026-07-10T00:00:00Z"),
                    to: Instant("2026-09-01T04:00:00Z")),
                "2026-08", true
            ),
        ] as [(ChartWindow, String?, Bool)])
    func months(window: ChartWindow, month: String?, isTruncated: Bool) async throws {
        let row = #"{"1. open":"1","2. high":"1","3. low":"1","4. close":"1","5. volume":"1"}"#
        let body =
            #"{"Meta Data":{"6. Time Zone":"US/Eastern"},"Time Series (60min)":{"2026-11-20 10:00:00":\#(row)}}"#
        try await withAlphaVantage(
            .premium(callsPerMinute: 75), answering: functions(["TIME_SERIES_INTRADAY": body])
        ) { client, server in
            let ibm = try symbol("IBM")
            let series = try #require(try await client.charts(of: [ibm], window, in: .patient)[ibm])
            #expect(series.isTruncated == isTruncated)
            let target = try #require(server.requests.last?.target)
            #expect(target.contains("&outputsize=full") && target.contains("&month=") == (month != nil))
            if let month { #expect(target.contains("&month=\(month)&")) }
        }
    }

    @Test("of a listing in pence is told in pounds")
    func pence() async throws {
        let bodies = [
            "TIME_SERIES_DAILY": try example("daily"), "SYMBOL_SEARCH": try example("symbol-search"),
        ]
        try await withAlphaVantage(answering: functions(bodies)) { client, _ in
            let tesco = try symbol("TSCO:XLON")
            let charts = try await client.charts(of: [tesco], ChartWindow(interval: .oneDay), in: .patient)
                .found
            let series = try #require(charts[tesco])
            #expect(series.currency == "GBP")
            #expect(series[0].prices.close == Decimal("3.0345"))
            #expect(series[0].volume == 3_120_455)
        }
    }

    @Test(
        "of an unknown symbol is none",
        arguments: ["{}", #"{"Error Message":"Invalid API call. Please retry or visit the documentation."}"#])
    func unknown(body: String) async throws {
        #expect(try await chart(body, ChartWindow(interval: .oneDay), "NOSUCH") == nil)
    }

    @Test(
        "is asked for by the function of its interval",
        arguments: [
            (
                Interval.oneMinute,
                "TIME_SERIES_INTRADAY&symbol=IBM&interval=1min&adjusted=false&extended_hours=true&outputsize=compact"
            ),
            (
                .fiveMinutes,
                "TIME_SERIES_INTRADAY&symbol=IBM&interval=5min&adjusted=false&extended_hours=true&outputsize=compact"
            ),
            (
                .fifteenMinutes,
                "TIME_SERIES_INTRADAY&symbol=IBM&interval=15min&adjusted=false&extended_hours=true&outputsize=compact"
            ),
            (
                .thirtyMinutes,
                "TIME_SERIES_INTRADAY&symbol=IBM&interval=30min&adjusted=false&extended_hours=true&outputsize=compact"
            ),
            (
                .oneHour,
                "TIME_SERIES_INTRADAY&symbol=IBM&interval=60min&adjusted=false&extended_hours=true&outputsize=compact"
            ),
            (.oneDay, "TIME_SERIES_DAILY&symbol=IBM&outputsize=compact"),
            (.oneWeek, "TIME_SERIES_WEEKLY&symbol=IBM"), (.oneMonth, "TIME_SERIES_MONTHLY&symbol=IBM"),
        ])
    func functionOfInterval(interval: Interval, query: String) async throws {
        try await withAlphaVantage(answering: { _, _ in .text("{}") }) { client, server in
            _ = try await client.charts(of: [symbol("IBM")], ChartWindow(interval: interval), in: .patient)
            #expect(server.requests.map(\.target) == ["/av/query?function=\(query)&apikey=\(secretKey)"])
        }
    }

    @Test(
        "is asked for whole where that is paid for and needed",
        arguments: [
            (ChartWindow(interval: .oneDay, last: 101), "full"),
            (ChartWindow(interval: .oneDay, last: 100), "compact"),
            (ChartWindow(interval: .oneHour, from: wallTime, isExtendedHours: false), "full"),
        ])
    func size(window: ChartWindow, size: String) async throws {
        try await withAlphaVantage(.premium(callsPerMinute: 75), answering: { _, _ in .text("{}") }) {
            client, server in
            _ = try await client.charts(of: [symbol("IBM")], window, in: .patient)
            let target = try #require(server.requests.first?.target)
            #expect(target.contains("&outputsize=\(size)&"))
            #expect(target.contains("extended_hours=false") == (window.isExtendedHours == false))
        }
    }

    @Test(
        "of less than a day is requested with the entitlement of the plan, which is of American prices",
        arguments: [
            ("IBM", Interval.oneHour, true), ("IBM", .oneDay, false), ("MBG:XETR", .oneHour, false),
        ])
    func entitlement(name: String, interval: Interval, isSent: Bool) async throws {
        try await withAlphaVantage(
            .premium(callsPerMinute: 75), entitlement: .realTime, answering: { _, _ in .text("{}") }
        ) { client, server in
            _ = try await client.charts(of: [symbol(name)], ChartWindow(interval: interval), in: .patient)
            let target = try #require(server.requests.first?.target)
            #expect(target.contains("&entitlement=realtime&apikey=") == isSent)
            #expect(target.contains("entitlement") == isSent)
        }
    }

    @Test(
        "that Alpha Vantage does not have is not asked for",
        arguments: [
            ChartWindow(interval: .oneDay, adjustment: .splits),
            ChartWindow(interval: .oneDay, isExtendedHours: true),
        ])
    func unsupported(window: ChartWindow) async throws {
        try await withAlphaVantage(answering: { _, _ in .text("{}") }) { client, server in
            await #expect(throws: ProviderFailure(.alphaVantage, .unsupported)) {
                try await client.charts(of: [symbol("IBM")], window, in: .patient)
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test(
        "that makes no sense is refused with the place of what is wrong",
        arguments: [
            (
                "US/Eastern", "UTC",
                "Meta Data.5. Time Zone: expected one of US/Eastern, America/New_York, found a string that is none (byte 176)"
            ),
            ("Time Series (Daily)", "Nothing", #"no "Time Series" (byte 323)"#),
        ])
    func invalid(old: String, new: String, wording: String) async throws {
        let body = try example("daily").replacing(old, with: new)
        let failure = await #expect(throws: ProviderFailure.self) {
            try await chart(body, ChartWindow(interval: .oneDay))
        }
        #expect(failure?.description == "alpha-vantage: an invalid response: " + wording)
    }

    @Test(
        "has the place of a row that cannot be read",
        arguments: [
            (
                "\"2026-11-20\":", "\"20 Nov\":",
                #"Time Series (Daily).20 Nov: no "time like 2026-11-20 19:00:00" (byte 222)"#
            ),
            ("4. close", "4. last", #"Time Series (Daily).2026-11-20: no "4. close" (byte 332)"#),
            (
                "\"299.9100\"", "null",
                "Time Series (Daily).2026-11-20.3. low: expected a decimal, found null (byte 278)"
            ),
            (
                "\"299.9100\"", "\"1e30\"",
                "candle of 2026-11-20T05:00:00Z: more digits than a series of candles holds"
            ),
        ])
    func unreadable(old: String, new: String, reason: String) async throws {
        let body = try example("daily").replacing(old, with: new)
        let series = try #require(try await chart(body, ChartWindow(interval: .oneDay)))
        #expect(series.unreadable == [reason])
    }
}
