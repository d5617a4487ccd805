package import Brokerage
import NIOCore
import NIOHTTP1

/// Where the stand-in for Yahoo is reached.
package struct FakeYahooURLs: Sendable, Hashable {
    /// Stands for `https://query1.finance.yahoo.com` and `https://query2.finance.yahoo.com`.
    package let queryURL: String
    /// Stands for `https://fc.yahoo.com/`, which gives out the cookie with a 404.
    package let cookieURL: String
    /// Stands for `http://query.yahooapis.com`, which answered YQL until 2019.
    package let yqlURL: String

    init(under base: String) {
        queryURL = "\(base)/\(FakeYahoo.queryPrefix)"
        cookieURL = "\(base)/\(FakeYahoo.cookiePrefix)/"
        yqlURL = "\(base)/\(FakeYahoo.yqlPrefix)"
    }
}

/// Yahoo's hosts: that of today's undocumented API, that of its cookie, and that of YQL.
struct FakeYahoo {
    static let queryPrefix = "yahoo"
    static let cookiePrefix = "yahoo-cookie"
    static let yqlPrefix = "yahoo-yql"

    let fakeHosts: [FakeHost]
    let budget = CallQuota()

    init(_ configuration: SandboxConfiguration, scriptedMarket: ScriptedMarket) {
        let settings = configuration.yahoo
        let pass = FakeYahooCrumb(seed: configuration.seed, lifetime: settings.crumbLifetime)
        let host = FakeYahooHost(
            settings: settings, crumbs: pass, budget: budget, scriptedMarket: scriptedMarket)
        let query: [SandboxRoute] = [
            host.raw("/v1/test/getcrumb") { request in Self.crumb(request, host) },
            host.open("/v8/finance/chart/{symbol}") { try FakeYahooChart($0).document() },
            host.closed("/v7/finance/quote") { try FakeYahooQuotes(context: $0).document() },
            host.closed("/v10/finance/quoteSummary/{symbol}") { try FakeYahooSummary($0).document() },
            host.open("/v1/finance/search") { try FakeYahooSearch($0).document() },
        ]
        let cookie = host.raw("/") { _ in
            var response = SandboxResponse.text("Not Found", status: .notFound)
            let value = pass.cookie(at: scriptedMarket.clock.now)
            response.headers.add(name: "Set-Cookie", value: "A3=\(value); \(settings.cookieAttributes)")
            return response
        }
        let yql = host.raw("/v1/public/yql") { try Yql.respond(to: $0, scriptedMarket.view, settings) }
        let hosts = [
            (Self.queryPrefix, query), (Self.cookiePrefix, [cookie]), (Self.yqlPrefix, [yql]),
        ]
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

    /// The crumb of a cookie, as text: or what stands there when Yahoo does not like to give it.
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

/// How the stand-in for Yahoo behaves where nothing is promised: all of it is known from recordings and
/// reports (the fact sheet marks the doubtful [C]).
package struct FakeYahooSettings: Sendable {
    /// Calls of one address each minute; nil for no limit.
    ///
    /// Yahoo tells of none, and has one.
    package var requestsPerMinute: Int? = 500
    /// The body of a 429: text, no JSON.
    package var tooManyRequestsText = "Edge: Too Many Requests"
    /// Beginnings of a `User-Agent` that get a 429 at once.
    package var rejectedUserAgents: [String] = []

    /// What the endpoint of the crumb answers.
    package var crumbResponse = CrumbAnswer.crumb
    /// Whether quotes and summaries need cookie and crumb.
    package var needsCrumb = true
    /// How long a cookie and its crumb are good; nil for ever.
    package var crumbLifetime: Duration?
    /// What follows the cookie.
    ///
    /// Yahoo says `Domain=.yahoo.com; Secure` as well, which a client that keeps to
    /// RFC 6265 would not bring back to this machine.
    package var cookieAttributes = "Max-Age=31557600; Path=/; SameSite=None; HttpOnly"
    /// The description in a 401.
    package var unauthorizedDescription = "Invalid Crumb"

    /// The most symbols of one call for quotes.
    package var maximumSymbols = 100
    /// Symbols that were listed once: quotes of the type `NONE`.
    package var delisted: Set<String> = ["BRKS"]

    /// Whether prices in charts are those of binary numbers of 32 bits: `226.10000610351562`.
    package var pricesAreSinglePrecision = true
    /// One in so many bars of less than a day is null throughout; nil for none.
    package var missingBarOneIn: Int? = 50
    /// Whether a bar of the running second follows the grid of a chart of less than a day.
    package var addsLiveBar = true
    /// The status for a symbol that is not listed: 404, or 200 by some reports.
    package var unknownSymbolStatus = 404
    /// The status for a range that is not to be had: 422, or 400 by some reports.
    package var badRangeStatus = 422
    /// The first day of every chart.
    package var historyBegins = CalendarDate(year: 1990, month: 1, day: 2) ?? .earliest

    /// Whether numbers of a summary are objects of their texts unless the request says `formatted=false`.
    package var summariesAreFormatted = true
    /// Whether a search finds a company without a symbol too.
    package var searchFindsPrivateCompanies = true

    /// What became of YQL.
    package var yql = Yql.serving

    package init() {}

    package enum CrumbAnswer: Sendable, Hashable {
        case crumb
        /// The text of a refusal where the crumb should be, with that status: it must not be kept.
        case tooManyRequests(status: Int)
        /// The page that asks for consent, with a 200.
        case page
    }

    package enum Yql: Sendable, Hashable {
        /// As in the spring of 2017.
        case serving
        /// As since 2017-11-01: 403, and why.
        case discontinued
    }
}

/// What every endpoint of Yahoo's hosts goes through: the limit of the address, the crumb, errors as bodies.
struct FakeYahooHost: Sendable {
    let settings: FakeYahooSettings
    let crumbs: FakeYahooCrumb
    let budget: CallQuota
    let scriptedMarket: ScriptedMarket

    /// One request that was let in.
    struct AuthenticatedRequest: Sendable {
        let request: SandboxRequest
        let view: MarketView
        let settings: FakeYahooSettings
    }

    /// An endpoint that anyone may ask.
    func open(
        _ template: PathTemplate, _ answer: @escaping @Sendable (AuthenticatedRequest) throws -> JSONDocument
    ) -> SandboxRoute {
        raw(template) { request in
            .json(
                try answer(
                    AuthenticatedRequest(request: request, view: scriptedMarket.view, settings: settings)))
        }
    }

    /// An endpoint that takes cookie and crumb.
    func closed(
        _ template: PathTemplate, _ answer: @escaping @Sendable (AuthenticatedRequest) throws -> JSONDocument
    ) -> SandboxRoute {
        open(template) { visit in
            try checkCrumb(visit.request)
            return try answer(visit)
        }
    }

    /// An endpoint that does not answer with JSON alone.
    func raw(
        _ template: PathTemplate, _ answer: @escaping @Sendable (SandboxRequest) throws -> SandboxResponse
    ) -> SandboxRoute {
        .get(template) { request in
            guard isWelcome(request) else { return .yahooTooManyRequests(settings) }
            do {
                return try answer(request)
            } catch let error as FakeYahooError {
                return SandboxResponse(error)
            }
        }
    }

    private func isWelcome(_ request: SandboxRequest) -> Bool {
        let agent = request.headers.first(name: "User-Agent") ?? ""
        guard !settings.rejectedUserAgents.contains(where: agent.hasPrefix) else { return false }
        guard let limit = settings.requestsPerMinute else { return true }
        let address = request.peer?.ipAddress ?? ""
        return budget.consume(
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

/// The cookie and the crumb that go with each other.
///
/// Nothing is kept of what was given out: a cookie tells when it was made and bears a mark of that, and its
/// crumb follows from it. The mark is no secret worth keeping; it tells tests apart that make one up.
struct FakeYahooCrumb: Sendable {
    private let random: SeededRandom
    private let lifetime: Duration?

    init(seed: UInt64, lifetime: Duration?) {
        random = SeededRandom(seed: seed).branch(.identity)
        self.lifetime = lifetime
    }

    /// The value of the cookie `A3` that is given out at a moment.
    func cookie(at now: Instant) -> String {
        let made = "\(now.secondsSince1970).\(now.nanoseconds)"
        return "d=\(made)&S=\(text(random.branch(made), count: 22))"
    }

    /// The cookie `A3` of a request, when it was given out here and is still good.
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

    /// Eleven characters, some of which a URL must escape.
    func crumb(for cookie: String) -> String {
        text(random.branch(cookie).branch(.quote), count: 11)
    }

    private func text(_ noise: SeededRandom, count: Int) -> String {
        String((0..<count).map { Self.alphabet[noise.number($0, below: Self.alphabet.count)] })
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/.")
}
