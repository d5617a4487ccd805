import Alpaca
import Brokerage
import Gateway
import Logging
import NIOCore
import Storage
import Upstream
import Web

/// Everything that can be set, each under one name: a key in the configuration file, of which the environment
/// variable and, where there is one, the flag are spelt after.
package enum SettingDefinition: String, CaseIterable {
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
    case saxoStreamingURL = "saxo-streaming-url"
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
    package var key: String { rawValue }

    /// The environment variable: `PORTICO_` and the key in capitals.
    package var variable: String {
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

/// What holds where nobody sets a setting.
package enum SettingDefault {
    /// A value that could be set as well, with the same effect.
    case value(String)
    /// Something else, in words.
    case text(String)
}

extension SettingDefinition {
    /// What holds where nobody sets it.
    package var standard: SettingDefault {
        let (server, limits) = (ServerConfiguration(), ServerLimits())
        return switch self {
        case .host: .value(server.host)
        case .port: .value("\(server.port)")
        case .sandbox: .text("`true`, if no provider is configured and the host is this machine's own")
        case .sandboxTime: .text("the machine's, and it passes")
        case .production, .logAnswers, .documentsOnly, .alphaVantagePremium, .yahoo: .value("false")
        case .logLevel: .value("info")
        case .logFormat: .value(LogFormat.text.rawValue)
        case .metrics: .value("local")
        case .signUp: .text("`open` on the sandbox, else `off`")
        case .trustedProxies: .value("\(server.trustedProxies)")
        case .batch: .value("\(limits.batch)")
        case .maximumBody: .value("\(limits.body)")
        case .maximumConnections: .value("\(limits.connections)")
        case .maximumConnectionsPerAddress: .value("\(limits.connectionsPerAddress)")
        case .maximumRequests: .value("\(limits.requestsInFlight)")
        case .maximumStreamsPerClient: .value("\(limits.streamsPerClient)")
        case .maximumSocketsPerClient: .value("\(limits.socketsPerClient)")
        case .maximumSymbolsPerClient: .value("\(QuoteFeedPolicy().symbolsPerClient)")
        case .requestsPerAddress: .value("200")
        case .requestsPerToken: .value("100")
        case .guestsPerAddress, .connectsPerUser: .value("60")
        case .exportsPerUser: .value("20")
        case .upstreamCallsPerOperation: .value("\(HTTPServerSettings.standardCallsPerOperation)")
        case .upstreamCallsPerClient: .value("\(HTTPServerSettings.standardCallsPerClient)")
        case .alpacaPerMinute: .value("\(AlpacaConfiguration.standardCallsPerMinute)")
        case .shutdownGracePeriod: .value("\(limits.drainTimeout.nanoseconds / 1_000_000_000)")
        case .passwordCost: .value("15")
        case .alpacaEnvironment: .value("paper")
        case .saxoEnvironment: .value("sim")
        case .yahooFormat: .value("api")
        case .alphaVantagePerMinute, .alphaVantagePerDay, .polygonPerMinute: .text("what the plan allows")
        case .alpacaBaseURL, .saxoBaseURL, .saxoLoginURL: .text("the provider's own, of the environment")
        case .alpacaDataURL, .alpacaAuthorizeURL, .alpacaTokenURL, .alphaVantageBaseURL, .polygonBaseURL,
            .yahooBaseURL, .yahooCookieURL:
            .text("the provider's own")
        case .alpacaDataStreamURL:
            .text("the provider's own; none beside another data API: prices are polled")
        case .saxoStreamingURL: .text("the provider's own; none beside another OpenAPI: prices are polled")
        case .routeQuotes: .value(SettingDefinition.route(.quotes))
        case .routeCharts: .value(SettingDefinition.route(.charts))
        case .routeInstruments: .value(SettingDefinition.route(.instruments))
        case .routeFundamentals: .value(SettingDefinition.route(.fundamentals))
        case .routeNews: .value(SettingDefinition.route(.news))
        case .routeClock: .value(SettingDefinition.route(.clock))
        case .masterKey, .masterKeyFile: .text("`portico.key` in the data folder, made where it is missing")
        case .redirectURIs: .text("none; on the sandbox any of this machine")
        case .explorer: .text("`share/portico/explorer` beside the executable's `bin`")
        case .documents: .text("those of `schema/operations`, as Portico was built")
        case .data: .text("none: everything is forgotten with the process")
        case .hosts:
            .text(
                "none except those of this machine; if it listens on another address, every address and every name "
                    + "that public DNS does not resolve")
        case .config, .ownerTokenFile, .tlsCertificateFile, .tlsKeyFile, .corsOrigins,
            .alpacaKeyID, .alpacaSecretKey, .alpacaSecretKeyFile, .alpacaToken, .alpacaTokenFile,
            .alpacaClientID, .alpacaClientSecret, .alpacaClientSecretFile, .saxoToken, .saxoTokenFile,
            .saxoAppKey, .saxoAppSecret, .saxoAppSecretFile, .alphaVantageKey, .alphaVantageKeyFile,
            .polygonKey, .polygonKeyFile, .otlp:
            .text("none")
        }
    }

    /// The standard route of a capability, as it could be set.
    private static func route(_ capability: MarketDataCapability) -> String {
        ProviderRoutes.standard[capability].map { $0.rawValue.lowercased() }.joined(separator: ",")
    }
}

/// What a setting takes, as it is read and as the documentation tells it.
package enum SettingForm {
    /// A whole number within bounds.
    case number(ClosedRange<Int>)
    /// `true` or `false`.
    case onOff
    /// One of some words, in capitals or not.
    case keyword([String])
    /// An `http` or `https` address.
    case address
    /// Words with commas between them.
    case list(of: String)
    /// The path of a file that is there.
    case file
    /// Anything else, and what it is.
    case text(String)
}

extension SettingDefinition {
    /// What it takes.
    package var form: SettingForm {
        switch self {
        case .host: .text("a name or an address; `0.0.0.0` and `::` are all of the machine's")
        case .port: .number(0...65_535)
        case .data: .text("a folder")
        case .explorer: .text("a folder with an `index.html`, or `off`")
        case .documents: .text("a folder or a file that is there")
        case .config, .ownerTokenFile, .masterKeyFile, .tlsCertificateFile, .tlsKeyFile: .file
        case .alpacaSecretKeyFile, .alpacaTokenFile, .alpacaClientSecretFile: .file
        case .saxoTokenFile, .saxoAppSecretFile, .alphaVantageKeyFile, .polygonKeyFile: .file
        case .sandbox, .production, .logAnswers, .documentsOnly, .alphaVantagePremium, .yahoo: .onOff
        case .logLevel: .keyword(Logger.Level.allCases.map(\.rawValue))
        case .logFormat: .keyword(LogFormat.allCases.map(\.rawValue))
        case .metrics: .keyword(["on", "local", "off"])
        case .signUp: .keyword(["open", "invitation", "off"])
        case .alpacaEnvironment: .keyword(["paper", "live"])
        case .saxoEnvironment: .keyword(["sim", "live"])
        case .yahooFormat: .keyword(["api", "yql"])
        case .trustedProxies: .number(0...10)
        case .batch: .number(0...100)
        case .maximumBody: .number(1_024...(1 << 30))
        case .maximumConnections, .maximumConnectionsPerAddress, .maximumRequests: .number(1...1_000_000)
        case .maximumStreamsPerClient, .maximumSocketsPerClient, .maximumSymbolsPerClient:
            .number(1...1_000_000)
        case .requestsPerAddress, .requestsPerToken: .number(1...1_000_000)
        case .guestsPerAddress, .connectsPerUser, .exportsPerUser: .number(1...1_000_000)
        case .upstreamCallsPerOperation: .number(1...10_000)
        case .upstreamCallsPerClient: .number(1...1_000_000)
        case .shutdownGracePeriod: .number(0...3_600)
        case .passwordCost: .number(PasswordCost.log2Range)
        case .alpacaPerMinute, .alphaVantagePerMinute, .polygonPerMinute: .number(1...100_000)
        case .alphaVantagePerDay: .number(1...100_000_000)
        case .hosts: .list(of: "names or addresses, each with an optional port")
        case .corsOrigins: .list(of: "sites")
        case .redirectURIs: .list(of: "addresses")
        case .routeQuotes, .routeCharts, .routeInstruments, .routeFundamentals, .routeNews, .routeClock:
            .list(of: "providers")
        case .alpacaBaseURL, .alpacaDataURL, .alpacaDataStreamURL, .alpacaAuthorizeURL, .alpacaTokenURL:
            .address
        case .saxoBaseURL, .saxoStreamingURL, .saxoLoginURL, .alphaVantageBaseURL, .polygonBaseURL: .address
        case .yahooBaseURL, .yahooCookieURL, .otlp: .address
        case .sandboxTime: .text("a time in RFC 3339, like `2026-11-20T16:00:00Z`")
        case .masterKey: .text("32 bytes in base64")
        case .alpacaKeyID, .alpacaClientID, .saxoAppKey: .text("a name that the provider gave")
        case .alpacaSecretKey, .alpacaToken, .alpacaClientSecret, .saxoToken, .saxoAppSecret,
            .alphaVantageKey, .polygonKey:
            .text("a secret")
        }
    }
}

extension SettingForm {
    /// For people, in Markdown.
    var description: String {
        switch self {
        case .number(let bounds): "\(bounds.lowerBound) to \(bounds.upperBound)"
        case .onOff: "`true` or `false`"
        case .keyword(let words): words.map { "`\($0)`" }.joined(separator: ", ")
        case .address: "an http or https address"
        case .list(let items): "\(items), with commas between them"
        case .file: "a file"
        case .text(let text): text
        }
    }
}
