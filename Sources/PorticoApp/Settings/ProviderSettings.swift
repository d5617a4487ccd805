package import Brokerage
import Foundation
import Gateway
package import PorticoCore
import ProviderFile
import Upstream

/// The providers of a server, and their routes.
package struct ProviderSettings {
    /// Each provider with the values of its settings.
    let providers: [(id: ProviderID, provider: any ConfiguredProvider)]
    /// Where browsers may be redirected with a consent.
    let redirectURIs: Set<HTTPURL>
    let routes: ProviderRoutes
    private let hasFile: Bool

    /// - Parameters:
    ///   - values: The settings that are set.
    ///   - environment: The environment of all providers; nil for that of each provider's settings.
    /// - Throws: `UsageError` for invalid or incomplete settings.
    package init(_ values: SettingValues, in environment: Environment? = nil) throws(UsageError) {
        var providers: [(id: ProviderID, provider: any ConfiguredProvider)] = []
        hasFile = values.isSet(Settings.server.providers)
        let fileProviders = try ProviderRegistry.fileProviders(values)
        for descriptor in ProviderRegistry.all + fileProviders.map(\.descriptor) {
            providers.append((descriptor.id, try descriptor.configure(values, environment)))
        }
        self.providers = providers
        redirectURIs = try Self.redirectURIs(values)
        routes = try ProviderRoutes(values, fileProviders)
        guard !redirectURIs.isEmpty || !providers.contains(where: \.provider.hasApplication) else {
            throw UsageError(
                """
                An application needs \(Settings.users.redirectURIs.variable): the addresses, separated by commas, to \
                which a provider may redirect browsers after the consent.
                """)
        }
    }

    /// Whether no account, no application and no provider file is set.
    var isEmpty: Bool {
        !hasFile && !providers.contains { $0.provider.hasAccount || $0.provider.hasApplication }
    }

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
    /// The routes of the settings; the standard ones with the providers of a file at their positions.
    fileprivate init(_ values: SettingValues, _ fileProviders: [ProviderDescription]) throws(UsageError) {
        self = ProviderRegistry.routes
        let routes = Settings.routes
        let settings: [(MarketDataCapability, Setting<[String]>)] = [
            (.quotes, routes.quotes), (.charts, routes.charts), (.instruments, routes.instruments),
            (.fundamentals, routes.fundamentals), (.news, routes.news), (.clock, routes.clock),
            (.corporateActions, routes.corporateActions),
        ]
        let known = ProviderRegistry.ids + fileProviders.map(\.id)
        for (capability, setting) in settings {
            let able =
                ProviderRegistry.routes[capability]
                + fileProviders.filter { $0.capabilities.contains(capability) }.map(\.id)
            var providers: [ProviderID] = []
            for name in try values[setting] {
                let text = name.replacing("_", with: "-").lowercased()
                guard let provider = known.first(where: { $0.name.text == text }) else {
                    throw UsageError(
                        "\(values.name(of: setting)) has \"\(name)\", which is not a provider. The providers are: "
                            + known.map(\.name.text).joined(separator: ", ") + ".")
                }
                guard able.contains(provider) else {
                    throw UsageError(
                        "\(values.name(of: setting)) has \"\(name)\", which has no \(capability.name). The providers with "
                            + "\(capability.name) are: \(able.map { $0.name.text }.joined(separator: ", "))."
                    )
                }
                providers.append(provider)
            }
            self[capability] = providers
            if !values.isSet(setting) { insert(fileProviders, into: capability) }
        }
    }

    /// Inserts each provider at the position in its file; one without a position is the last.
    private mutating func insert(
        _ fileProviders: [ProviderDescription], into capability: MarketDataCapability
    ) {
        let providers = fileProviders.filter { $0.capabilities.contains(capability) }
        for provider in providers.sorted(by: {
            ($0.routes[capability] ?? .max) < ($1.routes[capability] ?? .max)
        }) {
            let index = (provider.routes[capability] ?? .max) - 1
            self[capability].insert(provider.id, at: min(index, self[capability].count))
        }
    }
}
