/// Settings that belong together, for the documentation.
package struct SettingSection {
    let title: String
    /// What has to be said of them together, in Markdown.
    var text: String?
    package let settings: [SettingDefinition]

    /// All of them; each setting stands in one.
    package static let all = [
        SettingSection(
            title: "Where it listens and what it stands on",
            settings: [.host, .port, .data, .sandbox, .sandboxTime, .config, .production, .explorer]),
        SettingSection(
            title: "Users",
            text: "Of the master key, one of the two names is set.",
            settings: [.ownerTokenFile, .signUp, .passwordCost, .masterKey, .masterKeyFile]),
        SettingSection(
            title: "The front door",
            settings: [
                .tlsCertificateFile, .tlsKeyFile, .hosts, .corsOrigins, .trustedProxies, .documents,
                .documentsOnly,
            ]),
        SettingSection(
            title: "Limits",
            settings: [
                .batch, .maximumBody, .maximumConnections, .maximumConnectionsPerAddress, .maximumRequests,
                .maximumStreamsPerClient, .maximumSocketsPerClient, .maximumSymbolsPerClient,
                .requestsPerAddress, .requestsPerToken, .guestsPerAddress, .connectsPerUser,
                .exportsPerUser,
                .upstreamCallsPerOperation, .upstreamCallsPerClient, .shutdownGracePeriod,
            ]),
        SettingSection(
            title: "Logs, metrics and traces",
            settings: [.logLevel, .logFormat, .logAnswers, .metrics, .otlp]),
        SettingSection(
            title: "Applications that users connect by",
            text: "Without one, users bring keys or tokens of their own.",
            settings: [
                .redirectURIs, .alpacaClientID, .alpacaClientSecret, .alpacaClientSecretFile,
                .alpacaAuthorizeURL, .alpacaTokenURL, .saxoAppKey, .saxoAppSecret, .saxoAppSecretFile,
                .saxoLoginURL,
            ]),
        SettingSection(
            title: "Alpaca",
            text: "The server's own account: by a key with its secret, or by a token.",
            settings: [
                .alpacaEnvironment, .alpacaKeyID, .alpacaSecretKey, .alpacaSecretKeyFile, .alpacaToken,
                .alpacaTokenFile, .alpacaPerMinute, .alpacaBaseURL, .alpacaDataURL, .alpacaDataStreamURL,
            ]),
        SettingSection(
            title: "Saxo", text: "The server's own account.",
            settings: [.saxoEnvironment, .saxoToken, .saxoTokenFile, .saxoBaseURL, .saxoStreamingURL]),
        SettingSection(
            title: "Alpha Vantage",
            settings: [
                .alphaVantageKey, .alphaVantageKeyFile, .alphaVantagePremium, .alphaVantagePerMinute,
                .alphaVantagePerDay, .alphaVantageBaseURL,
            ]),
        SettingSection(
            title: "Polygon", settings: [.polygonKey, .polygonKeyFile, .polygonPerMinute, .polygonBaseURL]),
        SettingSection(
            title: "Yahoo", settings: [.yahoo, .yahooFormat, .yahooBaseURL, .yahooCookieURL]),
        SettingSection(
            title: "Who is asked for what",
            text:
                "Of these, those that are configured or connected are asked, in this order, until one answers.",
            settings: [
                .routeQuotes, .routeCharts, .routeInstruments, .routeFundamentals, .routeNews, .routeClock,
            ]),
    ]
}
