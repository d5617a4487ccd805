package import Brokerage
package import Upstream

/// Where Alpha Vantage is reached, as whom, and what is paid for.
package struct AlphaVantageConfiguration: Sendable {
    /// Stands before `/query`.
    package let base: ProviderBaseURL
    package let key: APIKey
    package let plan: AlphaVantagePlan
    /// Which American prices the plan includes; nil for those of the end of the day.
    package let entitlement: AlphaVantageEntitlement?
    /// What the key may spend.
    package let windows: [QuotaWindow]

    /// - Parameters:
    ///   - base: Where Alpha Vantage is, without the `/query` of its path.
    ///   - key: The key, which stands in the query of every call.
    ///   - plan: What is paid for.
    ///   - entitlement: Which American prices the plan includes.
    ///   - windows: What the key may spend; nil for what the plan allows.
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

    /// Alpha Vantage's own address; nil for the sandbox, which stands elsewhere each time.
    package static func url(of environment: Environment) -> HTTPURL? {
        switch environment {
        case .live, .paper: HTTPURL("https://www.alphavantage.co")
        case .sandbox: nil
        }
    }
}

/// What is paid for.
package enum AlphaVantagePlan: Sendable, Hashable {
    /// A call a second and 25 a day; quotes one by one, and the latest 100 candles of a series.
    case free
    /// So many calls a minute, up to 100 quotes in one, and whole series.
    case premium(callsPerMinute: Int)

    /// The limits of a key.
    ///
    /// Alpha Vantage does not say when its day begins; New York's midnight is assumed. Five calls a minute were the limit
    /// until 2023, and are kept to as nobody has taken them back.
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

/// Which American prices a paid key gives; the raw value is Alpha Vantage's name.
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
