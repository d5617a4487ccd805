import Brokerage
import PorticoCore
package import Upstream

extension ProviderDescriptor {
    package static let polygon = ProviderDescriptor(id: .polygon, settings: PolygonSettings()) {
        values, environment throws(UsageError) in
        let settings = PolygonSettings()
        let base = try settings.base(values)
        return DataService(
            .polygon, in: environment, ofServer: try settings.configuration(values),
            ofUser: { PolygonConfiguration(base: base, key: $0) },
            client: { PolygonClient($0, over: $1).dataService })
    }
}

extension PolygonClient {
    fileprivate var dataService: DataService.Client {
        DataService.Client(market: self, symbolMapping: symbolMapping) { call throws(ProviderFailure) in
            _ = try await search("IBM", limit: 1, in: call)
        }
    }
}
