package import Brokerage
import NIOHTTP1

/// The base URL of the fake Polygon.
package struct FakePolygonURLs: Sendable, Hashable {
    /// Replaces `https://api.polygon.io` and `https://api.massive.com`.
    package let baseURL: String

    init(under base: String) {
        baseURL = "\(base)/\(FakePolygon.prefix)"
    }
}

/// Polygon's host: aggregates, reference data, corporate actions and news.
struct FakePolygon {
    static let prefix = "polygon"

    let fakeHost: FakeHost
    let quota = CallQuota()

    init(_ configuration: SandboxConfiguration, scriptedMarket: ScriptedMarket) {
        let settings = configuration.polygon
        let host = FakePolygonHost(settings: settings, quota: quota, scriptedMarket: scriptedMarket)
        fakeHost = FakeHost(
            provider: .polygon, prefix: Self.prefix,
            routes: [
                host.get("/v2/aggs/ticker/{ticker}/range/{multiplier}/{timespan}/{from}/{to}") {
                    try FakePolygonAggregates($0).document()
                },
                host.get("/v2/aggs/ticker/{ticker}/prev") { FakePolygonAggregates.previous($0) },
                host.get("/v2/snapshot/locale/us/markets/stocks/tickers") {
                    try FakePolygonSnapshots($0).document()
                },
                host.get("/v2/reference/news") { try FakePolygonNews($0).document() },
                host.get("/v3/reference/tickers") { try FakePolygonReference(context: $0).list() },
                host.get("/v3/reference/tickers/{ticker}") {
                    try FakePolygonReference(context: $0).details()
                },
                host.get("/stocks/v1/dividends") {
                    try FakePolygonCorporateActions(.dividends, $0).document()
                },
                host.get("/stocks/v1/splits") { try FakePolygonCorporateActions(.splits, $0).document() },
                host.raw("/v1/reference/company-branding/{cik}/images/logo.svg") { _ in Self.logo },
            ],
            failures: FakeHost.Failures(
                unknownPath: .polygon(status: 404, settings),
                methodNotAllowed: .polygon(status: 405, settings),
                expiredToken: .polygon(status: 401, settings),
                status: { .polygon(status: $0, settings) }))
    }

    /// One square image for all companies.
    private static let logo = SandboxResponse.text(
        #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><rect width="1" height="1"/></svg>"#,
        type: "image/svg+xml", status: .ok)
}

/// The settings of the fake Polygon.
///
/// They cover behaviour that depends on the plan, or is known from reports only.
package struct FakePolygonSettings: Sendable {
    /// The issued keys, with the plan of each.
    package var keys: [String: Plan] = [
        demoKey: .free, secondKey: .free, delayedKey: .delayed, realtimeKey: .realtime,
    ]
    /// Calls of a free key per minute; each page counts as a call.
    package var requestsPerMinute = 5
    /// The years of history of free keys.
    package var yearsOfHistory = 2
    /// The status for a request without a key: 401, or 400 by some reports.
    package var missingKeyStatus = 401
    /// True if a 429 has a body.
    package var tooManyRequestsHasBody = true
    /// The message for an unknown ticker.
    package var tickerNotFoundMessage = "Ticker not found."
    /// The last trading day of each share that is not listed any more, by its ticker.
    package var delistings: [String: CalendarDate] = [:]
    /// True if bars include the number of trades and their average price.
    package var barsHaveTrades = true
    /// The plans with snapshots; others get NOT_AUTHORIZED.
    package var plansWithSnapshots: Set<Plan> = [.delayed, .realtime]
    /// True if snapshots include the last trade and quote, as with the plans for them.
    package var snapshotsHaveTrades = true
    /// The beginning of absolute links, `https://api.polygon.io:443`; nil for the address of the request.
    package var linkBase: String?

    package init() {}

    package enum Plan: Sendable, Hashable {
        /// Complete days of the last years, with a low rate limit.
        case free
        /// All data, delayed by 15 minutes.
        case delayed
        case realtime
    }

    /// The key of the demonstration user.
    package static let demoKey = "sandbox-polygon-demo"
    /// A second free key, for tests of separate quotas.
    package static let secondKey = "sandbox-polygon-second"
    package static let delayedKey = "sandbox-polygon-delayed"
    package static let realtimeKey = "sandbox-polygon-realtime"
}

/// The common steps of all Polygon endpoints: key, rate limit of its plan, error bodies.
struct FakePolygonHost: Sendable {
    let settings: FakePolygonSettings
    let quota: CallQuota
    let scriptedMarket: ScriptedMarket

    /// A request with an accepted key.
    struct AuthenticatedRequest: Sendable {
        let request: SandboxRequest
        let plan: FakePolygonSettings.Plan
        /// The market at the clock's time.
        let now: MarketView
        /// The market as far as the plan shows it.
        let view: MarketView
        let settings: FakePolygonSettings
        /// The id of the request, 32 hexadecimal digits.
        let requestID: String
        /// The beginning of absolute links.
        let linkBase: String

        /// A parameter of the query, or on later pages of the cursor.
        subscript(_ parameter: String) -> String? {
            if let cursor, let value = cursor.last(where: { $0.name == parameter })?.value { return value }
            return request[query: parameter]
        }

        /// The market as far as the plan shows it, for an instrument that is not listed any more up to its last trading day.
        func view(of listing: FakePolygonListing) -> MarketView {
            guard let last = settings.delistings[listing.ticker],
                let session = view.market.schedule(of: listing.instrument).session(onOrBefore: last)
            else { return view }
            return MarketView(view, at: min(view.now, session.postMarketClose))
        }

        private var cursor: [(name: String, value: String)]? {
            request[query: "cursor"].flatMap(FakePolygonCursor.pairs)
        }
    }

    /// The id of a response without a valid request.
    static let noRequestID = String(repeating: "0", count: 32)

    func get(
        _ template: PathTemplate, _ handler: @escaping @Sendable (AuthenticatedRequest) throws -> JSONDocument
    ) -> SandboxRoute {
        raw(template) { .json(try handler($0)) }
    }

    /// Creates a route for an endpoint whose response is not JSON.
    func raw(
        _ template: PathTemplate,
        _ handler: @escaping @Sendable (AuthenticatedRequest) throws -> SandboxResponse
    ) -> SandboxRoute {
        .get(template) { request in
            let now = scriptedMarket.clock.now
            let id = requestID(of: request, at: now)
            do {
                let plan = try admit(request, at: now)
                return try handler(makeContext(request, plan, id))
            } catch let error as FakePolygonError {
                return error.response(requestID: id)
            }
        }
    }

    private func makeContext(_ request: SandboxRequest, _ plan: FakePolygonSettings.Plan, _ id: String)
        -> AuthenticatedRequest
    {
        let view = scriptedMarket.view
        let host = request.headers.first(name: "Host") ?? "localhost"
        return AuthenticatedRequest(
            request: request, plan: plan, now: view, view: plan.view(view), settings: settings, requestID: id,
            linkBase: settings.linkBase ?? "http://\(host)/\(FakePolygon.prefix)")
    }

    /// Counts one call of the key, and returns its plan; throws ``FakePolygonError``.
    private func admit(_ request: SandboxRequest, at now: Instant) throws(FakePolygonError)
        -> FakePolygonSettings.Plan
    {
        guard let key = key(of: request) else { throw .missingKey(status: settings.missingKeyStatus) }
        guard let plan = settings.keys[key] else { throw .unknownKey }
        guard plan == .free else { return plan }
        let window = CallQuota.Window(period: .minute, limit: settings.requestsPerMinute)
        guard quota.consume(for: key, at: now, windows: [window]) == nil else {
            throw .tooManyRequests(hasBody: settings.tooManyRequestsHasBody)
        }
        return plan
    }

    /// Returns the key from the query or the header; nil if both are missing.
    private func key(of request: SandboxRequest) -> String? {
        if let key = request[query: "apiKey"], !key.isEmpty { return key }
        return request.headers.bearerToken
    }

    private func requestID(of request: SandboxRequest, at now: Instant) -> String {
        let noise = SeededRandom(seed: UInt64(bitPattern: now.secondsSince1970 ^ Int64(now.nanoseconds)))
            .branch(request.path.joined(separator: "/"))
        return UUIDFormat.version8(noise.bits(0), noise.bits(1)).replacing("-", with: "")
    }
}

extension FakePolygonSettings.Plan {
    /// Returns the market as far as the plan shows it: now, 15 minutes ago, or at the end of the last
    /// complete day.
    fileprivate func view(_ view: MarketView) -> MarketView {
        switch self {
        case .realtime: view
        case .delayed: MarketView(view, at: view.now - 15 * 60)
        case .free: MarketView(view, at: Self.endOfLastDay(before: view.now, of: view.market.exchanges))
        }
    }

    /// Returns the end of the last complete session of the exchanges.
    private static func endOfLastDay(before second: Int, of exchanges: TradingHours) -> Int {
        guard let session = exchanges.session(begunBy: second) else { return second }
        if session.postMarketClose <= second { return session.postMarketClose }
        return exchanges.session(before: session.date)?.postMarketClose ?? second
    }
}

extension MarketView {
    /// Creates the same market at an earlier second.
    fileprivate init(_ view: MarketView, at second: Int) {
        self.init(
            view.market, at: Instant(secondsSince1970: Int64(second)) ?? .earliest,
            script: MarketScript(unpriced: view.unpriced))
    }
}
