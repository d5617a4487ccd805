package import Brokerage
package import GraphQL

/// A chart's candles by column.
struct CandleColumns: Sendable {
    let series: CandleSeries
}

extension CandleColumns: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = ObjectType<CandleColumns>("CandleColumns") {
        Field("time") { LazyList($0.series.times.lazy.map(UnixTime.init)) }
        Field("open") { LazyList(NumberColumn(column: $0.series.prices.open)) }
        Field("high") { LazyList(NumberColumn(column: $0.series.prices.high)) }
        Field("low") { LazyList(NumberColumn(column: $0.series.prices.low)) }
        Field("close") { LazyList(NumberColumn(column: $0.series.prices.close)) }
        Field("volume") { LazyList(NumberColumn(column: $0.series.volume)) }
        Field("bid") { $0.series.bid }
        Field("ask") { $0.series.ask }
        Field("lastComplete") { $0.series.isLastComplete }
    }
}

extension OHLCColumns: GraphQLObject {
    package typealias Context = GatewayContext

    package static let graphQL = ObjectType<OHLCColumns>("BidAskColumns") {
        Field("open") { LazyList(NumberColumn(column: $0.open)) }
        Field("high") { LazyList(NumberColumn(column: $0.high)) }
        Field("low") { LazyList(NumberColumn(column: $0.low)) }
        Field("close") { LazyList(NumberColumn(column: $0.close)) }
    }
}

/// The figures of a column as JSON numbers; null where there is none.
struct NumberColumn: RandomAccessCollection, Sendable {
    let column: DecimalColumn

    var startIndex: Int { 0 }
    var endIndex: Int { column.count }
    subscript(index: Int) -> Number? { column[index].map(Number.init) }
}
