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
