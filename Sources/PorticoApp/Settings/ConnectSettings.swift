import Alpaca
import Brokerage
import PorticoCore
import Saxo
import Upstream

/// What users can be connected with, as the configuration says.
struct ConnectSettings {
    /// Where browsers may be sent back to with a consent.
    let redirectURIs: Set<HTTPURL>
    let alpaca: AlpacaConnecting
    let saxo: SaxoConnecting
    let alphaVantageURL: HTTPURL
    let polygonURL: HTTPURL

    init(_ settings: SettingsLoader) throws {
        redirectURIs = try ConnectSettings.redirectURIs(settings)
        alpaca = try AlpacaConnecting(settings)
        saxo = try SaxoConnecting(settings)
        alphaVantageURL = try settings.url(
            .alphaVantageBaseURL, forThe: "key", otherwise: "https://www.alphavantage.co")
        polygonURL = try settings.url(
            .polygonBaseURL, forThe: "key", otherwise: "https://api.polygon.io")
        guard !redirectURIs.isEmpty || isEmpty else {
            throw UsageError(
                """
                An application needs \(SettingDefinition.redirectURIs.variable): the addresses, separated by commas, that browsers \
                are sent back to with a consent.
                """)
        }
    }

    /// Whether no application is named, so that users can bring keys and tokens only.
    var isEmpty: Bool { alpaca.registration == nil && saxo.registration == nil }

    private static func redirectURIs(_ settings: SettingsLoader) throws -> Set<HTTPURL> {
        let texts = try settings.text(.redirectURIs)?.split(separator: ",") ?? []
        return Set(
            try texts.map { text in
                let text = text.filter { $0 != " " }
                guard let url = HTTPURL(text), url.isSecure || url.isLoopback else {
                    throw UsageError(
                        """
                        \(settings.name(of: .redirectURIs)) names "\(text)", which is no https address; http is \
                        for this machine's own only, as a code would go over a network in clear.
                        """)
                }
                return url
            })
    }
}

/// Portico as it is registered with Alpaca, and where Alpaca is for those who connect.
struct AlpacaConnecting {
    /// The one that is meant where a user does not say comes first; without an address, Alpaca's own.
    let environments: [Environment]
    let tradingURL: HTTPURL?
    let dataURL: HTTPURL?
    let dataStreamURL: HTTPURL?
    let registration: AlpacaConnector.Registration?

    init(_ settings: SettingsLoader) throws {
        let named = try AlpacaAccess.environment(settings)
        tradingURL = try settings.url(.alpacaBaseURL, forThe: "credential")
        dataURL = try settings.url(.alpacaDataURL, forThe: "credential")
        dataStreamURL = try settings.url(.alpacaDataStreamURL, forThe: "credential")
        environments = tradingURL == nil ? [named, named == .live ? .paper : .live] : [named]
        registration = try AlpacaConnecting.registration(settings)
    }

    private static func registration(_ settings: SettingsLoader) throws -> AlpacaConnector.Registration? {
        let secret = try settings.secret(.alpacaClientSecret, orIn: .alpacaClientSecretFile)
        switch (try settings.text(.alpacaClientID), secret) {
        case (nil, nil): return nil
        case (let id?, let secret?):
            return AlpacaConnector.Registration(
                clientID: id, clientSecret: secret,
                authorizeURL: try settings.url(
                    .alpacaAuthorizeURL, forThe: "credential",
                    otherwise: "https://app.alpaca.markets/oauth/authorize"),
                tokenURL: try settings.url(
                    .alpacaTokenURL, forThe: "credential", otherwise: "https://api.alpaca.markets/oauth/token"
                ))
        case (_?, nil), (nil, _?):
            throw UsageError(
                """
                Alpaca's application needs \(SettingDefinition.alpacaClientID.variable) together with \
                \(SettingDefinition.alpacaClientSecretFile.variable).
                """)
        }
    }
}

/// Portico as it is registered with Saxo, and where Saxo is for those who connect.
struct SaxoConnecting {
    let environment: Environment
    let restURL: HTTPURL
    /// Nil for none: prices are polled.
    let streamingURL: HTTPURL?
    let registration: SaxoConnector.Registration?

    init(_ settings: SettingsLoader) throws {
        environment = try SaxoAccess.environment(settings)
        restURL = try settings.url(
            .saxoBaseURL, forThe: "token", otherwise: SaxoAccess.address(in: environment))
        streamingURL = try SaxoAccess.streamingURL(settings, for: restURL, in: environment)
            .map { try settings.safe($0, .saxoStreamingURL, "token") }
        registration = try SaxoConnecting.registration(settings, environment)
    }

    private static func registration(
        _ settings: SettingsLoader, _ environment: Environment
    ) throws -> SaxoConnector.Registration? {
        let secret = try settings.secret(.saxoAppSecret, orIn: .saxoAppSecretFile)
        guard let key = try settings.text(.saxoAppKey) else {
            guard secret == nil else {
                throw UsageError(
                    "Saxo's app needs \(SettingDefinition.saxoAppKey.variable) together with its secret.")
            }
            return nil
        }
        let name = environment == .live ? "live" : "sim"
        return SaxoConnector.Registration(
            key: key, secret: secret,
            loginURL: try settings.url(
                .saxoLoginURL, forThe: "token", otherwise: "https://\(name).logonvalidation.net"))
    }
}

extension SettingsLoader {
    /// An address that a secret goes to; nil where none is set.
    fileprivate func url(_ setting: SettingDefinition, forThe secret: String) throws -> HTTPURL? {
        try url(setting).map { try safe($0, setting, secret) }
    }

    /// An address that a secret goes to, or the provider's own.
    fileprivate func url(_ setting: SettingDefinition, forThe secret: String, otherwise: String) throws
        -> HTTPURL
    {
        try safe(url(setting, otherwise: otherwise), setting, secret)
    }

    fileprivate func safe(_ url: HTTPURL, _ setting: SettingDefinition, _ secret: String) throws -> HTTPURL {
        guard url.isSecure || url.isLoopback else {
            throw UsageError(
                "\(name(of: setting)) would send the \(secret) over a network in clear; use https.")
        }
        return url
    }
}
