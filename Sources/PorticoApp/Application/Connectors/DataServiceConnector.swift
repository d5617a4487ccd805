import AlphaVantage
import Brokerage
import Gateway
import Polygon
import PorticoCore
import Storage
import Upstream

/// Connects users with a service of market data, by their own key: what it tells is theirs alone, and so is its quota.
struct DataServiceConnector: ProviderConnector {
    let provider: ProviderID
    let environment: Environment
    let channelFactory: ProviderChannelFactory
    /// Opens a key; the check is a call that shows whether it is good.
    private let source: @Sendable (APIKey, ProviderChannel, MarketDataSource.Visibility) -> Source

    private struct Source {
        let market: MarketDataSource
        let check: @Sendable (CallContext) async throws(ProviderFailure) -> Void
    }

    var environments: [Environment] { [environment] }

    func page(for request: OAuthConsentRequest) throws -> OAuthConsentURL {
        throw FieldError.argument(
            "provider",
            "\(provider.rawValue) asks for no consent: call `connectProvider` with the user's API key.",
            provider: provider)
    }

    func credential(
        for proof: SubmittedCredential, in environment: Environment, by call: CallContext
    ) async throws -> Secret {
        guard case .apiKey(let key, secret: nil) = proof else {
            throw FieldError.argument(
                "input.credential", "It is an `apiKey` without a secret for \(provider.rawValue).",
                provider: provider)
        }
        do throws(APIKey.Malformed) {
            return Secret(try APIKey(key.text).text)
        } catch {
            throw FieldError.argument("input.credential.apiKey.key", "\(error)", provider: provider)
        }
    }

    func open(
        _ secret: Secret, of kept: StoredConnection, spending holder: QuotaAccount,
        renewedIn keeper: any RotatingCredentialStore
    ) -> ConnectionClients? {
        guard kept.environment == environment, let key = try? APIKey(secret.text) else { return nil }
        let source = source(
            key, channelFactory.channel(for: holder), .owner(kept.owner, connection: kept.id))
        return ConnectionClients(
            market: source.market, limits: channelFactory.limits(of: holder), check: source.check)
    }

    /// Alpha Vantage at an address, whose free plan every user's key is taken to have.
    static func alphaVantage(
        at base: ProviderBaseURL, in environment: Environment, over lines: ProviderChannelFactory
    ) -> DataServiceConnector {
        DataServiceConnector(provider: .alphaVantage, environment: environment, channelFactory: lines) {
            key, line, audience in
            let client = AlphaVantageClient(AlphaVantageConfiguration(base: base, key: key), over: line)
            return Source(
                market: MarketDataSource(
                    client, symbolMapping: client.symbolMapping, provider: .alphaVantage,
                    environment: environment,
                    for: audience)
            ) { call throws(ProviderFailure) in
                _ = try await client.search("IBM", limit: 1, in: call)
            }
        }
    }

    /// Polygon at an address, likewise.
    static func polygon(
        at base: ProviderBaseURL, in environment: Environment, over lines: ProviderChannelFactory
    ) -> DataServiceConnector {
        DataServiceConnector(provider: .polygon, environment: environment, channelFactory: lines) {
            key, line, audience in
            let client = PolygonClient(PolygonConfiguration(base: base, key: key), over: line)
            return Source(
                market: MarketDataSource(
                    client, symbolMapping: client.symbolMapping, provider: .polygon, environment: environment,
                    for: audience)
            ) { call throws(ProviderFailure) in
                _ = try await client.search("IBM", limit: 1, in: call)
            }
        }
    }
}
