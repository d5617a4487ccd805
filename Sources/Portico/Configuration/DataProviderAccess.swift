import Brokerage
import Upstream

/// Alpha Vantage, as the configuration names it.
struct AlphaVantageAccess {
    let baseURL: HTTPURL
    let key: String
    /// Whether the key is of a paid plan, which has quotes in bulk and whole histories.
    let isPremium: Bool
    let perMinute: Int?
    let perDay: Int?

    /// Nil where nothing of it is set.
    init?(_ settings: SettingReader) throws {
        guard try settings.hasAny(under: "alpha-vantage-") else { return nil }
        baseURL = try settings.url(.alphaVantageBaseURL, otherwise: "https://www.alphavantage.co")
        key = try settings.required(.alphaVantageKey, orIn: .alphaVantageKeyFile, of: "Alpha Vantage")
        isPremium = try settings.flag(.alphaVantagePremium) ?? false
        perMinute = try settings.number(.alphaVantagePerMinute, in: 1...100_000)
        perDay = try settings.number(.alphaVantagePerDay, in: 1...100_000_000)
    }
}

/// Polygon, as the configuration names it.
struct PolygonAccess {
    let baseURL: HTTPURL
    let key: String
    let perMinute: Int?

    /// Nil where nothing of it is set.
    init?(_ settings: SettingReader) throws {
        guard try settings.hasAny(under: "polygon-") else { return nil }
        baseURL = try settings.url(.polygonBaseURL, otherwise: "https://api.polygon.io")
        key = try settings.required(.polygonKey, orIn: .polygonKeyFile, of: "Polygon")
        perMinute = try settings.number(.polygonPerMinute, in: 1...100_000)
    }
}

/// Yahoo, which is asked only where the configuration says so: it is for personal use, by its own terms.
struct YahooAccess {
    let baseURL: HTTPURL?
    let format: Format

    enum Format: String, CaseIterable {
        /// Today's endpoints.
        case api
        /// The query language of 2017, which only stand-ins still speak.
        case yql
    }

    /// Nil where it is not on.
    init?(_ settings: SettingReader) throws {
        guard try settings.flag(.yahoo) ?? false else {
            if try settings.hasAny(under: "yahoo-") {
                throw UsageError(
                    "Yahoo is off, and has settings: set \(Setting.yahoo.variable)=true, or leave them out.")
            }
            return nil
        }
        let format = try settings.text(.yahooFormat) ?? Format.api.rawValue
        guard let known = Format(rawValue: format.lowercased()) else {
            throw UsageError("\(Setting.yahooFormat.description) is \"\(format)\"; it takes api or yql.")
        }
        self.format = known
        baseURL =
            try settings.text(.yahooBaseURL) == nil
            ? nil : settings.url(.yahooBaseURL, otherwise: "")
        if known == .yql, baseURL == nil {
            throw UsageError(
                "Yahoo's query language was shut down in 2019: set \(Setting.yahooBaseURL.variable) to a server that "
                    + "still speaks it, or \(Setting.yahooFormat.variable)=api.")
        }
    }
}

/// Saxo Bank, as the configuration names it.
struct SaxoAccess {
    let baseURL: HTTPURL
    let environment: Environment
    /// An access token, such as the one of 24 hours that Saxo's developer portal gives.
    let token: String

    /// Nil where nothing of it is set.
    init?(_ settings: SettingReader) throws {
        guard try settings.hasAny(under: "saxo-") else { return nil }
        switch try settings.text(.saxoEnvironment)?.lowercased() {
        case nil, "sim", "paper": environment = .paper
        case "live": environment = .live
        case let other?:
            throw UsageError("\(Setting.saxoEnvironment.description) is \"\(other)\"; it takes live or sim.")
        }
        let path = environment == .live ? "openapi" : "sim/openapi"
        baseURL = try settings.url(.saxoBaseURL, otherwise: "https://gateway.saxobank.com/\(path)")
        token = try settings.required(.saxoToken, orIn: .saxoTokenFile, of: "Saxo")
    }
}
