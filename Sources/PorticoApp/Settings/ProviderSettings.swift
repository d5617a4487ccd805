import Alpaca
import AlphaVantage
package import Brokerage
import Foundation
import Gateway
import Polygon
package import PorticoCore
import Saxo
import Upstream
import Yahoo

extension Settings {
    static let alpaca = AlpacaSettings()
    static let saxo = SaxoSettings()
    static let alphaVantage = AlphaVantageSettings()
    static let polygon = PolygonSettings()
    static let yahoo = YahooSettings()

    static let providers: [any SettingGroup] = [alpaca, saxo, alphaVantage, polygon, yahoo]
}

/// The providers of a server, and their routes.
package struct ProviderSettings {
    let alpaca: AlpacaConfiguration?
    let saxo: (configuration: SaxoConfiguration, token: SaxoToken)?
    let alphaVantage: AlphaVantageConfiguration?
    let polygon: PolygonConfiguration?
    let yahoo: YahooSettings.Configuration?
    let connecting: Connecting
    let routes: ProviderRoutes

    /// How users connect with providers.
    struct Connecting {
        /// Where browsers may be redirected with a consent.
        let redirectURIs: Set<HTTPURL>
        let alpaca: (endpoints: [AlpacaSettings.Endpoints], application: AlpacaSettings.Application?)
        let saxo: (configuration: SaxoConfiguration, application: SaxoSettings.Application?)
        let alphaVantage: ProviderBaseURL
        let polygon: ProviderBaseURL
    }

    /// - Parameters:
    ///   - values: The settings that are set.
    ///   - environment: The environment of all providers; nil for that of each provider's settings.
    /// - Throws: `UsageError` for invalid or incomplete settings.
    package init(_ values: SettingValues, in environment: Environment? = nil) throws(UsageError) {
        alpaca = try Settings.alpaca.configuration(values, in: environment)
        saxo = try Settings.saxo.account(values, in: environment)
        alphaVantage = try Settings.alphaVantage.configuration(values)
        polygon = try Settings.polygon.configuration(values)
        yahoo = try Settings.yahoo.configuration(values)
        connecting = try Connecting(values, in: environment)
        routes = try ProviderRoutes(values)
    }

    /// Whether no provider and no application is set.
    var isEmpty: Bool {
        alpaca == nil && saxo == nil && alphaVantage == nil && polygon == nil && yahoo == nil
            && !connecting.hasApplication
    }
}

extension ProviderSettings.Connecting {
    fileprivate init(_ values: SettingValues, in environment: Environment?) throws(UsageError) {
        redirectURIs = try Self.redirectURIs(values)
        alpaca = (
            try Settings.alpaca.endpoints(values, in: environment), try Settings.alpaca.application(values)
        )
        saxo = (
            try Settings.saxo.connecting(values, in: environment), try Settings.saxo.application(values)
        )
        alphaVantage = try Settings.alphaVantage.connectingBase(values)
        polygon = try Settings.polygon.connectingBase(values)
        guard !redirectURIs.isEmpty || !hasApplication else {
            throw UsageError(
                """
                An application needs \(Settings.users.redirectURIs.variable): the addresses, separated by commas, that \
                browsers are sent back to with a consent.
                """)
        }
    }

    fileprivate var hasApplication: Bool { alpaca.application != nil || saxo.application != nil }

    private static func redirectURIs(_ values: SettingValues) throws(UsageError) -> Set<HTTPURL> {
        var urls: Set<HTTPURL> = []
        for text in try values[Settings.users.redirectURIs] ?? [] {
            guard let url = HTTPURL(text), url.isSecure || url.isLoopback else {
                throw UsageError(
                    """
                    \(values.name(of: Settings.users.redirectURIs)) names "\(text)", which is no https address; http is \
                    for this machine's own only, as a code would go over a network in clear.
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
                        "\(values.name(of: setting)) names \"\(name)\", which is no provider. They are: "
                            + ProviderID.allCases.map { $0.rawValue.lowercased() }.joined(separator: ", ")
                            + ".")
                }
                providers.append(provider)
            }
            self[capability] = providers
        }
    }
}
