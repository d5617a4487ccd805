import Alpaca
import Brokerage
import Gateway
import PorticoCore
import Storage
import Upstream

/// Connects users with Alpaca: by consent, by a pair of keys, or by a token.
struct AlpacaConnector: ProviderConnector {
    /// One of Alpaca's worlds, and where it is.
    struct Endpoints: Sendable {
        let environment: Environment
        let tradingURL: HTTPURL
        let dataURL: HTTPURL
        /// Nil for none: prices are polled.
        let dataStreamURL: HTTPURL?
        /// What its clients share.
        let directory: AlpacaAssetCache
    }

    /// Portico as it is registered with Alpaca, and where its users consent.
    struct Registration: Sendable {
        let clientID: String
        let clientSecret: String
        let authorizeURL: HTTPURL
        let tokenURL: HTTPURL
    }

    /// The one that is meant where a user does not say comes first.
    let endpoints: [Endpoints]
    /// Nil where users can bring keys and tokens only.
    let registration: Registration?
    let channelFactory: ProviderChannelFactory

    var provider: ProviderID { .alpaca }
    var environments: [Environment] { endpoints.map(\.environment) }

    func page(for request: OAuthConsentRequest) throws -> OAuthConsentURL {
        guard let registration else {
            throw FieldError.noApplication(of: .alpaca, SettingDefinition.alpacaClientID)
        }
        let authorization = authorization(registration, redirectURL: request.redirectURI)
        guard
            let url = authorization.address(
                state: request.state, scopes: AlpacaOAuthClient.Scope.allCases,
                environment: request.environment)
        else { throw FieldError.tooLong }
        return OAuthConsentURL(url: url)
    }

    func credential(
        for proof: SubmittedCredential, in environment: Environment, by call: CallContext
    ) async throws -> Secret {
        switch proof {
        case .authorization(let code, _, let redirectURI):
            guard let registration else {
                throw FieldError.noApplication(of: .alpaca, SettingDefinition.alpacaClientID)
            }
            do throws(ProviderFailure) {
                let grant = try await authorization(registration, redirectURL: redirectURI)
                    .grant(for: code.text, in: call)
                return Secret(grant.credential.stored)
            } catch {
                throw FieldError(connecting: error)
            }
        case .apiKey(let key, let secret?):
            return try Self.secret { () throws(AlpacaCredential.Malformed) in
                try .keys(id: key.text, secret: secret.text)
            }
        case .apiKey(_, nil):
            throw FieldError.argument(
                "input.credential.apiKey.secret", "It is missing: Alpaca's keys come in pairs.",
                provider: .alpaca)
        case .accessToken(let token):
            return try Self.secret { () throws(AlpacaCredential.Malformed) in try .token(token.text) }
        }
    }

    /// What is kept of a credential that can be sent.
    private static func secret(
        _ make: () throws(AlpacaCredential.Malformed) -> AlpacaCredential
    ) throws(FieldError) -> Secret {
        do throws(AlpacaCredential.Malformed) {
            return Secret(try make().stored)
        } catch {
            throw .argument("input.credential", "It cannot be sent. \(error)", provider: .alpaca)
        }
    }

    private func authorization(_ registration: Registration, redirectURL: HTTPURL) -> AlpacaOAuthFlow {
        AlpacaOAuthFlow(
            AlpacaOAuthClient(
                clientID: registration.clientID, clientSecret: registration.clientSecret,
                redirectURL: redirectURL),
            authorizeURL: registration.authorizeURL, tokenURL: registration.tokenURL,
            over: channelFactory.channel(for: QuotaAccount(.alpaca)))
    }

    func open(
        _ secret: Secret, of kept: StoredConnection, spending holder: QuotaAccount,
        renewedIn keeper: any RotatingCredentialStore
    ) -> ConnectionClients? {
        guard let credential = AlpacaCredential(stored: secret.bytes),
            let place = endpoints.first(where: { $0.environment == kept.environment }),
            let configuration = try? AlpacaConfiguration(
                environment: place.environment, tradingURL: place.tradingURL, dataURL: place.dataURL,
                dataStreamURL: credential.isToken ? nil : place.dataStreamURL, credential: credential)
        else { return nil }
        let client = AlpacaClient(
            configuration, over: channelFactory.channel(for: holder), directory: place.directory)
        return ConnectionClients(
            accounts: client, orders: client, watchlists: client,
            market: MarketDataSource(
                client, symbolMapping: AlpacaSymbols(), provider: .alpaca, environment: place.environment,
                for: .owner(kept.owner, connection: kept.id)),
            limits: channelFactory.limits(of: holder))
    }
}
