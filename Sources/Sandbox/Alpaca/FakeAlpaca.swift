import Brokerage
import NIOHTTP1

/// Alpaca's two hosts.
struct FakeAlpaca {
    static let tradingPrefix = "alpaca"
    static let dataPrefix = "alpaca-data"
    /// Stands for `wss://stream.data.alpaca.markets`.
    static let streamPrefix = "alpaca-stream"
    /// Stands for `https://app.alpaca.markets`, where users let applications in.
    static let appPrefix = "alpaca-app"

    let fakeHosts: [FakeHost]
    /// What users have consented to.
    let tokens: AuthorizationServer
    /// What a reset of the sandbox makes forget.
    let limiters: [any Resettable]

    init(_ configuration: SandboxConfiguration, scriptedMarket: ScriptedMarket, decisions: OAuthDecisions) {
        let settings = configuration.alpaca
        tokens = AuthorizationServer(
            applications: settings.applications, lifetimes: OAuthLifetimes(), seed: configuration.seed)
        let door = FakeAlpacaAuthenticator(
            users: configuration.users, settings: settings, tokens: tokens, clock: scriptedMarket.clock)
        func host(requestsPerMinute: Int) -> FakeAlpacaHost {
            FakeAlpacaHost(
                authenticator: door, limiter: MinuteRateLimiter(requestsPerMinute: requestsPerMinute),
                clock: scriptedMarket.clock,
                view: { scriptedMarket.view })
        }
        let trading = host(requestsPerMinute: settings.tradingRequestsPerMinute)
        let data = host(requestsPerMinute: settings.dataRequestsPerMinute)
        let accounts = FakeAlpacaAccounts(seed: configuration.seed, settings)
        limiters = [trading.limiter, data.limiter, tokens, accounts]
        fakeHosts = [
            FakeHost(
                provider: .alpaca, prefix: Self.tradingPrefix,
                routes: FakeAlpacaTrading(host: trading, accounts: accounts, settings: settings).routes
                    + FakeAlpacaOrders(host: trading, accounts: accounts, settings: settings).routes
                    + FakeAlpacaWatchlists(host: trading, accounts: accounts, settings: settings).routes
                    + FakeAlpacaReference(host: trading, settings: settings).routes
                    + FakeAlpacaOAuth(server: tokens, clock: scriptedMarket.clock).routes,
                streams: [
                    FakeAlpacaTradeStream(
                        authenticator: door, settings: settings, scriptedMarket: scriptedMarket,
                        accounts: accounts
                    ).route
                ],
                failures: Self.failures(unknownPath: SandboxResponse(.endpointNotFound), settings)),
            FakeHost(
                provider: .alpaca, prefix: Self.dataPrefix,
                routes: FakeAlpacaMarketData(host: data).routes
                    + FakeAlpacaBars(host: data, settings: settings).routes
                    + FakeAlpacaNews(host: data).routes,
                failures: Self.failures(
                    unknownPath: .json(["message": "Not Found"], status: .notFound), settings)),
            FakeHost(
                provider: .alpaca, prefix: Self.streamPrefix, routes: [],
                streams: [
                    FakeAlpacaDataStream(
                        authenticator: door, settings: settings, scriptedMarket: scriptedMarket,
                        streamLimit: FakeAlpacaStreamLimit()
                    ).route
                ],
                failures: Self.failures(
                    unknownPath: .json(["message": "Not Found"], status: .notFound), settings)),
            FakeHost(
                provider: .alpaca, prefix: Self.appPrefix,
                routes: AuthorizationEndpoint(
                    server: tokens, provider: "Alpaca", users: configuration.users.map(\.name),
                    decisions: decisions, clock: scriptedMarket.clock,
                    scopes: Set(FakeAlpacaScope.allCases.map(\.rawValue))
                ).routes("/oauth/authorize"),
                failures: Self.failures(
                    unknownPath: .json(["message": "Not Found"], status: .notFound), settings)),
        ]
    }

    private static func failures(unknownPath: SandboxResponse, _ settings: FakeAlpacaSettings)
        -> FakeHost.Failures
    {
        FakeHost.Failures(
            unknownPath: unknownPath,
            methodNotAllowed: .json(["message": "Method Not Allowed"], status: .methodNotAllowed),
            expiredToken: SandboxResponse(.unauthorized(message: settings.unauthorizedMessage)),
            status: { .alpaca(status: $0) })
    }
}

/// How the stand-in for Alpaca behaves where Alpaca's own behaviour depends on the plan, or is known from
/// reports only (marked [C] in the fact sheet).
package struct FakeAlpacaSettings: Sendable {
    /// Which of Alpaca's trading hosts it is; keys of the other are refused.
    package var environment: Environment = .paper
    /// Requests a minute and credential on the trading host.
    package var tradingRequestsPerMinute = 200
    /// Requests a minute and credential on the data host.
    package var dataRequestsPerMinute = 200
    /// Whether quantity, value and cost of a short position are below zero, or only its side tells.
    package var shortsAreNegative = true
    /// The message of a 401.
    package var unauthorizedMessage = "request is not authorized"
    /// Whether today's point of a daily history is there before the market closes.
    package var historyIncludesToday = true
    /// The most shares of an order that the market takes in one second; nil for any number.
    package var sharesPerSecond: Int?
    /// The message of a 422 for a watchlist whose name another has.
    package var duplicateWatchlistMessage = "watchlist name must be unique"
    /// Symbols that are listed and may not be traded.
    package var untradable: Set<String> = []
    /// How long ago history from the consolidated tape (SIP) must lie; nil with a plan that has it at once.
    package var recentSIPDelay: Duration?
    /// How many data streams a user may have open at once.
    package var dataStreamsPerUser = 1
    /// How many symbols of trades and quotes a data stream may carry; nil for any, 30 on the free plan.
    package var streamedSymbolLimit: Int?
    /// Whether a data stream takes an OAuth token, as the secret of the key `oauth`.
    package var dataStreamAcceptsTokens = false
    /// The applications that may ask users for access, by OAuth.
    package var applications: [OAuthApplication] = [.sandbox]

    package enum Environment: String, Sendable, Hashable {
        case live
        case paper
    }

    package init() {}
}

/// What every endpoint of one of Alpaca's hosts goes through: who asks, the rate limit, errors as bodies.
struct FakeAlpacaHost: Sendable {
    let authenticator: FakeAlpacaAuthenticator
    let limiter: MinuteRateLimiter
    let clock: SandboxClock
    let view: @Sendable () -> MarketView

    /// One request of a user whom the door has let in.
    struct AuthenticatedRequest: Sendable {
        let user: SandboxUser
        let request: SandboxRequest
        let view: MarketView
        /// By the sandbox's clock, whatever the market's script says.
        let now: Instant
    }

    /// An endpoint that reads.
    func get(
        _ template: PathTemplate, _ answer: @escaping @Sendable (AuthenticatedRequest) throws -> JSONDocument
    ) -> SandboxRoute {
        route(.GET, template, scope: nil) { .json(try answer($0)) }
    }

    /// An endpoint of any kind; an OAuth token without the scope is refused.
    func route(
        _ method: HTTPMethod, _ template: PathTemplate, scope: FakeAlpacaScope?,
        _ answer: @escaping @Sendable (AuthenticatedRequest) throws -> SandboxResponse
    ) -> SandboxRoute {
        SandboxRoute(method, template) { request in
            do {
                let visitor = try authenticator.authenticate(request.headers)
                if let scope, !visitor.may(scope) { throw FakeAlpacaError.forbidden }
                return try respond(to: request, for: visitor.user, answer)
            } catch let error as FakeAlpacaError {
                return SandboxResponse(error)
            }
        }
    }

    private func respond(
        to request: SandboxRequest, for user: SandboxUser,
        _ answer: (AuthenticatedRequest) throws -> SandboxResponse
    ) throws -> SandboxResponse {
        let now = clock.now
        let standing = limiter.consume(for: user.name, at: Int(now.secondsSince1970))
        var response: SandboxResponse
        do {
            guard !standing.isExceeded else { throw FakeAlpacaError.rateLimitExceeded }
            response = try answer(AuthenticatedRequest(user: user, request: request, view: view(), now: now))
        } catch let error as FakeAlpacaError {
            response = SandboxResponse(error)
        }
        response.headers.add(name: "X-RateLimit-Limit", value: String(standing.limit))
        response.headers.add(name: "X-RateLimit-Remaining", value: String(standing.remaining))
        response.headers.add(name: "X-RateLimit-Reset", value: String(standing.reset))
        return response
    }
}
