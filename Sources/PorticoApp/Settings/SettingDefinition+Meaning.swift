import Upstream

extension SettingDefinition {
    /// What it is for, in Markdown.
    var meaning: String {
        switch self {
        case .host: "The address to listen on."
        case .port: "The port to listen on; 0 picks a free one and prints it."
        case .data:
            """
            What must outlive the process: users, their sessions and what is theirs, the counts of calls that quotas are \
            kept by, and the prices, charts, instruments and company figures that Alpha Vantage and Polygon told. It is \
            made where it is missing.
            """
        case .sandbox: "Answer from the embedded stand-in for the providers, whose token everybody knows."
        case .sandboxTime:
            """
            The time at which the sandbox's market stands still: the same questions get the same answers, for tests that \
            compare them. No quota of its providers comes to an end then.
            """
        case .config: "The configuration file."
        case .production:
            """
            Keep to itself what strangers need not see: introspection, suggestions, `/schema.graphql`, the explorer, GET.
            """
        case .explorer:
            """
            What stands at `/`: the explorer, and at `/example/` an app. `make explorer` fetches what they are made with.
            """
        case .ownerTokenFile:
            "The token of the one to whom the configured broker keys belong, at least 16 bytes."
        case .signUp: "Who may become a user: everybody, who has an invitation's code, or nobody."
        case .passwordCost:
            "The binary logarithm of scrypt's N; old hashes are made anew when their users sign in."
        case .masterKey, .masterKeyFile: "What seals secrets in `portico.db`."
        case .tlsCertificateFile, .tlsKeyFile:
            "The certificate's chain and its key, both in PEM: speak TLS, and HTTP/2 with it. Read anew when they change."
        case .hosts:
            """
            Names by which clients reach Portico, such as `portico.example.com` behind a proxy; `*` for any. \
            Requests for other hosts are refused, which prevents DNS rebinding by pages of other sites.
            """
        case .corsOrigins:
            "Sites whose pages may send requests, open WebSockets and read responses; `*` for any."
        case .trustedProxies:
            """
            The number of proxies in front of Portico that add the client's address to `X-Forwarded-For`. If a \
            proxy on this machine is not counted here, all its clients count as one address.
            """
        case .documents:
            """
            Documents that clients may name by their SHA-256: every file in a folder whose name ends with `.graphql`, or those \
            of a manifest.
            """
        case .documentsOnly: "Run nothing but these."
        case .batch: "Requests in one array; 0 refuses arrays."
        case .maximumBody: "Bytes of a request's body."
        case .maximumConnections: "Open connections, altogether."
        case .maximumConnectionsPerAddress: "Open connections of one address."
        case .maximumRequests: "Requests that wait for data at a time; others wait for their turn."
        case .maximumStreamsPerClient:
            """
            Streamed responses and operations on WebSockets of one client at a time. A client is a user, or all \
            guests and clients without a session at one address (IPv6: one /64 network); clients on this machine \
            are exempt.
            """
        case .maximumSocketsPerClient:
            "WebSockets of one client at a time; clients on this machine are exempt."
        case .maximumSymbolsPerClient:
            """
            Symbols of one provider's price feed that one client follows at a time. If \
            \(QuoteFeedPolicy().symbols) symbols of a price feed are followed, symbols of users with a name replace symbols that only guests \
            and clients without a session follow.
            """
        case .requestsPerAddress:
            "Requests of one address a second, and five times as many after a pause; health checks and this machine's are not counted."
        case .requestsPerToken: "Requests with one token a second, and five times as many after a pause."
        case .guestsPerAddress: "Guests and new users that one address may create in an hour."
        case .connectsPerUser:
            """
            Attempts of one user in an hour to connect with a provider; all users of one address together may make \
            three times as many.
            """
        case .exportsPerUser: "Exports (`/export`) of one user in an hour."
        case .upstreamCallsPerOperation:
            "Calls to providers that one operation may make; above that, its fields fail with `TOO_MANY_UPSTREAM_CALLS`."
        case .upstreamCallsPerClient:
            """
            Calls to providers a minute that one client without a session, or with a guest session, may cause, \
            by address; above that, fields that are not cached fail with `RATE_LIMITED`.
            """
        case .shutdownGracePeriod:
            """
            Seconds that requests in flight have to finish after SIGTERM. Wait at least ten seconds more before \
            you kill the process.
            """
        case .logLevel: "The least severe that is logged."
        case .logFormat: "Lines for people, or an object a line."
        case .logAnswers:
            "Log each answer at `info`, with its operation's name and hash; else it is logged at `debug`."
        case .metrics: "Who may read `/metrics`: all, this machine, or nobody."
        case .otlp:
            """
            A collector of spans, by OpenTelemetry's protocol over HTTP, in JSON; an address without a path stands for \
            `/v1/traces` there.
            """
        case .redirectURIs:
            "Where browsers may be sent back to with a broker's consent; an application needs it."
        case .alpacaClientID: "Portico as registered with Alpaca, so that users connect by consent."
        case .alpacaClientSecret, .alpacaClientSecretFile: "The secret of that application."
        case .alpacaAuthorizeURL: "Where users consent."
        case .alpacaTokenURL: "Where codes are exchanged for tokens."
        case .saxoAppKey: "Portico as registered with Saxo, so that users connect by consent."
        case .saxoAppSecret, .saxoAppSecretFile:
            "The secret of that app; without one it is a native app (PKCE)."
        case .saxoLoginURL: "What stands before `authorize` and `token`."
        case .alpacaEnvironment: "Which of Alpaca's worlds."
        case .alpacaBaseURL: "The trading API."
        case .alpacaDataURL: "The market-data API."
        case .alpacaDataStreamURL: "The stream of market data; https stands for wss, http for ws."
        case .alpacaPerMinute:
            """
            Calls a minute that the plan of the account allows, counted separately for the trading and the \
            market-data API.
            """
        case .alpacaKeyID: "The id of a key, together with its secret."
        case .alpacaSecretKey, .alpacaSecretKeyFile: "The secret of the key."
        case .alpacaToken, .alpacaTokenFile: "An OAuth token, in place of a key."
        case .saxoEnvironment: "Which of Saxo's worlds."
        case .saxoBaseURL: "The OpenAPI."
        case .saxoStreamingURL: "The stream of prices and orders; https stands for wss, http for ws."
        case .saxoToken, .saxoTokenFile:
            "An access token, such as the one of 24 hours from Saxo's developer portal."
        case .alphaVantageKey, .alphaVantageKeyFile: "Alpha Vantage's key."
        case .alphaVantagePremium: "Whether the key is of a paid plan."
        case .alphaVantagePerMinute: "Calls a minute."
        case .alphaVantagePerDay: "Calls a day."
        case .alphaVantageBaseURL: "Where Alpha Vantage is."
        case .polygonKey, .polygonKeyFile: "Polygon's key."
        case .polygonPerMinute: "Calls a minute."
        case .polygonBaseURL: "Where Polygon is."
        case .yahoo: "Ask Yahoo, whose terms allow personal use only."
        case .yahooFormat: "Today's endpoints, or the query language of 2017, which needs an address."
        case .yahooBaseURL: "Where Yahoo is."
        case .yahooCookieURL: "With an address for `api`: the page there that sets a cookie."
        case .routeQuotes: "Who is asked for prices, in this order."
        case .routeCharts: "Who is asked for charts."
        case .routeInstruments: "Who is asked what an instrument is."
        case .routeFundamentals: "Who is asked for figures of companies."
        case .routeNews: "Who is asked for news."
        case .routeClock: "Who is asked for the market's hours."
        }
    }
}
