import Brokerage
import PorticoCore
package import Upstream

extension ProviderDescriptor {
    package static let yahoo = ProviderDescriptor(id: .yahoo, settings: YahooSettings()) {
        values, environment throws(UsageError) in
        DataService(
            .yahoo, in: environment, ofServer: try YahooSettings().configuration(values), ofUser: nil,
            client: { YahooClient($0, over: $1).dataService })
    }
}

extension YahooClient {
    /// There is no key to test.
    fileprivate var dataService: DataService.Client {
        DataService.Client(market: self, symbolMapping: symbolMapping) { _ throws(ProviderFailure) in }
    }
}
