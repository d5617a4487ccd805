import Brokerage
import GraphQL
import PorticoCore
import Storage

/// `ConnectProviderInput` of the schema.
struct ConnectProviderInput: GraphQLInputObject {
    let provider: ProviderID
    let credential: CredentialInput
    let environment: Environment?
    let label: String?
    /// The id that the schema gives the connection.
    let renew: String?
    let realTimePrices: Bool?

    init(_ arguments: ArgumentReader) throws {
        provider = try arguments["provider"]
        credential = try arguments["credential"]
        environment = try arguments["environment"]
        let label = try (arguments["label"] as LabelText?)?.text
        self.label = label?.isEmpty == true ? nil : label
        renew = try (arguments["renew"] as IDText?)?.text
        realTimePrices = try arguments["realTimePrices"]
    }
}

/// `CredentialInput` of the schema; its secrets are never printed.
enum CredentialInput: GraphQLInputObject {
    case authorization(code: Secret, state: String, redirectURI: String)
    case apiKey(Secret, secret: Secret?)
    case accessToken(Secret)

    init(_ arguments: ArgumentReader) throws {
        let authorization: AuthorizationCodeInput? = try arguments["authorization"]
        let apiKey: APIKeyInput? = try arguments["apiKey"]
        let accessToken: SecretText? = try arguments["accessToken"]
        // Of a oneOf input just one is there; only the binder, which tries the initialiser out, brings none.
        if let authorization {
            self = .authorization(
                code: authorization.code, state: authorization.state, redirectURI: authorization.redirectURI)
        } else if let apiKey {
            self = .apiKey(apiKey.key, secret: apiKey.secret)
        } else {
            self = .accessToken(accessToken?.secret ?? Secret(""))
        }
    }
}

/// The result of a consent.
struct AuthorizationCodeInput: GraphQLInputObject {
    let code: Secret
    let state: String
    let redirectURI: String

    init(_ arguments: ArgumentReader) throws {
        code = try (arguments["code"] as SecretText).secret
        state = try (arguments["state"] as CodeText).text
        redirectURI = try (arguments["redirectUri"] as AddressText).text
    }
}

/// A key, and for some providers the secret that belongs to it.
struct APIKeyInput: GraphQLInputObject {
    static let graphQLName = "ApiKeyInput"

    let key: Secret
    let secret: Secret?

    init(_ arguments: ArgumentReader) throws {
        key = try (arguments["key"] as SecretText).secret
        secret = try (arguments["secret"] as SecretText?)?.secret
    }
}
