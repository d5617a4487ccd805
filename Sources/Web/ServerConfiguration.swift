import Logging

/// Where a server listens, how it answers, and its bounds.
package struct ServerConfiguration: Sendable, Hashable {
    /// A name or an address; `0.0.0.0` and `::` are every one of the machine.
    package var host: String
    /// 0 to 65,535; 0 takes a free one.
    package var port: Int
    package var limits: ServerLimits
    /// What TLS is spoken with, and HTTP/2 with it; nil speaks neither.
    package var tls: TLSFiles?
    /// Whether queries may be asked for by GET.
    package var allowsGET = true
    /// Whether `/schema.graphql` shows the schema.
    package var showsSchema = true
    /// Whether answers tell those who ask which upstream calls they have cost.
    package var tellsUpstream = true
    /// The hosts whose requests are accepted.
    package var hosts = HostPolicy.any
    /// Which sites' pages may read answers.
    package var cors = CORSPolicy()
    package var compression = CompressionPolicy()
    /// Who may read `/metrics`.
    package var metricsAudience = MetricsAudience.thisMachine
    /// Whether each answer is logged at the level `info`, with its operation's name and hash, rather than at `debug`.
    package var logsAnswers = false
    /// How many proxies in front are trusted to tell, in `X-Forwarded-For`, for whom they ask; 0 believes none.
    package var trustedProxies = 0

    package init(host: String = "127.0.0.1", port: Int = 8080, limits: ServerLimits = ServerLimits()) {
        self.host = host
        self.port = port
        self.limits = limits
    }

    /// At which answers are logged.
    var answerLevel: Logger.Level { logsAnswers ? .info : .debug }

    /// The same for a server that strangers reach: neither the schema nor upstream calls, nor GET, which caches and
    /// histories keep.
    ///
    /// What else such a server keeps to itself, introspection and suggestions, is the engine's to leave out.
    package var inProduction: ServerConfiguration {
        var configuration = self
        configuration.allowsGET = false
        configuration.showsSchema = false
        configuration.tellsUpstream = false
        return configuration
    }
}
