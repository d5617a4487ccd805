package import Brokerage
import NIOCore
import NIOHTTP1

/// The URLs of the fake Yahoo.
package struct FakeYahooURLs: Sendable, Hashable {
    /// Replaces `https://query1.finance.yahoo.com` and `https://query2.finance.yahoo.com`.
    package let queryURL: String
    /// Replaces `https://fc.yahoo.com/`, which sets the cookie in a 404 response.
    package let cookieURL: String

    init(under base: String) {
        queryURL = "\(base)/\(FakeYahoo.queryPrefix)"
        cookieURL = "\(base)/\(FakeYahoo.cookiePrefix)/"
    }
}

/// The fake Yahoo: the hosts of the undocumented API and of its cookie.
struct FakeYahoo {
    static let queryPrefix = "yahoo"
    static let cookiePrefix = "yahoo-cookie"

    let fakeHosts: [FakeHost]
    let quota = CallQuota()

    init(_ configuration: SandboxConfiguration, scriptedMarket: ScriptedMarket) {
        let settings = configuration.yahoo
        let crumb = FakeYahooCrumb(seed: configuration.seed, lifetime: settings.crumbLifetime)
        let host = FakeYahooHost(
            settings: settings, crumbs: crumb, quota: quota, scriptedMarket: scriptedMarket)
        let query: [SandboxRoute] = [
            host.raw("/v1/test/getcrumb") { request in Self.crumb(request, host) },
            host.open("/v8/finance/chart/{symbol}") { try FakeYahooChart.document($0) },
            host.closed("/v7/finance/quote") { try FakeYahooQuotes(context: $0).document() },
            host.closed("/v10/finance/quoteSummary/{symbol}") { try FakeYahooSummary($0).document() },
            host.open("/v1/finance/search") { try FakeYahooSearch($0).document() },
        ]
        let cookie = host.raw("/") { _ in
            var response = SandboxResponse.text("Not Found", status: .notFound)
            let value = crumb.cookie(at: scriptedMarket.clock.now)
            response.headers.add(name: "Set-Cookie", value: "A3=\(value); \(settings.cookieAttributes)")
            return response
        }
        let hosts = [(Self.queryPrefix, query), (Self.cookiePrefix, [cookie])]
        fakeHosts = hosts.map { prefix, routes in
            FakeHost(
                provider: .yahoo, prefix: prefix, routes: routes,
                failures: FakeHost.Failures(
                    unknownPath: .yahoo(status: 404, settings),
                    methodNotAllowed: .yahoo(status: 405, settings),
                    expiredToken: SandboxResponse(.unauthorized(settings.unauthorizedDescription)),
                    status: { .yahoo(status: $0, settings) }))
        }
    }

    /// Returns the crumb of a cookie, as text, or the configured refusal.
    private static func crumb(_ request: SandboxRequest, _ host: FakeYahooHost) -> SandboxResponse {
        switch host.settings.crumbResponse {
        case .crumb:
            guard let cookie = host.crumbs.cookie(in: request.headers, at: host.scriptedMarket.clock.now)
            else {
                return SandboxResponse(.unauthorized("Invalid Cookie"))
            }
            return .text(host.crumbs.crumb(for: cookie), status: .ok)
        case .tooManyRequests(let status):
            return .text("Too Many Requests", status: HTTPResponseStatus(statusCode: status))
        case .page:
            return .text(
                "<!DOCTYPE html><html><head><title>Yahoo</title></head><body></body></html>\n",
                type: "text/html", status: .ok)
        }
    }
}

/// The settings of the fake Yahoo.
///
/// All its behaviour is undocumented, and known from recordings and reports.
package struct FakeYahooSettings: Sendable {
    /// Calls of one address per minute; nil for no limit.
    ///
    /// Yahoo does not document its limit.
    package var requestsPerMinute: Int? = 500
    /// The text body of a 429.
    package var tooManyRequestsText = "Edge: Too Many Requests"
    /// Prefixes of `User-Agent` that get a 429 at once.
    package var rejectedUserAgents: [String] = []

    /// The response of the crumb endpoint.
    package var crumbResponse = CrumbResponse.crumb
    /// True if quotes and summaries require cookie and crumb.
    package var needsCrumb = true
    /// The lifetime of a cookie and its crumb; nil for no expiry.
    package var crumbLifetime: Duration?
    /// The attributes of the cookie.
    ///
    /// Yahoo also sends `Domain=.yahoo.com; Secure`. With these, a client that complies with RFC 6265 would
    /// not return the cookie to this machine.
    package var cookieAttributes = "Max-Age=31557600; Path=/; SameSite=None; HttpOnly"
    /// The description in a 401.
    package var unauthorizedDescription = "Invalid Crumb"

    /// The maximum number of symbols of a quote call.
    package var maximumSymbols = 100
    /// Delisted symbols, whose quotes have the type `NONE`.
    package var delisted: Set<String> = ["BRKS"]
    /// True if a delisted symbol has a chart without bars and currency, of the exchange `YHD`; false if it has none.
    package var delistedHaveCharts = true
    /// Symbols whose charts have the ranges of a day and of five days only, such as warrants and new listings.
    package var shortHistories: Set<String> = []
    /// Symbols whose quotes have 0 for open, high, low and previous close.
    package var zeroFigures: Set<String> = []
    /// True if a quote of a pair of the dollar has the short name, `JPY=X`, though `USDJPY=X` was requested: both are reported.
    package var dollarPairsHaveShortNames = false

    /// True if chart prices are 32-bit binary numbers: `226.10000610351562`.
    package var pricesAreSinglePrecision = true
    /// The interval of intraday bars that are null: one of this many; nil for none.
    package var missingBarOneIn: Int? = 50
    /// True if an intraday chart ends with a bar of the current second.
    package var addsLiveBar = true
    /// The age of the last trade in charts, in seconds: Yahoo reports many exchanges 15 minutes late.
    package var chartDelay = 0
    /// The status for an unlisted symbol: 404, or 200 by some reports.
    package var unknownSymbolStatus = 404
    /// The status for an unavailable range: 422, or 400 by some reports.
    package var badRangeStatus = 422
    /// True if days and weeks of the range `max` are sent as months.
    package var maximumRangeIsMonthly = true
    /// The member `currency` of dividends.
    package var dividendCurrency = DividendCurrency.missing
    /// The first day of every chart.
    package var historyBegins = CalendarDate(year: 1990, month: 1, day: 2) ?? .earliest

    /// True if numbers of a summary are objects with texts unless the request has `formatted=false`.
    package var summariesAreFormatted = true
    /// True if a search also finds a company without a symbol.
    package var searchFindsPrivateCompanies = true

    package init() {}

    package enum CrumbResponse: Sendable, Hashable {
        case crumb
        /// A rejection with that status, whose text must not be used as a crumb.
        case tooManyRequests(status: Int)
        /// The consent page, with status 200.
        case page
    }

    package enum DividendCurrency: Sendable, Hashable {
        case missing
        case empty
        /// This text.
        case named(String)
    }
}

/// The common steps of all Yahoo endpoints: rate limit of the address, crumb, error bodies.
struct FakeYahooHost: Sendable {
    let settings: FakeYahooSettings
    let crumbs: FakeYahooCrumb
    let quota: CallQuota
    let scriptedMarket: ScriptedMarket

    struct AuthenticatedRequest: Sendable {
        let request: SandboxRequest
        let view: MarketView
        let settings: FakeYahooSettings
    }

    /// Creates a route for an endpoint without a crumb.
    func open(
        _ template: PathTemplate, _ handler: @escaping @Sendable (AuthenticatedRequest) throws -> JSONDocument
    ) -> SandboxRoute {
        raw(template) { request in
            .json(
                try handler(
                    AuthenticatedRequest(request: request, view: scriptedMarket.view, settings: settings)))
        }
    }

    /// Creates a route for an endpoint that requires cookie and crumb.
    func closed(
        _ template: PathTemplate, _ handler: @escaping @Sendable (AuthenticatedRequest) throws -> JSONDocument
    ) -> SandboxRoute {
        open(template) { context in
            try checkCrumb(context.request)
            return try handler(context)
        }
    }

    /// Creates a route for an endpoint whose response is not always JSON.
    func raw(
        _ template: PathTemplate, _ handler: @escaping @Sendable (SandboxRequest) throws -> SandboxResponse
    ) -> SandboxRoute {
        .get(template) { request in
            guard isAllowed(request) else { return .yahooTooManyRequests(settings) }
            do {
                return try handler(request)
            } catch let error as FakeYahooError {
                return SandboxResponse(error)
            }
        }
    }

    private func isAllowed(_ request: SandboxRequest) -> Bool {
        let agent = request.headers.first(name: "User-Agent") ?? ""
        guard !settings.rejectedUserAgents.contains(where: agent.hasPrefix) else { return false }
        guard let limit = settings.requestsPerMinute else { return true }
        let address = request.peer?.ipAddress ?? ""
        return quota.consume(
            for: address, at: scriptedMarket.clock.now, windows: [.init(period: .minute, limit: limit)])
            == nil
    }

    private func checkCrumb(_ request: SandboxRequest) throws(FakeYahooError) {
        guard settings.needsCrumb else { return }
        guard let cookie = crumbs.cookie(in: request.headers, at: scriptedMarket.clock.now),
            request[query: "crumb"] == crumbs.crumb(for: cookie)
        else { throw .unauthorized(settings.unauthorizedDescription) }
    }
}

/// Creates and checks cookies and their crumbs.
///
/// Nothing is stored: a cookie contains its time and a hash of it, and its crumb is computed from it. The
/// hash is not a security measure; it detects invented cookies in tests.
struct FakeYahooCrumb: Sendable {
    private let random: SeededRandom
    private let lifetime: Duration?

    init(seed: UInt64, lifetime: Duration?) {
        random = SeededRandom(seed: seed).branch(.identity)
        self.lifetime = lifetime
    }

    /// Returns the value of the cookie `A3` issued at a moment.
    func cookie(at now: Instant) -> String {
        let made = "\(now.secondsSince1970).\(now.nanoseconds)"
        return "d=\(made)&S=\(text(random.branch(made), count: 22))"
    }

    /// Returns the cookie `A3` of a request, if it was issued by this service and is not expired.
    func cookie(in headers: HTTPHeaders, at now: Instant) -> String? {
        let pairs = headers["Cookie"].joined(separator: "; ").split(separator: ";")
            .map { pair in pair.drop { $0 == " " } }
        guard let pair = pairs.last(where: { $0.hasPrefix("A3=") }) else { return nil }
        let cookie = String(pair.dropFirst(3))
        guard cookie.hasPrefix("d="), let end = cookie.firstRange(of: "&S=") else { return nil }
        let numbers = cookie[..<end.lowerBound].dropFirst(2).split(separator: ".")
        guard numbers.count == 2, let seconds = Int64(numbers[0]), let nanoseconds = Int32(numbers[1]),
            let made = Instant(secondsSince1970: seconds, nanoseconds: nanoseconds),
            self.cookie(at: made) == cookie
        else { return nil }
        if let lifetime, now.duration(since: made) >= lifetime { return nil }
        return cookie
    }

    /// Returns eleven characters, some of which must be escaped in a URL.
    func crumb(for cookie: String) -> String {
        text(random.branch(cookie).branch(.quote), count: 11)
    }

    private func text(_ noise: SeededRandom, count: Int) -> String {
        String((0..<count).map { Self.alphabet[noise.number($0, below: Self.alphabet.count)] })
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/.")
}
