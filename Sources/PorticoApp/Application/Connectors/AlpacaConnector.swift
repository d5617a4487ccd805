import Alpaca
import Brokerage
import Gateway
import PorticoCore
import Storage
import Upstream

/// Connects users with Alpaca: by consent, by a pair of keys, or by a token.
struct AlpacaConnector: ProviderConnector {
    /// The environments, the default one first, each with the cache that its clients share.
    private let endpoints: [(urls: AlpacaSettings.Endpoints, assets: AlpacaAssetCache)]
    /// Nil if users can connect with keys and tokens only.
    private let application: AlpacaSettings.Application?
    private let channelFactory: ProviderChannelFactory

    init(
        _ endpoints: [AlpacaSettings.Endpoints], _ application: AlpacaSettings.Application?,
        _ channelFactory: ProviderChannelFactory
    ) {
        self.endpoints = endpoints.map { ($0, AlpacaAssetCache(clock: channelFactory.clock)) }
        self.application = application
        self.channelFactory = channelFactory
    }

    var provider: ProviderID { .alpaca }
    var environments: [Environment] { endpoints.map(\.urls.environment) }

    func page(for request: OAuthConsentRequest) throws -> OAuthConsentURL {
        guard let application else {
            throw FieldError.noApplication(of: .alpaca, Settings.alpaca.clientID)
        }
        let authorization = authorization(application, redirectURL: request.redirectURI)
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
            guard let application else {
                throw FieldError.noApplication(of: .alpaca, Settings.alpaca.clientID)
            }
            do throws(ProviderFailure) {
                let grant = try await authorization(application, redirectURL: redirectURI)
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

    private func authorization(_ application: AlpacaSettings.Application, redirectURL: HTTPURL)
        -> AlpacaOAuthFlow
    {
        AlpacaOAuthFlow(
            AlpacaOAuthClient(
                clientID: application.clientID, clientSecret: application.clientSecret,
                redirectURL: redirectURL),
            authorizeURL: application.authorizeURL, tokenURL: application.tokenURL,
            over: channelFactory.channel(for: QuotaAccount(.alpaca)))
    }

    func open(
        _ secret: Secret, of kept: StoredConnection, spending holder: QuotaAccount,
        renewedIn keeper: any RotatingCredentialStore
    ) -> ConnectionClients? {
        guard let credential = AlpacaCredential(stored: secret.bytes),
            let (urls, assets) = endpoints.first(where: { $0.urls.environment == kept.environment }),
            let configuration = try? AlpacaConfiguration(
                environment: urls.environment, tradingURL: urls.tradingURL, dataURL: urls.dataURL,
                dataStreamURL: credential.isToken ? nil : urls.dataStreamURL, credential: credential)
        else { return nil }
        let client = AlpacaClient(
            configuration, over: channelFactory.channel(for: holder), directory: assets)
        return ConnectionClients(
            accounts: client, orders: client, watchlists: client,
            market: MarketDataSource(
                client, symbolMapping: AlpacaSymbols(), provider: .alpaca, environment: urls.environment,
                for: .owner(kept.owner, connection: kept.id)),
            limits: channelFactory.limits(of: holder))
    }
}
