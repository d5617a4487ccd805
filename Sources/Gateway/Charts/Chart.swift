package import Brokerage
import Foundation
package import GraphQL

/// A chart as it is written: the candles are created one by one from the columns.
struct Chart: Sendable {
    let series: CandleSeries
    private let arguments: ChartArguments

    init(_ series: CandleSeries, for arguments: ChartArguments) {
        self.series = arguments.excerpt(of: series)
        self.arguments = arguments
    }

    fileprivate var id: ChartID { ChartID(series, arguments) }
}

extension Chart: GraphQLObject {
    static let graphQL = ObjectType<Chart>("Chart") {
        Field("id") { $0.id.nodeID.text }
        Field("symbol", \.series.symbol)
        Field("interval", \.series.interval)
        Field("currency", \.series.currency)
        Field("adjustment", \.series.adjustment)
        Field("extendedHours", \.series.isExtendedHours)
        Field("timeZone", \.series.timeZone)
        Field("truncated", \.series.isTruncated)
        Field("candles") { LazyMapList(ListedCandles($0.series)) }
        Field("unreadableCandles", \.series.unreadable.count)
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

/// The candles of a series, before them a failure for each that could not be read: its time is unknown, and clients find
/// the latest candle at the end.
struct ListedCandles: RandomAccessCollection, Sendable {
    private let rows: CandleRows
    private let failures: [FieldError]

    init(_ series: CandleSeries) {
        rows = CandleRows(series)
        failures = series.unreadable.map { .unreadable("a candle", $0, of: series.provenance.source) }
    }

    var startIndex: Int { 0 }
    var endIndex: Int { failures.count + rows.count }

    subscript(index: Int) -> Result<CandleRow, any Error> {
        index < failures.count ? .failure(failures[index]) : .success(rows[index - failures.count])
    }
}

/// One candle: values without references, so that its fields are written directly.
struct CandleRow: Sendable {
    let time: Instant
    let date: CalendarDate?
    let candle: Candle
    let isComplete: Bool
}

extension CandleRow: GraphQLObject {
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
    package static let graphQL = ObjectType<OHLC>("BidAskBar") {
        Field("open", \.open)
        Field("high", \.high)
        Field("low", \.low)
        Field("close", \.close)
    }
}

/// A chart's candles by column.
struct CandleColumns: Sendable {
    let series: CandleSeries
}

extension CandleColumns: GraphQLObject {
    static let graphQL = ObjectType<CandleColumns>("CandleColumns") {
        Field("time") { LazyMapList($0.series.times.lazy.map(UnixTime.init)) }
        Field("open") { LazyMapList(NumberColumn(column: $0.series.prices.open)) }
        Field("high") { LazyMapList(NumberColumn(column: $0.series.prices.high)) }
        Field("low") { LazyMapList(NumberColumn(column: $0.series.prices.low)) }
        Field("close") { LazyMapList(NumberColumn(column: $0.series.prices.close)) }
        Field("volume") { LazyMapList(NumberColumn(column: $0.series.volume)) }
        Field("bid") { $0.series.bid }
        Field("ask") { $0.series.ask }
        Field("lastComplete") { $0.series.isLastComplete }
    }
}

extension OHLCColumns: GraphQLObject {
    package static let graphQL = ObjectType<OHLCColumns>("BidAskColumns") {
        Field("open") { LazyMapList(NumberColumn(column: $0.open)) }
        Field("high") { LazyMapList(NumberColumn(column: $0.high)) }
        Field("low") { LazyMapList(NumberColumn(column: $0.low)) }
        Field("close") { LazyMapList(NumberColumn(column: $0.close)) }
    }
}

/// The numbers of a column as JSON numbers; null for a missing value.
struct NumberColumn: RandomAccessCollection, Sendable {
    let column: DecimalColumn

    var startIndex: Int { 0 }
    var endIndex: Int { column.count }
    subscript(index: Int) -> Number? { column[index].map(Number.init) }
}

/// The time zone of an exchange, which defines its days.
enum ExchangeTimeZone: Sendable {
    /// By far the most common; Portico's own rules for it take no look-up.
    case newYork
    case other(TimeZone)
    /// UTC, or an unknown zone.
    case utc

    /// By its IANA name.
    init(_ name: String?) {
        switch name {
        case nil, "UTC", "Etc/UTC": self = .utc
        case "America/New_York", "US/Eastern": self = .newYork
        case let name?: self = TimeZone(identifier: name).map(Self.other) ?? .utc
        }
    }
}

extension Instant {
    /// The day by the clock of an exchange.
    func date(in zone: ExchangeTimeZone) -> CalendarDate {
        switch zone {
        case .newYork: inNewYork.date
        case .utc: dateInUTC
        case .other(let zone):
            (self + .seconds(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(secondsSince1970)))))
                .dateInUTC
        }
    }
}
