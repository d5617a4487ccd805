import Alpaca
import Brokerage
import Foundation
import Gateway
import PorticoCore
import Saxo
import Upstream
import Yahoo

/// The providers that a server was configured for, and the order in which they are asked.
package struct ProviderSettings {
    let alpaca: AlpacaAccess?
    let saxo: SaxoAccess?
    let alphaVantage: AlphaVantageAccess?
    let polygon: PolygonAccess?
    let yahoo: YahooAccess?
    let connect: ConnectSettings
    let routes: ProviderRoutes

    package init(_ settings: SettingsLoader) throws {
        alpaca = try AlpacaAccess(settings)
        saxo = try SaxoAccess(settings)
        alphaVantage = try AlphaVantageAccess(settings)
        polygon = try PolygonAccess(settings)
        yahoo = try YahooAccess(settings)
        connect = try ConnectSettings(settings)
        routes = try ProviderRoutes(settings)
    }

    /// Whether nothing was configured.
    var isEmpty: Bool {
        alpaca == nil && saxo == nil && alphaVantage == nil && polygon == nil && yahoo == nil
            && connect.isEmpty
    }
}

extension ProviderRoutes {
    /// The standard routes, with those that are set in the place of their own.
    init(_ settings: SettingsLoader) throws {
        self = .standard
        for (capability, setting) in ProviderRoutes.settings {
            guard let text = try settings.text(setting) else { continue }
            self[capability] = try text.split(separator: ",").map { name in
                let name = name.trimmingCharacters(in: .whitespaces).replacing("-", with: "_")
                guard let provider = ProviderID(rawValue: name.uppercased())
                else {
                    throw UsageError(
                        "\(settings.name(of: setting)) names \"\(name)\", which is no provider. They are: "
                            + ProviderID.allCases.map { $0.rawValue.lowercased() }.joined(separator: ", ")
                            + "."
                    )
                }
                return provider
            }
        }
    }

    private static let settings: [(MarketDataCapability, SettingDefinition)] = [
        (.quotes, .routeQuotes), (.charts, .routeCharts), (.instruments, .routeInstruments),
        (.fundamentals, .routeFundamentals), (.news, .routeNews), (.clock, .routeClock),
    ]
}

/// An Alpaca account, as the configuration names it.
struct AlpacaAccess {
    let tradingURL: HTTPURL
    let dataURL: HTTPURL
    /// Nil for none: prices are polled.
    let dataStreamURL: HTTPURL?
    let environment: Environment
    let credential: Credential
    let callsPerMinute: Int

    enum Credential {
        case key(id: String, secret: String)
        case token(String)
    }

    /// Nil where nothing of Alpaca is set.
    init?(_ settings: SettingsLoader) throws {
        guard try settings.hasAny(under: "alpaca-") else { return nil }
        // An application that users connect by is no account of the server's own.
        let isApplicationOnly =
            try settings.text(.alpacaClientID) != nil
            && !AlpacaAccess.credentialSettings.contains { try settings.text($0) != nil }
        if isApplicationOnly { return nil }
        environment = try AlpacaAccess.environment(settings)
        tradingURL = try settings.url(.alpacaBaseURL, otherwise: AlpacaAccess.tradingURL(environment))
        dataURL = try settings.url(.alpacaDataURL, otherwise: Self.dataAddress)
        // Another address of the data says nothing of a stream.
        let isOwn = dataURL == HTTPURL(Self.dataAddress)
        dataStreamURL =
            try settings.url(.alpacaDataStreamURL)
            ?? (isOwn ? AlpacaConfiguration.dataStreamURL(of: environment) : nil)
        credential = try AlpacaAccess.credential(settings)
        callsPerMinute =
            try settings.number(.alpacaPerMinute) ?? AlpacaConfiguration.standardCallsPerMinute
    }

    private static let dataAddress = "https://data.alpaca.markets"

    private static func tradingURL(_ environment: Environment) -> String {
        switch environment {
        case .live: "https://api.alpaca.markets"
        case .paper, .sandbox: "https://paper-api.alpaca.markets"
        }
    }

    private static let credentialSettings: [SettingDefinition] = [
        .alpacaKeyID, .alpacaSecretKey, .alpacaSecretKeyFile, .alpacaToken, .alpacaTokenFile,
    ]

    /// Which of Alpaca's worlds the settings name.
    static func environment(_ settings: SettingsLoader) throws -> Environment {
        switch try settings.text(.alpacaEnvironment)?.lowercased() {
        case nil, "paper": return .paper
        case "live": return .live
        case let other?:
            throw UsageError(
                "\(settings.name(of: .alpacaEnvironment)) is \"\(other)\"; it takes live or paper.")
        }
    }

    private static func credential(_ settings: SettingsLoader) throws -> Credential {
        let token = try settings.secret(.alpacaToken, orIn: .alpacaTokenFile)
        let keyID = try settings.text(.alpacaKeyID)
        let secretKey = try settings.secret(.alpacaSecretKey, orIn: .alpacaSecretKeyFile)
        switch (token, keyID, secretKey) {
        case (let token?, nil, nil): return .token(token)
        case (nil, let id?, let secret?): return .key(id: id, secret: secret)
        default:
            throw try settings.incomplete(
                "Alpaca", under: "alpaca-",
                needs: """
                    one credential: either \(SettingDefinition.alpacaKeyID.variable) together with \
                    \(SettingDefinition.alpacaSecretKey.variable) or \(SettingDefinition.alpacaSecretKeyFile.variable), or \
                    \(SettingDefinition.alpacaToken.variable) or \(SettingDefinition.alpacaTokenFile.variable), or, for users who \
                    connect, \(SettingDefinition.alpacaClientID.variable)
                    """)
        }
    }
}

/// Alpha Vantage, as the configuration names it.
struct AlphaVantageAccess {
    let baseURL: HTTPURL
    let key: String
    /// Whether the key is of a paid plan, which has quotes in bulk and whole histories.
    let isPremium: Bool
    let perMinute: Int?
    let perDay: Int?

    /// Nil where nothing of it is set.
    init?(_ settings: SettingsLoader) throws {
        guard try settings.hasAny(under: "alpha-vantage-") else { return nil }
        baseURL = try settings.url(.alphaVantageBaseURL, otherwise: "https://www.alphavantage.co")
        key = try settings.required(
            .alphaVantageKey, orIn: .alphaVantageKeyFile, of: "Alpha Vantage", under: "alpha-vantage-")
        isPremium = try settings.flag(.alphaVantagePremium) ?? false
        perMinute = try settings.number(.alphaVantagePerMinute)
        perDay = try settings.number(.alphaVantagePerDay)
    }
}

/// Polygon, as the configuration names it.
struct PolygonAccess {
    let baseURL: HTTPURL
    let key: String
    let perMinute: Int?

    /// Nil where nothing of it is set.
    init?(_ settings: SettingsLoader) throws {
        guard try settings.hasAny(under: "polygon-") else { return nil }
        baseURL = try settings.url(.polygonBaseURL, otherwise: "https://api.polygon.io")
        key = try settings.required(
            .polygonKey, orIn: .polygonKeyFile, of: "Polygon", under: "polygon-")
        perMinute = try settings.number(.polygonPerMinute)
    }
}

/// Yahoo, which is asked only where the configuration says so: it is for personal use, by its own terms.
enum YahooAccess {
    /// Today's endpoints, and the page that sets the cookie which some of them want.
    case api(HTTPURL, cookiePage: HTTPURL)
    /// The query language of 2017, which only stand-ins still speak.
    case queryLanguage(HTTPURL)

    /// Nil where it is not on.
    init?(_ settings: SettingsLoader) throws {
        guard try settings.flag(.yahoo) ?? false else {
            if try settings.hasAny(under: "yahoo-") {
                throw try settings.incomplete(
                    "Yahoo", under: "yahoo-", needs: "\(SettingDefinition.yahoo.variable)=true")
            }
            return nil
        }
        let (base, cookiePage) = (try settings.url(.yahooBaseURL), try settings.url(.yahooCookieURL))
        switch try settings.text(.yahooFormat)?.lowercased() {
        case nil, "api": self = try .today(base, cookiePage, settings)
        case "yql": self = try .formerly(base, cookiePage, settings)
        case let other?:
            throw UsageError("\(settings.name(of: .yahooFormat)) is \"\(other)\"; it takes api or yql.")
        }
    }

    /// Yahoo's own addresses, or two of another server: a cookie of one is of no use to the other.
    private static func today(
        _ base: HTTPURL?, _ cookiePage: HTTPURL?, _ settings: SettingsLoader
    ) throws -> YahooAccess {
        switch (base, cookiePage) {
        case (let base?, let cookiePage?): return .api(base, cookiePage: cookiePage)
        case (nil, nil):
            guard let base = YahooConfiguration.url(of: .live),
                let cookiePage = YahooConfiguration.cookieURL(of: .live)
            else { throw UsageError("Yahoo has no address; set \(SettingDefinition.yahooBaseURL.variable).") }
            return .api(base, cookiePage: cookiePage)
        case (_?, nil), (nil, _?):
            throw UsageError(
                """
                \(settings.name(of: .yahooBaseURL)) and \(settings.name(of: .yahooCookieURL)) belong together: \
                set both, or leave both out for Yahoo's own.
                """)
        }
    }

    private static func formerly(
        _ base: HTTPURL?, _ cookiePage: HTTPURL?, _ settings: SettingsLoader
    ) throws -> YahooAccess {
        guard let base else {
            throw UsageError(
                "Yahoo's query language was shut down in 2019: set \(SettingDefinition.yahooBaseURL.variable) to a server that "
                    + "still speaks it, or \(SettingDefinition.yahooFormat.variable)=api.")
        }
        guard cookiePage == nil else {
            throw UsageError(
                "Yahoo's query language needs no cookie: leave out \(settings.name(of: .yahooCookieURL)).")
        }
        return .queryLanguage(base)
    }
}

/// Saxo Bank, as the configuration names it.
struct SaxoAccess {
    let baseURL: HTTPURL
    /// Nil for none: prices are polled.
    let streamingURL: HTTPURL?
    let environment: Environment
    /// An access token, such as the one of 24 hours that Saxo's developer portal gives.
    let token: String

    /// Nil where nothing of it is set.
    init?(_ settings: SettingsLoader) throws {
        guard try settings.hasAny(under: "saxo-") else { return nil }
        environment = try SaxoAccess.environment(settings)
        // An app that users connect by is no account of the server's own.
        let hasToken = try settings.text(.saxoToken) != nil || settings.text(.saxoTokenFile) != nil
        if try settings.text(.saxoAppKey) != nil, !hasToken { return nil }
        baseURL = try settings.url(.saxoBaseURL, otherwise: SaxoAccess.address(in: environment))
        streamingURL = try SaxoAccess.streamingURL(settings, for: baseURL, in: environment)
        token = try settings.required(
            .saxoToken, orIn: .saxoTokenFile, orBy: .saxoAppKey, of: "Saxo", under: "saxo-")
    }

    /// Which of Saxo's worlds the settings name.
    static func environment(_ settings: SettingsLoader) throws -> Environment {
        switch try settings.text(.saxoEnvironment)?.lowercased() {
        case nil, "sim", "paper": return .paper
        case "live": return .live
        case let other?:
            throw UsageError("\(settings.name(of: .saxoEnvironment)) is \"\(other)\"; it takes live or sim.")
        }
    }

    /// The address of the stream; Saxo's own only together with Saxo's own OpenAPI.
    static func streamingURL(
        _ settings: SettingsLoader, for baseURL: HTTPURL, in environment: Environment
    ) throws -> HTTPURL? {
        let isOwn = baseURL == SaxoConfiguration.restURL(of: environment)
        return try settings.url(.saxoStreamingURL)
            ?? (isOwn ? SaxoConfiguration.streamingURL(of: environment) : nil)
    }

    /// Saxo's own address.
    static func address(in environment: Environment) -> String {
        "https://gateway.saxobank.com/\(environment == .live ? "openapi" : "sim/openapi")"
    }
}
