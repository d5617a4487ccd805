import Brokerage
package import GraphQL

/// The root of all queries.
package struct Query: Sendable {
    package init() {}
}

extension Query: GraphQLObject {
    package typealias Context = GatewayContext

    package static let graphQL = Object<Query>("Query") {
        Field(
            "account", AccountArguments.self,
            once: { arguments, context in
                try context.account(id: arguments.id, with: arguments.provider)
            })
        Field(
            "accounts", ProviderArguments.self,
            once: { arguments, context in
                try context.accounts(with: arguments.provider)
            })
        Field(
            "positions", PositionsArguments.self,
            once: { arguments, context in
                try context.positions(with: arguments.provider, of: arguments.symbols)
            })
        Field(
            "quotes", QuotesArguments.self,
            once: { arguments, context in
                try context.quotes(of: arguments.symbols, from: arguments.provider)
            })
    }
}

struct AccountArguments: GraphQLArguments {
    let id: String?
    let provider: Provider?

    init(_ arguments: ArgumentReader) throws {
        id = try arguments["id"]
        provider = try arguments["provider"]
    }
}

struct ProviderArguments: GraphQLArguments {
    let provider: Provider?

    init(_ arguments: ArgumentReader) throws {
        provider = try arguments["provider"]
    }
}

struct PositionsArguments: GraphQLArguments {
    let provider: Provider?
    let symbols: [Symbol]?

    init(_ arguments: ArgumentReader) throws {
        provider = try arguments["provider"]
        symbols = try arguments["symbols"]
    }
}

struct QuotesArguments: GraphQLArguments {
    let symbols: [Symbol]
    let provider: Provider?

    init(_ arguments: ArgumentReader) throws {
        symbols = try arguments["symbols"]
        provider = try arguments["provider"]
    }
}
