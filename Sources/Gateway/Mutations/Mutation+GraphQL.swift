package import GraphQL

/// The root of all mutations.
package struct Mutation: Sendable {
    package init() {}
}

extension Mutation: GraphQLObject {
    package typealias Context = GatewayContext

    package static let graphQL = Object<Mutation>("Mutation") {
        Mutation.sessions
        Mutation.users
        Mutation.connections
    }
}
