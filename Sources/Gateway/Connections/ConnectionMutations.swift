import Brokerage
import GraphQL

extension Mutation {
    /// The mutations of connections with providers.
    @FieldsBuilder<Mutation> static var connections: [Field<Mutation>] {
        Field(
            "beginConnection", BeginConnectionArguments.self,
            once: { arguments, scope -> MaybeAsync<AuthorizationStart?> in
                guard let owner = scope.session.owner else { throw scope.session.unauthenticated }
                try scope.services.check(arguments.provider)
                return .async {
                    try await scope.services.connectionService.begin(
                        arguments.provider, in: arguments.environment, redirectURI: arguments.redirectURI,
                        for: owner, from: scope.client)
                }
            })
        Field(
            "connectProvider", InputArguments<ConnectProviderInput>.self,
            once: { arguments, scope -> MaybeAsync<ConnectProviderPayload?> in
                guard let owner = scope.session.owner else { throw scope.session.unauthenticated }
                try scope.services.check(arguments.input.provider, of: "input.provider")
                return .async {
                    ConnectProviderPayload(
                        connection: try await scope.services.connectionService.connect(
                            arguments.input, for: owner, from: scope.client, in: scope.call))
                }
            })
        Field(
            "disconnectProvider", IDArguments.self,
            once: { arguments, scope -> MaybeAsync<DeletePayload?> in
                guard let owner = scope.session.owner else { throw scope.session.unauthenticated }
                return .async {
                    try await scope.services.connectionService.disconnect(arguments.id, of: owner)
                    return DeletePayload(deletedID: arguments.id)
                }
            })
    }
}

/// The new or renewed link.
struct ConnectProviderPayload: GraphQLObject {
    typealias Context = RequestScope

    let connection: ProviderConnection

    static let graphQL = ObjectType<ConnectProviderPayload>("ConnectProviderPayload") {
        Field("connection", \.connection)
        Field("viewer", once: { scope in try ViewerService(scope).viewer() })
    }
}

extension AuthorizationStart: GraphQLObject {
    static let graphQL = ObjectType<AuthorizationStart>("ConnectionRequest") {
        Field("url", \.url)
        Field("state", \.state)
        Field("expiresAt", \.expiresAt)
    }
}

struct BeginConnectionArguments: GraphQLArguments {
    let provider: ProviderID
    let redirectURI: String
    let environment: Environment?

    init(_ arguments: ArgumentReader) throws {
        provider = try arguments["provider"]
        redirectURI = try (arguments["redirectUri"] as AddressText).text
        environment = try arguments["environment"]
    }
}
