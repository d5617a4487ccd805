import Brokerage
import PorticoCore
import Upstream

/// Connects users with a data service, whose credential is not tried.
struct DataConnector: ProviderConnector {
    private struct NoMarketData: Sendable {}

    let provider = ProviderID.alpaca
    let environments: [Environment]
    private let market: any Sendable
    private let symbolMapping: any SymbolMapping

    init(
        environment: Environment = .paper, market: (any Sendable)? = nil, mapping: any SymbolMapping
    ) {
        environments = [environment]
        self.market = market ?? NoMarketData()
        symbolMapping = mapping
    }

    func page(for request: OAuthConsentRequest) throws(ConnectError) -> OAuthConsentURL {
        throw .argument("provider", message: "There is no consent.")
    }

    func credential(
        for submitted: SubmittedCredential, in environment: Environment, by call: CallContext
    ) async throws(ConnectError) -> Secret {
        throw .argument("input.credential", message: "No credential is tried.")
    }

    func open(
        _ secret: Secret, of connection: ConnectionReference, spending account: QuotaAccount,
        renewedIn store: any RotatingCredentialStore
    ) -> ProviderClients? {
        ProviderClients(
            market: market, symbolMapping: symbolMapping, environment: connection.environment,
            limits: { [] }, check: { _ in })
    }
}
