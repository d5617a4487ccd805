package import Brokerage
package import Upstream

/// Where Polygon is reached, as whom, and how much may be asked.
package struct PolygonConfiguration: Sendable {
    /// Stands before `/v2` and `/v3`.
    package let base: ProviderBaseURL
    package let key: APIKey
    /// What the key may spend.
    package let windows: [QuotaWindow]

    /// - Parameters:
    ///   - base: Where Polygon is, without the version of its paths.
    ///   - key: Polygon's own key; Alpaca's have not been good for it since 2021.
    ///   - windows: What the key may spend; by default what the free plan allows.
    package init(base: ProviderBaseURL, key: APIKey, windows: [QuotaWindow] = Self.freePlan) {
        self.base = base
        self.key = key
        self.windows = windows
    }

    /// Polygon's own address; nil for the sandbox, which stands elsewhere each time.
    ///
    /// The company has been called Massive since 2025 and answers under that name too; the old one still holds.
    package static func url(of environment: Environment) -> HTTPURL? {
        switch environment {
        case .live, .paper: HTTPURL("https://api.polygon.io")
        case .sandbox: nil
        }
    }

    /// Five calls a minute, pages included.
    package static let freePlan = [QuotaWindow("minute", limit: 5, per: .rolling(seconds: 60))]

    /// Whether an address of a next page is Polygon's: under this base, or under either name of the company.
    func owns(_ url: HTTPURL) -> Bool {
        url.host == base.url.host || Self.hosts.contains(url.host)
    }

    private static let hosts: Set<String> = ["api.polygon.io", "api.massive.com"]
}
