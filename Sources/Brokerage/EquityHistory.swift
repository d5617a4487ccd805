/// An account's equity over time, oldest point first.
package struct EquityHistory: Hashable, Sendable {
    package var range: DateRange
    package var interval: Interval
    /// ISO 4217.
    package var currency: String
    /// The equity from which `profitLoss` is calculated; nil if the broker has none.
    package var baseValue: Decimal?
    package var points: [EquityPoint]
    /// The error of each point that could not be read, with its place in the broker's response and without a value.
    package var unreadable: [String] = []
    package var provenance: Provenance

    package init(
        range: DateRange, interval: Interval, currency: String, baseValue: Decimal?, points: [EquityPoint],
        provenance: Provenance
    ) {
        self.range = range
        self.interval = interval
        self.currency = currency
        self.baseValue = baseValue
        self.points = points
        self.provenance = provenance
    }
}

/// Equity at one moment.
package struct EquityPoint: Hashable, Sendable {
    package var time: Instant
    /// The broker's day whose value it is; nil within a day.
    package var date: CalendarDate?
    package var equity: Decimal
    /// Since the base value.
    package var profitLoss: Decimal?
    /// In per cent.
    package var profitLossPercent: Decimal?

    package init(
        time: Instant, date: CalendarDate? = nil, equity: Decimal, profitLoss: Decimal?,
        profitLossPercent: Decimal?
    ) {
        self.time = time
        self.date = date
        self.equity = equity
        self.profitLoss = profitLoss
        self.profitLossPercent = profitLossPercent
    }
}

/// Length of one candle, or the distance of two points of a history.
package enum Interval: String, Sendable, CaseIterable {
    case oneMinute = "ONE_MINUTE"
    case fiveMinutes = "FIVE_MINUTES"
    case fifteenMinutes = "FIFTEEN_MINUTES"
    case thirtyMinutes = "THIRTY_MINUTES"
    case oneHour = "ONE_HOUR"
    case oneDay = "ONE_DAY"
    case oneWeek = "ONE_WEEK"
    case oneMonth = "ONE_MONTH"
}

extension Interval {
    /// Seconds from the start of the interval that begins on a day to its end.
    ///
    /// A day counts as 24 hours: the hour that clocks are set by falls into a night without trading.
    package func length(on date: CalendarDate) -> Int64 {
        switch self {
        case .oneMinute: 60
        case .fiveMinutes: 300
        case .fifteenMinutes: 900
        case .thirtyMinutes: 1_800
        case .oneHour: 3_600
        case .oneDay: Self.day
        case .oneWeek: 7 * Self.day
        case .oneMonth: Int64(CalendarDate.dayCount(ofMonth: date.month, year: date.year)) * Self.day
        }
    }

    /// Whether it is shorter than a day, so that a trading day has several.
    package var isIntraday: Bool {
        switch self {
        case .oneMinute, .fiveMinutes, .fifteenMinutes, .thirtyMinutes, .oneHour: true
        case .oneDay, .oneWeek, .oneMonth: false
        }
    }

    /// The intervals that are shorter than a day.
    package static let intraday = Set(allCases.filter(\.isIntraday))

    /// The first day of the interval that a day falls into: of a week its Monday, of a month the first.
    ///
    /// Sources name a week by its Sunday, its Monday or the last day that was traded.
    package func firstDay(around date: CalendarDate) -> CalendarDate {
        switch self {
        case .oneMinute, .fiveMinutes, .fifteenMinutes, .thirtyMinutes, .oneHour, .oneDay: date
        case .oneWeek: date.adding(days: -date.daysSinceMonday) ?? date
        case .oneMonth: CalendarDate(year: date.year, month: date.month, day: 1) ?? date
        }
    }

    private static let day: Int64 = 86_400
}

extension CalendarDate {
    /// 0 to 6.
    fileprivate var daysSinceMonday: Int { (daysSinceSunday + 6) % 7 }
}
