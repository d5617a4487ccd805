import Brokerage
import PorticoCore
package import Upstream

extension ProviderDescriptor {
    package static let saxo = ProviderDescriptor(id: .saxo, settings: SaxoSettings()) {
        values, environment throws(UsageError) in
        try ConfiguredSaxo(SaxoSettings(), values, in: environment)
    }
}

/// Saxo with the values of its settings.
private struct ConfiguredSaxo: ConfiguredProvider {
    let account: (configuration: SaxoConfiguration, token: SaxoToken)?
    let takesTradeLevel: Bool
    let connecting: SaxoConfiguration
    let application: SaxoSettings.Application?

    init(
        _ settings: SaxoSettings, _ values: SettingValues, in environment: Environment?
    ) throws(UsageError) {
        account = try settings.account(values, in: environment)
        takesTradeLevel = try values[settings.takesRealTimePrices]
        connecting = try settings.connecting(values, in: environment)
        application = try settings.application(values)
    }

    var hasAccount: Bool { account != nil }
    var hasApplication: Bool { application != nil }

    /// Exchanges license prices to each user, so market data is private.
    func clients(over channels: ProviderChannelFactory) -> ProviderClients? {
        account.map { configuration, token in
            let account = QuotaAccount(.saxo, credential: "saxo")
            let client = SaxoClient(
                configuration, access: .token(token), over: channels.channel(for: account),
                instrumentCache: SaxoInstrumentCache(clock: channels.clock), takesTradeLevel: takesTradeLevel)
            return ProviderClients(
                client, symbolMapping: configuration.symbolMapping, environment: configuration.environment,
                watchlists: client, isMarketPrivate: true, takesRealTimePrices: takesTradeLevel,
                limits: channels.limits(of: account))
        }
    }

    func connector(over channels: ProviderChannelFactory) -> (any ProviderConnector)? {
        SaxoConnector(
            configuration: connecting, application: application,
            instrumentCache: SaxoInstrumentCache(clock: channels.clock), channels: channels)
    }
}
