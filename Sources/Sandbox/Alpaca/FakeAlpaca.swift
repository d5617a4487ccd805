import Brokerage
import NIOHTTP1

/// The fake Alpaca: the trading, data and login hosts.
struct FakeAlpaca {
    static let tradingPrefix = "alpaca"
    static let dataPrefix = "alpaca-data"
    /// Replaces `wss://stream.data.alpaca.markets`.
    static let streamPrefix = "alpaca-stream"
    /// Replaces `https://app.alpaca.markets`, the host of the consent page.
    static let appPrefix = "alpaca-app"

    let fakeHosts: [FakeHost]
    /// The consents of users.
    let tokens: AuthorizationServer
    /// The limiters that a reset of the sandbox clears.
    let limiters: [any Resettable]
    /// The number of open data streams, and their record.
    let dataStreams = FakeAlpacaStreamLimit()

    init(_ configuration: SandboxConfiguration, scriptedMarket: ScriptedMarket, decisions: OAuthDecisions) {
        let settings = configuration.alpaca
        tokens = AuthorizationServer(
            applications: settings.applications, lifetimes: OAuthLifetimes(), seed: configuration.seed)
        let authenticator = FakeAlpacaAuthenticator(
            users: configuration.users, settings: settings, tokens: tokens, clock: scriptedMarket.clock)
        func host(requestsPerMinute: @escaping @Sendable (String) -> Int) -> FakeAlpacaHost {
            FakeAlpacaHost(
                authenticator: authenticator,
                limiter: MinuteRateLimiter(requestsPerMinute: requestsPerMinute),
                clock: scriptedMarket.clock,
                view: { scriptedMarket.view })
        }
        let trading = host { _ in settings.tradingRequestsPerMinute }
        let data = host { user in
            switch settings.plan(of: user) {
            case .basic: settings.dataRequestsPerMinute
            case .unlimited: settings.unlimitedDataRequestsPerMinute
            }
        }
        let accounts = FakeAlpacaAccounts(seed: configuration.seed, settings)
        limiters = [trading.limiter, data.limiter, tokens, accounts]
        fakeHosts = [
            FakeHost(
                provider: .alpaca, prefix: Self.tradingPrefix,
                routes: FakeAlpacaTrading(host: trading, accounts: accounts, settings: settings).routes
                    + FakeAlpacaOrders(host: trading, accounts: accounts, settings: settings).routes
                    + FakeAlpacaClosing(host: trading, accounts: accounts).routes
                    + FakeAlpacaConfigurations(host: trading, accounts: accounts).routes
                    + FakeAlpacaWatchlists(host: trading, accounts: accounts, settings: settings).routes
                    + FakeAlpacaReference(host: trading, settings: settings).routes
                    + FakeAlpacaOAuth(server: tokens, clock: scriptedMarket.clock).routes,
                streams: [
                    FakeAlpacaTradingStream(
                        authenticator: authenticator, settings: settings, scriptedMarket: scriptedMarket,
                        accounts: accounts
                    ).route
                ],
                failures: Self.failures(unknownPath: SandboxResponse(.endpointNotFound), settings)),
            FakeHost(
                provider: .alpaca, prefix: Self.dataPrefix,
                routes: FakeAlpacaMarketData(host: data, settings: settings).routes
                    + FakeAlpacaBars(host: data, settings: settings).routes
                    + FakeAlpacaNews(host: data).routes
                    + FakeAlpacaCorporateActions(host: data).routes,
                failures: Self.failures(
                    unknownPath: .json(["message": "Not Found"], status: .notFound), settings)),
            FakeHost(
                provider: .alpaca, prefix: Self.streamPrefix, routes: [],
                streams: FakeAlpacaDataStream(
                    authenticator: authenticator, settings: settings, scriptedMarket: scriptedMarket,
                    streamLimit: dataStreams
                ).routes,
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

/// The settings of the fake Alpaca.
///
/// They cover behaviour that depends on the plan, or is known from reports only.
package struct FakeAlpacaSettings: Sendable {
    /// The environment of the trading host; keys of the other environment are rejected.
    package var environment: Environment = .paper
    /// Requests per minute and credential on the trading host.
    package var tradingRequestsPerMinute = 200
    /// Requests per minute and credential on the data host, with the basic plan.
    package var dataRequestsPerMinute = 200
    /// The same with the paid plan.
    package var unlimitedDataRequestsPerMinute = 10_000
    /// The plans of users by their names; the others have the basic one.
    package var plans: [String: Plan] = [:]
    /// True if quantity, value and cost of a short position are negative; false if only its side shows it.
    package var shortsAreNegative = true
    /// The message of a 401.
    package var unauthorizedMessage = "request is not authorized"
    /// True if an intraday history has points for the rest of the day, which are null.
    ///
    /// Alpaca's model of the history has no null, and its example ends with the latest point.
    package var historyHasFuturePoints = false
    /// True if a daily history has a point for today before the market closes.
    package var historyIncludesToday = true
    /// True if a daily history has points of equity 0 for the trading days before the account was opened, and no base value.
    ///
    /// Alpaca's documentation says that the value may be zero if the account is new or not funded.
    package var historyHasLeadingZeros = false
    /// The maximum number of shares of an order that the market fills in one second; nil for no limit.
    package var sharesPerSecond: Int?
    /// The message of the 422 for a duplicate watchlist name.
    package var duplicateWatchlistMessage = "watchlist name must be unique"
    /// Symbols that are listed but cannot be traded.
    package var untradable: Set<String> = []
    /// The minimum age of history from the consolidated tape (SIP); nil for a plan with real-time access.
    package var recentSIPDelay: Duration?
    /// The response to a request for newer history.
    package var recentSIPRefusal = RecentSIPRefusal.forbidden
    /// True if an odd lot at twice the price follows each trade on the data stream; it sets no price.
    package var streamsOddLots = false
    /// Symbols for which the data stream refuses a whole subscription.
    package var malformedOnStream: Set<String> = []
    /// Shares whose latest trade is a hundred days older than their daily bar, at four times its price.
    package var outdatedTrades: Set<String> = []
    /// True if bookings have their currency; the documented ones have none.
    package var activitiesHaveCurrency = false
    /// True if `held` orders are open, and a nested list has legs whose parents it lacks in itself.
    ///
    /// Users report that neither is so (alpaca-trade-api-js 80 and 87, alpaca-trade-api-python 322): no nested list of open
    /// orders has the exits of a filled entry, and no list of open orders has its stop loss.
    package var openListHasAllExits = false
    /// The maximum number of open data streams of a user.
    package var dataStreamsPerUser = 1
    /// The maximum number of symbols of trades and quotes on a data stream; nil for that of the plan: 30, or none.
    package var streamedSymbolLimit: Int?
    /// True if a data stream accepts an OAuth token, as the secret of the key `oauth`.
    package var dataStreamAcceptsTokens = false
    /// The registered OAuth applications.
    package var applications: [OAuthApplication] = [.sandbox]

    /// The market data that a user pays for.
    package enum Plan: Sendable, Hashable {
        /// Free: the latest prices of IEX only, 30 symbols on the data stream.
        case basic
        /// All exchanges, and any number of symbols.
        case unlimited
    }

    func plan(of user: String) -> Plan { plans[user] ?? .basic }

    /// The maximum number of symbols of trades and quotes on a data stream of a user; nil for none.
    func streamedSymbolLimit(of user: String) -> Int? {
        streamedSymbolLimit ?? (plan(of: user) == .basic ? 30 : nil)
    }

    package enum RecentSIPRefusal: Sendable, Hashable {
        /// 403, "subscription does not permit querying recent SIP data".
        case forbidden
        /// 422, "end is too late for subscription".
        case unprocessable
    }

    package enum Environment: String, Sendable, Hashable {
        case live
        case paper
    }

    package init() {}
}

/// The common steps of all endpoints of one Alpaca host: authentication, rate limit, error bodies.
struct FakeAlpacaHost: Sendable {
    let authenticator: FakeAlpacaAuthenticator
    let limiter: MinuteRateLimiter
    let clock: SandboxClock
    let view: @Sendable () -> MarketView

    struct AuthenticatedRequest: Sendable {
        let user: SandboxUser
        let request: SandboxRequest
        let view: MarketView
        /// The time of the sandbox clock, independent of the market script.
        let now: Instant
    }

    /// Creates a route for a read-only endpoint.
    func get(
        _ template: PathTemplate, _ handler: @escaping @Sendable (AuthenticatedRequest) throws -> JSONDocument
    ) -> SandboxRoute {
        route(.GET, template, scope: nil) { .json(try handler($0)) }
    }

    /// Creates a route for any endpoint; an OAuth token without the scope is rejected.
    func route(
        _ method: HTTPMethod, _ template: PathTemplate, scope: FakeAlpacaScope?,
        _ handler: @escaping @Sendable (AuthenticatedRequest) throws -> SandboxResponse
    ) -> SandboxRoute {
        SandboxRoute(method, template) { request in
            do {
                let authenticated = try authenticator.authenticate(request.headers)
                if let scope, !authenticated.isAllowed(scope) { throw FakeAlpacaError.forbidden }
                return try respond(to: request, for: authenticated.user, handler)
            } catch let error as FakeAlpacaError {
                return SandboxResponse(error)
            }
        }
    }

    private func respond(
        to request: SandboxRequest, for user: SandboxUser,
        _ handler: (AuthenticatedRequest) throws -> SandboxResponse
    ) throws -> SandboxResponse {
        let now = clock.now
        let usage = limiter.consume(for: user.name, at: Int(now.secondsSince1970))
        var response: SandboxResponse
        do {
            guard !usage.isExceeded else { throw FakeAlpacaError.rateLimitExceeded }
            response = try handler(AuthenticatedRequest(user: user, request: request, view: view(), now: now))
        } catch let error as FakeAlpacaError {
            response = SandboxResponse(error)
        }
        response.headers.add(name: "X-RateLimit-Limit", value: String(usage.limit))
        response.headers.add(name: "X-RateLimit-Remaining", value: String(usage.remaining))
        response.headers.add(name: "X-RateLimit-Reset", value: String(usage.reset))
        return response
    }
}
