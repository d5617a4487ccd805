import Brokerage
import GraphQL

/// The root of all subscriptions.
struct Subscription: Sendable {}

extension Subscription: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = ObjectType<Subscription>("Subscription") {
        Field(
            "quotes", QuoteSubscriptionArguments.self,
            events: { arguments, context in try context.livePrices(of: arguments.symbols) },
            value: { $0 },
            context: { event, context in
                guard case .success(let quote?) = event else { return context }
                return context.showing(.quote(quote))
            })
        Field(
            "positions", ProviderArguments.self,
            events: { arguments, context in try context.livePositions(with: arguments.provider) },
            value: \.value, context: { event, context in context.showing(event.carried) })
        Field(
            "account", AccountSubscriptionArguments.self,
            events: { arguments, context in try context.liveAccount(id: arguments.id) },
            value: \.value, context: { event, context in context.showing(event.carried) })
        Field(
            "orders", events: { context in try context.liveOrders() },
            value: \.value, context: { event, context in context.showing(event.carried) })
        Field(
            "goalsProgress", CurrencyArguments.self,
            events: { arguments, context in try context.liveGoalsProgress(in: arguments.currency) },
            value: \.value, context: nil)
    }
}

struct QuoteSubscriptionArguments: GraphQLArguments {
    let symbols: [Symbol]

    init(_ arguments: ArgumentReader) throws {
        symbols = try (arguments["symbols"] as BoundedList<Symbol>).elements
    }
}

struct AccountSubscriptionArguments: GraphQLArguments {
    let id: String?

    init(_ arguments: ArgumentReader) throws {
        id = try (arguments["id"] as IDText?)?.text
    }
}
