package import Brokerage
import Foundation
import Gateway
package import PorticoCore
import Upstream

/// The providers of a server, and their routes.
package struct ProviderSettings {
    /// Each provider with the values of its settings.
    let providers: [(id: ProviderID, provider: any ConfiguredProvider)]
    /// Where browsers may be redirected with a consent.
    let redirectURIs: Set<HTTPURL>
    let routes: ProviderRoutes

    /// - Parameters:
    ///   - values: The settings that are set.
    ///   - environment: The environment of all providers; nil for that of each provider's settings.
    /// - Throws: `UsageError` for invalid or incomplete settings.
    package init(_ values: SettingValues, in environment: Environment? = nil) throws(UsageError) {
        var providers: [(id: ProviderID, provider: any ConfiguredProvider)] = []
        for descriptor in ProviderRegistry.all {
            providers.append((descriptor.id, try descriptor.configure(values, environment)))
        }
        self.providers = providers
        redirectURIs = try Self.redirectURIs(values)
        routes = try ProviderRoutes(values)
        guard !redirectURIs.isEmpty || !providers.contains(where: \.provider.hasApplication) else {
            throw UsageError(
                """
                An application needs \(Settings.users.redirectURIs.variable): the addresses, separated by commas, to \
                which a provider may redirect browsers after the consent.
                """)
        }
    }

    /// Whether no account and no application is set.
    var isEmpty: Bool { !providers.contains { $0.provider.hasAccount || $0.provider.hasApplication } }

    private static func redirectURIs(_ values: SettingValues) throws(UsageError) -> Set<HTTPURL> {
        var urls: Set<HTTPURL> = []
        for text in try values[Settings.users.redirectURIs] ?? [] {
            guard let url = HTTPURL(text), url.isSecure || url.isLoopback else {
                throw UsageError(
                    """
                    \(values.name(of: Settings.users.redirectURIs)) has "\(text)", which is not an https address. http \
                    is allowed only for addresses of this machine, because it would send a code in clear text.
                    """)
            }
            urls.insert(url)
        }
        return urls
    }
}

extension ProviderRoutes {
    /// The routes of the settings.
    fileprivate init(_ values: SettingValues) throws(UsageError) {
        self = .standard
        let routes = Settings.routes
        let settings: [(MarketDataCapability, Setting<[String]>)] = [
            (.quotes, routes.quotes), (.charts, routes.charts), (.instruments, routes.instruments),
            (.fundamentals, routes.fundamentals), (.news, routes.news), (.clock, routes.clock),
        ]
        for (capability, setting) in settings {
            var providers: [ProviderID] = []
            for name in try values[setting] {
                guard let provider = ProviderID(rawValue: name.replacing("-", with: "_").uppercased()) else {
                    throw UsageError(
                        "\(values.name(of: setting)) has \"\(name)\", which is not a provider. The providers are: "
                            + ProviderID.allCases.map { $0.rawValue.lowercased() }.joined(separator: ", ")
                            + ".")
                }
                providers.append(provider)
            }
            self[capability] = providers
        }
    }
}
