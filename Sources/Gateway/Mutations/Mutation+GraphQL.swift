package import GraphQL

/// The root of all mutations.
package struct Mutation: Sendable {
    package init() {}
}

extension Mutation: GraphQLObject {
    package typealias Context = GatewayContext

    package static let graphQL = Object<Mutation>("Mutation") {
        Mutation.connections
    }
}

/// `DeletePayload` of the schema: what is no more.
struct DeletePayload: Sendable {
    /// As the schema gave it.
    let deletedID: String
}

extension DeletePayload: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = Object<DeletePayload>("DeletePayload") {
        Field("deletedId", \.deletedID)
    }
}
