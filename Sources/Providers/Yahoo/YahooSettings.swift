import Brokerage
package import PorticoCore
import Upstream

/// The settings of Yahoo, which is off by default: its terms allow personal use only.
package struct YahooSettings: SettingGroup {
    package let title = "Yahoo"

    let isOn = Setting("yahoo", .boolean, default: false, "Use Yahoo, whose terms allow personal use only.")
    let baseURL = Setting("yahoo-base-url", .url, unset: "the provider's URL", "The URL of Yahoo.")
    let cookieURL = Setting(
        "yahoo-cookie-url", .url, unset: "the provider's URL",
        "The page that sets the cookie; required if `yahoo-base-url` is set.")

    package init() {}

    /// The configuration; nil if Yahoo is off.
    ///
    /// Both URLs are Yahoo's own, or of another server: a cookie of one server is not valid at the other.
    package func configuration(_ values: SettingValues) throws(UsageError) -> YahooConfiguration? {
        guard try values[isOn] else {
            guard !values.isSet(baseURL), !values.isSet(cookieURL) else {
                throw values.incomplete(self, needs: "\(isOn.variable)=true")
            }
            return nil
        }
        let (base, cookiePage) = (try values[baseURL], try values[cookieURL])
        guard (base == nil) == (cookiePage == nil) else {
            throw UsageError(
                """
                \(values.name(of: baseURL)) and \(values.name(of: cookieURL)) belong together: set both, or leave \
                both out for Yahoo's own.
                """)
        }
        guard let base = base ?? YahooConfiguration.url(of: .live),
            let cookiePage = cookiePage ?? YahooConfiguration.cookieURL(of: .live)
        else { throw UsageError("Yahoo has no URL; set \(baseURL.variable).") }
        do {
            return YahooConfiguration(
                base: try ProviderBaseURL(base), cookiePage: try ProviderBaseURL(cookiePage))
        } catch {
            throw UsageError("The configuration of Yahoo cannot be used: \(error)")
        }
    }
}
