import Brokerage
import GraphQL
import Storage

/// `ConnectProviderInput` of the schema.
struct ConnectProviderInput: GraphQLInputObject {
    let provider: Provider
    let credential: CredentialInput
    let environment: Environment?
    let label: String?
    /// The id that the schema gives the connection.
    let renew: String?

    init(_ arguments: ArgumentReader) throws {
        provider = try arguments["provider"]
        credential = try arguments["credential"]
        environment = try arguments["environment"]
        label = try arguments["label"]
        renew = try arguments["renew"]
    }

    static var sample: ConnectProviderInput {
        ConnectProviderInput(provider: .alpaca, credential: .sample)
    }

    private init(provider: Provider, credential: CredentialInput) {
        self.provider = provider
        self.credential = credential
        (environment, label, renew) = (nil, nil, nil)
    }
}

/// `CredentialInput` of the schema; what is secret in it never prints itself.
enum CredentialInput: GraphQLInputObject {
    case authorization(code: Secret, state: String, redirectURI: String)
    case apiKey(Secret, secret: Secret?)
    case accessToken(Secret)

    init(_ arguments: ArgumentReader) throws {
        let authorization: AuthorizationCodeInput? = try arguments["authorization"]
        let apiKey: APIKeyInput? = try arguments["apiKey"]
        let accessToken: String? = try arguments["accessToken"]
        // Of a oneOf input just one is there; only the binder, which tries the initialiser out, brings none.
        if let authorization {
            self = .authorization(
                code: authorization.code, state: authorization.state, redirectURI: authorization.redirectURI)
        } else if let apiKey {
            self = .apiKey(apiKey.key, secret: apiKey.secret)
        } else {
            self = .accessToken(Secret(accessToken ?? ""))
        }
    }

    static var sample: CredentialInput { .accessToken(Secret("")) }
}

/// What came back with a consent.
struct AuthorizationCodeInput: GraphQLInputObject {
    let code: Secret
    let state: String
    let redirectURI: String

    init(_ arguments: ArgumentReader) throws {
        code = Secret(try arguments["code"] as String)
        state = try arguments["state"]
        redirectURI = try arguments["redirectUri"]
    }

    static var sample: AuthorizationCodeInput {
        AuthorizationCodeInput(code: Secret(""), state: "", redirectURI: "")
    }

    private init(code: Secret, state: String, redirectURI: String) {
        self.code = code
        self.state = state
        self.redirectURI = redirectURI
    }
}

/// A key, and for some providers the secret that belongs to it.
struct APIKeyInput: GraphQLInputObject {
    static let graphQLName = "ApiKeyInput"

    let key: Secret
    let secret: Secret?

    init(_ arguments: ArgumentReader) throws {
        key = Secret(try arguments["key"] as String)
        secret = (try arguments["secret"] as String?).map { Secret($0) }
    }

    static var sample: APIKeyInput { APIKeyInput(key: Secret("")) }

    private init(key: Secret) {
        self.key = key
        secret = nil
    }
}
