package import Brokerage

extension Provider {
    /// Whether its usual plan allows so few calls that what it told must outlive the process: 25 a day at Alpha Vantage, 5 a
    /// minute at Polygon.
    package var isScarce: Bool {
        switch self {
        case .alphaVantage, .polygon: true
        case .alpaca, .saxo, .yahoo: false
        }
    }

    /// A request that demands a new value (`Cache-Control: no-cache`) is given one that is younger than this all the same:
    /// otherwise each such request would cost a call.
    ///
    /// As long as the provider's usual plan spreads its calls of a minute, and longer where there are few a day.
    package var minimumAge: Duration {
        switch self {
        case .alpaca, .saxo: .seconds(1)
        case .yahoo: .seconds(15)
        case .polygon: .seconds(15)
        case .alphaVantage: .seconds(60)
        }
    }

    /// How long it is remembered that the provider knows no such symbol.
    ///
    /// A symbol that is listed meanwhile is found after that; one that nobody has costs a call in that time.
    package var unknownLifetime: Duration {
        switch self {
        case .alpaca, .saxo: .seconds(300)
        case .yahoo, .polygon, .alphaVantage: .seconds(3_600)
        }
    }
}
