import Brokerage
import Coordination
import Gateway
import Logging
import NIOCore
package import PorticoCore
import Redis
import Storage
import Upstream
import Web

/// All settings of `portico serve`.
///
/// The file is longer than 350 lines, because it contains the name, the range, the default and the text of each setting.
package enum Settings {
    static let server = ServerSettingGroup()
    static let users = UserSettingGroup()
    static let identityProvider = IdentityProviderSettingGroup()
    static let http = HTTPSettingGroup()
    static let limits = LimitSettingGroup()
    static let alerts = AlertSettingGroup()
    static let logs = LogSettingGroup()
    static let routes = RouteSettingGroup()

    /// The groups, in the order of the documentation.
    package static let groups: [any SettingGroup] =
        [server, users, identityProvider, http, limits, alerts, logs] + ProviderRegistry.all.map(\.settings)
        + [
            routes
        ]

    /// All definitions, in the order of the documentation.
    package static let all = groups.flatMap(\.definitions)
}

struct ServerSettingGroup: SettingGroup {
    let title = "Server"

    let host = Setting(
        "host", .text("a name or an address; `0.0.0.0` and `::` are all addresses of the machine"),
        default: ServerConfiguration().host, isFlag: true, "The address to listen on.")
    let port = Setting(
        "port", .integer(0...65_535), default: ServerConfiguration().port, isFlag: true,
        "The port to listen on; 0 chooses a free port and prints it.")
    let adminPort = Setting(
        "admin-port", .integer(0...65_535), unset: "none", isFlag: true,
        """
        The port for operators, without TLS: `/health/live`, `/health/ready`, `/metrics`, `/debug/memory` and \
        `/schema/usage`. With it the public port has no `/metrics`; 0 chooses a free port.
        """)
    let adminHost = Setting(
        "admin-host", .text("a name or an address"), unset: "the value of `host`", isFlag: true,
        "The address that the admin port listens on. Do not make it reachable from the Internet.")
    let data = Setting(
        "data", .text("a directory"), unset: "none; all data is in memory only", isFlag: true,
        """
        The data directory: users, their sessions and data, the usage of quotas, and the prices, charts, instruments \
        and company figures from providers with a low quota. It is created if it is missing.
        """)
    let databaseURL = SecretSetting(
        "database-url",
        """
        The PostgreSQL database (15 or newer) of users, their sessions and data, and the usage of quotas, instead of a data \
        directory. TLS is set in the URL: `sslmode=verify-full`.
        """, form: "a URL, `postgresql://user:password@host:5432/database`",
        unset: "none; users are in the data directory")
    let databaseConnections = Setting(
        "database-connections", .integer(1...200), default: PostgresLimits().connections,
        "Connections to the PostgreSQL database, and the threads that use them.")
    let databaseLookUpTimeout = Setting(
        "database-look-up-timeout", .integer(50...2_000),
        default: Int(PostgresLimits().lookUp / .milliseconds(1)),
        """
        Milliseconds for a look-up in the PostgreSQL database, such as that of a session, with its wait for a connection. \
        Other transactions have two seconds.
        """)
    let sessionGrace = Setting(
        "session-grace", .integer(0...3_600), default: Int(SessionPolicy().grace / .seconds(1)),
        """
        Seconds for which known sessions stay valid while the PostgreSQL database does not respond. After that, their \
        requests fail with `STORAGE_UNAVAILABLE`.
        """)
    let redisURL = SecretSetting(
        "redis-url",
        """
        The Redis server (7 or newer) through which several replicas share public values and limits of clients; \
        `rediss://` for TLS. [Redis](redis.md) describes it.
        """, form: "a URL, `redis://user:password@host:6379/0`",
        unset: "none; each replica requests values from providers on its own")
    let redisTimeout = Setting(
        "redis-timeout", .integer(10...2_000), default: Int(RedisClient.Limits().reply / .milliseconds(1)),
        """
        Milliseconds for a reply of the Redis server. If a reply takes longer, Redis is not used until Portico has connected \
        again.
        """)
    let sandbox = Setting(
        "sandbox", .boolean, unset: "`true`, if no provider is configured and the host is a loopback address",
        isFlag: true, "Use the embedded sandbox (simulated providers), whose token is public.")
    let sandboxTime = Setting(
        "sandbox-time", .instant, unset: "the system's clock",
        """
        Stops the sandbox's clock at this time, so that equal requests return equal responses. Rate limits of the \
        simulated providers are off while it is stopped.
        """)
    let sandboxHours = Setting(
        "sandbox-hours", .choice(SandboxOptions.Hours.self), default: .always,
        """
        The trading hours of the sandbox's market: `always` is open around the clock, `exchange` has the hours and \
        holidays of the real exchanges.
        """)
    let config = Setting("config", .file, isFlag: true, "The configuration file, one JSON object.")
    let providers = Setting(
        "providers", .file, isFlag: true,
        """
        The provider file: providers of public market data, in YAML or JSON. Each has further settings: \
        `provider-NAME-key`, `provider-NAME-key-file` and `provider-NAME-base-url`.
        """)
    let production = Setting(
        "production", .boolean, default: false, isFlag: true,
        "Disable introspection, suggestions, `/schema.graphql`, the explorer, GET for operations, and `Portico-Upstream`."
    )
    let explorer = Setting(
        "explorer", .text("a directory with an `index.html`, or `off`"),
        unset: "`share/portico/explorer` beside the executable's `bin`", isFlag: true,
        "The directory of the explorer at `/` and the example app at `/example/`. `make explorer` fetches their libraries."
    )
}

struct UserSettingGroup: SettingGroup {
    let title = "Users"
    let introduction: String? = "Set at most one of the two settings of the master key."

    let ownerTokenFile = Setting(
        "owner-token-file", .file, isFlag: true,
        "The file with the token of the owner of the configured broker credentials, at least 16 bytes.")
    let signUp = Setting(
        "sign-up", .choice([("open", .open), ("invitation", .invitation), ("off", SignUpPolicy.off)]),
        unset: "`open` with the sandbox, else `off`", isFlag: true,
        "Who may sign up: anyone, anyone with the code of an invitation, or nobody.")
    let passwords = Setting(
        "passwords", .boolean, default: true,
        "Let users sign up and in with a password. `false` needs `oidc-issuer`.")
    let passwordCost = Setting(
        "password-cost", .integer(PasswordCost.log2Range), default: 15,
        "The binary logarithm of scrypt's N; a sign-in replaces a hash with another cost.")
    let masterKey = SecretSetting(
        "master-key", "The key that encrypts secrets in `portico.db`.", form: "32 bytes in base64",
        unset: "`portico.key` in the data directory, created if missing")
    let redirectURIs = Setting(
        "redirect-uris", .list(of: "addresses"), unset: "none; with the sandbox any loopback address",
        """
        The addresses to which a broker or the identity provider may redirect browsers after a consent or a sign-in. It \
        is required if Portico is registered with a broker as an application.
        """)
}

struct HTTPSettingGroup: SettingGroup {
    let title = "TLS, hosts, CORS, trusted documents, tools"

    let tlsCertificateFile = Setting(
        "tls-certificate-file", .file,
        "The certificate chain in PEM. Enables TLS and HTTP/2; the file is read again when it changes.")
    let tlsKeyFile = Setting("tls-key-file", .file, "The private key of the certificate in PEM.")
    let hosts = Setting(
        "hosts", .list(of: "names or addresses, each with an optional port"),
        unset: """
            none except those of this machine; if it listens on another address, every address, every name of one \
            label, and every name that ends with `.local`, `.internal`, `.svc`, `.home.arpa` or `.test`
            """,
        """
        Names by which clients reach Portico, such as `portico.example.com` behind a proxy; `*` for any. Requests \
        for other hosts are refused, which prevents DNS rebinding by pages of other sites.
        """)
    let publicURL = Setting(
        "public-url", .url, unset: "the host of the request",
        "The address of Portico for its clients, such as `https://portico.example.com`, in the metadata for clients of `/mcp`."
    )
    let corsOrigins = Setting(
        "cors-origins", .list(of: "sites"),
        unset: "pages of this machine, if the sandbox listens on a loopback address; else none",
        "Sites whose pages may send requests, open WebSockets and read responses; `*` for any.")
    let corsHeaders = Setting(
        "cors-headers", .list(of: "names of header fields"),
        unset: CORSPolicy.clientHeaders.map { "`\($0)`" }.joined(separator: ", "),
        """
        Request headers that pages of other sites may send in addition to those that Portico reads, such as \
        `authorization`, `content-type` and `traceparent`; `*` for any.
        """)
    let trustedProxies = Setting(
        "trusted-proxies", .integer(0...10), default: ServerConfiguration().trustedProxies,
        """
        The number of proxies in front of Portico that add the client's address to `X-Forwarded-For` or `Forwarded`, or \
        set `X-Real-IP`. If a proxy on this machine is not counted here, or names no client, all its clients count as one \
        address.
        """)
    let documents = Setting(
        "documents", .text("a directory or a file that exists"),
        unset: "those of `schema/operations` at the time of the build",
        """
        The trusted documents, which clients may name by their SHA-256: all files of a directory whose names end with \
        `.graphql`, or those of a manifest.
        """)
    let documentsOnly = Setting(
        "documents-only", .boolean, default: false, "Run only trusted documents.")
    let mcp = Setting(
        "mcp", .boolean, default: false,
        "Offer trusted documents as tools of the Model Context Protocol at `/mcp`.")
    let mcpMutations = Setting(
        "mcp-mutations", .list(of: "names of operations"),
        "Trusted mutations that are tools. Without it, only queries are tools.")
    let mcpOrderLimit = Setting(
        "mcp-order-limit", .list(of: "amounts with a currency, such as `1000 USD`"),
        """
        The maximum value of the orders that tools place for one session in a day (UTC), for each currency. An order counts \
        with the larger of its own price and the market price, and is refused without a market price or in another \
        currency. It is required if a mutation of `PORTICO_MCP_MUTATIONS` places orders.
        """)
    let subgraph = Setting(
        "subgraph", .choice(Subgraph.self), unset: "none; the schema is the public schema",
        """
        The specification by which a gateway composes the schema with those of other services: Apollo Federation 2, or \
        the draft of the Composite Schemas specification. [Subgraph](subgraph.md) describes it.
        """)
}

struct LimitSettingGroup: SettingGroup {
    let title = "Limits"

    private static let standard = ServerLimits()

    let batch = Setting(
        "batch", .integer(0...100), default: standard.batch, "Requests in one array; 0 refuses arrays.")
    let maximumBody = Setting(
        "maximum-body", .integer(1_024...(1 << 30)), default: standard.body, "Bytes of a request's body.")
    let maximumConnections = Setting(
        "maximum-connections", .integer(1...1_000_000), default: standard.connections, "Open connections.")
    let maximumConnectionsPerAddress = Setting(
        "maximum-connections-per-address", .integer(1...1_000_000),
        unset:
            "`\(standard.connectionsPerAddress)`; with `PORTICO_TRUSTED_PROXIES`, `PORTICO_MAXIMUM_CONNECTIONS`",
        "Open connections of one address. All connections of a proxy have the address of the proxy."
    )
    let maximumRequests = Setting(
        "maximum-requests", .integer(1...1_000_000), default: standard.requestsInFlight,
        "Requests that wait for data at a time; further requests wait in a queue.")
    let maximumStreamsPerClient = Setting(
        "maximum-streams-per-client", .integer(1...1_000_000), default: standard.streamsPerClient,
        """
        Streamed responses and operations on WebSockets of one client at a time. A client is a user, or all guests \
        and clients without a session at one address (IPv6: one /64 network); clients on this machine are exempt.
        """)
    let maximumSocketsPerClient = Setting(
        "maximum-sockets-per-client", .integer(1...1_000_000), default: standard.socketsPerClient,
        "WebSockets of one client at a time; clients on this machine are exempt.")
    let maximumSymbolsPerClient = Setting(
        "maximum-symbols-per-client", .integer(1...1_000_000), default: QuoteFeedPolicy().symbolsPerClient,
        """
        Symbols of one provider's price feed that one client subscribes to at a time. If a price feed has \
        \(QuoteFeedPolicy().symbols) symbols, symbols of users with a name replace symbols that only guests and \
        clients without a session subscribe to.
        """)
    let requestsPerAddress = Setting(
        "requests-per-address", .integer(1...1_000_000), default: 200,
        """
        Requests of one address a second, and five times as many after a pause; health checks and clients on this \
        machine are not counted.
        """)
    let requestsPerToken = Setting(
        "requests-per-token", .integer(1...1_000_000), default: 100,
        "Requests with one token a second, and five times as many after a pause.")
    let guestsPerAddress = Setting(
        "guests-per-address", .integer(1...1_000_000), default: 60,
        "Guests and new users that one address may create in an hour.")
    let connectsPerUser = Setting(
        "connects-per-user", .integer(1...1_000_000), default: 60,
        """
        Attempts of one user in an hour to connect with a provider; all users of one address together may make three \
        times as many.
        """)
    let connects = Setting(
        "connects", .integer(1...1_000_000), default: CallLimits().totalConnects.burst,
        """
        Attempts of all users together to connect with a provider, after a pause; the same number is allowed again after \
        \(UserPolicy.secondsOfConnects) seconds.
        """)
    let exportsPerUser = Setting(
        "exports-per-user", .integer(1...1_000_000), default: 20,
        "Exports (`/export`) of one user in an hour.")
    let upstreamCallsPerOperation = Setting(
        "upstream-calls-per-operation", .integer(1...10_000), default: 50,
        """
        Calls to providers that one operation may make; above that, its fields fail with `TOO_MANY_UPSTREAM_CALLS`.
        """)
    let upstreamCallsPerClient = Setting(
        "upstream-calls-per-client", .integer(1...1_000_000), default: 60,
        """
        Calls to providers a minute that one client without a session, or with a guest session, may cause, by \
        address; above that, fields that are not cached fail with `RATE_LIMITED`.
        """)
    let upstreamConnectionsPerHost = Setting(
        "upstream-connections-per-host", .integer(1...4_096), default: HTTPClientLimits().connectionsPerHost,
        """
        Connections to one host of a provider at a time. Over HTTP/1.1, as many calls to the host are in flight; over \
        HTTP/2, one connection has many calls. Twice as many calls to one provider are in flight, and others wait.
        """)
    let upstreamConnections = Setting(
        "upstream-connections", .integer(1...16_384), default: HTTPClientLimits().connections,
        "Connections to all providers together, idle ones included, which are closed after a minute.")
    let cacheMemory = Setting(
        "cache-memory", .integer(8...1_048_576), default: CacheMemory.standardLimit >> 20,
        """
        MiB of users' own values in memory: accounts, positions, orders, and prices that are read with a user's own \
        credential. The default is enough for 10,000 active users with twelve positions each. Below what the active users \
        need, values are removed while they are fresh, and read again: see `portico_cache_fresh_evictions_total`.
        """)
    let shutdownDelay = Setting(
        "shutdown-delay", .integer(0...300), default: 0,
        """
        Seconds between SIGTERM and the shutdown, in which requests are served as before. Readiness is 503, and each \
        response ends its connection, so that load balancers use other replicas. A second SIGTERM ends this time.
        """)
    let shutdownGracePeriod = Setting(
        "shutdown-grace-period", .integer(0...3_600),
        default: Int(standard.drainTimeout.nanoseconds / 1_000_000_000),
        """
        Seconds that requests in flight have to finish after SIGTERM and `shutdown-delay`. Wait at least ten seconds \
        more before you kill the process.
        """)
}

struct AlertSettingGroup: SettingGroup {
    let title = "Alerts and webhooks"

    private static let standard = AlertStore.Limits()

    let alertsPerUser = Setting(
        "alerts-per-user", .integer(1...10_000), default: standard.alerts,
        """
        Alerts of one user. Their symbols count as symbols to which the user subscribes: see \
        `maximum-symbols-per-client`.
        """)
    let webhookTestReceivers = Setting(
        "webhook-test-receivers", .boolean, default: false,
        """
        Unsafe, for tests only: accept webhooks at loopback addresses, also with `http`. With it, each user can send \
        requests to services of this machine.
        """)
}

struct LogSettingGroup: SettingGroup {
    let title = "Logs, metrics and traces"

    let logLevel = Setting(
        "log-level", .choice(Logger.Level.self), default: .info, isFlag: true,
        "The lowest level that is logged.")
    let logFormat = Setting(
        "log-format", .choice(LogFormat.self), default: .text, "Text lines, or one JSON object per line.")
    let logResponses = Setting(
        "log-responses", .boolean, default: false,
        "Log each response at `info`, with its operation's name and hash; else it is logged at `debug`.")
    let metrics = Setting(
        "metrics",
        .choice([("on", .everyone), ("local", .thisMachine), ("off", MetricsAudience.nobody)]),
        default: .thisMachine,
        """
        Who may read `/metrics` of the public port: any client, clients on this machine, or none. With \
        `PORTICO_ADMIN_PORT` it has no effect: the admin port sends it to every client, and the public port to none.
        """)
    let schemaUsage = Setting(
        "schema-usage", .boolean, unset: "`true` with a data directory, except with the sandbox",
        """
        Count in `portico-cache.db` which client, by name, uses which field, argument and enum value in which operation. \
        `portico schema usage` prints the counts, and `portico schema diff --usage` compares a change with them.
        """)
    let otlp = Setting(
        "otlp", .url, isFlag: true,
        """
        The collector of spans (OTLP over HTTP, in JSON); for a URL without a path, the path is `/v1/traces`.
        """)
}

struct RouteSettingGroup: SettingGroup {
    let title = "Provider routes"
    let introduction: String? =
        "The providers of each kind of data, in order: Portico reads from the first one that is configured or connected and returns the data."

    let quotes = route(.quotes, "quotes", "The providers of prices.")
    let charts = route(.charts, "charts", "The providers of charts.")
    let instruments = route(.instruments, "instruments", "The providers of instruments and their search.")
    let fundamentals = route(.fundamentals, "fundamentals", "The providers of company figures.")
    let news = route(.news, "news", "The providers of news.")
    let clock = route(.clock, "clock", "The providers of the market's hours.")
    let corporateActions = route(
        .corporateActions, "corporate-actions", "The providers of dividends and splits.")

    private static func route(
        _ capability: MarketDataCapability, _ name: String, _ help: String
    ) -> Setting<[String]> {
        Setting(
            "route-" + name, .list(of: "providers"),
            default: ProviderRegistry.routes[capability].map(\.name.text), help)
    }
}

extension SettingType where Value == Instant {
    /// An instant in RFC 3339.
    fileprivate static var instant: SettingType {
        SettingType(.text("a time in RFC 3339, like `2026-11-20T16:00:00Z`")) { Instant($0) }
    }
}
