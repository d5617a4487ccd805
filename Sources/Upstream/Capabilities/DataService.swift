package import Brokerage
package import PorticoCore

/// The settings that all data services have: the server's own key, and the service's URL.
package protocol DataServiceSettings: SettingGroup {
    var key: SecretSetting { get }
    var baseURL: Setting<HTTPURL?> { get }
    /// The service's own URL; nil if there is none.
    var standardURL: HTTPURL? { get }
}

extension DataServiceSettings {
    /// The server's own key.
    ///
    /// - Parameter values: The values of the settings.
    /// - Returns: The key; nil if no setting of the group is set.
    /// - Throws: `UsageError` if other settings of the group are set, or if the key has an invalid form.
    package func serverKey(_ values: SettingValues) throws(UsageError) -> APIKey? {
        guard let text = try values[key] else {
            if values.names(in: self).isEmpty { return nil }
            throw values.incomplete(self, needs: "\(key.value.variable) or \(key.file.variable)")
        }
        do throws(APIKey.Malformed) {
            return try APIKey(text)
        } catch {
            throw UsageError("\(values.name(of: key)) cannot be used: \(error)")
        }
    }

    /// The URL to which keys are sent.
    ///
    /// - Parameter values: The values of the settings.
    /// - Returns: The URL.
    /// - Throws: `UsageError` if the URL has a query, or if keys would be sent over a network in clear text.
    package func base(_ values: SettingValues) throws(UsageError) -> ProviderBaseURL {
        _ = try values.secureURL(baseURL, for: "key")
        let url = try values.url(baseURL, otherwise: standardURL)
        do throws(ProviderBaseURL.Invalid) {
            return try ProviderBaseURL(url)
        } catch {
            throw UsageError("\(values.name(of: baseURL)) cannot be used: \(error)")
        }
    }
}

/// A data service with the values of its settings: the server has one key at most, and users connect with their own keys.
package struct DataService: ConfiguredProvider {
    /// The client of one key.
    package struct Client: Sendable {
        let market: any Sendable
        let symbolMapping: any SymbolMapping
        let check: @Sendable (CallContext) async throws(ProviderFailure) -> Void

        /// - Parameters:
        ///   - market: The client of market data, as in ``ProviderClients/market``.
        ///   - symbolMapping: The service's symbols.
        ///   - check: Tests the key with one call.
        package init(
            market: any Sendable, symbolMapping: any SymbolMapping,
            check: @escaping @Sendable (CallContext) async throws(ProviderFailure) -> Void
        ) {
            (self.market, self.symbolMapping, self.check) = (market, symbolMapping, check)
        }
    }

    private let provider: ProviderID
    private let environment: Environment
    private let ofServer: (@Sendable (ProviderChannel) -> Client)?
    private let ofUser: (@Sendable (APIKey, ProviderChannel) -> Client)?

    /// - Parameters:
    ///   - provider: The service.
    ///   - environment: The environment of all providers; nil for that of the service.
    ///   - ofServer: The configuration with the server's own key, or without one if the service needs none; nil if there is
    ///     none.
    ///   - ofUser: The configuration with a user's key, which is assumed to have the free plan; nil if users cannot connect.
    ///   - client: Makes the client of a configuration.
    package init<Configuration: Sendable>(
        _ provider: ProviderID, in environment: Environment?, ofServer: Configuration?,
        ofUser: (@Sendable (APIKey) -> Configuration)?,
        client: @escaping @Sendable (Configuration, ProviderChannel) -> Client
    ) {
        (self.provider, self.environment) = (provider, environment ?? .live)
        self.ofServer = if let ofServer { { client(ofServer, $0) } } else { nil }
        self.ofUser = if let ofUser { { client(ofUser($0), $1) } } else { nil }
    }

    package var hasAccount: Bool { ofServer != nil }

    package func clients(over channels: ProviderChannelFactory) -> ProviderClients? {
        guard let ofServer else { return nil }
        let account = QuotaAccount(provider)
        return clients(ofServer(channels.channel(for: account)), limits: channels.limits(of: account))
    }

    package func connector(over channels: ProviderChannelFactory) -> (any ProviderConnector)? {
        guard let ofUser else { return nil }
        return APIKeyConnector(provider, in: environment, over: channels) { key, channel, limits in
            clients(ofUser(key, channel), limits: limits)
        }
    }

    private func clients(
        _ client: Client, limits: @escaping @Sendable () -> [QuotaStatus]
    ) -> ProviderClients {
        ProviderClients(
            market: client.market, symbolMapping: client.symbolMapping, environment: environment,
            limits: limits, check: client.check)
    }
}
