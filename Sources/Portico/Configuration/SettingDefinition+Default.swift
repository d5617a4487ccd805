import Alpaca
import Brokerage
import Gateway
import NIOCore
import Upstream
import Web

/// What holds where nobody sets a setting.
enum SettingDefault {
    /// A value that could be set as well, with the same effect.
    case value(String)
    /// Something else, in words.
    case text(String)
}

extension SettingDefinition {
    /// What holds where nobody sets it.
    var standard: SettingDefault {
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
