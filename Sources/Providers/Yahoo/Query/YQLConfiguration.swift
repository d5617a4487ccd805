package import Upstream

/// Where a server speaks Yahoo's query language (YQL) as it was in 2017.
///
/// Yahoo's own was shut down in 2019; stand-ins for it keep programs of that time alive.
package struct YQLConfiguration: Sendable {
    /// Stands before `/v1/public/yql`.
    package let base: ProviderBaseURL
    /// How many symbols one query asks for; at least 1.
    package let symbolsPerCall: Int
    package let windows: [QuotaWindow]

    package init(base: ProviderBaseURL, symbolsPerCall: Int = 100, windows: [QuotaWindow] = []) {
        self.base = base
        self.symbolsPerCall = max(symbolsPerCall, 1)
        self.windows = windows
    }
}
