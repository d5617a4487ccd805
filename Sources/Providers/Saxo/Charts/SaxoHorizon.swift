import Brokerage

/// The length of a sample, in minutes, as Saxo asks for it.
enum SaxoHorizon {
    static func minutes(of interval: Interval) -> Int {
        switch interval {
        case .oneMinute: 1
        case .fiveMinutes: 5
        case .fifteenMinutes: 15
        case .thirtyMinutes: 30
        case .oneHour: 60
        case .oneDay: 1_440
        case .oneWeek: 10_080
        case .oneMonth: 43_200
        }
    }

    /// A day and longer, where candles are named by a date.
    static func isDaily(_ interval: Interval) -> Bool {
        switch interval {
        case .oneMinute, .fiveMinutes, .fifteenMinutes, .thirtyMinutes, .oneHour: false
        case .oneDay, .oneWeek, .oneMonth: true
        }
    }

    /// The start of a candle in seconds since 1970: as Saxo has it, or midnight UTC of its date.
    ///
    /// Since the third version samples begin at the opening of the exchange. What opens at 21:00 UTC or later opens for the
    /// day after: FX at 17:00 in New York, Sydney and Wellington in the morning.
    static func start(_ time: Instant, _ interval: Interval) -> Int64 {
        let seconds = time.secondsSince1970
        guard isDaily(interval) else { return seconds }
        let shifted = seconds + 3 * 3_600
        let rest = shifted % 86_400
        return shifted - (rest < 0 ? rest + 86_400 : rest)
    }
}
