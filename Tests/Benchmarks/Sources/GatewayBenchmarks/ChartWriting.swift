import Alpaca
import Brokerage
import Contract
import Gateway
import GraphQL
import Storage
import Upstream

/// How fast a long chart is written once it has been read: megabytes of response a second.
struct ChartWriting {
    private let schema: ExecutableSchema<RequestScope>
    private let backends: GatewayServices

    static let candles = 10_000
    static let forms = [
        (name: "candles", fields: "candles { time open high low close volume }"),
        (name: "columns", fields: "columns { time open high low close volume }"),
    ]

    init() throws {
        schema = try ExecutableSchema(contract: Contract.schemaText)
        let source = MarketDataSource(
            LongSeries(), symbolMapping: AlpacaSymbols(), provider: .alpaca, environment: .sandbox,
            for: .everybody
        )
        let monitor = ProviderMonitor()
        backends = try GatewayServices(
            connections: [], market: [source], reads: ReadCaches(clock: .stopped),
            userData: UserData(in: .temporary(), .random()),
            condition: { provider in
                ProviderHealthReport(health: monitor.health(of: provider), rateLimits: [])
            })
    }

    /// The response to one form of the question.
    func response(_ fields: String, candles: Int = Self.candles) async throws -> [UInt8] {
        let scope = RequestScope(
            session: .anonymous, services: backends, call: CallContext(deadline: .now + .seconds(60)))
        let request = GraphQLRequest(
            "{ chart(symbol: \"AAPL\", interval: ONE_MINUTE, last: \(candles)) { \(fields) } }")
        return try await schema.respond(to: request, context: scope).value().body
    }

    /// So many minutes of prices in cents; nil where a column could not hold them.
    static func series(of symbol: Symbol, _ interval: Interval, candles: Int) -> CandleSeries? {
        var series = CandleSeries(
            symbol: symbol, interval: interval, provenance: Provenance(source: .alpaca, fetchedAt: .now),
            reserving: candles)
        for minute in 0..<candles {
            guard series.append(candle(minute)) else { return nil }
        }
        return series
    }

    private static func candle(_ minute: Int) -> Candle {
        func price(_ cents: Int) -> Decimal { Decimal(coefficient: Int128(cents), scale: 2) ?? .zero }
        let base = 22_745 + minute * 7_919 % 400
        return Candle(
            time: 1_795_185_000 + Int64(minute) * 60,
            prices: OHLC(
                open: price(base), high: price(base + 31), low: price(base - 17), close: price(base + 5)),
            volume: Decimal(90_211 + minute * 31 % 5_000))
    }
}

extension TimeSource {
    /// Nothing grows old.
    static var stopped: TimeSource {
        let (now, wallTime) = (ContinuousClock.now, Instant.now)
        return TimeSource(now: { now }, wallTime: { wallTime }, sleep: TimeSource.system.sleep)
    }
}

/// As many minutes of prices as are wanted.
private struct LongSeries: ChartSource {
    let chartCapabilities = ChartCapabilities(intervals: [.oneMinute], adjustments: [.raw])

    func charts(
        of symbols: [Symbol], _ window: ChartWindow, in call: CallContext
    ) async throws(ProviderFailure) -> KeyedResults<Symbol, CandleSeries> {
        var charts = KeyedResults<Symbol, CandleSeries>()
        for symbol in symbols {
            let series = ChartWriting.series(of: symbol, window.interval, candles: window.maximumCandles)
            guard let series else { throw ProviderFailure(.alpaca, .invalidResponse(nil)) }
            charts[symbol] = series
        }
        return charts
    }
}
