import Brokerage
import Testing
import Upstream

@Suite("Lifetimes")
struct CacheLifetimeTests {
    static let now = Instant("2026-11-20T15:32:10Z") ?? .earliest

    static func quote(_ provider: ProviderID, _ state: MarketState?, _ timeliness: Timeliness?) -> Quote {
        var quote = Quote(symbol: .example, provenance: Provenance(source: provider, fetchedAt: now))
        quote.marketState = state
        quote.timeliness = timeliness
        return quote
    }

    @Test(
        "of quotes go from 1 to 15 seconds, and five minutes for the end of a day, by provider, market and timeliness",
        arguments: [
            (ProviderID.alpaca, MarketState?.some(.open), Timeliness?.some(.realTime), 1),
            (.alpaca, .closed, .realTime, 15), (.alpaca, .halted, nil, 15), (.alpaca, nil, .delayed, 15),
            (.saxo, .pre, nil, 1), (.saxo, nil, .indicative, 15), (.yahoo, .post, nil, 5),
            (.yahoo, nil, nil, 5),
            (.alphaVantage, nil, nil, 15), (.alphaVantage, .open, .endOfDay, 300),
            (.polygon, .open, .realTime, 15),
        ])
    func quotes(_ provider: ProviderID, _ state: MarketState?, _ timeliness: Timeliness?, _ seconds: Int) {
        let lifetime = CacheLifetime.quote(Self.quote(provider, state, timeliness))
        #expect(lifetime.fresh == .seconds(seconds))
        #expect(lifetime.whileRevalidating == .zero)
    }

    struct ChartCase: CustomTestStringConvertible {
        let testDescription: String
        let interval: Interval
        /// Its last candle; nil for a chart without one.
        let last: String?
        var isComplete: Bool?
        var provider = ProviderID.alpaca
        let fresh: Int64
    }

    static let chartCases: [ChartCase] = [
        .init(
            testDescription: "complete, minutes", interval: .oneMinute, last: "2026-11-20T15:31:00Z",
            isComplete: true, fresh: 50),
        .init(
            testDescription: "running, minutes", interval: .oneMinute, last: "2026-11-20T15:32:00Z",
            isComplete: false, fresh: 5),
        .init(
            testDescription: "running, hours", interval: .oneHour, last: "2026-11-20T15:00:00Z",
            isComplete: false, fresh: 60),
        .init(
            testDescription: "complete, hours", interval: .oneHour, last: "2026-11-20T14:30:00Z",
            isComplete: true, fresh: 3_470),
        .init(
            testDescription: "unsaid, quarters", interval: .fifteenMinutes, last: "2026-11-20T15:30:00Z",
            fresh: 770),
        .init(
            testDescription: "running, days", interval: .oneDay, last: "2026-11-20T05:00:00Z",
            isComplete: false, fresh: 60),
        .init(
            testDescription: "running, of a scarce source", interval: .oneDay, last: "2026-11-20T05:00:00Z",
            isComplete: false, provider: .alphaVantage, fresh: 48_470),
        .init(
            testDescription: "complete, days", interval: .oneDay, last: "2026-11-19T05:00:00Z",
            isComplete: true, fresh: 48_470),
        .init(
            testDescription: "weeks change daily", interval: .oneWeek, last: "2026-11-16T05:00:00Z",
            fresh: 48_470),
        .init(
            testDescription: "of the past", interval: .oneMinute, last: "2026-10-20T05:00:00Z",
            isComplete: true, fresh: 3_600),
        .init(testDescription: "empty", interval: .oneDay, last: nil, fresh: 60),
        .init(
            testDescription: "of the future, by a wrong clock", interval: .oneHour,
            last: "2027-01-01T00:00:00Z", fresh: 3_600),
    ]

    @Test("of charts last until the next candle", arguments: chartCases)
    func charts(_ chart: ChartCase) throws {
        var series = CandleSeries(
            symbol: .example, interval: chart.interval,
            provenance: Provenance(source: chart.provider, fetchedAt: Self.now))
        if let last = chart.last {
            let time = try #require(Instant(last)).secondsSince1970
            let bar = OHLC(open: 1, high: 1, low: 1, close: 1)
            let isAppended = series.append(Candle(time: time, prices: bar, volume: nil))
            #expect(isAppended)
        }
        series.isLastComplete = chart.isComplete
        let lifetime = CacheLifetime.chart(series, readAt: Self.now)
        #expect(lifetime.fresh == .seconds(chart.fresh))
        #expect(lifetime.end >= .seconds(7 * 86_400))
    }

    @Test("of charts with times that no clock shows are one interval")
    func absurd() {
        for time in [Int64.max, .min] {
            var series = CandleSeries(
                symbol: .example, interval: .oneHour,
                provenance: Provenance(source: .saxo, fetchedAt: Self.now))
            let bar = OHLC(open: 1, high: 1, low: 1, close: 1)
            let isAppended = series.append(Candle(time: time, prices: bar, volume: nil))
            #expect(isAppended)
            #expect(CacheLifetime.chart(series, readAt: Self.now).fresh == .seconds(3_600))
        }
    }

    @Test("below zero are none")
    func negative() {
        let lifetime = CacheLifetime(
            fresh: .seconds(-1), whileRevalidating: .seconds(-1), ifError: .seconds(-5))
        #expect(lifetime.end == .zero)
    }
}
