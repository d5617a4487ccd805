import Brokerage
import Upstream
import Yahoo

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

    /// Saxo's own address.
    static func address(in environment: Environment) -> String {
        "https://gateway.saxobank.com/\(environment == .live ? "openapi" : "sim/openapi")"
    }
}
