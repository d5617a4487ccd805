package import Brokerage

/// The trading hours of the US exchanges, by the rules of the New York Stock Exchange (Rule 7.2) since 2022.
///
/// The rules are applied to all years, together with the extraordinary closures since 2001.
package enum NewYorkCalendar {
    /// Returns the session of a day; nil at weekends and on holidays.
    package static func session(on date: CalendarDate) -> TradingSession? {
        guard !date.weekday.isWeekend, !isHoliday(date) else { return nil }
        // Clocks change on Sundays, so on a trading day every hour is 3,600 seconds long.
        let start = Int(Instant(newYorkMidnight: date).secondsSince1970)
        let close = isHalfDay(date) ? 13 : 16
        return TradingSession(
            date: date, preMarketOpen: start + 4 * 3600, open: start + 9 * 3600 + 1800,
            close: start + close * 3600, postMarketClose: start + (close + 4) * 3600)
    }
}

extension NewYorkCalendar {
    static func isHoliday(_ date: CalendarDate) -> Bool {
        switch date.month {
        case 1:
            // A New Year's Day on a Saturday has no substitute: the year's last Friday is a trading day.
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

    /// Returns true for days that end at 13:00: 3 July and Christmas Eve except on a Friday or weekend, and
    /// the day after Thanksgiving.
    ///
    /// On a Friday, the first two are the substitute holiday itself.
    static func isHalfDay(_ date: CalendarDate) -> Bool {
        switch (date.month, date.day) {
        case (7, 3), (12, 24): date.weekday != .friday && !date.weekday.isWeekend
        case (11, 23...29): date.weekday == .friday
        default: false
        }
    }

    /// Closures for mourning, storms and attacks.
    private static let closures: Set<CalendarDate> = Set(
        [
            "2001-09-11", "2001-09-12", "2001-09-13", "2001-09-14", "2004-06-11", "2007-01-02", "2012-10-29",
            "2012-10-30", "2018-12-05", "2025-01-09",
        ].compactMap { CalendarDate($0) })

    /// Returns true if a fixed holiday is observed on the date: on Monday for a Sunday, on Friday for a
    /// Saturday.
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

    /// Returns true if a date is the `count`-th such weekday of its month.
    private static func isWeekday(_ weekday: CalendarDate.Weekday, _ count: Int, _ date: CalendarDate) -> Bool
    {
        date.weekday == weekday && (date.day - 1) / 7 == count - 1
    }

    private static func isGoodFriday(_ date: CalendarDate) -> Bool {
        date.weekday == .friday && easter(date.year).adding(days: -2) == date
    }

    /// Returns Easter Sunday by the Gregorian computus (Meeus, "Astronomical Algorithms", chapter 8).
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

/// One trading day, in whole seconds since 1970.
///
/// The times in the comments are those of the US exchanges. Currencies and crypto have a day without phases:
/// it opens and closes with trading (see ``TradingHours``).
package struct TradingSession: Sendable, Hashable {
    /// The date in New York; for crypto, in UTC.
    package let date: CalendarDate
    /// The start of the pre-market: 04:00 in New York.
    package let preMarketOpen: Int
    /// The opening of the market: 09:30.
    package let open: Int
    /// The close of the market: 16:00, or 13:00 on half days.
    package let close: Int
    /// The end of the after-hours market: 20:00, or 17:00 on half days.
    package let postMarketClose: Int

    /// The midnight in New York at which a day of the exchanges begins.
    package var midnight: Int { TradingHours.exchanges.start(of: date) ?? preMarketOpen }

    /// A phase of a trading day.
    package enum Phase: Sendable, Hashable, CaseIterable {
        case preMarket
        case regular
        case postMarket
    }

    /// Returns nil while the market is closed.
    package func phase(at second: Int) -> Phase? {
        switch second {
        case preMarketOpen..<open: .preMarket
        case open..<close: .regular
        case close..<postMarketClose: .postMarket
        default: nil
        }
    }

    /// Returns the seconds from the first of a phase to the one after its last.
    package func seconds(of phase: Phase) -> Range<Int> {
        switch phase {
        case .preMarket: preMarketOpen..<open
        case .regular: open..<close
        case .postMarket: close..<postMarketClose
        }
    }
}
