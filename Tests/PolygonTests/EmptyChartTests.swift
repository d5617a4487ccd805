import Brokerage
import Polygon
import PorticoCore
import ProviderTestSupport
import Sandbox
import TestSupport
import Testing
import Upstream

/// Polygon has the same empty response for an unknown ticker, for one that was listed before, and for a time without trades.
@Suite("A chart without bars")
struct EmptyChartTests {
    private static let noBars = #"{"queryCount":0,"resultsCount":0,"status":"OK","request_id":"r"}"#
    private static let notFound = CannedServer.Reply.text(
        #"{"status":"NOT_FOUND","request_id":"r","message":"Ticker not found."}"#, status: 404)

    /// A response of the directory with earlier tickers.
    private static func delistings(_ tickers: [String]) -> String {
        let rows = tickers.map {
            #"{"ticker":"\#($0)","active":false,"delisted_utc":"2026-06-30T04:00:00Z"}"#
        }
        return #"{"status":"OK","request_id":"r","results":[\#(rows.joined(separator: ","))]}"#
    }

    @Test("of a ticker that is in no directory is none")
    func unlisted() async throws {
        try await withPolygon(answering: { request, _ in
            request.target.contains("/v3/reference/tickers/") ? Self.notFound : .text(Self.noBars)
        }) { client, _ in
            let charts = try await client.charts(
                of: [symbol("NOSUCH")], ChartWindow(interval: .oneDay), in: .patient)
            #expect(charts.found.isEmpty && charts.failures.isEmpty)
        }
    }

    @Test("of a share that is not listed any more is empty, and another window has bars")
    func delisted() async throws {
        try await withPolygon(answering: { request, _ in
            if request.target.contains("/v3/reference/tickers/") { return Self.notFound }
            if request.target.contains("/v3/reference/tickers?") { return .text(Self.delistings(["FSR"])) }
            return request.target.contains("/day/")
                ? .text(ChartTests.bars(["2026-06-30T04:00:00Z"])) : .text(Self.noBars)
        }) { client, server in
            let name = try symbol("FSR")
            for (interval, count) in [(Interval.oneHour, 0), (.oneDay, 1), (.oneMinute, 0)] {
                let window = ChartWindow(interval: interval, from: Instant("2026-06-01T00:00:00Z"))
                let charts = try await client.charts(of: [name], window, in: .patient)
                #expect(charts.failures.isEmpty)
                #expect(charts[name]?.count == count, "\(interval)")
            }
            let reads = server.requests.map(\.target).filter { $0.contains("/v3/reference/tickers") }
            #expect(
                reads == [
                    "/polygon/v3/reference/tickers/FSR",
                    "/polygon/v3/reference/tickers?ticker=FSR&active=false&limit=1",
                ])
        }
    }

    @Test("of what is no share is none without a look at earlier tickers, which are those of shares")
    func unlistedPair() async throws {
        try await withPolygon(answering: { request, _ in
            request.target.contains("/v3/reference/tickers/") ? Self.notFound : .text(Self.noBars)
        }) { client, server in
            let name = try symbol("OLD/USD")
            let charts = try await client.charts(of: [name], ChartWindow(interval: .oneDay), in: .patient)
            #expect(charts.found.isEmpty && charts.failures.isEmpty)
            #expect(server.requests.count == 2)
        }
    }

    @Test("of a share that the sandbox does not list any more is empty after its last day")
    func delistedInSandbox() async throws {
        let clock = ManualClock(try #require(Instant("2026-11-20T18:30:00Z")))
        var configuration = SandboxConfiguration(seed: 7, clock: clock.clock)
        configuration.polygon.delistings = ["INTC": try #require(CalendarDate("2026-06-30"))]
        let sandbox = try await Sandbox.start(configuration)
        let result = await Result.of {
            try await HTTPClient.with(userAgent: "portico-tests") { transport in
                let client = PolygonClient(
                    PolygonConfiguration(
                        base: try ProviderBaseURL(#require(HTTPURL(sandbox.polygon.baseURL))),
                        key: try APIKey(FakePolygonSettings.realtimeKey), windows: []),
                    over: ProviderChannel(
                        QuotaAccount(.polygon), over: transport, clock: .showing(clock.now), retry: .once))
                let symbols = try ["INTC", "NOSUCH"].map(symbol)
                var charts: [KeyedResults<Symbol, CandleSeries>] = []
                for from in ["2026-11-01T00:00:00Z", "2026-06-01T00:00:00Z"] {
                    let window = ChartWindow(interval: .oneDay, from: Instant(from))
                    charts.append(try await client.charts(of: symbols, window, in: .patient))
                }
                return charts
            }
        }
        await sandbox.stop()
        let charts = try result.get()
        let intel = try symbol("INTC")
        for chart in charts {
            #expect(chart.failures.isEmpty && chart.found.keys.map(\.self) == [intel])
        }
        #expect(charts[0][intel]?.count == 0)
        let last = try #require(charts[1][intel]?.times.last)
        #expect(Instant(secondsSince1970: last) == Instant("2026-06-30T04:00:00Z"))
    }

    @Test("is a failure if the directory cannot be read: unknown is not empty")
    func unreadableDirectory() async throws {
        try await withPolygon(answering: { request, _ in
            request.target.contains("/v3/reference/tickers/")
                ? .text(#"{"status":"ERROR","request_id":"r","error":"later"}"#, status: 503)
                : .text(Self.noBars)
        }) { client, _ in
            let name = try symbol("NOSUCH")
            await #expect(throws: ProviderFailure(.polygon, .unavailable)) {
                try await client.charts(of: [name], ChartWindow(interval: .oneDay), in: .patient)
            }
        }
    }

    @Test(
        "of a refused window is none if the directory does not have the ticker, and never had it, which is read once",
        arguments: [
            (404, [], nil), (404, ["NOSUCH"], .notEntitled), (200, [], .notEntitled), (503, [], .notEntitled),
        ] as [(Int, [String], ProviderFailure.Cause?)])
    func refusedWindow(directory: Int, delistings: [String], cause: ProviderFailure.Cause?) async throws {
        let details = try example("openapi-ticker-details")
        let refusal = try example("error")
        try await withPolygon(answering: { request, _ in
            if request.target.contains("/v3/reference/tickers?") { return .text(Self.delistings(delistings)) }
            guard request.target.contains("/v3/reference/tickers/") else {
                return .text(refusal, status: 403)
            }
            return .text(directory == 200 ? details : "{}", status: directory)
        }) { client, server in
            let name = try symbol("NOSUCH")
            for _ in 1...2 {
                var failure: ProviderFailure?
                do throws(ProviderFailure) {
                    let charts = try await client.charts(
                        of: [name], ChartWindow(interval: .oneDay), in: .patient)
                    #expect(charts.found.isEmpty && charts.failures.isEmpty)
                } catch {
                    failure = error
                }
                #expect(failure == cause.map { ProviderFailure(.polygon, $0) })
            }
            let reads = server.requests.count { $0.target.contains("/v3/reference/tickers/") }
            // Only a response of the directory is stored.
            #expect(reads == (directory == 503 ? 2 : 1))
        }
    }
}
