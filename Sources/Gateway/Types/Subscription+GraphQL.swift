import Brokerage
import GraphQL

/// The root of all subscriptions.
struct Subscription: Sendable {}

extension Subscription: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = Object<Subscription>("Subscription") {
        Field(
            "quotes", FollowedSymbols.self,
            events: { arguments, context in try context.livePrices(of: arguments.symbols) })
        Field(
            "positions", ProviderArguments.self,
            events: { arguments, context in try context.livePositions(with: arguments.provider) })
        Field(
            "account", AccountByID.self,
            events: { arguments, context in try context.liveAccount(id: arguments.id) })
        Field("orders", events: { context in try context.liveOrders() })
        Field(
            "goalsProgress", CurrencyArguments.self,
            events: { arguments, context in try context.liveGoalsProgress(in: arguments.currency) })
    }
}

struct FollowedSymbols: GraphQLArguments {
    let symbols: [Symbol]

    init(_ arguments: ArgumentReader) throws {
        symbols = try arguments["symbols"]
    }
}

struct AccountByID: GraphQLArguments {
    let id: String?

    init(_ arguments: ArgumentReader) throws {
        id = try arguments["id"]
    }
}
