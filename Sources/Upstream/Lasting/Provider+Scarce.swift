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
}
