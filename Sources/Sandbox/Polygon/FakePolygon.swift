import Brokerage
import NIOHTTP1

/// Where the stand-in for Polygon is reached.
package struct FakePolygonURLs: Sendable, Hashable {
    /// Stands for `https://api.polygon.io` and `https://api.massive.com`.
    package let baseURL: String

    init(under base: String) {
        baseURL = "\(base)/\(FakePolygon.prefix)"
    }
}

/// Polygon's host: aggregates, reference data and news.
struct FakePolygon {
    static let prefix = "polygon"

    let fakeHost: FakeHost
    let budget = CallQuota()

    init(_ configuration: SandboxConfiguration, scriptedMarket: ScriptedMarket) {
        let settings = configuration.polygon
        let host = FakePolygonHost(settings: settings, budget: budget, scriptedMarket: scriptedMarket)
        fakeHost = FakeHost(
            provider: .polygon, prefix: Self.prefix,
            routes: [
                host.get("/v2/aggs/ticker/{ticker}/range/{multiplier}/{timespan}/{from}/{to}") {
                    try FakePolygonAggregates($0).document()
                },
                host.get("/v2/aggs/ticker/{ticker}/prev") { FakePolygonAggregates.previous($0) },
                host.get("/v2/reference/news") { try FakePolygonNews($0).document() },
                host.get("/v3/reference/tickers") { try FakePolygonReference(context: $0).list() },
                host.get("/v3/reference/tickers/{ticker}") {
                    try FakePolygonReference(context: $0).details()
                },
                host.raw("/v1/reference/company-branding/{cik}/images/logo.svg") { _ in Self.logo },
            ],
            failures: FakeHost.Failures(
                unknownPath: .polygon(status: 404, settings),
                methodNotAllowed: .polygon(status: 405, settings),
                expiredToken: .polygon(status: 401, settings),
                status: { .polygon(status: $0, settings) }))
    }

    /// The same square for every company.
    private static let logo = SandboxResponse.text(
        #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><rect width="1" height="1"/></svg>"#,
        type: "image/svg+xml", status: .ok)
}

/// How the stand-in for Polygon behaves where that depends on the plan, or is known from reports only (marked
/// [C] in the fact sheet).
package struct FakePolygonSettings: Sendable {
    /// Keys that have been given out, and what was paid for each.
    package var keys: [String: Plan] = [
        demoKey: .free, secondKey: .free, delayedKey: .delayed, realtimeKey: .realtime,
    ]
    /// Calls of a free key each minute; pages of one answer are calls as well.
    package var requestsPerMinute = 5
    /// How many years back free keys may look.
    package var yearsOfHistory = 2
    /// The status for a request without a key: 401, or 400 by some reports.
    package var missingKeyStatus = 401
    /// Whether a 429 says why.
    package var tooManyRequestsHasBody = true
    /// The message for a ticker without details.
    package var tickerNotFoundMessage = "Ticker not found."
    /// Whether bars tell of trades and their average price.
    package var barsHaveTrades = true
    /// What absolute links begin with, `https://api.polygon.io:443`; nil for the address that was asked.
    package var linkBase: String?

    package init() {}

    package enum Plan: Sendable, Hashable {
        /// Days that are over, of the last years, for few calls.
        case free
        /// Everything, a quarter of an hour late.
        case delayed
        case realtime
    }

    /// The demonstration's key.
    package static let demoKey = "sandbox-polygon-demo"
    /// Another free key, so that tests can tell whose budget is used up.
    package static let secondKey = "sandbox-polygon-second"
    package static let delayedKey = "sandbox-polygon-delayed"
    package static let realtimeKey = "sandbox-polygon-realtime"
}

/// What every endpoint of Polygon goes through: the key, the limit of its plan, errors as bodies.
struct FakePolygonHost: Sendable {
    let settings: FakePolygonSettings
    let budget: CallQuota
    let scriptedMarket: ScriptedMarket

    /// One request of a key that was let in.
    struct AuthenticatedRequest: Sendable {
        let request: SandboxRequest
        let plan: FakePolygonSettings.Plan
        /// The market as the clock has it.
        let now: MarketView
        /// The market as the plan shows it.
        let view: MarketView
        let settings: FakePolygonSettings
        /// An id of the request, 32 hexadecimal digits.
        let requestID: String
        /// What absolute links begin with.
        let linkBase: String

        /// A parameter of the query, or of the cursor that stands for it on later pages.
        subscript(_ parameter: String) -> String? {
            if let cursor, let value = cursor.last(where: { $0.name == parameter })?.value { return value }
            return request[query: parameter]
        }

        private var cursor: [(name: String, value: String)]? {
            request[query: "cursor"].flatMap(FakePolygonCursor.pairs)
        }
    }

    /// An id where there is no request to tell of.
    static let nobody = String(repeating: "0", count: 32)

    func get(
        _ template: PathTemplate, _ answer: @escaping @Sendable (AuthenticatedRequest) throws -> JSONDocument
    ) -> SandboxRoute {
        raw(template) { .json(try answer($0)) }
    }

    /// An endpoint that does not answer with JSON.
    func raw(
        _ template: PathTemplate,
        _ answer: @escaping @Sendable (AuthenticatedRequest) throws -> SandboxResponse
    ) -> SandboxRoute {
        .get(template) { request in
            let now = scriptedMarket.clock.now
            let id = requestID(of: request, at: now)
            do {
                let plan = try admit(request, at: now)
                return try answer(makeContext(request, plan, id))
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

    /// The plan of the key, one call of which is taken; throws ``FakePolygonError``.
    private func admit(_ request: SandboxRequest, at now: Instant) throws(FakePolygonError)
        -> FakePolygonSettings.Plan
    {
        guard let key = key(of: request) else { throw .missingKey(status: settings.missingKeyStatus) }
        guard let plan = settings.keys[key] else { throw .unknownKey }
        guard plan == .free else { return plan }
        let window = CallQuota.Window(period: .minute, limit: settings.requestsPerMinute)
        guard budget.consume(for: key, at: now, windows: [window]) == nil else {
            throw .tooManyRequests(hasBody: settings.tooManyRequestsHasBody)
        }
        return plan
    }

    /// From the query or the header; nil where neither has one.
    private func key(of request: SandboxRequest) -> String? {
        if let key = request[query: "apiKey"], !key.isEmpty { return key }
        let words = request.headers.first(name: "Authorization")?.split(separator: " ") ?? []
        return words.count == 2 && words[0].lowercased() == "bearer" ? String(words[1]) : nil
    }

    private func requestID(of request: SandboxRequest, at now: Instant) -> String {
        let noise = SeededRandom(seed: UInt64(bitPattern: now.secondsSince1970 ^ Int64(now.nanoseconds)))
            .branch(request.path.joined(separator: "/"))
        return UUIDFormat.version8(noise.bits(0), noise.bits(1)).replacing("-", with: "")
    }
}

extension FakePolygonSettings.Plan {
    /// The market as the plan shows it: now, a quarter of an hour ago, or when its last day was over.
    fileprivate func view(_ view: MarketView) -> MarketView {
        switch self {
        case .realtime: view
        case .delayed: MarketView(view, at: view.now - 15 * 60)
        case .free: MarketView(view, at: Self.endOfLastDay(before: view.now))
        }
    }

    /// The end of the last session of the exchanges that is over.
    private static func endOfLastDay(before second: Int) -> Int {
        guard let session = Market.session(begunBy: second) else { return second }
        if session.postMarketClose <= second { return session.postMarketClose }
        return TradingCalendar.session(before: session.date)?.postMarketClose ?? second
    }
}

extension MarketView {
    /// The same market at an earlier second.
    fileprivate init(_ view: MarketView, at second: Int) {
        self.init(
            view.market, at: Instant(secondsSince1970: Int64(second)) ?? .earliest,
            script: MarketScript(unpriced: view.unpriced))
    }
}
