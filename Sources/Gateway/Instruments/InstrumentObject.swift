package import Brokerage
package import GraphQL

extension Instrument: GraphQLObject {
    package typealias Context = GatewayContext

    package static let graphQL = ObjectType<Instrument>("Instrument") {
        Field("id") { NodeID(.instrument, $0.symbol.text).text }
        Field("name", \.name)
        Field("assetClass", \.assetClass)
        Field("exchange", \.exchange)
        Field("symbol", \.symbol)
        Field("description", load: { instruments, context in context.descriptions(of: instruments) })
        Field("currency", \.currency)
        Field("decimals", \.decimals)
        Field("contract", \.contract)
        Field(
            "marketDepth", ProviderArguments.self,
            load: { instruments, arguments, context in
                context.marketDepths(of: instruments.map(\.symbol), from: arguments.provider)
            })
        Field("listings", load: { instruments, context in .each(instruments) { context.listings(of: $0) } })
        Field(
            "fundamentals",
            load: { instruments, context in context.fundamentals(of: instruments.map(\.symbol)) })
        Field(
            "identity",
            selecting: { instruments, selected, context in
                context.identities(of: instruments.map(\.symbol), with: selected)
            })
        Field(
            "dividends", CorporateActionArguments.self,
            load: { instruments, arguments, context in
                try context.dividendPages(of: instruments.map(\.symbol), arguments)
            })
        Field(
            "splits", CorporateActionArguments.self,
            load: { instruments, arguments, context in
                try context.splitPages(of: instruments.map(\.symbol), arguments)
            })
        Field(
            "tickSize", TickSizeArguments.self,
            load: { instruments, arguments, context in
                try context.tickSizes(of: instruments.map(\.symbol), at: arguments.price)
            })
        Field(
            "lotSize",
            load: { instruments, context in context.lotSizes(of: instruments.map(\.symbol)) })
        Field(
            "quote", ProviderArguments.self,
            load: { instruments, arguments, context in
                context.quotes(
                    for: instruments.map(\.symbol), from: arguments.provider, as: Optional.some)
            })
        Field(
            "chart", ChartArguments.self,
            load: { instruments, arguments, context in
                context.charts(for: instruments.map(\.symbol), arguments, as: Optional.some)
            })
        Field(
            "news", PageArguments.self,
            load: { instruments, arguments, context in
                .each(instruments) { try context.news(arguments.news, about: [$0.symbol]) }
            })
        Field(
            "positions",
            load: { instruments, context in
                .each(instruments) { try context.positions(with: nil, of: [$0.symbol]) }
            })
        Field(
            "inWatchlists",
            load: { instruments, context in try context.watchlists(with: instruments) })
    }
}

extension InstrumentContract: GraphQLAbstract {
    package typealias Context = GatewayContext

    package static let graphQL = AbstractType<InstrumentContract>("Contract") {
        PossibleType(OptionContract.self) { if case .option(let option) = $0 { option } else { nil } }
        PossibleType(FutureContract.self) { if case .future(let future) = $0 { future } else { nil } }
    }
}

extension OptionContract: GraphQLObject {
    package typealias Context = GatewayContext

    package static let graphQL = ObjectType<OptionContract>("OptionContract") {
        // Nullable as that of a future, so that a selection can have both.
        Field("underlying") { Optional($0.underlying) }
        Field("expiresOn", \.expiresOn)
        Field("strike", \.strike)
        Field("right", \.right)
        Field("multiplier", \.multiplier)
        Field("settlement", \.settlement)
    }
}

extension OptionContract.Right: GraphQLEnum {
    package static var graphQLName: String { "OptionRight" }
}

extension FutureContract: GraphQLObject {
    package typealias Context = GatewayContext

    package static let graphQL = ObjectType<FutureContract>("FutureContract") {
        Field("underlying", \.underlying)
        Field("expiresOn", \.expiresOn)
        Field("multiplier", \.multiplier)
        Field("settlement", \.settlement)
    }
}

extension ContractSettlement: GraphQLEnum {}

extension Listing: GraphQLObject {
    package typealias Context = GatewayContext

    package static let graphQL = ObjectType<Listing>("Listing") {
        Field("provider", \.provider)
        Field("key", \.key)
        Field("assetType", \.assetType)
        Field("exchange", \.exchange)
        Field("tradable", \.isTradable)
        Field("fractionable", \.isFractionable)
        Field("shortable", \.isShortable)
        Field("orderTypes", \.orderTypes)
        Field("tickSize", \.tickSize)
        Field("minimumQuantity", \.minimumQuantity)
        Field("quantityIncrement", \.quantityIncrement)
    }
}

extension SearchHit: GraphQLObject {
    package typealias Context = GatewayContext

    package static let graphQL = ObjectType<SearchHit>("SearchResult") {
        Field("symbol", \.instrument.symbol)
        Field("name", \.instrument.name)
        Field("assetClass", \.instrument.assetClass)
        Field("exchange", \.instrument.exchange)
        Field(
            "currency",
            load: { hits, context in
                context.instruments(of: hits, with: ["currency"]).map { $0.map { $0.map(\.currency) } }
            })
        Field("provider", \.instrument.provenance.source)
        Field(
            "instrument",
            selecting: { hits, selected, context in context.instruments(of: hits, with: selected) })
        Field("matchScore", \.matchScore)
        Field("region", \.region)
    }
}
