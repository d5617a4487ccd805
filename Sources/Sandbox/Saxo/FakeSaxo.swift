import Brokerage
import NIOHTTP1

/// Saxo's hosts: the gateway with the services, the streaming host, and the one that people log in at.
struct FakeSaxo {
    static let gatewayPrefix = "saxo"
    static let streamingPrefix = "saxo-streaming"
    static let authPrefix = "saxo-auth"

    let fakeHosts: [FakeHost]
    let resettables: [any Resettable]
    let streams: FakeSaxoStreams
    /// What users have consented to.
    let tokens: AuthorizationServer
    /// For the control API.
    let control: [SandboxRoute]

    init(_ configuration: SandboxConfiguration, scriptedMarket: ScriptedMarket, decisions: OAuthDecisions) {
        let settings = configuration.saxo
        let sessions = FakeSaxoSessions(
            configuration.users, settings, seed: configuration.seed, now: scriptedMarket.clock.now)
        let limits = FakeSaxoLimits(settings)
        let orderBook = FakeSaxoOrderBook(settings)
        let host = FakeSaxoHost(
            sessions: sessions, settings: settings, limits: limits, clock: scriptedMarket.clock,
            orderBook: orderBook,
            view: { scriptedMarket.view })
        let streams = FakeSaxoStreams(settings, sessions)
        let trading = FakeSaxoTrading(host: host)
        let charts = FakeSaxoCharts(host: host)
        let services = [
            FakeSaxoPortfolio(host: host).routes, trading.routes, FakeSaxoPrices(host: host).routes,
            charts.routes,
            FakeSaxoReference(host: host).routes, FakeSaxoSubscriptions(host: host, streams: streams).routes,
        ]
        let old = [
            trading.routes(under: "trade/v1"), charts.oldRoutes, FakeSaxoWatchlists(host: host).routes,
        ]
        let gateway = services + (settings.servesOldEndpoints ? old : [])
        let streaming = FakeSaxoStreaming(host: host, streams: streams)
        self.streams = streams
        tokens = sessions.server
        control = FakeSaxoControl(streams: streams).routes
        resettables = [sessions, limits, orderBook, streams]
        fakeHosts = [
            FakeHost(
                provider: .saxo, prefix: Self.gatewayPrefix, routes: gateway.flatMap { $0 },
                failures: Self.failures),
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

/// Where the stand-in for Saxo is reached.
package struct FakeSaxoURLs: Sendable, Hashable {
    /// Stands for `https://gateway.saxobank.com/sim/openapi`.
    package let gatewayURL: String
    /// Stands for `wss://sim-streaming.saxobank.com/sim/oapi/streaming/ws`: add `/connect`.
    package let streamingURL: String
    /// The same over HTTP: add `/authorize` to renew a stream's token.
    package let streamingAuthorizeURL: String
    /// Stands for `https://sim.logonvalidation.net`: add `/authorize` or `/token`.
    package let authURL: String

    /// The address is that of the sandbox, `127.0.0.1:49152`.
    init(address: String) {
        gatewayURL = "http://\(address)/\(FakeSaxo.gatewayPrefix)"
        streamingURL = "ws://\(address)/\(FakeSaxo.streamingPrefix)"
        streamingAuthorizeURL = "http://\(address)/\(FakeSaxo.streamingPrefix)"
        authURL = "http://\(address)/\(FakeSaxo.authPrefix)"
    }
}

/// What tests and demonstrations do to Saxo's streams, over HTTP and from this machine only.
///
/// `POST /_sandbox/saxo/streams`: `{"demand": "reset", "references": ["p16"]}` tells every listener to begin
/// subscriptions anew, all where none is named; `{"demand": "disconnect"}` ends every session.
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

/// How the stand-in for Saxo behaves where Saxo's own behaviour depends on the app or the account, or is known
/// from reports only (marked [B] or [C] in the fact sheet).
package struct FakeSaxoSettings: Sendable {
    /// The app that asks for tokens.
    package var application = OAuthApplication(
        clientID: "sandbox-saxo-app", clientSecret: "sandbox-saxo-secret")
    /// An app that has no secret, and proves itself by code challenges (PKCE).
    package var nativeApplication = OAuthApplication(clientID: "sandbox-saxo-native", clientSecret: nil)
    /// What a refresh token does that comes a second time; Saxo does not say.
    package var refreshReuse = RefreshReuse.rejectsToken
    /// How long an access token is valid.
    package var accessTokenLifetime: Duration = .seconds(20 * 60)
    /// How long a refresh token is valid, once used or not.
    package var refreshTokenLifetime: Duration = .seconds(60 * 60)
    /// How long the access token of a ``SandboxUser`` is valid from the sandbox's start; nil for ever.
    ///
    /// It stands for the token of the developers' portal, so that a client can be tried without a login.
    package var developerTokenLifetime: Duration?
    /// The status of a token that is given.
    package var tokenStatus = 201

    /// Requests a minute, session and service group.
    package var requestsPerMinute = 120
    /// Orders a second and session; nil for as many as come.
    package var ordersPerSecond: Int? = 1
    /// How long an identical order counts as a duplicate.
    package var duplicateOrderWindow: Duration = .seconds(15)
    /// The code in the body of a 409 for such an order.
    package var duplicateOrderErrorCode = "DuplicateRequest"
    /// Whether an order that is refused for what it wants is answered 200 with ErrorInfo, or 400.
    package var rejectsOrdersWithOK = true
    /// Whether an order must say if a human placed it.
    package var requiresManualOrder = true

    /// Whether prices of exchanges are told, as to an account with data subscriptions.
    package var includesExchangePrices = true
    /// By how many minutes prices of exchanges are late.
    package var exchangeDelayInMinutes = 0
    /// The most instruments of one list of prices.
    package var priceListMaximum = 100
    /// The most candles of one chart.
    package var chartMaximum = 1_200
    /// The most items of one page, and their number where `$top` is not given.
    package var pageMaximum = 1_000
    package var pageDefault = 100
    /// Whether an empty portfolio is answered 204 instead of an empty page.
    package var emptyPortfolioHasNoContent = false
    /// Whether `__next` is a whole URL, or a path on the host.
    package var nextLinksAreAbsolute = true
    /// Whether small numbers are written with an exponent: `5E-05`.
    package var writesExponents = true

    /// The shortest `RefreshRate` that is granted, in milliseconds.
    package var minimumRefreshRate = 1_000
    /// Within how many seconds something must arrive for every subscription.
    package var inactivityTimeout = 30
    /// After how many seconds without news a heartbeat comes for a subscription.
    package var heartbeatInterval = 10
    /// The status of a subscription that was deleted: 202 or 204.
    package var unsubscribeStatus = 202
    /// The most messages of a context that can be replayed to a client that reconnects.
    package var replayMaximum = 1_000
    /// The status that refuses a stream for a context that is connected already.
    package var contextInUseStatus = 409

    /// Whether the endpoints of older deployments are offered: `trade/v1/orders`, `ref/v1/watchlists`,
    /// `chart/v1`, and a list of `Uics` in `prices/subscriptions`.
    package var servesOldEndpoints = false

    package init() {}
}

/// What every endpoint of Saxo's gateway goes through: who asks, the limit of its service group, errors as
/// bodies, the headers of every answer.
struct FakeSaxoHost: Sendable {
    let sessions: FakeSaxoSessions
    let settings: FakeSaxoSettings
    let limits: FakeSaxoLimits
    let clock: SandboxClock
    let orderBook: FakeSaxoOrderBook
    let view: @Sendable () -> MarketView

    /// One request of a user whom the token has proved.
    struct AuthenticatedRequest: Sendable {
        let user: SandboxUser
        let client: FakeSaxoClient
        let request: SandboxRequest
        let view: MarketView
        let now: Instant
        let settings: FakeSaxoSettings
        /// The client's own orders and what became of them, as of ``view``.
        let activity: FakeSaxoActivity

        var format: FakeSaxoFormat { FakeSaxoFormat(writesExponents: settings.writesExponents) }
    }

    func get(
        _ template: PathTemplate,
        _ answer: @escaping @Sendable (AuthenticatedRequest) throws -> SandboxResponse
    ) -> SandboxRoute {
        route(.GET, template, answer)
    }

    /// The first segment of the template is the service group.
    func route(
        _ method: HTTPMethod, _ template: PathTemplate, isOrder: Bool = false,
        _ answer: @escaping @Sendable (AuthenticatedRequest) throws -> SandboxResponse
    ) -> SandboxRoute {
        let group = template.description.split(separator: "/").first.map(String.init) ?? ""
        return SandboxRoute(method, template) { request in
            var response: SandboxResponse
            if let user = user(request.headers), let client = user.saxo {
                response = respond(to: request, for: user, client, group: group, isOrder: isOrder, answer)
            } else {
                response = SandboxResponse(.unauthorized, rejectsOrdersWithOK: true)
            }
            response.headers.replaceOrAdd(name: "X-Correlation", value: Self.correlation(request, clock.now))
            if let id = request.headers.first(name: "X-Request-ID") {
                response.headers.replaceOrAdd(name: "X-Request-ID", value: id)
            }
            return response
        }
    }

    /// The user whom a bearer token proves; the scheme's case does not matter.
    func user(_ headers: HTTPHeaders) -> SandboxUser? {
        let words = headers.first(name: "Authorization")?.split(separator: " ") ?? []
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        return sessions.user(ofAccessToken: String(words[1]), at: clock.now)
    }

    private func respond(
        to request: SandboxRequest, for user: SandboxUser, _ client: FakeSaxoClient, group: String,
        isOrder: Bool,
        _ answer: (AuthenticatedRequest) throws -> SandboxResponse
    ) -> SandboxResponse {
        let now = clock.now
        let standing = limits.consume(for: user.name, group: group, isOrder: isOrder, at: now)
        var response: SandboxResponse
        do {
            guard !standing.isExceeded else { throw FakeSaxoError.rateLimitExceeded }
            let view = view()
            let visit = AuthenticatedRequest(
                user: user, client: client, request: request, view: view, now: now, settings: settings,
                activity: orderBook.activity(of: client, at: view))
            response = try answer(visit)
        } catch let error as FakeSaxoError {
            response = SandboxResponse(error, rejectsOrdersWithOK: settings.rejectsOrdersWithOK)
        } catch {
            response = .saxo(status: 500)
        }
        for header in standing.headers {
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
