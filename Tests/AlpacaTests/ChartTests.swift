import Brokerage
import ProviderTestSupport
import Testing
import Upstream

@testable import Alpaca

@Suite("A chart")
struct ChartTests {
    /// Bars of `{"t":…,"c":…}`, all four prices alike.
    private func bars(_ bars: [(time: String, price: String)]) -> String {
        let texts = bars.map {
            #"{"t":"\#($0.time)","o":\#($0.price),"h":\#($0.price),"l":\#($0.price),"c":\#($0.price),"v":7,"n":1,"vw":1}"#
        }
        return "[" + texts.joined(separator: ",") + "]"
    }

    private func page(_ symbols: [(String, String)], next: String? = nil) -> String {
        let members = symbols.map { #""\#($0.0)":\#($0.1)"# }.joined(separator: ",")
        return #"{"bars":{\#(members)},"next_page_token":\#(next.map { #""\#($0)""# } ?? "null")}"#
    }

    @Test("of the examples is read column by column")
    func examples() throws {
        var bars = AlpacaBars()
        try bars.append(example("bars"))
        #expect(bars.nextPage == "QUFQTHxNfDE3NjM2NDkwMDAwMDAwMDAwMDA=")
        let candle = try #require(bars.bySymbol[symbol("AAPL")]).candle(at: 0)
        #expect(candle.time == (try instant("2026-11-20T14:30:00Z")).secondsSince1970)
        #expect(candle.prices.open.description == "226.1")
        #expect(candle.prices.high.description == "226.9")
        #expect(candle.prices.low.description == "225.8")
        #expect(candle.prices.close.description == "226.4")
        #expect(candle.volume == 90_211)
        try bars.append(example("openapi/bars"))
        #expect(bars.bySymbol[try symbol("AAPL")]?.count == 2)
    }

    @Test("of one symbol is one call for the newest, however many days they take")
    func single() async throws {
        let body = page(
            [("AAPL", bars([("2026-11-20T05:00:00Z", "227.45"), ("2026-11-19T05:00:00Z", "226.00")]))],
            next: "more")
        try await withAlpaca(answering: { _, _ in .text(body) }, feed: .iex) { alpaca, server in
            let aapl = try symbol("AAPL")
            let window = ChartWindow(interval: .oneDay, last: 2)
            let series = try #require(try await alpaca.charts(of: [aapl], window, in: .patient)[aapl])
            #expect(
                server.requests.map(\.target) == [
                    "/data/v2/stocks/bars?symbols=AAPL&timeframe=1Day&start=2026-08-10T04%3A00%3A00Z&limit=2"
                        + "&adjustment=split&feed=iex&sort=desc"
                ])
            #expect((0..<series.count).map { series[$0].prices.close.description } == ["226.00", "227.45"])
            #expect(series.isTruncated)
            #expect(series.timeZone == "America/New_York")
            #expect(series.currency == "USD")
            #expect(series.adjustment == .splits)
            #expect(series.isExtendedHours == nil)
        }
    }

    @Test("of several symbols goes on where a page ended, in the middle of one")
    func pages() async throws {
        let pages: [String: String] = [
            "": page([("AAPL", bars([("2026-11-20T15:01:00Z", "2")]))], next: "a b/1"),
            "a%20b%2F1": page(
                [
                    ("AAPL", bars([("2026-11-20T15:00:00Z", "1")])),
                    ("MSFT", bars([("2026-11-20T15:02:00Z", "9")])),
                ], next: "2"),
            "2": page([("MSFT", bars([("2026-11-20T15:01:00Z", "8"), ("2026-11-20T15:00:00Z", "7")]))]),
        ]
        try await withAlpaca(answering: { request, _ in
            let token =
                request.target.split(separator: "page_token=").dropFirst().first.map(String.init) ?? ""
            return .text(pages[token] ?? "{}")
        }) { alpaca, server in
            let (aapl, msft) = (try symbol("AAPL"), try symbol("MSFT"))
            let window = ChartWindow(interval: .oneMinute, last: 2)
            let charts = try await alpaca.charts(of: [aapl, msft], window, in: .patient).found
            #expect(server.requests.count == 3)
            #expect(server.requests.allSatisfy { $0.target.contains("limit=10000") })
            #expect(charts[aapl]?.count == 2)
            #expect(charts[aapl]?.isTruncated == false)
            #expect(charts[msft]?.count == 2)
            #expect(charts[msft]?.isTruncated == true)
            #expect((0..<2).compactMap { charts[msft]?[$0].prices.close } == [8, 9])
            #expect(charts[msft]?.isExtendedHours == true)
        }
    }

    @Test("that takes more pages than are borne fails, as the symbols behind them are not known")
    func endless() async throws {
        try await withAlpaca(answering: { _, number in
            .text(#"{"bars":{},"next_page_token":"\#(number)"}"#)
        }) { alpaca, server in
            let symbols = [try symbol("AAPL"), try symbol("MSFT")]
            await #expect(throws: ProviderFailure(.alpaca, .tooMany(.pagesOfCharts, limit: 25))) {
                try await alpaca.charts(of: symbols, ChartWindow(interval: .oneDay), in: .patient)
            }
            #expect(server.requests.count == 25)
        }
    }

    @Test("is empty for what is known and was not traded, and is not there for what is not known")
    func silent() async throws {
        let snapshots = try example("snapshots")
        try await withAlpaca(answering: { request, _ in
            request.target.contains("/snapshots")
                ? .body(snapshots) : .text(#"{"bars":{},"next_page_token":null}"#)
        }) { alpaca, server in
            let (aapl, none) = (try symbol("AAPL"), try symbol("NOSUCH"))
            let window = try ChartWindow(
                interval: .oneHour, from: instant("2026-11-15T00:00:00Z"), to: instant("2026-11-15T12:00:00Z")
            )
            let charts = try await alpaca.charts(of: [aapl, none], window, in: .patient).found
            #expect(charts[aapl]?.count == 0)
            #expect(charts[aapl]?.isLastComplete == nil)
            #expect(charts[none] == nil)
            #expect(
                server.requests.map(\.target) == [
                    "/data/v2/stocks/bars?symbols=AAPL%2CNOSUCH&timeframe=1Hour&start=2026-11-15T00%3A00%3A00Z"
                        + "&end=2026-11-15T11%3A59%3A59.999999999Z&limit=10000&adjustment=split&sort=desc",
                    "/data/v2/stocks/snapshots?symbols=AAPL%2CNOSUCH",
                ])
        }
    }

    @Test(
        "has no trades outside of regular hours where they are not wanted, which end early before a holiday")
    func regularHours() async throws {
        let times = ["18:30", "18:00", "17:30", "15:00", "14:30", "14:00"]
        let body = page([("AAPL", bars(times.map { ("2026-11-27T\($0):00Z", "1") }))])
        let calendar = try example("calendar")
        try await withAlpaca(answering: { request, _ in
            request.target.contains("/calendar") ? .body(calendar) : .text(body)
        }) { alpaca, server in
            let aapl = try symbol("AAPL")
            let window = ChartWindow(interval: .thirtyMinutes, last: 10, isExtendedHours: false)
            let series = try #require(try await alpaca.charts(of: [aapl], window, in: .patient)[aapl])
            let kept = try ["14:30", "15:00", "17:30"].map {
                try instant("2026-11-27T\($0):00Z").secondsSince1970
            }
            #expect(series.times == kept)
            #expect(series.isExtendedHours == false)
            #expect(
                server.requests.last?.target == "/trading/v2/calendar?start=2026-01-01&end=2026-12-31")
            _ = try await alpaca.charts(of: [aapl], window, in: .patient)
            #expect(server.requests.filter { $0.target.contains("/calendar") }.count == 1)
        }
    }

    @Test(
        "has its last candle complete once its interval is over",
        arguments: [
            // The wall shows 2026-11-18T15:05:00Z, a Wednesday, 10:05 in New York.
            (Interval.oneMinute, "2026-11-18T15:04:00Z", true), (.oneMinute, "2026-11-18T15:04:30Z", false),
            (.thirtyMinutes, "2026-11-18T15:00:00Z", false), (.oneHour, "2026-11-18T14:00:00Z", true),
            (.oneDay, "2026-11-17T05:00:00Z", true), (.oneDay, "2026-11-18T05:00:00Z", false),
            (.oneWeek, "2026-11-16T05:00:00Z", false), (.oneWeek, "2026-11-09T05:00:00Z", true),
            (.oneMonth, "2026-11-01T04:00:00Z", false), (.oneMonth, "2026-10-01T04:00:00Z", true),
        ])
    func lastCandle(interval: Interval, start: String, isComplete: Bool) async throws {
        let body = page([("AAPL", bars([(start, "1")]))])
        try await withAlpaca(answering: { _, _ in .text(body) }) { alpaca, _ in
            let aapl = try symbol("AAPL")
            let window = ChartWindow(interval: interval, last: 1)
            let series = try #require(try await alpaca.charts(of: [aapl], window, in: .patient)[aapl])
            #expect(series.count == 1)
            #expect(series.isLastComplete == isComplete)
        }
    }

    @Test("of a day begins at midnight in New York, whatever stamp it came with")
    func midnight() async throws {
        let body = page([("AAPL", bars([("2026-11-18T00:00:00-05:00", "1"), ("2026-10-30T04:00:00Z", "1")]))])
        try await withAlpaca(answering: { _, _ in .text(body) }) { alpaca, _ in
            let aapl = try symbol("AAPL")
            let charts = try await alpaca.charts(of: [aapl], ChartWindow(interval: .oneDay), in: .patient)
                .found
            let series = try #require(charts[aapl])
            let starts = try ["2026-10-30T04:00:00Z", "2026-11-18T05:00:00Z"].map {
                try instant($0).secondsSince1970
            }
            #expect(series.times == starts)
        }
    }

    @Test("that Alpaca does not have is not asked for")
    func unsupported() async throws {
        try await withAlpaca(answering: { _, _ in .text("{}") }) { alpaca, server in
            let aapl = try symbol("AAPL")
            let hours = ChartWindow(interval: .oneHour, isExtendedHours: false)
            await #expect(throws: ProviderFailure(.alpaca, .unsupported)) {
                try await alpaca.charts(of: [aapl], hours, in: .patient)
            }
            let charts = try await alpaca.charts(
                of: [symbol("EUR/USD"), symbol("BTC/USD")], ChartWindow(interval: .oneDay), in: .patient)
            #expect(charts.found.isEmpty && charts.failures.isEmpty)
            #expect(server.requests.isEmpty)
        }
    }

    @Test("that cannot be read is named with its place")
    func broken() async throws {
        let body = page([("AAPL", #"[{"t":"2026-11-20T14:30:00Z","o":1,"h":1,"l":1,"c":true}]"#)])
        try await withAlpaca(answering: { _, _ in .text(body) }) { alpaca, _ in
            let aapl = try symbol("AAPL")
            let charts = try await alpaca.charts(of: [aapl], ChartWindow(interval: .oneDay), in: .patient)
            #expect(charts[aapl]?.count == 0)
            #expect(
                charts[aapl]?.unreadable == ["bars.AAPL[0].c: expected a decimal, found true (byte 67)"])
        }
    }

    @Test("of a delayed feed is asked for until a quarter of an hour ago, from the feed that has the past")
    func delayed() async throws {
        let body = page([("AAPL", bars([("2026-11-18T14:49:00Z", "1")]))])
        try await withAlpaca(answering: { _, _ in .text(body) }, feed: .delayedSIP) { alpaca, server in
            let aapl = try symbol("AAPL")
            let charts = try await alpaca.charts(
                of: [aapl], ChartWindow(interval: .oneMinute, last: 1), in: .patient)
            let target = try #require(server.requests.first?.target)
            #expect(target.contains("end=2026-11-18T14%3A50%3A00Z"))
            #expect(target.contains("feed=sip"))
            #expect(charts[aapl]?.isLastComplete == true)
        }
    }
}
