import Brokerage

extension TradingCalendar {
    static func isHoliday(_ date: CalendarDate) -> Bool {
        switch date.month {
        case 1:
            // A New Year's Day on a Saturday is not made up for: the year's last Friday is a trading day.
            isObserved(date, month: 1, day: 1, onFriday: false) || isWeekday(.monday, 3, date)  // M. L. King
                || closures.contains(date)
        case 2: isWeekday(.monday, 3, date)  // Washington's Birthday
        case 3, 4: isGoodFriday(date)
        case 5: date.weekday == .monday && date.day > 24  // Memorial Day
        case 6: isObserved(date, month: 6, day: 19) || closures.contains(date)  // Juneteenth
        case 7: isObserved(date, month: 7, day: 4)  // Independence Day
        case 9: isWeekday(.monday, 1, date) || closures.contains(date)  // Labor Day
        case 10: closures.contains(date)
        case 11: isWeekday(.thursday, 4, date)  // Thanksgiving
        case 12: isObserved(date, month: 12, day: 25) || closures.contains(date)  // Christmas
        default: false
        }
    }

    /// Closed at 13:00: the 3rd of July and Christmas Eve unless Friday or weekend, and the day after
    /// Thanksgiving.
    ///
    /// On a Friday both are the made-up holiday itself.
    static func isHalfDay(_ date: CalendarDate) -> Bool {
        switch (date.month, date.day) {
        case (7, 3), (12, 24): date.weekday != .friday && !date.weekday.isWeekend
        case (11, 23...29): date.weekday == .friday
        default: false
        }
    }

    /// Days of mourning, storm and attack.
    private static let closures: Set<CalendarDate> = Set(
        [
            "2001-09-11", "2001-09-12", "2001-09-13", "2001-09-14", "2004-06-11", "2007-01-02", "2012-10-29",
            "2012-10-30", "2018-12-05", "2025-01-09",
        ].compactMap { CalendarDate($0) })

    /// A fixed holiday is kept on Monday when it falls on a Sunday, and on Friday when on a Saturday.
    private static func isObserved(
        _ date: CalendarDate, month: Int, day: Int, onFriday: Bool = true
    ) -> Bool {
        guard date.month == month else { return false }
        switch date.weekday {
        case .monday: return date.day == day || date.day == day + 1
        case .friday: return date.day == day || (onFriday && date.day == day - 1)
        default: return date.day == day
        }
    }

    /// Whether a date is that weekday of its month for the `count`-th time.
    private static func isWeekday(_ weekday: CalendarDate.Weekday, _ count: Int, _ date: CalendarDate) -> Bool
    {
        date.weekday == weekday && (date.day - 1) / 7 == count - 1
    }

    private static func isGoodFriday(_ date: CalendarDate) -> Bool {
        date.weekday == .friday && easter(date.year).adding(days: -2) == date
    }

    /// Easter Sunday by the Gregorian computus (Meeus, "Astronomical Algorithms", chapter 8).
    static func easter(_ year: Int) -> CalendarDate {
        let (golden, century, yearOfCentury) = (year % 19, year / 100, year % 100)
        let correction = century - century / 4 - (century - (century + 8) / 25 + 1) / 3
        let epact = (19 * golden + correction + 15) % 30
        let daysToSunday = (32 + 2 * (century % 4) + 2 * (yearOfCentury / 4) - epact - yearOfCentury % 4) % 7
        let late = (golden + 11 * epact + 22 * daysToSunday) / 451
        let days = epact + daysToSunday - 7 * late + 114
        return CalendarDate(year: year, month: days / 31, day: days % 31 + 1) ?? .earliest
    }
}
