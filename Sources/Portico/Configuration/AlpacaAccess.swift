import Alpaca
import Brokerage
import Upstream

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
