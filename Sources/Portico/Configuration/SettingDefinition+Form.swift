import Logging
import Storage

/// What a setting takes, as it is read and as the documentation tells it.
enum SettingForm {
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
    var form: SettingForm {
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
        case .saxoBaseURL, .saxoLoginURL, .alphaVantageBaseURL, .polygonBaseURL: .address
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
