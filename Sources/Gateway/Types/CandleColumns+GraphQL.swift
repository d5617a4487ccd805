package import Brokerage
package import GraphQL

/// A chart's candles by column.
struct CandleColumns: Sendable {
    let series: CandleSeries
}

extension CandleColumns: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = Object<CandleColumns>("CandleColumns") {
        Field("time") { Rows($0.series.times.lazy.map(UnixTime.init)) }
        Field("open") { Rows(NumberColumn(column: $0.series.prices.open)) }
        Field("high") { Rows(NumberColumn(column: $0.series.prices.high)) }
        Field("low") { Rows(NumberColumn(column: $0.series.prices.low)) }
        Field("close") { Rows(NumberColumn(column: $0.series.prices.close)) }
        Field("volume") { Rows(NumberColumn(column: $0.series.volume)) }
        Field("bid") { $0.series.bid }
        Field("ask") { $0.series.ask }
        Field("lastComplete") { $0.series.isLastComplete }
    }
}

extension PriceColumns: GraphQLObject {
    package typealias Context = GatewayContext

    package static let graphQL = Object<PriceColumns>("BidAskColumns") {
        Field("open") { Rows(NumberColumn(column: $0.open)) }
        Field("high") { Rows(NumberColumn(column: $0.high)) }
        Field("low") { Rows(NumberColumn(column: $0.low)) }
        Field("close") { Rows(NumberColumn(column: $0.close)) }
    }
}

/// The figures of a column as JSON numbers; null where there is none.
struct NumberColumn: RandomAccessCollection, Sendable {
    let column: DecimalColumn

    var startIndex: Int { 0 }
    var endIndex: Int { column.count }
    subscript(index: Int) -> Number? { column[index].map(Number.init) }
}
