package import Brokerage

extension ProviderID {
    /// Whether its usual plan allows so few calls that what it told must outlive the process: 25 a day at Alpha Vantage, 5 a
    /// minute at Polygon.
    package var hasLowQuota: Bool {
        switch self {
        case .alphaVantage, .polygon: true
        case .alpaca, .saxo, .yahoo: false
        }
    }

    /// The age below which a value is returned even for a request that demands a new one (`Cache-Control:
    /// no-cache`), since otherwise each such request would cost a call.
    ///
    /// It is the time in which the provider's usual plan allows one call of its calls per minute, and longer
    /// if there are few calls a day.
    package var minimumAge: Duration {
        switch self {
        case .alpaca, .saxo: .seconds(1)
        case .yahoo: .seconds(15)
        case .polygon: .seconds(15)
        case .alphaVantage: .seconds(60)
        }
    }

    /// How long a response that the provider does not know a symbol is stored.
    ///
    /// A symbol that is listed in the meantime is found after that time. An unknown symbol costs one call in
    /// that time.
    package var unknownLifetime: Duration {
        switch self {
        case .alpaca, .saxo: .seconds(300)
        case .yahoo, .polygon, .alphaVantage: .seconds(3_600)
        }
    }
}
