package import GraphQL

/// The root of all mutations, which run one after the other.
///
/// Each group of them stands beside what it changes.
package struct Mutation: Sendable {
    package init() {}
}

extension Mutation: GraphQLObject {
    package typealias Context = GatewayContext

    package static let graphQL = ObjectType<Mutation>("Mutation") {
        Mutation.sessions
        Mutation.users
        Mutation.connections
        Mutation.watchlists
        Mutation.goals
        Mutation.orders
    }
}
