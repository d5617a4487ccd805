import Brokerage
import PorticoCore
package import Upstream

extension ProviderDescriptor {
    package static let polygon = ProviderDescriptor(id: .polygon, settings: PolygonSettings()) {
        values, environment throws(UsageError) in
        try ConfiguredPolygon(PolygonSettings(), values, in: environment)
    }
}

/// Polygon with the values of its settings.
private struct ConfiguredPolygon: ConfiguredProvider {
    let environment: Environment
    let account: PolygonConfiguration?
    /// The URL for users' own keys.
    let base: ProviderBaseURL

    init(
        _ settings: PolygonSettings, _ values: SettingValues, in environment: Environment?
    ) throws(UsageError) {
        self.environment = environment ?? .live
        account = try settings.configuration(values)
        base = try settings.connectingBase(values)
    }

    var hasAccount: Bool { account != nil }

    func clients(over channels: ProviderChannelFactory) -> ProviderClients? {
        account.map { configuration in
            let account = QuotaAccount(.polygon)
            return Self.clients(
                configuration, over: channels.channel(for: account), in: environment,
                limits: channels.limits(of: account))
        }
    }

    /// Users' keys are assumed to have the free plan.
    func connector(over channels: ProviderChannelFactory) -> (any ProviderConnector)? {
        APIKeyConnector(.polygon, in: environment, over: channels) {
            [base, environment] key, channel, limits in
            Self.clients(
                PolygonConfiguration(base: base, key: key), over: channel, in: environment, limits: limits)
        }
    }

    private static func clients(
        _ configuration: PolygonConfiguration, over channel: ProviderChannel, in environment: Environment,
        limits: @escaping @Sendable () -> [QuotaStatus]
    ) -> ProviderClients {
        let client = PolygonClient(configuration, over: channel)
        return ProviderClients(
            market: client, symbolMapping: client.symbolMapping, environment: environment, limits: limits
        ) { call throws(ProviderFailure) in
            _ = try await client.search("IBM", limit: 1, in: call)
        }
    }
}
