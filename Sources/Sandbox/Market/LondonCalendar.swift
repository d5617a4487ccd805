import Brokerage
import PorticoCore

/// The trading hours and time zone of the London Stock Exchange, by today's rules for all years.
///
/// It covers the holidays of the Banking and Financial Dealings Act and of custom. It omits half days before
/// Christmas and the New Year, and days that were proclaimed once.
enum LondonCalendar {
    /// Returns 08:00 to 16:30; nil at weekends and on holidays.
    static func hours(on date: CalendarDate) -> Range<Int>? {
        guard !date.weekday.isWeekend, !isHoliday(date) else { return nil }
        let midnight = midnight(of: date)
        return (midnight + 8 * 3_600)..<(midnight + 16 * 3_600 + 1_800)
    }

    /// Returns the first second of a day.
    static func midnight(of date: CalendarDate) -> Int {
        let second = date.daysSince1970 * 86_400
        // The clocks change after midnight, so the offset of the evening before applies at midnight.
        return second - offset(at: second - 1)
    }

    /// Returns the date in London at a second.
    static func date(at second: Int) -> CalendarDate {
        let day = (second + offset(at: second)).flooredDivision(by: 86_400).quotient
        return CalendarDate(daysSince1970: day) ?? .earliest
    }

    /// Returns the seconds to add to UTC: 3,600 in summer time (BST), 0 in winter (GMT).
    ///
    /// Summer time is from the last Sunday of March to the last of October, from 01:00 to 01:00 in UTC
    /// (Summer Time Order 2002).
    static func offset(at second: Int) -> Int {
        let day = second.flooredDivision(by: 86_400).quotient
        guard let year = CalendarDate(daysSince1970: day)?.year,
            let spring = lastSunday(ofMonth: 3, year), let autumn = lastSunday(ofMonth: 10, year)
        else { return 0 }
        let (start, end) = (spring.daysSince1970 * 86_400 + 3_600, autumn.daysSince1970 * 86_400 + 3_600)
        return start <= second && second < end ? 3_600 : 0
    }

    private static func lastSunday(ofMonth month: Int, _ year: Int) -> CalendarDate? {
        let last = CalendarDate(year: year, month: month, day: 31)
        return (0..<7).lazy.compactMap { last?.adding(days: -$0) }.first { $0.weekday == .sunday }
    }

    private static func isHoliday(_ date: CalendarDate) -> Bool {
        let easter = NewYorkCalendar.easter(date.year)
        if date == easter.adding(days: -2) || date == easter.adding(days: 1) { return true }
        switch date.month {
        case 1: return isObserved(date, days: [1])
        // The first and the last Monday of May, and the last of August.
        case 5: return date.weekday == .monday && (date.day <= 7 || date.day > 24)
        case 8: return date.weekday == .monday && date.day > 24
        case 12: return isObserved(date, days: [25, 26])
        default: return false
        }
    }

    /// Returns true for a fixed holiday, and for its substitute if it is on a weekend: the next weekday that
    /// is not a holiday itself.
    private static func isObserved(_ date: CalendarDate, days: [Int]) -> Bool {
        if days.contains(date.day) { return true }
        guard let first = days.first, let last = days.last, date.day > last else { return false }
        let weekendHolidays = (first...last).count { day in
            CalendarDate(year: date.year, month: date.month, day: day)?.weekday.isWeekend == true
        }
        let weekdays = ((last + 1)...date.day).count { day in
            CalendarDate(year: date.year, month: date.month, day: day)?.weekday.isWeekend == false
        }
        return weekdays <= weekendHolidays
    }
}
