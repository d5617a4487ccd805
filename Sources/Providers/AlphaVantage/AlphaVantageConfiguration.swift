package import Brokerage
package import Upstream

/// Alpha Vantage's address, key and plan.
package struct AlphaVantageConfiguration: Sendable {
    /// The address before `/query`.
    package let base: ProviderBaseURL
    package let key: APIKey
    package let plan: AlphaVantagePlan
    /// The American prices that are requested; nil for those of the end of the day, and for bulk quotes if the plan has them.
    package let entitlement: AlphaVantageEntitlement?
    /// The limits of the key.
    package let windows: [QuotaWindow]

    /// - Parameters:
    ///   - base: Alpha Vantage's address, without the `/query` of its path.
    ///   - key: The key, which is in the query of every call.
    ///   - plan: The subscription plan.
    ///   - entitlement: The prices of American exchanges that the plan includes.
    ///   - windows: The limits of the key; nil for those of the plan.
    package init(
        base: ProviderBaseURL, key: APIKey, plan: AlphaVantagePlan = .free,
        entitlement: AlphaVantageEntitlement? = nil, windows: [QuotaWindow]? = nil
    ) {
        self.base = base
        self.key = key
        self.plan = plan
        self.entitlement = entitlement
        self.windows = windows ?? plan.windows
    }

    /// Alpha Vantage's address; nil for the sandbox, which has no fixed address.
    package static func url(of environment: Environment) -> HTTPURL? {
        switch environment {
        case .live, .paper: HTTPURL("https://www.alphavantage.co")
        case .sandbox: nil
        }
    }
}

/// The subscription plan.
package enum AlphaVantagePlan: Sendable, Hashable {
    /// A call a second and 25 a day; quotes one by one, and the latest 100 candles of a series.
    case free
    /// A limit of calls for each minute, whole series, and with real-time prices up to 100 quotes in one call.
    case premium(callsPerMinute: Int)

    /// The limits of a key.
    ///
    /// Alpha Vantage does not document when its day begins; midnight in New York is assumed. Five calls a
    /// minute were the limit until 2023; it is still observed, because it was not revoked.
    package var windows: [QuotaWindow] {
        switch self {
        case .free:
            [
                QuotaWindow("second", limit: 1, per: .rolling(seconds: 1)),
                QuotaWindow("minute", limit: 5, per: .rolling(seconds: 60)),
                QuotaWindow("day", limit: 25, per: .newYorkDay),
            ]
        case .premium(let callsPerMinute):
            [QuotaWindow("minute", limit: callsPerMinute, per: .rolling(seconds: 60))]
        }
    }

    var isPremium: Bool {
        switch self {
        case .free: false
        case .premium: true
        }
    }
}

/// The American prices of a premium plan, for which its owner has accepted the terms of the exchanges; the raw value is Alpha
/// Vantage's name.
package enum AlphaVantageEntitlement: String, Sendable, CaseIterable {
    case realTime = "realtime"
    /// A quarter of an hour late.
    case delayed

    var delayMinutes: Int {
        switch self {
        case .realTime: 0
        case .delayed: 15
        }
    }

    var timeliness: Timeliness {
        switch self {
        case .realTime: .realTime
        case .delayed: .delayed
        }
    }
}
