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
    let configuration: YahooSettings.Configuration?
    let environment: Environment

    var hasAccount: Bool { configuration != nil }

    func clients(over channels: ProviderChannelFactory) -> ProviderClients? {
        let account = QuotaAccount(.yahoo)
        let channel = channels.channel(for: account)
        func clients(_ client: any Sendable, _ symbols: any SymbolMapping) -> ProviderClients {
            // There is no credential to test.
            ProviderClients(
                market: client, symbolMapping: symbols, environment: environment,
                limits: channels.limits(of: account)
            ) { _ throws(ProviderFailure) in }
        }
        switch configuration {
        case .api(let configuration)?:
            let client = YahooClient(configuration, over: channel)
            return clients(client, client.symbolMapping)
        case .yql(let configuration)?:
            let client = YQLClient(configuration, over: channel)
            return clients(client, client.symbolMapping)
        case nil: return nil
        }
    }
}
