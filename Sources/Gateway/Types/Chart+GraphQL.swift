package import Brokerage
package import GraphQL

/// A chart as it is written: the candles are made one by one out of the columns.
struct Chart: Sendable {
    let series: CandleSeries

    init(_ series: CandleSeries) {
        self.series = series
    }
}

extension Chart: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = ObjectType<Chart>("Chart") {
        Field("symbol", \.series.symbol)
        Field("interval", \.series.interval)
        Field("currency", \.series.currency)
        Field("adjustment", \.series.adjustment)
        Field("extendedHours", \.series.isExtendedHours)
        Field("timeZone", \.series.timeZone)
        Field("truncated", \.series.isTruncated)
        Field("candles") { LazyList(CandleRows($0.series)) }
        Field("columns") { CandleColumns(series: $0.series) }
        Field("asOf", \.series.provenance.asOf)
        Field("fetchedAt", \.series.provenance.fetchedAt)
        Field("source", \.series.provenance.source)
        Field("stale", \.series.provenance.isStale)
    }
}

/// The candles of a series, made one by one.
struct CandleRows: RandomAccessCollection, Sendable {
    private let series: CandleSeries
    private let timeZone: ExchangeTimeZone
    /// Days have a date of their own: midnight in New York is another day in UTC.
    private let hasDates: Bool

    init(_ series: CandleSeries) {
        self.series = series
        timeZone = ExchangeTimeZone(series.timeZone)
        switch series.interval {
        case .oneDay, .oneWeek, .oneMonth: hasDates = true
        case .oneMinute, .fiveMinutes, .fifteenMinutes, .thirtyMinutes, .oneHour: hasDates = false
        }
    }

    var startIndex: Int { 0 }
    var endIndex: Int { series.count }

    subscript(index: Int) -> CandleRow {
        let candle = series[index]
        let time = Instant(secondsSince1970: candle.time) ?? .earliest
        return CandleRow(
            time: time, date: hasDates ? time.date(in: timeZone) : nil, candle: candle,
            isComplete: index < series.count - 1 || series.isLastComplete ?? true)
    }
}

/// One candle: plain values without references, so that its fields are written from where they lie.
struct CandleRow: Sendable {
    let time: Instant
    let date: CalendarDate?
    let candle: Candle
    let isComplete: Bool
}

extension CandleRow: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = ObjectType<CandleRow>("Candle") {
        Field("time", \.time)
        Field("date", \.date)
        Field("open", \.candle.prices.open)
        Field("high", \.candle.prices.high)
        Field("low", \.candle.prices.low)
        Field("close", \.candle.prices.close)
        Field("volume", \.candle.volume)
        Field("bid", \.candle.bid)
        Field("ask", \.candle.ask)
        Field("complete", \.isComplete)
    }
}

extension OHLC: GraphQLObject {
    package typealias Context = GatewayContext

    package static let graphQL = ObjectType<OHLC>("BidAskBar") {
        Field("open", \.open)
        Field("high", \.high)
        Field("low", \.low)
        Field("close", \.close)
    }
}
