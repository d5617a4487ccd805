import Brokerage
import Gateway
import Polygon
import Sandbox
import Upstream

extension ProviderAssembly {
    /// Polygon by the server's own key.
    mutating func add(_ configuration: PolygonConfiguration, in environment: Environment) {
        let client = PolygonClient(configuration, over: channel(to: .polygon))
        add(
            MarketDataSource(
                client, symbolMapping: client.symbolMapping, provider: .polygon, environment: environment,
                for: .everybody))
    }
}

extension PolygonConfiguration {
    /// The embedded sandbox's, by a free key.
    init(_ sandbox: Sandbox) throws {
        let url = try HTTPURL(ofSandbox: sandbox.polygon.baseURL)
        try self.init(base: ProviderBaseURL(url), key: APIKey(FakePolygonSettings.demoKey))
    }

    /// The plan that the settings name.
    init(_ settings: PolygonAccess) throws {
        do {
            try self.init(
                base: ProviderBaseURL(settings.baseURL), key: APIKey(settings.key), windows: settings.windows)
        } catch {
            throw UsageError("The configuration of Polygon cannot be used: \(error)")
        }
        if base.exposesCredential {
            throw UsageError(
                "\(SettingDefinition.polygonBaseURL.variable) would send the key over a network in clear; use https."
            )
        }
    }
}

extension PolygonAccess {
    /// The free plan's limits, or the one that is set.
    fileprivate var windows: [QuotaWindow] {
        PolygonConfiguration.freePlan.map { window in
            perMinute.map { QuotaWindow(window.name, limit: $0, per: window.period) } ?? window
        }
    }
}
