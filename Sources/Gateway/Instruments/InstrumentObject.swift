package import Brokerage
package import GraphQL
import Upstream

extension Instrument: GraphQLObject {
    package typealias Context = RequestScope

    package static let graphQL = ObjectType<Instrument>("Instrument") {
        Field("id") { NodeID(.instrument, $0.symbol.text).text }
        Field("name", \.name)
        Field("assetClass", \.assetClass)
        Field("exchange", \.exchange)
        Field("symbol", \.symbol)
        Field(
            "description",
            load: { instruments, scope in InstrumentService(scope).descriptions(of: instruments) })
        Field("currency", \.currency)
        Field("decimals", \.decimals)
        Field("contract", \.contract)
        Field(
            "marketDepth", ProviderArguments.self,
            load: { instruments, arguments, scope in
                QuoteService(scope).marketDepths(of: instruments.map(\.symbol), from: arguments.provider)
            })
        Field(
            "listings",
            selecting: { instruments, selected, scope in
                InstrumentService(scope).listings(of: instruments, with: selected)
            })
        Field(
            "fundamentals",
            load: { instruments, scope in InstrumentService(scope).fundamentals(of: instruments.map(\.symbol))
            })
        Field(
            "identity",
            selecting: { instruments, selected, scope in
                InstrumentService(scope).identities(of: instruments.map(\.symbol), with: selected)
            })
        Field(
            "dividends", CorporateActionArguments.self,
            load: { instruments, arguments, scope in
                try CorporateActionService(scope).dividendPages(of: instruments.map(\.symbol), arguments)
            })
        Field(
            "splits", CorporateActionArguments.self,
            load: { instruments, arguments, scope in
                try CorporateActionService(scope).splitPages(of: instruments.map(\.symbol), arguments)
            })
        Field(
            "tickSize", TickSizeArguments.self,
            load: { instruments, arguments, scope in
                try InstrumentService(scope).tickSizes(of: instruments.map(\.symbol), at: arguments.price)
            })
        Field(
            "lotSize",
            load: { instruments, scope in InstrumentService(scope).lotSizes(of: instruments.map(\.symbol)) })
        Field(
            "quote", ProviderArguments.self,
            load: { instruments, arguments, scope in
                QuoteService(scope).quotes(
                    for: instruments.map(\.symbol), from: arguments.provider, as: Optional.some)
            })
        Field(
            "chart", ChartArguments.self,
            load: { instruments, arguments, scope in
                ChartService(scope).charts(for: instruments.map(\.symbol), arguments, as: Optional.some)
            })
        Field(
            "news", PageArguments.self,
            load: { instruments, arguments, scope in
                .each(instruments) { try NewsService(scope).news(arguments.news, about: [$0.symbol]) }
            })
        Field(
            "positions",
            load: { instruments, scope in
                .each(instruments) { try AccountService(scope).positions(with: nil, of: [$0.symbol]) }
            })
        Field(
            "inWatchlists",
            load: { instruments, scope in try WatchlistService(scope).watchlists(with: instruments) })
    }
}

extension InstrumentContract: GraphQLAbstract {
    package static let graphQL = AbstractType<InstrumentContract>("Contract") {
        PossibleType(OptionContract.self) { if case .option(let option) = $0 { option } else { nil } }
        PossibleType(FutureContract.self) { if case .future(let future) = $0 { future } else { nil } }
    }
}

extension OptionContract: GraphQLObject {
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
    package static let graphQL = ObjectType<FutureContract>("FutureContract") {
        Field("underlying", \.underlying)
        Field("expiresOn", \.expiresOn)
        Field("multiplier", \.multiplier)
        Field("settlement", \.settlement)
    }
}

extension ContractSettlement: GraphQLEnum {}

/// A listing at a source, with what the broker permits its client.
package struct ListingObject: Sendable {
    let listing: Listing
    /// The scope of the source.
    let scope: CacheScope
    /// The permissions, or the failure of their read; none if they are not selected.
    var permissions: Result<TradingPermissions, any Error> = .success(TradingPermissions())
}

extension ListingObject: GraphQLObject {
    package static let graphQL = ObjectType<ListingObject>("Listing") {
        Field("provider", \.listing.provider)
        Field("key", \.listing.key)
        Field("assetType", \.listing.assetType)
        Field("exchange", \.listing.exchange)
        Field("tradable", throwing: { try $0.permissions.get().isTradable ?? $0.listing.isTradable })
        Field("fractionable", \.listing.isFractionable)
        Field("shortable", \.listing.isShortable)
        Field("orderTypes", throwing: { try $0.permissions.get().orderTypes ?? $0.listing.orderTypes })
        Field("tickSize", \.listing.tickSize)
        Field("minimumQuantity", \.listing.minimumQuantity)
        Field("quantityIncrement", \.listing.quantityIncrement)
    }
}

extension SearchHit: GraphQLObject {
    package typealias Context = RequestScope

    package static let graphQL = ObjectType<SearchHit>("SearchResult") {
        Field("symbol", \.instrument.symbol)
        Field("name", \.instrument.name)
        Field("assetClass", \.instrument.assetClass)
        Field("exchange", \.instrument.exchange)
        Field(
            "currency",
            load: { hits, scope in
                InstrumentService(scope).instruments(of: hits, with: ["currency"]).map {
                    $0.map { $0.map(\.currency) }
                }
            })
        Field("provider", \.instrument.provenance.source)
        Field(
            "instrument",
            selecting: { hits, selected, scope in
                InstrumentService(scope).instruments(of: hits, with: selected)
            })
        Field("matchScore", \.matchScore)
        Field("region", \.region)
    }
}
