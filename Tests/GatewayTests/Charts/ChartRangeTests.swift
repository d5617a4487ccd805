import Alpaca
import Brokerage
import Foundation
import Gateway
import TestSupport
import Testing
import Upstream

@Suite("The range of a chart")
struct ChartRangeTests {
    /// A range, the first day of its candles and the interval that it has by default.
    struct Range: CustomTestStringConvertible, Sendable {
        let name: String
        let from: String?
        let interval: String

        var testDescription: String { name }
    }

    private func chart(_ arguments: String, _ gateway: TestGateway) async throws -> JSONValue {
        let backends = try gateway.backends([])
        let answer = try await gateway.ask(
            "{ chart(symbol: \"AAPL\", \(arguments)) { id interval truncated candles { time date } } }",
            as: nil,
            backends)
        return try #require(answer["data"]?["chart"], "\(answer)")
    }

    @Test(
        "contains the candles since its first day",
        arguments: [
            Range(name: "FIVE_DAYS", from: "2026-11-13", interval: "THIRTY_MINUTES"),
            Range(name: "ONE_MONTH", from: "2026-10-20", interval: "ONE_DAY"),
            Range(name: "THREE_MONTHS", from: "2026-08-20", interval: "ONE_DAY"),
            Range(name: "SIX_MONTHS", from: "2026-05-20", interval: "ONE_DAY"),
            Range(name: "YEAR_TO_DATE", from: "2026-01-01", interval: "ONE_DAY"),
            Range(name: "ONE_YEAR", from: "2025-11-20", interval: "ONE_DAY"),
            Range(name: "FIVE_YEARS", from: "2021-11-20", interval: "ONE_WEEK"),
            Range(name: "MAX", from: nil, interval: "ONE_MONTH"),
        ])
    func start(_ range: Range) async throws {
        try await withGateway { gateway in
            let ranged = try await chart("range: \(range.name)", gateway)
            #expect(ranged["interval"]?.string == range.interval)
            let bound = range.from.map { "from: \"\($0)T00:00:00Z\"" } ?? "last: 10000"
            let bounded = try await chart("interval: \(range.interval), \(bound)", gateway)
            let candles = try #require(ranged["candles"]?.elements)
            #expect(candles.count > 10)
            #expect(candles == bounded["candles"]?.elements)
            #expect(ranged["truncated"] == .bool(false))
        }
    }

    @Test("of one day contains the latest day with trades only")
    func oneDay() async throws {
        try await withGateway { gateway in
            let chart = try await chart("range: ONE_DAY", gateway)
            #expect(chart["interval"]?.string == "FIVE_MINUTES")
            let times = try #require(chart["candles"]?.elements).compactMap { $0["time"]?.string }
            #expect(times.count > 1)
            #expect(Set(times.map { $0.prefix(10) }).count == 1)
            let latest = try await self.chart("interval: FIVE_MINUTES, last: 1", gateway)
            #expect(times.last == latest["candles"]?[0]?["time"]?.string)
        }
    }

    @Test("can be combined with an interval and a number of candles")
    func combined() async throws {
        try await withGateway { gateway in
            let chart = try await chart("range: ONE_MONTH, interval: ONE_HOUR, last: 3", gateway)
            #expect(chart["interval"]?.string == "ONE_HOUR")
            #expect(chart["candles"]?.elements?.count == 3)
            #expect(chart["id"]?.string == "Chart:alpaca:AAPL~interval=ONE_HOUR,range=ONE_MONTH,last=3")
        }
    }

    @Test("costs one call for several symbols, and none when it is read again")
    func calls() async throws {
        try await withGateway { gateway in
            let backends = try gateway.backends([])
            let query = "{ charts(symbols: [\"AAPL\", \"MSFT\", \"KO\"], range: ONE_MONTH) { symbol } }"
            for _ in 0..<2 { _ = try await gateway.ask(query, as: nil, backends) }
            #expect(gateway.calls == ["GET /v2/stocks/bars": 1])
        }
    }

    /// Arguments that the source of charts does not support, the argument that the error names, and its message.
    static let unsupportedArguments = [
        ("range: FIVE_DAYS", "range", "alpaca has no charts of THIRTY_MINUTES. Set `interval` to ONE_DAY."),
        (
            "range: ONE_MONTH, interval: ONE_HOUR", "interval",
            "alpaca has no charts of ONE_HOUR. Set `interval` to ONE_DAY."
        ),
        (
            "interval: ONE_MINUTE, adjustment: SPLITS", "interval",
            "alpaca has no charts of ONE_MINUTE. Set `interval` to ONE_DAY."
        ),
        (
            "range: ONE_MONTH, adjustment: SPLITS", "adjustment",
            "alpaca has no charts of ONE_DAY with the adjustment SPLITS. Omit it, or set `adjustment` to RAW."
        ),
        (
            "range: ONE_MONTH, extendedHours: true", "extendedHours",
            "alpaca has no charts of ONE_DAY with extended hours. Omit it, or select another provider."
        ),
    ]

    @Test(
        "that no provider has is UNSUPPORTED, and the error names the argument",
        arguments: unsupportedArguments)
    func unsupported(_ arguments: String, _ argument: String, _ message: String) async throws {
        try await withGateway { gateway in
            let source = MarketDataSource(
                DailyCharts(), symbolMapping: AlpacaSymbols(), provider: .alpaca, environment: .sandbox,
                for: .everybody)
            let answer = try await gateway.ask(
                "{ chart(symbol: \"AAPL\", \(arguments)) { id } }", as: nil, gateway.market([source]))
            #expect(answer.failures == [FieldFailure("chart", "UNSUPPORTED", "alpaca")])
            let error = answer["errors"]?[0]
            #expect(error?["extensions"]?["argument"]?.string == argument, "\(answer)")
            #expect(error?["message"]?.string == "Argument \"\(argument)\": \(message)", "\(answer)")
        }
    }

    @Test("of a symbol that no requested provider knows names the argument that excludes another one")
    func excluded() async throws {
        try await withGateway { gateway in
            let sources = [
                FakeMarket(.alpaca, extendedHours: [.oneDay]), FakeMarket(.yahoo, [.example: "Apple"]),
            ]
            let answer = try await gateway.ask(
                "{ chart(symbol: \"AAPL\", extendedHours: true) { id } }", as: nil,
                gateway.market(sources.map(\.source)))
            #expect(answer.failures == [FieldFailure("chart", "NOT_FOUND", "alpaca")], "\(answer)")
            #expect(
                answer["errors"]?[0]?["message"]?.string == """
                    alpaca knows no symbol "AAPL". Argument "extendedHours": yahoo has no charts of ONE_DAY with extended \
                    hours. Omit it, or select another provider.
                    """)
            #expect(sources.map(\.calls) == [["charts": 1], [:]])
        }
    }

    @Test("whose adjustment cannot be derived is UNSUPPORTED, and the error names the argument")
    func underived() async throws {
        try await withGateway { gateway in
            let source = MarketDataSource(
                WeekOfSplit(), symbolMapping: AlpacaSymbols(), provider: .alpaca, environment: .sandbox,
                for: .everybody)
            let answer = try await gateway.ask(
                """
                { chart(symbol: "AAPL", interval: ONE_WEEK) { candles { close } }
                  split: chart(symbol: "AAPL", interval: ONE_WEEK, adjustment: SPLITS) { id } }
                """, as: nil, gateway.market([source]))
            #expect(answer["data"]?["chart"]?["candles"]?.elements?.count == 1, "\(answer)")
            #expect(answer.failures == [FieldFailure("split", "UNSUPPORTED", "alpaca")], "\(answer)")
            let error = answer["errors"]?[0]
            #expect(error?["extensions"]?["argument"] == "adjustment", "\(answer)")
            #expect(
                error?["message"]?.string == """
                    Argument "adjustment": alpaca has no charts of ONE_WEEK with the adjustment SPLITS, and they cannot be \
                    derived: a candle has prices before and after a split, or the currency of a dividend is not that of \
                    the prices. Omit it, or select another interval or provider.
                    """)
        }
    }

    @Test("is rejected together with a time", arguments: ["from", "to"])
    func conflict(_ argument: String) async throws {
        try await withGateway { gateway in
            let answer = try await gateway.ask(
                "{ chart(symbol: \"AAPL\", range: ONE_DAY, \(argument): \"2026-11-20T00:00:00Z\") { id } }",
                as: nil,
                try gateway.backends([]))
            #expect(answer.failures == [FieldFailure("chart", "BAD_USER_INPUT", nil)])
            #expect(
                answer["errors"]?[0]?["message"]?.string
                    == "Argument \"range\": It is ONE_DAY, and `\(argument)` is given too. Use one of them.")
        }
    }
}

/// A source that supports only daily charts of unadjusted prices, and returns none.
private struct DailyCharts: ChartSource {
    let chartCapabilities = ChartCapabilities(intervals: [.oneDay], adjustments: [.raw])

    func charts(
        of symbols: [Symbol], _ window: ChartWindow, in call: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, CandleSeries> {
        throw ProviderFailure(.alpaca, .unsupported)
    }
}

/// A source of unadjusted charts of a week with a split on its Wednesday.
private struct WeekOfSplit: ChartSource, CorporateActionSource {
    let chartCapabilities = ChartCapabilities(intervals: [.oneWeek], adjustments: [.raw])
    let reportsDeclarations = false
    private let provenance = Provenance(
        source: .alpaca, fetchedAt: Instant("2026-11-20T16:00:00Z") ?? .latest)

    func charts(
        of symbols: [Symbol], _ window: ChartWindow, in call: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, CandleSeries> {
        var charts = KeyedResults<Symbol, CandleSeries>()
        for symbol in symbols {
            guard let monday = Instant("2026-11-16T05:00:00Z") else { continue }
            var series = CandleSeries(symbol: symbol, interval: window.interval, provenance: provenance)
            series.timeZone = "America/New_York"
            let prices = OHLC(open: 1, high: 4, low: 1, close: 1)
            guard series.append(Candle(time: monday.secondsSince1970, prices: prices, volume: nil)) else {
                continue
            }
            charts[symbol] = series
        }
        return charts
    }

    func splits(
        of symbols: [Symbol], in call: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, SplitHistory> {
        var splits = KeyedResults<Symbol, SplitHistory>()
        for symbol in symbols {
            guard let wednesday = CalendarDate("2026-11-18"),
                let split = Split(exDate: wednesday, newShares: 4, oldShares: 1)
            else { continue }
            splits[symbol] = SplitHistory(symbol: symbol, splits: [split], provenance: provenance)
        }
        return splits
    }

    func dividends(
        of symbols: [Symbol], in call: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, DividendHistory> { [:] }
}
