import Brokerage

/// The distances of two points of a history that Alpaca has; the raw value is Alpaca's name.
enum AlpacaTimeframe: String, CaseIterable {
    case minute = "1Min"
    case fiveMinutes = "5Min"
    case quarterHour = "15Min"
    case hour = "1H"
    case day = "1D"

    /// Nil for an interval that Alpaca does not have.
    init?(_ interval: Interval) {
        switch interval {
        case .oneMinute: self = .minute
        case .fiveMinutes: self = .fiveMinutes
        case .fifteenMinutes: self = .quarterHour
        case .oneHour: self = .hour
        case .oneDay: self = .day
        case .thirtyMinutes, .oneWeek, .oneMonth: return nil
        }
    }

    var interval: Interval {
        switch self {
        case .minute: .oneMinute
        case .fiveMinutes: .fiveMinutes
        case .quarterHour: .fifteenMinutes
        case .hour: .oneHour
        case .day: .oneDay
        }
    }
}
