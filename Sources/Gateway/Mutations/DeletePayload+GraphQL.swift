import GraphQL

/// `DeletePayload` of the schema: what is gone, for the client's cache.
struct DeletePayload: Sendable {
    let deletedID: String
}

extension DeletePayload: GraphQLObject {
    typealias Context = GatewayContext

    static let graphQL = ObjectType<DeletePayload>("DeletePayload") {
        Field("deletedId", \.deletedID)
    }
}
