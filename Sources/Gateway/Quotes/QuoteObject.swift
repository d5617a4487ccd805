package import Brokerage
package import GraphQL

extension Quote: GraphQLObject {
    package typealias Context = GatewayContext

    package static let graphQL = ObjectType<Quote>("Quote") {
        Field("id") { NodeID(.quote, "\($0.provenance.source.rawValue):\($0.symbol)").text }
        Field("symbol", \.symbol)
        Field(
            "instrument",
            load: { quotes, context in context.instruments(for: quotes.map(\.symbol)) })
        Field("price", \.price)
        Field("bid", \.bid)
        Field("ask", \.ask)
        Field("open", \.open)
        Field("high", \.high)
        Field("low", \.low)
        Field("previousClose", \.previousClose)
        Field("volume", \.volume)
        Field("extendedHoursPrice", \.extendedHoursPrice)
        Field("change") { $0.change }
        Field("changePercentage") { $0.changePercent }
        Field("changePercent") { $0.changePercent?.doubleValue }
        Field("currency", \.currency)
        Field("marketState", \.marketState)
        Field("timeliness", \.timeliness)
        Field("delayMinutes", \.delayMinutes)
        Field("feed", \.feed)
        Field("asOf", \.provenance.asOf)
        Field("fetchedAt", \.provenance.fetchedAt)
        Field("source", \.provenance.source)
        Field("sourceName") { $0.provenance.source.rawValue }
        Field("stale", \.provenance.isStale)
    }
}
