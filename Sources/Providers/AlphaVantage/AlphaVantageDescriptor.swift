import Brokerage
import PorticoCore
package import Upstream

extension ProviderDescriptor {
    package static let alphaVantage = ProviderDescriptor(id: .alphaVantage, settings: AlphaVantageSettings())
    {
        values, environment throws(UsageError) in
        let settings = AlphaVantageSettings()
        let base = try settings.base(values)
        return DataService(
            .alphaVantage, in: environment, ofServer: try settings.configuration(values),
            ofUser: { AlphaVantageConfiguration(base: base, key: $0) },
            client: { AlphaVantageClient($0, over: $1).dataService })
    }
}

extension AlphaVantageClient {
    fileprivate var dataService: DataService.Client {
        DataService.Client(market: self, symbolMapping: symbolMapping) { call throws(ProviderFailure) in
            _ = try await search("IBM", limit: 1, in: call)
        }
    }
}
