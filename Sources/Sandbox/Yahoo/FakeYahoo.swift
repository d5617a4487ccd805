import Brokerage
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
