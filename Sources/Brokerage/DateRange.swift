/// `Range` of the schema: a range that ends now, of a chart, a history or a performance.
package enum DateRange: String, Sendable, CaseIterable {
    case oneDay = "ONE_DAY"
    /// Five days with trades, so a week.
    case fiveDays = "FIVE_DAYS"
    case oneMonth = "ONE_MONTH"
    case threeMonths = "THREE_MONTHS"
    case sixMonths = "SIX_MONTHS"
    case yearToDate = "YEAR_TO_DATE"
    case oneYear = "ONE_YEAR"
    case fiveYears = "FIVE_YEARS"
    case max = "MAX"

    /// The first day of the range; nil for no bound.
    package func firstDay(until today: CalendarDate) -> CalendarDate? {
        switch self {
        case .oneDay: today
        case .yearToDate: CalendarDate(year: today.year, month: 1, day: 1)
        case .fiveDays, .oneMonth, .threeMonths, .sixMonths, .oneYear, .fiveYears, .max: start(until: today)
        }
    }

    /// The day at whose end the range starts; nil for no bound.
    ///
    /// A month starts on its same day, or on its last day if it is too short; the year to date on 31 December.
    package func start(until today: CalendarDate) -> CalendarDate? {
        switch self {
        case .oneDay: today.adding(days: -1)
        case .fiveDays: today.adding(days: -7)
        case .oneMonth: today.adding(months: -1)
        case .threeMonths: today.adding(months: -3)
        case .sixMonths: today.adding(months: -6)
        case .yearToDate: CalendarDate(year: today.year, month: 1, day: 1)?.adding(days: -1)
        case .oneYear: today.adding(months: -12)
        case .fiveYears: today.adding(months: -60)
        case .max: nil
        }
    }
}
