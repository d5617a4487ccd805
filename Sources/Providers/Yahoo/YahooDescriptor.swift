import Brokerage
import PorticoCore
package import Upstream

extension ProviderDescriptor {
    package static let yahoo = ProviderDescriptor(id: .yahoo, settings: YahooSettings()) {
        values, environment throws(UsageError) in
        ConfiguredYahoo(
            configuration: try YahooSettings().configuration(values), environment: environment ?? .live)
    }
}

/// Yahoo with the values of its settings; users do not connect with it.
private struct ConfiguredYahoo: ConfiguredProvider {
    let configuration: YahooConfiguration?
    let environment: Environment

    var hasAccount: Bool { configuration != nil }

    func clients(over channels: ProviderChannelFactory) -> ProviderClients? {
        guard let configuration else { return nil }
        let account = QuotaAccount(.yahoo)
        let client = YahooClient(configuration, over: channels.channel(for: account))
        // There is no credential to test.
        return ProviderClients(
            market: client, symbolMapping: client.symbolMapping, environment: environment,
            limits: channels.limits(of: account)
        ) { _ throws(ProviderFailure) in }
    }
}
