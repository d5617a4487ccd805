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
