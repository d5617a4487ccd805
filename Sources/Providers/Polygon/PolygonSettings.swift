import Brokerage
package import PorticoCore
package import Upstream

/// The settings of Polygon.
package struct PolygonSettings: DataServiceSettings {
    package let title = "Polygon"

    package let key = SecretSetting("polygon-key", "The API key.")
    let callsPerMinute = Setting(
        "polygon-per-minute", .integer(1...100_000), unset: "the limit of the plan", "Calls per minute.")
    package let baseURL = Setting(
        "polygon-base-url", .url, unset: "the provider's URL", "The URL of Polygon.")

    package var standardURL: HTTPURL? { PolygonConfiguration.url(of: .live) }

    package init() {}

    /// The configuration of the server's own key; nil if none is set.
    package func configuration(_ values: SettingValues) throws(UsageError) -> PolygonConfiguration? {
        guard let key = try serverKey(values) else { return nil }
        let limit = try values[callsPerMinute]
        let windows = PolygonConfiguration.freePlan.map { window in
            limit.map { QuotaWindow(window.name, limit: $0, per: window.period) } ?? window
        }
        return PolygonConfiguration(base: try base(values), key: key, windows: windows)
    }
}
