import Brokerage
import PorticoCore
import Upstream

/// Connects users with Alpaca: by OAuth consent, by a key with its secret, or by a token.
struct AlpacaConnector: ProviderConnector {
    /// The environments, the default one first, each with the cache that its clients share.
    private let endpoints: [(urls: AlpacaSettings.Endpoints, assets: AlpacaAssetCache)]
    /// Nil if users can connect with keys and tokens only.
    private let application: AlpacaSettings.Application?
    private let channels: ProviderChannelFactory
    private let plans: AlpacaPlanCache

    init(
        _ endpoints: [AlpacaSettings.Endpoints], _ application: AlpacaSettings.Application?,
        _ channels: ProviderChannelFactory
    ) {
        self.endpoints = endpoints.map { ($0, AlpacaAssetCache(clock: channels.clock)) }
        self.application = application
        self.channels = channels
        plans = AlpacaPlanCache(clock: channels.clock)
    }

    var provider: ProviderID { .alpaca }
    var environments: [Environment] { endpoints.map(\.urls.environment) }

    func page(for request: OAuthConsentRequest) throws(ConnectError) -> OAuthConsentURL {
        guard let application else { throw .noApplication(variable: AlpacaSettings().clientID.variable) }
        let authorization = authorization(application, redirectURL: request.redirectURI)
        guard
            let url = authorization.address(
                state: request.state, scopes: AlpacaOAuthClient.Scope.allCases,
                environment: request.environment)
        else { throw .tooLongURL }
        return OAuthConsentURL(url: url)
    }

    func credential(
        for submitted: SubmittedCredential, in environment: Environment, by call: CallContext
    ) async throws(ConnectError) -> Secret {
        switch submitted {
        case .authorization(let code, _, let redirectURI):
            guard let application else { throw .noApplication(variable: AlpacaSettings().clientID.variable) }
            do throws(ProviderFailure) {
                let grant = try await authorization(application, redirectURL: redirectURI)
                    .grant(for: code.text, in: call)
                return Secret(grant.credential.stored)
            } catch {
                throw .failed(error)
            }
        case .apiKey(let key, let secret?):
            return try Self.secret { () throws(AlpacaCredential.Malformed) in
                try .keys(id: key.text, secret: secret.text)
            }
        case .apiKey(_, nil):
            throw .argument(
                "input.credential.apiKey.secret", message: "It is missing: Alpaca's keys come in pairs.")
        case .accessToken(let token):
            return try Self.secret { () throws(AlpacaCredential.Malformed) in try .token(token.text) }
        }
    }

    /// The stored form of a valid credential.
    private static func secret(
        _ make: () throws(AlpacaCredential.Malformed) -> AlpacaCredential
    ) throws(ConnectError) -> Secret {
        do throws(AlpacaCredential.Malformed) {
            return Secret(try make().stored)
        } catch {
            throw .argument("input.credential", message: "It cannot be sent. \(error)")
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
            over: channels.channel(for: QuotaAccount(.alpaca)))
    }

    func open(
        _ secret: Secret, of connection: ConnectionReference, spending account: QuotaAccount,
        renewedIn store: any RotatingCredentialStore
    ) -> ProviderClients? {
        guard let credential = AlpacaCredential(stored: secret.bytes),
            let (urls, assets) = endpoints.first(where: { $0.urls.environment == connection.environment }),
            let configuration = try? AlpacaConfiguration(
                environment: urls.environment, tradingURL: urls.tradingURL, dataURL: urls.dataURL,
                dataStreamURL: credential.isToken ? nil : urls.dataStreamURL, credential: credential,
                callsPerMinute: urls.callsPerMinute)
        else { return nil }
        let client = AlpacaClient(
            configuration, over: channels.channel(for: account), assetCache: assets, plans: .probed(plans))
        return ProviderClients(
            client, symbolMapping: AlpacaSymbols(), environment: urls.environment, watchlists: client,
            limits: channels.limits(of: account))
    }
}
