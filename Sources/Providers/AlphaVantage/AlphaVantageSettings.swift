import Brokerage
package import PorticoCore
package import Upstream

/// The settings of Alpha Vantage.
package struct AlphaVantageSettings: DataServiceSettings {
    package let title = "Alpha Vantage"

    package let key = SecretSetting("alpha-vantage-key", "The API key.")
    let isPremium = Setting(
        "alpha-vantage-premium", .boolean, default: false, "Whether the key belongs to a premium plan.")
    let entitlement = Setting(
        "alpha-vantage-entitlement", .choice(AlphaVantageEntitlement.self),
        unset: "bulk quotes if the plan has them, otherwise prices of the end of the day",
        """
        The American prices that the key's premium plan includes: real-time prices, or prices that are 15 minutes late. \
        Implies a premium plan. Prices that the plan does not include are refused.
        """)
    let callsPerMinute = Setting(
        "alpha-vantage-per-minute", .integer(1...100_000), unset: "the limit of the plan", "Calls per minute."
    )
    let callsPerDay = Setting(
        "alpha-vantage-per-day", .integer(1...100_000_000), unset: "the limit of the plan", "Calls per day.")
    package let baseURL = Setting(
        "alpha-vantage-base-url", .url, unset: "the provider's URL", "The URL of Alpha Vantage.")

    package var standardURL: HTTPURL? { AlphaVantageConfiguration.url(of: .live) }

    package init() {}

    /// The configuration of the server's own key; nil if none is set.
    package func configuration(_ values: SettingValues) throws(UsageError) -> AlphaVantageConfiguration? {
        guard let key = try serverKey(values) else { return nil }
        let limits = ["minute": try values[callsPerMinute], "day": try values[callsPerDay]]
        let entitlement = try values[entitlement]
        let isPremium = try values[isPremium] || entitlement != nil
        let plan =
            isPremium ? AlphaVantagePlan.premium(callsPerMinute: try values[callsPerMinute] ?? 75) : .free
        let windows = plan.windows.map { window in
            limits[window.name].flatMap(\.self)
                .map { QuotaWindow(window.name, limit: $0, per: window.period) } ?? window
        }
        return AlphaVantageConfiguration(
            base: try base(values), key: key, plan: plan, entitlement: entitlement, windows: windows)
    }
}
