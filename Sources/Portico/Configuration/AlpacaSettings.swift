import Brokerage
import Upstream

/// An Alpaca account, as the configuration names it.
struct AlpacaSettings {
    let tradingURL: HTTPURL
    let dataURL: HTTPURL
    let environment: Environment
    let credential: Credential

    enum Credential {
        case key(id: String, secret: String)
        case token(String)
    }

    /// Nil where nothing of Alpaca is set.
    init?(_ settings: SettingReader) throws {
        let isSet = try Setting.allCases.contains {
            try $0.key.hasPrefix("alpaca-") && settings.text($0) != nil
        }
        guard isSet else { return nil }
        environment = try AlpacaSettings.environment(settings)
        tradingURL = try AlpacaSettings.url(
            .alpacaBaseURL, settings, otherwise: AlpacaSettings.tradingURL(environment))
        dataURL = try AlpacaSettings.url(.alpacaDataURL, settings, otherwise: "https://data.alpaca.markets")
        credential = try AlpacaSettings.credential(settings)
    }

    private static func tradingURL(_ environment: Environment) -> String {
        switch environment {
        case .live: "https://api.alpaca.markets"
        case .paper, .sandbox: "https://paper-api.alpaca.markets"
        }
    }

    private static func environment(_ settings: SettingReader) throws -> Environment {
        switch try settings.text(.alpacaEnvironment)?.lowercased() {
        case nil, "paper": return .paper
        case "live": return .live
        case let other?:
            throw UsageError(
                "\(Setting.alpacaEnvironment.description) is \"\(other)\"; it takes live or paper.")
        }
    }

    private static func url(_ setting: Setting, _ settings: SettingReader, otherwise: String) throws
        -> HTTPURL
    {
        let text = try settings.text(setting) ?? otherwise
        guard let url = HTTPURL(text) else {
            throw UsageError("\(setting.description) is no http or https address.")
        }
        return url
    }

    private static func credential(_ settings: SettingReader) throws -> Credential {
        let token = try secret(.alpacaToken, .alpacaTokenFile, settings)
        let keyID = try settings.text(.alpacaKeyID)
        let secretKey = try secret(.alpacaSecretKey, .alpacaSecretKeyFile, settings)
        switch (token, keyID, secretKey) {
        case (let token?, nil, nil): return .token(token)
        case (nil, let id?, let secret?): return .key(id: id, secret: secret)
        default:
            throw UsageError(
                """
                Alpaca needs one credential: either \(Setting.alpacaKeyID.variable) together with \
                \(Setting.alpacaSecretKey.variable) or \(Setting.alpacaSecretKeyFile.variable), or \
                \(Setting.alpacaToken.variable) or \(Setting.alpacaTokenFile.variable).
                """)
        }
    }

    /// A secret, given itself or in a file.
    private static func secret(_ setting: Setting, _ file: Setting, _ settings: SettingReader) throws
        -> String?
    {
        let given = try settings.text(setting)
        let inFile = try settings.contentOfFile(file)
        if given != nil, inFile != nil {
            throw UsageError(
                "\(setting.variable) and \(file.variable) exclude each other: leave one of them out.")
        }
        return given ?? inFile
    }
}
