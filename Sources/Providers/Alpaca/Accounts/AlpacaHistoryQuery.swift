import Brokerage

/// What to ask `GET /v2/account/portfolio/history` for.
struct AlpacaHistoryQuery: Hashable {
    let period: String
    let timeframe: AlpacaTimeframe

    /// Nil for what Alpaca does not have: intervals other than ``AlpacaTimeframe``'s, and any shorter than a day where
    /// the range is longer than 30 days.
    ///
    /// Without an interval it is the one that draws the range in some hundred points: a minute for a day, a quarter
    /// of an hour for a week, else a day. The years since Alpaca's beginning are counted until `now`.
    init?(_ range: HistoryRange, _ interval: Interval?, now: Instant) {
        guard let timeframe = interval.map(AlpacaTimeframe.init) ?? Self.usual(range),
            timeframe == .day || Self.hasIntraday(range)
        else { return nil }
        self.timeframe = timeframe
        self.period = Self.period(range, now: now)
    }

    /// As they stand in the address.
    var items: [(name: String, value: String?)] {
        [("period", period), ("timeframe", timeframe.rawValue)]
    }

    private static func usual(_ range: HistoryRange) -> AlpacaTimeframe {
        switch range {
        case .oneDay: .minute
        case .oneWeek: .quarterHour
        case .oneMonth, .threeMonths, .oneYear, .all: .day
        }
    }

    private static func hasIntraday(_ range: HistoryRange) -> Bool {
        switch range {
        case .oneDay, .oneWeek, .oneMonth: true
        case .threeMonths, .oneYear, .all: false
        }
    }

    /// A year is `A`; there is no word for everything, but no account is older than Alpaca.
    private static func period(_ range: HistoryRange, now: Instant) -> String {
        switch range {
        case .oneDay: "1D"
        case .oneWeek: "1W"
        case .oneMonth: "1M"
        case .threeMonths: "3M"
        case .oneYear: "1A"
        case .all: "\(max(1, now.dateInUTC.year - founded + 1))A"
        }
    }

    /// The year in which Alpaca was founded.
    private static let founded = 2015
}
