import Brokerage
package import PorticoCore
import Upstream

/// The settings of Yahoo, which is off by default: its terms allow personal use only.
package struct YahooSettings: SettingGroup {
    package let title = "Yahoo"

    let isOn = Setting("yahoo", .boolean, default: false, "Use Yahoo, whose terms allow personal use only.")
    let format = Setting(
        "yahoo-format", .choice([("api", Format.api), ("yql", .yql)]), default: .api,
        "`api`: the current endpoints; `yql`: the query language of 2017 (YQL), which needs `yahoo-base-url`."
    )
    let baseURL = Setting("yahoo-base-url", .url, unset: "the provider's URL", "The URL of Yahoo.")
    let cookieURL = Setting(
        "yahoo-cookie-url", .url, unset: "the provider's URL",
        "The page that sets the cookie; required if `yahoo-base-url` is set for `api`.")

    enum Format: Sendable { case api, yql }

    /// The configuration of one of Yahoo's interfaces.
    package enum Configuration: Sendable {
        case api(YahooConfiguration)
        case yql(YQLConfiguration)
    }

    package init() {}

    /// The configuration; nil if Yahoo is off.
    package func configuration(_ values: SettingValues) throws(UsageError) -> Configuration? {
        guard try values[isOn] else {
            guard !values.isSet(format), !values.isSet(baseURL), !values.isSet(cookieURL) else {
                throw values.incomplete(self, needs: "\(isOn.variable)=true")
            }
            return nil
        }
        let (base, cookiePage) = (try values[baseURL], try values[cookieURL])
        do {
            switch try values[format] {
            case .api: return .api(try api(base, cookiePage, values))
            case .yql: return .yql(try yql(base, cookiePage, values))
            }
        } catch let error as UsageError {
            throw error
        } catch {
            throw UsageError("The configuration of Yahoo cannot be used: \(error)")
        }
    }

    /// Yahoo's own URLs, or two of another server: a cookie of one server is not valid at the other.
    private func api(
        _ base: HTTPURL?, _ cookiePage: HTTPURL?, _ values: SettingValues
    ) throws -> YahooConfiguration {
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
        return YahooConfiguration(
            base: try ProviderBaseURL(base), cookiePage: try ProviderBaseURL(cookiePage))
    }

    private func yql(
        _ base: HTTPURL?, _ cookiePage: HTTPURL?, _ values: SettingValues
    ) throws -> YQLConfiguration {
        guard let base else {
            throw UsageError(
                """
                Yahoo's query language was shut down in 2019: set \(baseURL.variable) to a server that still supports \
                it, or \(format.variable)=api.
                """)
        }
        guard cookiePage == nil else {
            throw UsageError(
                "Yahoo's query language needs no cookie: leave out \(values.name(of: cookieURL)).")
        }
        return YQLConfiguration(base: try ProviderBaseURL(base))
    }
}
