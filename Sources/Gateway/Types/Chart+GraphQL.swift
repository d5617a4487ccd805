package import Brokerage
package import GraphQL

/// A chart as it is written: the candles are made one by one out of the columns.
struct Chart: Sendable {
    /// Shared by all rows, so that a row costs no copy of the columns.
    let series: SharedSeries

    init(_ series: CandleSeries) {
        self.series = SharedSeries(series)
    }
}

/// A series that many rows look at.
final class SharedSeries: Sendable {
    let columns: CandleSeries
    /// Days have a date of their own: midnight in New York is another day in UTC.
    let hasDates: Bool
    let timeZone: ExchangeTimeZone

    init(_ columns: CandleSeries) {
        self.columns = columns
        timeZone = ExchangeTimeZone(columns.timeZone)
        switch columns.interval {
        case .oneDay, .oneWeek, .oneMonth: hasDates = true
        case .oneMinute, .fiveMinutes, .fifteenMinutes, .thirtyMinutes, .oneHour: hasDates = false
        }
    }
}

extension Chart: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = Object<Chart>("Chart") {
        Field("symbol") { $0.series.columns.symbol }
        Field("interval") { $0.series.columns.interval }
        Field("currency") { $0.series.columns.currency }
        Field("adjustment") { $0.series.columns.adjustment }
        Field("extendedHours") { $0.series.columns.isExtendedHours }
        Field("timeZone") { $0.series.columns.timeZone }
        Field("truncated") { $0.series.columns.isTruncated }
        Field("candles") { Rows(CandleRows(series: $0.series)) }
        Field("columns") { CandleColumns(series: $0.series) }
        Field("asOf") { $0.series.columns.reading.asOf }
        Field("fetchedAt") { $0.series.columns.reading.fetchedAt }
        Field("source") { $0.series.columns.reading.source }
        Field("stale") { $0.series.columns.reading.isStale }
    }
}

/// The candles of a series, by their place in it.
struct CandleRows: RandomAccessCollection, Sendable {
    let series: SharedSeries

    var startIndex: Int { 0 }
    var endIndex: Int { series.columns.count }
    subscript(index: Int) -> CandleRow { CandleRow(series: series, index: index) }
}

/// One candle: a place in the columns.
struct CandleRow: Sendable {
    let series: SharedSeries
    let index: Int

    private var time: Int64 { series.columns.times[index] }
    fileprivate var start: Instant { Instant(secondsSince1970: time) ?? .earliest }
    fileprivate var date: CalendarDate? {
        series.hasDates ? start.date(in: series.timeZone) : nil
    }
    fileprivate var isComplete: Bool {
        index < series.columns.count - 1 || series.columns.isLastComplete ?? true
    }
}

extension CandleRow: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = Object<CandleRow>("Candle") {
        Field("time") { $0.start }
        Field("date") { $0.date }
        Field("open") { $0.series.columns.prices.open[$0.index] ?? .zero }
        Field("high") { $0.series.columns.prices.high[$0.index] ?? .zero }
        Field("low") { $0.series.columns.prices.low[$0.index] ?? .zero }
        Field("close") { $0.series.columns.prices.close[$0.index] ?? .zero }
        Field("volume") { $0.series.columns.volume[$0.index] }
        Field("bid") { row in row.series.columns.bid.map { $0[row.index] } }
        Field("ask") { row in row.series.columns.ask.map { $0[row.index] } }
        Field("complete") { $0.isComplete }
    }
}

extension PriceBar: GraphQLObject {
    package typealias Context = GatewayContext

    package static let graphQL = Object<PriceBar>("BidAskBar") {
        Field("open", \.open)
        Field("high", \.high)
        Field("low", \.low)
        Field("close", \.close)
    }
}
