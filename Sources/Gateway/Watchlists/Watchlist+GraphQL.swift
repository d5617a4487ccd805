import Brokerage
import GraphQL

extension Watchlist: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = ObjectType<Watchlist>("Watchlist") {
        Field("id") { $0.globalID }
        Field("name", \.name)
        Field("items", \.items)
        Field("createdAt", \.createdAt)
        Field("updatedAt", \.updatedAt)
        Field("provider") { $0.provider }
        Field("readOnly") { $0.isReadOnly }
    }
}

extension WatchlistItem: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = ObjectType<WatchlistItem>("WatchlistItem") {
        Field("symbol", \.symbol)
        Field("name", load: { items, context in context.names(of: items) })
        Field("instrument", load: { items, context in context.instruments(for: items.map(\.symbol)) })
        Field("addedAt", \.addedAt)
        Field(
            "quote", ProviderArguments.self,
            load: { items, arguments, context in
                context.quotes(
                    for: items.map(\.symbol), from: arguments.provider, as: Optional.some)
            })
        Field(
            "chart", ChartArguments.self,
            load: { items, arguments, context in
                context.charts(for: items.map(\.symbol), arguments, as: { Optional(Chart($0)) })
            })
    }
}

/// `WatchlistPayload` of the schema: the list as it is now.
struct WatchlistPayload: Sendable {
    let watchlist: Watchlist
}

extension WatchlistPayload: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = ObjectType<WatchlistPayload>("WatchlistPayload") {
        Field("watchlist", \.watchlist)
    }
}
