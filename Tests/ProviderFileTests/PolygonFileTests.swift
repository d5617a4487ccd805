import Brokerage
import Polygon
import PorticoCore
import ProviderFile
import ProviderTestSupport
import Sandbox
import Testing
import Upstream

/// `docs/examples/polygon.yaml` against the compiled provider, both with the sandbox's Polygon.
@Suite("Polygon in a file")
struct PolygonFileTests {
    private static let moment = "2026-11-20T18:30:00Z"

    /// The clients of both with the same key.
    private struct Pair {
        let compiled: PolygonClient
        let file: MarketDataClients

        init(
            _ sandbox: Sandbox, _ channel: (ProviderID) -> ProviderChannel, key: String
        ) throws {
            let base = try ProviderBaseURL(#require(HTTPURL(sandbox.polygon.baseURL)))
            compiled = PolygonClient(
                PolygonConfiguration(base: base, key: try APIKey(key), windows: []), over: channel(.polygon))
            let provider = try provider(repositoryText("docs/examples/polygon.yaml"))
            file =
                FileProviderClient(
                    provider, base: base, key: try APIKey(key), quotas: [], over: channel(provider.id)
                ).market
        }
    }

    private func withPair(
        key: String = FakePolygonSettings.realtimeKey, _ body: (Pair) async throws -> Void
    ) async throws {
        try await withSandbox(at: Self.moment) {
            $0.polygon.requestsPerMinute = 1_000
        } _: {
            sandbox, channel in
            try await body(Pair(sandbox, channel, key: key))
        }
    }

    private static let from = Instant("2026-01-05T05:00:00Z")
    private static let to = Instant("2026-03-02T15:00:00Z")
    private static let windows =
        Interval.allCases.map { ChartWindow(interval: $0, last: 50) }
        + [
            ChartWindow(interval: .oneDay, from: from), ChartWindow(interval: .oneWeek, from: from, to: to),
            ChartWindow(interval: .oneMonth, from: from, to: to),
            ChartWindow(interval: .oneHour, from: to, last: 1_000),
            ChartWindow(interval: .oneDay, last: 20, adjustment: .raw),
            ChartWindow(interval: .oneDay, last: 20, adjustment: .splitsAndDividends),
            ChartWindow(interval: .fiveMinutes, last: 20, isExtendedHours: false),
            ChartWindow(interval: .fiveMinutes, last: 20, isExtendedHours: true),
        ]

    @Test(
        "has the same charts",
        arguments: ["AAPL", "BRK.B", "EUR/USD", "BTC/USD", "^SPX", "NOSUCH", "ABC/DEF"])
    func charts(name: String) async throws {
        try await withPair { pair in
            let symbol = try symbol(name)
            let file = try #require(pair.file.charts)
            #expect(file.chartCapabilities == pair.compiled.chartCapabilities)
            for window in Self.windows {
                let compiled = await Result.of { () throws(ProviderFailure) in
                    try await pair.compiled.charts(of: [symbol], window, in: .patient)[symbol]
                }
                let described = await Result.of { () throws(ProviderFailure) in
                    try await file.charts(of: [symbol], window, in: .patient)[symbol]
                }
                switch (compiled, described) {
                case (.success(let one), .success(let other)):
                    #expect(one?.comparable == other?.comparable, "\(window)")
                case (.failure(let one), .failure(let other)):
                    #expect(one.cause == other.cause, "\(window)")
                default: Issue.record("\(window): \(compiled) is not \(described)")
                }
            }
        }
    }

    @Test(
        "has the same plans",
        arguments: [
            FakePolygonSettings.demoKey, FakePolygonSettings.delayedKey, FakePolygonSettings.realtimeKey,
            "bad",
        ])
    func plans(key: String) async throws {
        try await withPair(key: key) { pair in
            let symbol = try symbol("AAPL")
            let file = try #require(pair.file.charts)
            for window in [
                ChartWindow(interval: .fiveMinutes, last: 20),
                ChartWindow(interval: .oneDay, from: Instant("2015-01-05T05:00:00Z")),
            ] {
                let compiled = await Result.of { () throws(ProviderFailure) in
                    try await pair.compiled.charts(of: [symbol], window, in: .patient)[symbol]?.comparable
                }
                let described = await Result.of { () throws(ProviderFailure) in
                    try await file.charts(of: [symbol], window, in: .patient)[symbol]?.comparable
                }
                if key == FakePolygonSettings.demoKey, window.from != nil {
                    // The compiled client asks again for the two years of the plan; a file cannot describe that.
                    guard case .success = compiled, case .failure(let refusal) = described else {
                        Issue.record("\(compiled) \(described)")
                        continue
                    }
                    #expect(refusal.cause == .notEntitled)
                    continue
                }
                #expect(compiled.mapError(\.comparable) == described.mapError(\.comparable), "\(window)")
            }
        }
    }

    @Test(
        "has the same instruments",
        arguments: ["AAPL", "SPY", "EUR/USD", "BTC/USD", "^SPX", "NOSUCH", "TSCO:XLON"])
    func instruments(name: String) async throws {
        try await withPair { pair in
            let symbol = try symbol(name)
            let file = try #require(pair.file.instruments)
            let compiled = await Result.of { () throws(ProviderFailure) in
                try await pair.compiled.instrument(symbol, in: .patient).comparable
            }
            let described = await Result.of { () throws(ProviderFailure) in
                try await file.instrument(symbol, in: .patient).comparable
            }
            #expect(compiled.mapError(\.comparable) == described.mapError(\.comparable))
        }
    }

    @Test("finds the same", arguments: ["apple", "berkshire", "a", "usd", "no such company"])
    func search(text: String) async throws {
        try await withPair { pair in
            let file = try #require(pair.file.instruments)
            let compiled = try await pair.compiled.search(text, limit: 20, in: .patient)
            let described = try await file.search(text, limit: 20, in: .patient)
            #expect(compiled.map(\.instrument.comparable) == described.map(\.instrument.comparable))
            #expect(text != "apple" || !described.isEmpty)
        }
    }

    @Test("has the same news, page by page", arguments: [nil, "AAPL"] as [String?])
    func news(name: String?) async throws {
        try await withPair { pair in
            let symbols = try name.map { [try symbol($0)] }
            let file = try #require(pair.file.news)
            var (next, mark) = (String?.none, String?.none)
            for page in 1...3 {
                let compiled = try await pair.compiled.news(
                    about: symbols, limit: 5, after: next, in: .patient)
                let described = try await file.news(about: symbols, limit: 5, after: mark, in: .patient)
                #expect(
                    compiled.articles.map(\.comparable) == described.articles.map(\.comparable), "\(page)")
                #expect((compiled.next == nil) == (described.next == nil))
                guard let one = compiled.next, let other = described.next else { break }
                (next, mark) = (one, other)
            }
            let time = try #require(Instant("2026-11-10T00:00:00Z"))
            let compiled = try await pair.compiled.news(from: time, in: .patient)
            let described = try await file.news(from: time, in: .patient)
            #expect(compiled.map(\.comparable) == described.map(\.comparable))
            #expect(!described.isEmpty)
        }
    }
}

/// A failure without the name of its provider.
struct ComparableFailure: Error, Hashable {
    let cause: ProviderFailure.Cause
}

extension ProviderFailure {
    fileprivate var comparable: ComparableFailure { ComparableFailure(cause: cause) }
}

extension CandleSeries {
    /// The series without its provenance, which names the provider.
    fileprivate var comparable: [String] {
        let facts: [String?] = [
            symbol.text, interval.rawValue, currency, adjustment?.rawValue, isExtendedHours.map { "\($0)" },
            timeZone, "\(isTruncated)", isLastComplete.map { "\($0)" },
        ]
        return facts.map { $0 ?? "nil" } + (0..<count).map { "\(self[$0])" }
    }
}

extension Instrument {
    fileprivate var comparable: [String?] {
        [symbol.text, name, assetClass.rawValue, exchange, currency, about, listing?.key]
    }
}

extension Article {
    fileprivate var comparable: [String?] {
        [id, headline, summary, author, url, imageURL, publisher, publishedAt.description]
            + symbols.map(\.text)
    }
}
