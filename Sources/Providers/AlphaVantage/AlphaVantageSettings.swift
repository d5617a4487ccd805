import Brokerage
package import PorticoCore
package import Upstream

/// The settings of Alpha Vantage.
package struct AlphaVantageSettings: SettingGroup {
    package let title = "Alpha Vantage"

    let key = SecretSetting("alpha-vantage-key", "The API key.")
    let isPremium = Setting(
        "alpha-vantage-premium", .boolean, default: false, "Whether the key belongs to a premium plan.")
    let callsPerMinute = Setting(
        "alpha-vantage-per-minute", .integer(1...100_000), unset: "the limit of the plan", "Calls per minute."
    )
    let callsPerDay = Setting(
        "alpha-vantage-per-day", .integer(1...100_000_000), unset: "the limit of the plan", "Calls per day.")
    let baseURL = Setting(
        "alpha-vantage-base-url", .url, unset: "the provider's URL", "The URL of Alpha Vantage.")

    package init() {}

    /// The configuration of the server's own key; nil if none is set.
    package func configuration(_ values: SettingValues) throws(UsageError) -> AlphaVantageConfiguration? {
        guard !values.names(in: self).isEmpty else { return nil }
        guard let secret = try values[key] else {
            throw values.incomplete(self, needs: "\(key.value.variable) or \(key.file.variable)")
        }
        let limits = ["minute": try values[callsPerMinute], "day": try values[callsPerDay]]
        let plan =
            try values[isPremium]
            ? AlphaVantagePlan.premium(callsPerMinute: values[callsPerMinute] ?? 75) : .free
        let windows = plan.windows.map { window in
            limits[window.name].flatMap(\.self)
                .map { QuotaWindow(window.name, limit: $0, per: window.period) } ?? window
        }
        let base = try base(values)
        guard !base.exposesCredential else {
            throw UsageError(
                "\(baseURL.variable) would send the key over a network in clear text; use https.")
        }
        do {
            return AlphaVantageConfiguration(
                base: base, key: try APIKey(secret), plan: plan, windows: windows)
        } catch {
            throw UsageError("The configuration of Alpha Vantage cannot be used: \(error)")
        }
    }

    /// The URL for users who connect with their own keys.
    package func connectingBase(_ values: SettingValues) throws(UsageError) -> ProviderBaseURL {
        _ = try values.secureURL(baseURL, for: "key")
        return try base(values)
    }

    private func base(_ values: SettingValues) throws(UsageError) -> ProviderBaseURL {
        let url = try values.url(baseURL, otherwise: AlphaVantageConfiguration.url(of: .live))
        do {
            return try ProviderBaseURL(url)
        } catch {
            throw UsageError("The configuration of Alpha Vantage cannot be used: \(error)")
        }
    }
}
