package import Brokerage
package import GraphQL

extension Quote: GraphQLObject {
    package typealias Context = RequestScope

    package static let graphQL = ObjectType<Quote>("Quote") {
        Field("id") { NodeID(quoteOf: $0.symbol, from: $0.provenance.source).text }
        Field("symbol", \.symbol)
        Field(
            "instrument",
            load: { quotes, scope in InstrumentService(scope).instruments(for: quotes.map(\.symbol)) })
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
        Field("currency", \.currency)
        Field("marketState", \.marketState)
        Field("timeliness", \.timeliness)
        Field("delayMinutes", \.delayMinutes)
        Field("feed", \.feed)
        Field("option", \.option)
        Field("asOf", \.provenance.asOf)
        Field("fetchedAt", \.provenance.fetchedAt)
        Field("source", \.provenance.source)
        Field("stale", \.provenance.isStale)
    }
}

extension OptionQuote: GraphQLObject {
    package static let graphQL = ObjectType<OptionQuote>("OptionQuote") {
        Field("impliedVolatilityPercentage", \.impliedVolatilityPercentage)
        Field("openInterest", \.openInterest)
        Field("greeks", \.greeks)
    }
}

extension Greeks: GraphQLObject {
    package static let graphQL = ObjectType<Greeks>("Greeks") {
        Field("delta", \.delta)
        Field("gamma", \.gamma)
        Field("theta", \.theta)
        Field("vega", \.vega)
        Field("rho", \.rho)
    }
}
