package import Brokerage
package import PorticoCore
package import Upstream

/// The settings of Alpaca.
package struct AlpacaSettings: SettingGroup {
    package let title = "Alpaca"
    package let introduction: String? =
        "The server's own account, by a key with its secret or by a token, and the OAuth application with which users connect. Without an application, users connect with their own keys or tokens."

    let environment = Setting(
        "alpaca-environment", .choice([("paper", .paper), ("live", Environment.live)]), default: .paper,
        "The environment of the account.")
    package let keyID = Setting(
        "alpaca-key-id", .text("an ID from the provider"), "The ID of a key, together with its secret.")
    package let secretKey = SecretSetting("alpaca-secret-key", "The secret of the key.")
    package let token = SecretSetting("alpaca-token", "An OAuth token, instead of a key.")
    let callsPerMinute = Setting(
        "alpaca-per-minute", .integer(1...100_000),
        unset:
            "\(AlpacaConfiguration.standardCallsPerMinute); for market data what Alpaca reports for the plan",
        """
        Calls per minute that the plan of the account allows, counted separately for the trading and the market-data \
        API.
        """)
    let feed = Setting(
        "alpaca-feed", .choice(AlpacaFeed.allCases.map { ($0.rawValue, $0) }),
        unset: "the best one of the plan, which one call a day determines",
        """
        The feed of the account's market data, and of its stream. The feed of a user who connects is always that of the \
        user's plan.
        """)
    let callsPerMinuteOfUsers = Setting(
        "alpaca-users-per-minute", .integer(1...100_000),
        unset: "200; for market data what Alpaca reports for the plan",
        """
        Calls per minute that the plans of users' own keys and tokens allow, counted for each credential, separately for \
        the trading and the market-data API.
        """)
    let baseURL = Setting(
        "alpaca-base-url", .url, unset: "the provider's URL of the environment",
        "The URL of the trading API.")
    let dataURL = Setting(
        "alpaca-data-url", .url, unset: "the provider's URL", "The URL of the market-data API.")
    let dataStreamURL = Setting(
        "alpaca-data-stream-url", .url,
        unset: "the provider's URL; none with another market-data API, so that prices are polled",
        "The URL of the market-data stream, with https for wss and http for ws.")
    package let clientID = Setting(
        "alpaca-client-id", .text("an ID from the provider"),
        "The ID of Portico's OAuth application, with which users connect.")
    let clientSecret = SecretSetting("alpaca-client-secret", "The secret of the OAuth application.")
    let authorizeURL = Setting(
        "alpaca-authorize-url", .url, unset: "the provider's URL", "The authorization endpoint.")
    let tokenURL = Setting("alpaca-token-url", .url, unset: "the provider's URL", "The token endpoint.")

    package init() {}

    /// The configuration of the server's own account.
    ///
    /// - Parameters:
    ///   - values: The settings that are set.
    ///   - forced: The environment of all providers; nil for the setting's.
    /// - Returns: The configuration; nil if no account is set.
    /// - Throws: `UsageError` for invalid or incomplete settings.
    package func configuration(
        _ values: SettingValues, in forced: Environment?
    ) throws(UsageError) -> AlpacaConfiguration? {
        let hasCredential = values.isSet(keyID) || values.isSet(secretKey) || values.isSet(token)
        // An application with which users connect is no account.
        guard !values.names(in: self).isEmpty, hasCredential || !values.isSet(clientID) else { return nil }
        let named = try values[environment]
        // An account at the URL of the live environment is live, whatever the setting is.
        let isLive = try values[baseURL].map { $0 == AlpacaConfiguration.tradingURL(of: .live) } ?? false
        let environment = isLive ? .live : named
        let dataURL = try values.url(dataURL, otherwise: AlpacaConfiguration.dataURL(of: environment))
        let configuration: AlpacaConfiguration
        do {
            configuration = try AlpacaConfiguration(
                environment: forced ?? environment,
                tradingURL: values.url(baseURL, otherwise: AlpacaConfiguration.tradingURL(of: environment)),
                dataURL: dataURL, dataStreamURL: streamURL(values, dataURL, environment),
                credential: credential(values), feed: values[feed], callsPerMinute: values[callsPerMinute])
        } catch let error as UsageError {
            throw error
        } catch {
            throw UsageError("The configuration of Alpaca cannot be used: \(error)")
        }
        guard !configuration.exposesCredential else {
            throw UsageError(
                """
                \(baseURL.variable), \(self.dataURL.variable) or \(dataStreamURL.variable) would send the credential \
                over a network in clear text; use https.
                """)
        }
        return configuration
    }

    private func credential(_ values: SettingValues) throws -> AlpacaCredential {
        switch (try values[token], try values[keyID], try values[secretKey]) {
        case (let token?, nil, nil): return try .token(token)
        case (nil, let id?, let secret?): return try .keys(id: id, secret: secret)
        default:
            throw values.incomplete(
                self,
                needs: """
                    one credential: either \(keyID.variable) together with \(secretKey.value.variable) or \
                    \(secretKey.file.variable), or \(token.value.variable) or \(token.file.variable), or, for users who \
                    connect, \(clientID.variable)
                    """)
        }
    }

    /// The URL of the data stream; Alpaca's own only with Alpaca's own market-data API.
    private func streamURL(
        _ values: SettingValues, _ dataURL: HTTPURL, _ environment: Environment
    ) throws(UsageError) -> HTTPURL? {
        let isOwn = dataURL == AlpacaConfiguration.dataURL(of: environment)
        return try values[dataStreamURL] ?? (isOwn ? AlpacaConfiguration.dataStreamURL(of: environment) : nil)
    }

    /// Alpaca for users who connect: one environment.
    package struct Endpoints: Sendable {
        package let environment: Environment
        package let tradingURL: HTTPURL
        package let dataURL: HTTPURL
        /// Nil for none: prices are polled.
        package let dataStreamURL: HTTPURL?
        /// The limit of each of the two hosts for a user's credential; nil for that of the plan.
        package let callsPerMinute: Int?
    }

    /// The environments in which users connect, the default one first.
    ///
    /// - Parameters:
    ///   - values: The settings that are set.
    ///   - forced: The environment of all providers; nil for the setting's.
    /// - Returns: The URLs of each environment.
    /// - Throws: `UsageError` for a URL that is not secure.
    package func endpoints(_ values: SettingValues, in forced: Environment?) throws(UsageError) -> [Endpoints]
    {
        let named = try values[environment]
        let tradingURL = try values.secureURL(baseURL, for: "credential")
        let ownDataURL = try values.secureURL(dataURL, for: "credential")
        _ = try values.secureURL(dataStreamURL, for: "credential")
        let callsPerMinute = try values[callsPerMinuteOfUsers]
        var endpoints: [Endpoints] = []
        for environment in tradingURL == nil ? [named, named == .live ? .paper : .live] : [named] {
            guard let tradingURL = tradingURL ?? AlpacaConfiguration.tradingURL(of: environment),
                let dataURL = ownDataURL ?? AlpacaConfiguration.dataURL(of: environment)
            else { continue }
            endpoints.append(
                Endpoints(
                    environment: forced ?? environment, tradingURL: tradingURL, dataURL: dataURL,
                    dataStreamURL: try streamURL(values, dataURL, environment),
                    callsPerMinute: callsPerMinute))
        }
        return endpoints
    }

    private func secureURL(
        _ values: SettingValues, _ setting: Setting<HTTPURL?>, _ standard: HTTPURL?
    ) throws(UsageError) -> HTTPURL {
        _ = try values.secureURL(setting, for: "credential")
        return try values.url(setting, otherwise: standard)
    }

    /// Portico's OAuth application at Alpaca.
    package struct Application: Sendable {
        package let clientID: String
        package let clientSecret: String
        package let authorizeURL: HTTPURL
        package let tokenURL: HTTPURL
    }

    /// The OAuth application with which users connect; nil if none is set.
    package func application(_ values: SettingValues) throws(UsageError) -> Application? {
        switch (try values[clientID], try values[clientSecret]) {
        case (nil, nil): return nil
        case (let id?, let secret?):
            return Application(
                clientID: id, clientSecret: secret,
                authorizeURL: try secureURL(values, authorizeURL, AlpacaConfiguration.authorizeURL),
                tokenURL: try secureURL(values, tokenURL, AlpacaConfiguration.tokenURL))
        case (_?, nil), (nil, _?):
            throw UsageError(
                """
                Alpaca's application needs \(clientID.variable) together with \(clientSecret.file.variable).
                """)
        }
    }
}
