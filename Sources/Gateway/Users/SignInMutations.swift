import Brokerage
import GraphQL
import PorticoCore
import Storage
import Upstream

extension Mutation {
    /// The mutations of a sign-in with the identity provider.
    @FieldsBuilder<Mutation> static var signIns: [Field<Mutation>] {
        Field(
            "beginSignIn", InputArguments<BeginSignInInput>.self,
            once: { arguments, scope in
                .async {
                    let service = try ViewerService(scope).identityProvider
                    return Optional(try await service.begin(arguments.input, from: scope.client))
                }
            })
        Field(
            "completeSignIn", InputArguments<CompleteSignInInput>.self,
            once: { arguments, scope in
                .async {
                    let service = try ViewerService(scope).identityProvider
                    return Optional(SessionPayload(try await service.complete(arguments.input), scope))
                }
            })
    }
}

extension ViewerService {
    /// The service of the identity provider.
    ///
    /// - Throws: `FieldError` UNSUPPORTED if the server has none.
    fileprivate var identityProvider: IdentityProviderService {
        get throws(FieldError) {
            if let service = authentication.identityProvider { return service }
            throw FieldError(.unsupported, "This server has no identity provider. Sign in with `signIn`.")
        }
    }
}

/// `BeginSignInInput` of the schema.
struct BeginSignInInput: Sendable {
    let redirectURI: String
    let scopes: [Scope]?
    let label: String?
}

extension BeginSignInInput: GraphQLInputObject {
    init(_ arguments: ArgumentReader) throws {
        redirectURI = try (arguments["redirectUri"] as AddressText).text
        scopes = try (arguments["scopes"] as BoundedList<Scope>?)?.elements
        label = try (arguments["label"] as SessionLabel?)?.text
    }
}

/// `CompleteSignInInput` of the schema.
struct CompleteSignInInput: Sendable {
    let code: Secret
    let state: String
    let browserSecret: String
    let issuer: String?
}

extension CompleteSignInInput: GraphQLInputObject {
    init(_ arguments: ArgumentReader) throws {
        code = try (arguments["code"] as SecretText).secret
        state = try (arguments["state"] as CodeText).text
        browserSecret = try (arguments["browserSecret"] as CodeText).text
        issuer = try (arguments["issuer"] as AddressText?)?.text
    }
}

/// A sign-in that has begun; `SignInRequest` of the schema.
struct SignInStart: Sendable {
    let url: String
    let state: String
    let browserSecret: String
    let expiresAt: Instant
}

extension SignInStart: GraphQLObject {
    static let graphQL = ObjectType<SignInStart>("SignInRequest") {
        Field("url", \.url)
        Field("state", \.state)
        Field("browserSecret", \.browserSecret)
        Field("expiresAt", \.expiresAt)
    }
}
