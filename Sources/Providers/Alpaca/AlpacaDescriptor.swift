import Brokerage
import PorticoCore
package import Upstream

extension ProviderDescriptor {
    package static let alpaca = ProviderDescriptor(id: .alpaca, settings: AlpacaSettings()) {
        values, environment throws(UsageError) in
        try ConfiguredAlpaca(AlpacaSettings(), values, in: environment)
    }
}

/// Alpaca with the values of its settings.
private struct ConfiguredAlpaca: ConfiguredProvider {
    let account: AlpacaConfiguration?
    let endpoints: [AlpacaSettings.Endpoints]
    let application: AlpacaSettings.Application?

    init(
        _ settings: AlpacaSettings, _ values: SettingValues, in environment: Environment?
    ) throws(UsageError) {
        account = try settings.configuration(values, in: environment)
        endpoints = try settings.endpoints(values, in: environment)
        application = try settings.application(values)
    }

    var hasAccount: Bool { account != nil }
    var hasApplication: Bool { application != nil }

    func clients(over channels: ProviderChannelFactory) -> ProviderClients? {
        account.map { configuration in
            let account = QuotaAccount(.alpaca, credential: "alpaca")
            let client = AlpacaClient(configuration, over: channels.channel(for: account))
            return ProviderClients(
                client, symbolMapping: AlpacaSymbols(), environment: configuration.environment,
                watchlists: client, limits: channels.limits(of: account))
        }
    }

    func connector(over channels: ProviderChannelFactory) -> (any ProviderConnector)? {
        AlpacaConnector(endpoints, application, channels)
    }
}
