import Brokerage

extension BarLength {
    /// The first day of the day, week or months in which a date lies; the date for lengths below a day.
    func period(of date: CalendarDate) -> CalendarDate? {
        switch self {
        case .minutes, .day: return date
        case .week: return date.adding(days: -date.weekday.daysAfterMonday)
        case .months(let count):
            let first = (date.month - 1) / count.months * count.months + 1
            return CalendarDate(year: date.year, month: first, day: 1)
        }
    }

    /// The first day of the next or the last period; nil where the calendar ends.
    func period(after first: CalendarDate, backwards: Bool) -> CalendarDate? {
        let direction = backwards ? -1 : 1
        return switch self {
        case .minutes, .day: first.adding(days: direction)
        case .week: first.adding(days: 7 * direction)
        case .months(let count): first.adding(months: count.months * direction)
        }
    }
}

extension Int {
    /// The number of months that a bar may have, so that it divides the year.
    fileprivate var months: Int { 12 % Swift.max(self, 1) == 0 ? Swift.max(self, 1) : 1 }
}

extension CalendarDate.Weekday {
    fileprivate var daysAfterMonday: Int {
        switch self {
        case .monday: 0
        case .tuesday: 1
        case .wednesday: 2
        case .thursday: 3
        case .friday: 4
        case .saturday: 5
        case .sunday: 6
        }
    }
}
