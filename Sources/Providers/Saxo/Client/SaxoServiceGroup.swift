import Upstream

/// A service group of the OpenAPI, each of which has a limit of its own; the raw value begins its paths.
enum SaxoServiceGroup: String, Sendable, CaseIterable {
    case portfolio = "port"
    case trading = "trade"
    case reference = "ref"
    case chart = "chart"
    case root = "root"

    /// What every call to the group counts against.
    ///
    /// The limit of 10,000,000 a day is of the app over all of its users, so it is none of one user's windows.
    var windows: [QuotaWindow] {
        let session = QuotaWindow(rawValue, limit: 120, per: .rolling(seconds: 60))
        switch self {
        case .portfolio, .trading, .chart, .root: return [session]
        case .reference:
            return [
                session,
                QuotaWindow(SaxoRateLimitHeaders.referenceData, limit: 60, per: .rolling(seconds: 60)),
            ]
        }
    }
}
