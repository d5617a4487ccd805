import Brokerage
import NIOHTTP1

/// The fake Saxo: the gateway with the services, the streaming host, and the login host.
struct FakeSaxo {
    static let gatewayPrefix = "saxo"
    static let streamingPrefix = "saxo-streaming"
    static let authPrefix = "saxo-auth"

    let fakeHosts: [FakeHost]
    let resettables: [any Resettable]
    let streams: FakeSaxoStreams
    /// The consents of users.
    let tokens: AuthorizationServer
    /// The routes of the control API.
    let control: [SandboxRoute]

    init(_ configuration: SandboxConfiguration, scriptedMarket: ScriptedMarket, decisions: OAuthDecisions) {
        let settings = configuration.saxo
        let sessions = FakeSaxoSessions(
            configuration.users, settings, seed: configuration.seed, now: scriptedMarket.clock.now)
        let limits = FakeSaxoLimits(settings)
        let orderBook = FakeSaxoOrderManager(settings)
        let levels = FakeSaxoTradeLevels(settings)
        let host = FakeSaxoHost(
            sessions: sessions, levels: levels, settings: settings, limits: limits,
            clock: scriptedMarket.clock,
            orderBook: orderBook,
            view: { scriptedMarket.view })
        let streams = FakeSaxoStreams(settings, sessions, levels, orderBook)
        let capabilities = FakeSaxoSessionCapabilities(host: host)
        let disclaimers = FakeSaxoDisclaimers(settings)
        let disclaimerService = FakeSaxoDisclaimerService(host: host, disclaimers: disclaimers)
        let trading = FakeSaxoTrading(host: host, disclaimers: disclaimers)
        let charts = FakeSaxoCharts(host: host)
        let services = [
            FakeSaxoPortfolio(host: host).routes, trading.routes, FakeSaxoPrices(host: host).routes,
            charts.routes,
            FakeSaxoReference(host: host).routes, FakeSaxoReports(host: host).routes,
            FakeSaxoAudit(host: host).routes, disclaimerService.routes, capabilities.routes,
            FakeSaxoPositions(host: host).routes, FakeSaxoExchanges(host: host).routes,
            FakeSaxoPerformance(host: host).routes,
            FakeSaxoSubscriptions(host: host, streams: streams).routes,
        ]
        let watchlists = settings.servesWatchlists ? [FakeSaxoWatchlists(host: host).routes] : []
        let old = [trading.routes(under: "trade/v1"), charts.oldRoutes]
        let gateway = services + watchlists + (settings.servesOldEndpoints ? old : [])
        let streaming = FakeSaxoStreaming(host: host, streams: streams)
        self.streams = streams
        tokens = sessions.server
        control =
            FakeSaxoControl(streams: streams).routes + disclaimerService.control
            + capabilities.control(configuration.users.filter { $0.saxo != nil }.map(\.name))
        resettables = [sessions, limits, orderBook, streams, disclaimers, levels]
        fakeHosts = [
            FakeHost(
                provider: .saxo, prefix: Self.gatewayPrefix, routes: gateway.flatMap { $0 },
                failures: Self.failures, acceptsPathVariants: true),
            FakeHost(
                provider: .saxo, prefix: Self.streamingPrefix, routes: streaming.routes,
                streams: streaming.connections, failures: Self.failures),
            FakeHost(
                provider: .saxo, prefix: Self.authPrefix,
                routes: FakeSaxoOAuth(
                    sessions: sessions, settings: settings, clock: scriptedMarket.clock,
                    users: configuration.users.filter { $0.saxo != nil }.map(\.name), decisions: decisions
                ).routes, failures: Self.failures),
        ]
    }

    private static let failures = FakeHost.Failures(
        unknownPath: SandboxResponse(status: .notFound),
        methodNotAllowed: SandboxResponse(status: .methodNotAllowed),
        expiredToken: SandboxResponse(status: .unauthorized), status: { .saxo(status: $0) })
}

/// The URLs of the fake Saxo.
package struct FakeSaxoURLs: Sendable, Hashable {
    /// Replaces `https://gateway.saxobank.com/sim/openapi`.
    package let gatewayURL: String
    /// Replaces `https://sim-streaming.saxobank.com/sim/oapi/streaming/ws`; clients append `/connect`, or `/authorize` to renew
    /// a stream's token.
    package let streamingAuthorizeURL: String
    /// Replaces `https://sim.logonvalidation.net`; clients append `/authorize` or `/token`.
    package let authURL: String

    /// Creates the URLs from the sandbox's address, `127.0.0.1:49152`.
    init(address: String) {
        gatewayURL = "http://\(address)/\(FakeSaxo.gatewayPrefix)"
        streamingAuthorizeURL = "http://\(address)/\(FakeSaxo.streamingPrefix)"
        authURL = "http://\(address)/\(FakeSaxo.authPrefix)"
    }
}

/// The control API of Saxo's streams, over HTTP and from this machine only.
///
/// `POST /_sandbox/saxo/streams`: `{"demand": "reset", "references": ["p16"]}` requests every listener to
/// recreate subscriptions, all if none is named; `{"demand": "disconnect"}` ends every session.
struct FakeSaxoControl: Sendable {
    let streams: FakeSaxoStreams

    var routes: [SandboxRoute] {
        [
            .control(.POST, "/saxo/streams") { request in
                try perform(JSONDocument(parsing: request.body))
                return SandboxResponse(status: .noContent)
            }
        ]
    }

    private func perform(_ json: JSONDocument) throws(ScriptError) {
        try json.requireMembers(["demand", "references"])
        let references = json["references"]?.elements ?? []
        guard json["references"]?.elements != nil || json["references"] == nil,
            references.allSatisfy({ $0.string != nil })
        else {
            throw ScriptError("\"references\" must be a list of reference ids")
        }
        switch json["demand"]?.string {
        case "reset": streams.demandReset(references.compactMap(\.string))
        case "disconnect":
            guard json["references"] == nil else {
                throw ScriptError("\"references\" belong to the demand \"reset\"")
            }
            streams.demandDisconnect()
        case .some, nil: throw ScriptError("\"demand\" must be one of reset, disconnect")
        }
    }
}

/// The settings of the fake Saxo.
///
/// They cover behaviour that depends on the app or the account, or is known from reports only.
package struct FakeSaxoSettings: Sendable {
    /// The registered app.
    package var application = OAuthApplication(
        clientID: "sandbox-saxo-app", clientSecret: "sandbox-saxo-secret")
    /// A registered app without a secret, which uses code challenges (PKCE).
    package var nativeApplication = OAuthApplication(clientID: "sandbox-saxo-native", clientSecret: nil)
    /// The effect of a repeated use of a refresh token; Saxo does not document it.
    package var refreshReuse = RefreshReuse.rejectsToken
    /// The lifetime of an access token.
    package var accessTokenLifetime: Duration = .seconds(20 * 60)
    /// The lifetime of a refresh token, used or not.
    package var refreshTokenLifetime: Duration = .seconds(60 * 60)
    /// The lifetime of the access token of a ``SandboxUser``, from the sandbox's start; nil for no expiry.
    ///
    /// It replaces the token of the developer portal, so that a client can be tried without a login.
    package var developerTokenLifetime: Duration?
    /// The status of a successful token response.
    package var tokenStatus = 201

    /// Requests per minute, session and service group.
    package var requestsPerMinute = 120
    /// Orders per second and session; nil for no limit.
    package var ordersPerSecond: Int? = 1
    /// The period in which an identical order counts as a duplicate.
    package var duplicateOrderWindow: Duration = .seconds(15)
    /// The error code in the body of a 409 for a duplicate.
    package var duplicateOrderErrorCode = "DuplicateRequest"
    /// True if a rejected order gets 200 with ErrorInfo, false for 400.
    package var rejectsOrdersWithOK = false
    /// True if the error of a rejected order with status 400 is in ErrorInfo, false if its members are those of the body.
    package var wrapsOrderErrors = true
    /// True if Saxo does not wait until an order is at the exchange: the order is placed, and the response has status 202 and
    /// `TradeNotCompleted` without its id.
    package var ordersAreNotCompleted = false
    /// The disclaimers that users must accept before an order.
    package var disclaimers: [FakeSaxoDisclaimer] = []
    /// True if an order must state whether a human placed it.
    package var requiresManualOrder = true

    /// The Uics of instruments that a client may not trade, by the key of the client.
    package var untradable: [String: Set<Int>] = [:]

    /// True if exchange prices are included, as for an account with data subscriptions.
    package var includesExchangePrices = true
    /// True if exchange prices include the order book, as with a subscription to level 2.
    package var includesMarketDepth = true
    /// True if the exchange prices of sessions without the trade level FullTradingAndChat are delayed by 15 minutes.
    package var delaysPricesWithoutTradeLevel = true
    /// The delay of exchange prices, in minutes.
    package var exchangeDelayInMinutes = 0
    /// The maximum number of instruments in a price list.
    package var priceListMaximum = 100
    /// The maximum number of candles in a chart.
    package var chartMaximum = 1_200
    /// The maximum number of items on a page, and the default of `$top`.
    package var pageMaximum = 1_000
    package var pageDefault = 100
    /// True if the response of an empty portfolio is 204 instead of an empty page.
    package var emptyPortfolioHasNoContent = false
    /// True if `__next` is an absolute URL, false for a path.
    package var nextLinksAreAbsolute = true
    /// True if small numbers are written with an exponent: `5E-05`.
    package var writesExponents = true

    /// The minimum `RefreshRate`, in milliseconds.
    package var minimumRefreshRate = 1_000
    /// The period in seconds in which a message must arrive for every subscription.
    package var inactivityTimeout = 30
    /// The period in seconds without data after which a subscription gets a heartbeat.
    package var heartbeatInterval = 10
    /// The status of a deleted subscription: 202 or 204.
    package var unsubscribeStatus = 202
    /// The maximum number of messages of a context that are stored for clients that reconnect.
    package var replayMaximum = 1_000
    /// The status that rejects a stream for a connected context.
    package var contextInUseStatus = 409

    /// True if the app has `ref/v1/watchlists`, which many apps of third parties lack.
    package var servesWatchlists = true
    /// True if the endpoints of older deployments are available.
    ///
    /// These are `trade/v1/orders`, `chart/v1`, and a list of `Uics` in `prices/subscriptions`.
    package var servesOldEndpoints = false

    package init() {}
}

/// The common steps of all endpoints of Saxo's gateway: authentication, limit of the service group, error
/// bodies, response headers.
struct FakeSaxoHost: Sendable {
    let sessions: FakeSaxoSessions
    let levels: FakeSaxoTradeLevels
    let settings: FakeSaxoSettings
    let limits: FakeSaxoLimits
    let clock: SandboxClock
    let orderBook: FakeSaxoOrderManager
    let view: @Sendable () -> MarketView

    struct AuthenticatedRequest: Sendable {
        let user: SandboxUser
        let client: FakeSaxoClient
        let request: SandboxRequest
        let view: MarketView
        let now: Instant
        let settings: FakeSaxoSettings
        /// The session of the token.
        let session: FakeSaxoTradeLevels.Session
        /// ``settings`` for the prices of the session.
        let priceSettings: FakeSaxoSettings
        /// The client's own orders and their executions, at the time of ``view``.
        let activity: FakeSaxoActivity

        var format: FakeSaxoFormat { FakeSaxoFormat(writesExponents: settings.writesExponents) }

        /// Whether the client may trade an instrument.
        func canTrade(_ listing: FakeSaxoInstrument) -> Bool {
            listing.assetType.isTradable && settings.untradable[client.key]?.contains(listing.uic) != true
        }
    }

    func get(
        _ template: PathTemplate,
        _ handler: @escaping @Sendable (AuthenticatedRequest) throws -> SandboxResponse
    ) -> SandboxRoute {
        route(.GET, template, handler)
    }

    /// Creates a route; the first segment of the template is the service group.
    func route(
        _ method: HTTPMethod, _ template: PathTemplate, isOrder: Bool = false,
        _ handler: @escaping @Sendable (AuthenticatedRequest) throws -> SandboxResponse
    ) -> SandboxRoute {
        let group = template.description.split(separator: "/").first.map(String.init) ?? ""
        return SandboxRoute(method, template) { request in
            var response: SandboxResponse
            if let user = user(request.headers), let client = user.saxo {
                response = respond(to: request, for: user, client, group: group, isOrder: isOrder, handler)
            } else {
                response = SandboxResponse(.unauthorized, settings)
            }
            response.headers.replaceOrAdd(name: "X-Correlation", value: Self.correlation(request, clock.now))
            if let id = request.headers.first(name: "X-Request-ID") {
                response.headers.replaceOrAdd(name: "X-Request-ID", value: id)
            }
            return response
        }
    }

    /// Returns the user of a bearer token; the scheme is case-insensitive.
    func user(_ headers: HTTPHeaders) -> SandboxUser? {
        headers.bearerToken.flatMap { sessions.user(ofAccessToken: $0, at: clock.now) }
    }

    private func respond(
        to request: SandboxRequest, for user: SandboxUser, _ client: FakeSaxoClient, group: String,
        isOrder: Bool,
        _ handler: (AuthenticatedRequest) throws -> SandboxResponse
    ) -> SandboxResponse {
        let now = clock.now
        let usage = limits.consume(for: user.name, group: group, isOrder: isOrder, at: now)
        var response: SandboxResponse
        do {
            guard !usage.isExceeded else { throw FakeSaxoError.rateLimitExceeded }
            let view = view()
            let session = sessions.session(request.headers.bearerToken ?? "", at: now)
            let context = AuthenticatedRequest(
                user: user, client: client, request: request, view: view, now: now, settings: settings,
                session: session, priceSettings: levels.settings(of: session, user.name),
                activity: orderBook.activity(of: client, at: view, now: now))
            response = try handler(context)
        } catch let error as FakeSaxoError {
            response = SandboxResponse(error, settings)
        } catch {
            response = .saxo(status: 500)
        }
        for header in usage.headers {
            response.headers.replaceOrAdd(name: header.name, value: header.value)
        }
        return response
    }

    private static func correlation(_ request: SandboxRequest, _ now: Instant) -> String {
        let noise = SeededRandom(seed: UInt64(bitPattern: now.secondsSince1970)).branch(
            request.path.joined(separator: "/"))
        return "\(UUIDFormat.version8(noise.bits(0), noise.bits(1)))#1"
    }
}
