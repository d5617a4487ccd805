/// Everything that can be set, each under one name: a key in the configuration file, of which the environment
/// variable and, where there is one, the flag are spelt after.
enum SettingDefinition: String, CaseIterable {
    case host = "host"
    case port = "port"
    case data = "data"
    case sandbox = "sandbox"
    case sandboxTime = "sandbox-time"
    case config = "config"
    case logLevel = "log-level"
    case ownerTokenFile = "owner-token-file"
    case masterKey = "master-key"
    case masterKeyFile = "master-key-file"
    case production = "production"
    case explorer = "explorer"
    case logFormat = "log-format"
    case logAnswers = "log-answers"
    case tlsCertificateFile = "tls-certificate-file"
    case tlsKeyFile = "tls-key-file"
    case hosts = "hosts"
    case corsOrigins = "cors-origins"
    case trustedProxies = "trusted-proxies"
    case metrics = "metrics"
    case otlp = "otlp"
    case documents = "documents"
    case documentsOnly = "documents-only"
    case batch = "batch"
    case maximumBody = "maximum-body"
    case maximumConnections = "maximum-connections"
    case maximumConnectionsPerAddress = "maximum-connections-per-address"
    case maximumRequests = "maximum-requests"
    case maximumStreamsPerClient = "maximum-streams-per-client"
    case maximumSocketsPerClient = "maximum-sockets-per-client"
    case maximumSymbolsPerClient = "maximum-symbols-per-client"
    case requestsPerAddress = "requests-per-address"
    case requestsPerToken = "requests-per-token"
    case guestsPerAddress = "guests-per-address"
    case connectsPerUser = "connects-per-user"
    case exportsPerUser = "exports-per-user"
    case upstreamCallsPerOperation = "upstream-calls-per-operation"
    case upstreamCallsPerClient = "upstream-calls-per-client"
    case shutdownGracePeriod = "shutdown-grace-period"
    case redirectURIs = "redirect-uris"
    case signUp = "sign-up"
    case passwordCost = "password-cost"
    case alpacaBaseURL = "alpaca-base-url"
    case alpacaDataURL = "alpaca-data-url"
    case alpacaDataStreamURL = "alpaca-data-stream-url"
    case alpacaEnvironment = "alpaca-environment"
    case alpacaPerMinute = "alpaca-per-minute"
    case alpacaKeyID = "alpaca-key-id"
    case alpacaSecretKey = "alpaca-secret-key"
    case alpacaSecretKeyFile = "alpaca-secret-key-file"
    case alpacaToken = "alpaca-token"
    case alpacaTokenFile = "alpaca-token-file"
    case alpacaClientID = "alpaca-client-id"
    case alpacaClientSecret = "alpaca-client-secret"
    case alpacaClientSecretFile = "alpaca-client-secret-file"
    case alpacaAuthorizeURL = "alpaca-authorize-url"
    case alpacaTokenURL = "alpaca-token-url"
    case saxoEnvironment = "saxo-environment"
    case saxoBaseURL = "saxo-base-url"
    case saxoToken = "saxo-token"
    case saxoTokenFile = "saxo-token-file"
    case saxoAppKey = "saxo-app-key"
    case saxoAppSecret = "saxo-app-secret"
    case saxoAppSecretFile = "saxo-app-secret-file"
    case saxoLoginURL = "saxo-login-url"
    case alphaVantageBaseURL = "alpha-vantage-base-url"
    case alphaVantageKey = "alpha-vantage-key"
    case alphaVantageKeyFile = "alpha-vantage-key-file"
    case alphaVantagePremium = "alpha-vantage-premium"
    case alphaVantagePerMinute = "alpha-vantage-per-minute"
    case alphaVantagePerDay = "alpha-vantage-per-day"
    case polygonBaseURL = "polygon-base-url"
    case polygonKey = "polygon-key"
    case polygonKeyFile = "polygon-key-file"
    case polygonPerMinute = "polygon-per-minute"
    case yahoo = "yahoo"
    case yahooBaseURL = "yahoo-base-url"
    case yahooCookieURL = "yahoo-cookie-url"
    case yahooFormat = "yahoo-format"
    case routeQuotes = "route-quotes"
    case routeCharts = "route-charts"
    case routeInstruments = "route-instruments"
    case routeFundamentals = "route-fundamentals"
    case routeNews = "route-news"
    case routeClock = "route-clock"

    /// The key in the configuration file.
    var key: String { rawValue }

    /// The environment variable: `PORTICO_` and the key in capitals.
    var variable: String {
        "PORTICO_" + rawValue.uppercased().replacing("-", with: "_")
    }

    /// The flag; nil for what is set by variable or file only: secrets would show in a list of processes.
    var flag: String? {
        switch self {
        case .host, .port, .data, .sandbox, .config, .logLevel, .ownerTokenFile, .signUp,
            .production, .explorer, .otlp:
            "--" + rawValue
        default: nil
        }
    }

    /// How messages name it: by all the names that it can be set under.
    var description: String {
        flag.map { "\($0) (\(variable))" } ?? variable
    }
}
