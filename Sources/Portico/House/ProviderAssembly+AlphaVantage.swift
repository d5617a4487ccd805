import AlphaVantage
import Brokerage
import Gateway
import Sandbox
import Upstream

extension ProviderAssembly {
    /// Alpha Vantage by the server's own key.
    mutating func add(_ configuration: AlphaVantageConfiguration, in environment: Environment) {
        let client = AlphaVantageClient(configuration, over: channel(to: .alphaVantage))
        add(
            MarketDataSource(
                client, symbolMapping: client.symbolMapping, provider: .alphaVantage,
                environment: environment,
                for: .everybody))
    }
}

extension AlphaVantageConfiguration {
    /// The embedded sandbox's, by a free key.
    init(_ sandbox: Sandbox) throws {
        let url = try HTTPURL(ofSandbox: sandbox.alphaVantage.baseURL)
        try self.init(base: ProviderBaseURL(url), key: APIKey(FakeAlphaVantageSettings.demoKey))
    }

    /// The plan that the settings name.
    init(_ settings: AlphaVantageAccess) throws {
        do {
            let plan =
                settings.isPremium
                ? AlphaVantagePlan.premium(callsPerMinute: settings.perMinute ?? 75) : .free
            try self.init(
                base: ProviderBaseURL(settings.baseURL), key: APIKey(settings.key), plan: plan,
                windows: settings.windows(plan.windows))
        } catch {
            throw UsageError("The configuration of Alpha Vantage cannot be used: \(error)")
        }
        if base.exposesCredential {
            throw UsageError(
                "\(SettingDefinition.alphaVantageBaseURL.variable) would send the key over a network in clear; use https."
            )
        }
    }
}

extension AlphaVantageAccess {
    /// The plan's limits, with those that are set in the place of their own.
    fileprivate func windows(_ standard: [QuotaWindow]) -> [QuotaWindow] {
        let limits = ["minute": perMinute, "day": perDay]
        return standard.map { window in
            limits[window.name].flatMap(\.self)
                .map { QuotaWindow(window.name, limit: $0, per: window.period) } ?? window
        }
    }
}
