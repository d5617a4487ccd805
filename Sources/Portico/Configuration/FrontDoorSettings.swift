import GraphQL
import Web

/// How the front door is set up.
struct FrontDoorSettings {
    let server: ServerConfiguration
    let documents: DocumentPolicy
    let explorer: ExplorerSettings
    /// How the engine treats operations.
    let executionOptions: ExecutionOptions

    init(_ settings: SettingReader) throws {
        let isProduction = try settings.flag(.production) ?? false
        var server = ServerConfiguration(limits: try ServerLimits(settings))
        server.host = try settings.text(.host) ?? server.host
        server.port = try settings.number(.port) ?? server.port
        server.tls = try TLSFiles(settings)
        server.cors.origins = try CORSPolicy.Origins(settings)
        server.trustedProxies = try settings.number(.trustedProxies) ?? server.trustedProxies
        server.metricsAudience = try MetricsAudience(settings)
        server.logsAnswers = try settings.flag(.logAnswers) ?? false
        self.server = isProduction ? server.inProduction : server
        documents = try DocumentPolicy(settings)
        explorer = try ExplorerSettings(settings, isProduction: isProduction)
        executionOptions = FrontDoorSettings.executionOptions(isProduction: isProduction)
    }

    var host: String { server.host }
    /// 0 for a free one.
    var port: Int { server.port }

    private static func executionOptions(isProduction: Bool) -> ExecutionOptions {
        var options = ExecutionOptions()
        if isProduction {
            options.validation.suggests = false
            // As many as directives at one place: who sends more wrong ones learns that they are too many.
            options.validation.maximumErrors = options.limits.directives
            options.limits.introspectionDepth = 0
        }
        return options
    }
}

extension ServerLimits {
    fileprivate init(_ settings: SettingReader) throws {
        self.init()
        batch = try settings.number(.batch) ?? batch
        body = try settings.number(.maximumBody) ?? body
        connections = try settings.number(.maximumConnections) ?? connections
        connectionsPerAddress =
            try settings.number(.maximumConnectionsPerAddress) ?? connectionsPerAddress
        requestsInFlight = try settings.number(.maximumRequests) ?? requestsInFlight
        addressRate = try settings.rate(.requestsPerAddress) ?? addressRate
        tokenRate = try settings.rate(.requestsPerToken) ?? tokenRate
    }
}

extension SettingReader {
    /// So many requests a second, and five times as many at once after a pause.
    fileprivate func rate(_ setting: Setting) throws -> RateLimit? {
        try number(setting).map { RateLimit(perSecond: $0, burst: 5 * $0) }
    }
}

extension TLSFiles {
    /// Nil where neither file is named.
    fileprivate init?(_ settings: SettingReader) throws {
        switch (try settings.text(.tlsCertificateFile), try settings.text(.tlsKeyFile)) {
        case (let chain?, let key?): self.init(certificateChain: chain, privateKey: key)
        case (nil, nil): return nil
        case (nil, _?), (_?, nil):
            throw UsageError(
                "\(Setting.tlsCertificateFile.description) and \(Setting.tlsKeyFile.description) belong together: "
                    + "set both, or neither.")
        }
    }
}

extension CORSPolicy.Origins {
    /// `*` for any, or sites with commas between them.
    fileprivate init(_ settings: SettingReader) throws {
        guard let text = try settings.text(.corsOrigins) else {
            self = .none
            return
        }
        let sites = text.split(separator: ",").map { $0.filter { $0 != " " } }
        for site in sites where site != "*" && !(site.hasPrefix("https://") || site.hasPrefix("http://")) {
            throw UsageError(
                "\(Setting.corsOrigins.description) has \"\(site)\"; write sites as browsers do, like "
                    + "https://app.example.com, or * for any.")
        }
        self = sites.contains("*") ? .any : .listed(Set(sites))
    }
}

extension MetricsAudience {
    fileprivate init(_ settings: SettingReader) throws {
        switch try settings.text(.metrics)?.lowercased() {
        case nil, "local": self = .thisMachine
        case "on": self = .everyone
        case "off": self = .nobody
        case let text?:
            throw UsageError("\(Setting.metrics.description) is \"\(text)\"; it takes on, off or local.")
        }
    }
}
