import Brokerage
import GraphQL

extension Mutation {
    /// The mutations of connections with providers.
    @FieldsBuilder<Mutation> static var connections: [Field<Mutation>] {
        Field(
            "beginConnection", BeginConnectionArguments.self,
            once: { arguments, context -> MaybeAsync<AuthorizationStart?> in
                guard let owner = context.session.owner else { throw context.session.unauthenticated }
                try context.check(arguments.provider)
                return .async {
                    try await context.services.connectionService.begin(
                        arguments.provider, in: arguments.environment, redirectURI: arguments.redirectURI,
                        for: owner, from: context.client)
                }
            })
        Field(
            "connectProvider", InputArguments<ConnectProviderInput>.self,
            once: { arguments, context -> MaybeAsync<ConnectProviderPayload?> in
                guard let owner = context.session.owner else { throw context.session.unauthenticated }
                try context.check(arguments.input.provider, of: "input.provider")
                return .async {
                    ConnectProviderPayload(
                        connection: try await context.services.connectionService.connect(
                            arguments.input, for: owner, from: context.client, in: context.call))
                }
            })
        Field(
            "disconnectProvider", IDArguments.self,
            once: { arguments, context -> MaybeAsync<DeletePayload?> in
                guard let owner = context.session.owner else { throw context.session.unauthenticated }
                return .async {
                    try await context.services.connectionService.disconnect(arguments.id, of: owner)
                    return DeletePayload(deletedID: arguments.id)
                }
            })
    }
}

/// The new or renewed link.
struct ConnectProviderPayload: GraphQLObject {
    typealias Context = GatewayContext

    let connection: ProviderConnection

    static let graphQL = ObjectType<ConnectProviderPayload>("ConnectProviderPayload") {
        Field("connection", \.connection)
        Field("viewer", once: { context in try context.viewer() })
    }
}

extension AuthorizationStart: GraphQLObject {
    typealias Context = GatewayContext

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
