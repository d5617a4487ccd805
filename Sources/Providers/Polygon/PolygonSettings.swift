import Brokerage
package import PorticoCore
package import Upstream

/// The settings of Polygon.
package struct PolygonSettings: SettingGroup {
    package let title = "Polygon"

    let key = SecretSetting("polygon-key", "The API key.")
    let callsPerMinute = Setting(
        "polygon-per-minute", .integer(1...100_000), unset: "the limit of the plan", "Calls per minute.")
    let baseURL = Setting("polygon-base-url", .url, unset: "the provider's URL", "The URL of Polygon.")

    package init() {}

    /// The configuration of the server's own key; nil if none is set.
    package func configuration(_ values: SettingValues) throws(UsageError) -> PolygonConfiguration? {
        guard !values.names(in: self).isEmpty else { return nil }
        guard let secret = try values[key] else {
            throw values.incomplete(self, needs: "\(key.value.variable) or \(key.file.variable)")
        }
        let limit = try values[callsPerMinute]
        let windows = PolygonConfiguration.freePlan.map { window in
            limit.map { QuotaWindow(window.name, limit: $0, per: window.period) } ?? window
        }
        let base = try base(values)
        guard !base.exposesCredential else {
            throw UsageError(
                "\(baseURL.variable) would send the key over a network in clear text; use https.")
        }
        do {
            return PolygonConfiguration(base: base, key: try APIKey(secret), windows: windows)
        } catch {
            throw UsageError("The configuration of Polygon cannot be used: \(error)")
        }
    }

    /// The URL for users who connect with their own keys.
    package func connectingBase(_ values: SettingValues) throws(UsageError) -> ProviderBaseURL {
        _ = try values.secureURL(baseURL, for: "key")
        return try base(values)
    }

    private func base(_ values: SettingValues) throws(UsageError) -> ProviderBaseURL {
        let url = try values.url(baseURL, otherwise: PolygonConfiguration.url(of: .live))
        do {
            return try ProviderBaseURL(url)
        } catch {
            throw UsageError("The configuration of Polygon cannot be used: \(error)")
        }
    }
}
