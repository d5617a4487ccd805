import Brokerage
import GraphQL
import Performance
import Testing
import Upstream

@testable import Gateway

@Suite("The service of daily prices and rates")
struct DailyPriceServiceTests {
    private let (monday, tuesday): (CalendarDate, CalendarDate)

    init() throws {
        monday = try #require(CalendarDate("2026-11-16"))
        tuesday = try #require(CalendarDate("2026-11-17"))
    }

    private func symbol(_ text: String) throws -> Symbol { try #require(Symbol(text)) }

    private func service(_ sources: FakeMarket...) throws -> DailyPriceService {
        DailyPriceService(
            try requestScope(of: nil, sources: sources.map(\.source), clock: TestClock().calls))
    }

    /// A source of 100 and 110 for ``Symbol/example``.
    private func source(_ adjustments: Set<Adjustment>, failing: Set<Symbol> = []) -> FakeMarket {
        FakeMarket(
            .yahoo, closes: [.example: [tuesday: 110, monday: 100]], failing: failing,
            adjustments: adjustments)
    }

    @Test(
        "has prices that are corrected for splits, or else those that a source has, in one call",
        arguments: [([.splits], true), ([.raw], false), (Set(Adjustment.allCases), true)]
            as [(Set<Adjustment>, Bool)])
    func adjustment(_ adjustments: Set<Adjustment>, _ isAdjusted: Bool) async throws {
        let source = source(adjustments)
        let prices = try await service(source).closes(of: [.example], from: monday)
        let daily = try #require(prices[.example]).get()
        #expect(daily.closes == [DatedValue(monday, 100), DatedValue(tuesday, 110)])
        #expect(daily.isAdjusted == isAdjusted)
        #expect(!daily.includesDividends)
        #expect(daily.currency == "USD")
        #expect(daily.source == .yahoo)
        #expect(source.calls == ["charts": 1])
    }

    @Test("begins with the first day")
    func first() async throws {
        let prices = try await service(source([.splits])).closes(of: [.example], from: tuesday)
        #expect(try #require(prices[.example]).get().closes == [DatedValue(tuesday, 110)])
    }

    @Test("has nothing for an instrument that no source has, and an error for one whose read failed")
    func missing() async throws {
        let (failing, unknown) = (try symbol("SPY"), try symbol("TSLA"))
        let source = source([.raw], failing: [failing])
        let prices = try await service(source).closes(of: [.example, failing, unknown], from: monday)
        #expect(Set(prices.keys) == [.example, failing])
        #expect(throws: FieldError(ProviderFailure(.yahoo, .unavailable))) { try prices[failing]?.get() }
    }

    @Test(
        "has a benchmark with dividends if a source has them",
        arguments: [(Set(Adjustment.allCases), true), ([.splits], false)] as [(Set<Adjustment>, Bool)])
    func benchmark(_ adjustments: Set<Adjustment>, _ includesDividends: Bool) async throws {
        let (benchmark, provider) = try await service(source(adjustments)).benchmark(.example, from: monday)
        #expect(benchmark.closes == [DatedValue(monday, 100), DatedValue(tuesday, 110)])
        #expect(benchmark.currency == "USD")
        // They are in the prices, so that there are no others; nil if they are unknown.
        #expect(benchmark.dividends == (includesDividends ? [] : nil))
        #expect(provider == .yahoo)
    }

    @Test("names the argument of a benchmark that is unknown, or whose prices a split changes")
    func unusableBenchmark() async throws {
        let service = try service(source([.raw]))
        let unknown = FieldError.argument(
            "benchmark", code: .notFound, "yahoo knows no symbol \"TSLA\".", provider: .yahoo)
        await #expect(throws: unknown) { try await service.benchmark(symbol("TSLA"), from: monday) }
        let raw = FieldError.argument(
            "benchmark", code: .unsupported,
            "The prices of \"AAPL\" have no currency, or are not corrected for splits.", provider: .yahoo)
        await #expect(throws: raw) { try await service.benchmark(.example, from: monday) }
    }

    /// A conversion of one unit, the pairs that the source has, the result, and the number of calls.
    struct Conversion: Sendable {
        let from: String
        let to: String
        let rates: [String: Int]
        let result: String?
        let calls: Int
    }

    @Test(
        "has the rate of a conversion by the quoted pair, its inverse, or the US dollar",
        arguments: [
            Conversion(from: "EUR", to: "USD", rates: ["EUR/USD": 2], result: "2", calls: 1),
            Conversion(from: "USD", to: "EUR", rates: ["EUR/USD": 2], result: "0.5", calls: 1),
            Conversion(from: "EUR", to: "USD", rates: ["USD/EUR": 4], result: "0.25", calls: 2),
            // 1 GBP = 2 USD, 1 USD = 3 CHF
            Conversion(
                from: "GBP", to: "CHF", rates: ["GBP/USD": 2, "USD/CHF": 3], result: "6", calls: 3),
            // One of two steps is no rate.
            Conversion(from: "GBP", to: "CHF", rates: ["GBP/USD": 2], result: nil, calls: 3),
        ])
    func rate(_ conversion: Conversion) async throws {
        var closes: [Symbol: [CalendarDate: Brokerage.Decimal]] = [:]
        for (pair, rate) in conversion.rates {
            closes[try symbol(pair)] = [monday: Brokerage.Decimal(rate)]
        }
        let source = FakeMarket(.yahoo, closes: closes)
        let pair = CurrencyPair(from: try Currency(conversion.from), to: try Currency(conversion.to))
        let rates = try await service(source).rates(of: [pair], from: monday)
        let known = try? rates.history.conversion(from: conversion.from, to: conversion.to, on: monday)
        #expect(try known?.apply(to: 1) == conversion.result.flatMap { Brokerage.Decimal($0) })
        #expect(rates.sources == [.yahoo])
        #expect(source.calls == ["charts": conversion.calls])
    }
}
