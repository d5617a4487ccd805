package import Brokerage
package import PorticoCore

/// Connects users with a data service by their own API keys: data and quota are those of the user.
package struct APIKeyConnector: ProviderConnector {
    package let provider: ProviderID
    private let environment: Environment
    private let channels: ProviderChannelFactory
    private let clients:
        @Sendable (APIKey, ProviderChannel, _ limits: @escaping @Sendable () -> [QuotaStatus]) ->
            ProviderClients

    /// - Parameters:
    ///   - provider: The data service.
    ///   - environment: Its environment.
    ///   - channels: The channels to providers.
    ///   - clients: Makes the clients of a key.
    package init(
        _ provider: ProviderID, in environment: Environment, over channels: ProviderChannelFactory,
        clients:
            @escaping @Sendable (
                APIKey, ProviderChannel, _ limits: @escaping @Sendable () -> [QuotaStatus]
            ) -> ProviderClients
    ) {
        self.provider = provider
        self.environment = environment
        self.channels = channels
        self.clients = clients
    }

    package var environments: [Environment] { [environment] }

    package func page(for request: OAuthConsentRequest) throws(ConnectError) -> OAuthConsentURL {
        throw .argument(
            "provider",
            message:
                "\(provider.name.text) asks for no consent: call `connectProvider` with the user's API key.")
    }

    package func credential(
        for submitted: SubmittedCredential, in environment: Environment, by call: CallContext
    ) async throws(ConnectError) -> Secret {
        guard case .apiKey(let key, secret: nil) = submitted else {
            throw .argument(
                "input.credential", message: "It is an `apiKey` without a secret for \(provider.name.text).")
        }
        do throws(APIKey.Malformed) {
            return Secret(try APIKey(key.text).text)
        } catch {
            throw .argument("input.credential.apiKey.key", message: "\(error)")
        }
    }

    package func open(
        _ secret: Secret, of connection: ConnectionReference, spending account: QuotaAccount,
        renewedIn store: any RotatingCredentialStore
    ) -> ProviderClients? {
        guard connection.environment == environment, let key = try? APIKey(secret.text) else { return nil }
        return clients(key, channels.channel(for: account), channels.limits(of: account))
    }
}
