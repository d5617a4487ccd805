/// A day of the (proleptic) Gregorian calendar, 0001-01-01 to 9999-12-31, in no particular time zone.
package struct CalendarDate: Sendable, Hashable {
    package let year: Int
    /// 1 to 12.
    package let month: Int
    /// 1 to 31.
    package let day: Int

    /// Returns nil if there is no such day: `2023-02-29`, month 13, year 0.
    package init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
            day <= Self.dayCount(ofMonth: month, year: year)
        else { return nil }
        self.init(uncheckedYear: year, month: month, day: day)
    }

    private init(uncheckedYear year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    package static let earliest = CalendarDate(uncheckedYear: 1, month: 1, day: 1)
    package static let latest = CalendarDate(uncheckedYear: 9999, month: 12, day: 31)

    package static func isLeap(year: Int) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    /// The number of days of a month; `month` is 1 to 12.
    package static func dayCount(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: isLeap(year: year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension CalendarDate: Comparable {
    package static func < (left: CalendarDate, right: CalendarDate) -> Bool {
        left.ordinal < right.ordinal
    }

    /// Grows with the date, not without gaps.
    private var ordinal: Int { (year * 12 + month) * 31 + day }
}

extension CalendarDate {
    /// Days since 1970-01-01, below zero before it.
    package var daysSince1970: Int {
        // The calculation counts years from March, so that the leap day is the last day of a year.
        let shifted = month > 2 ? year : year - 1
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let daysOfYears = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400
        return daysOfYears + dayOfYear - Self.daysFromMarchOfYear0To1970
    }

    /// Returns nil outside of the years 0001 to 9999.
    ///
    /// Divides by multiplication, in 32 bits if possible, because a daily chart needs thousands of dates (C.
    /// Neri, L. Schneider: Euclidean affine functions and their application to calendar algorithms, 2022).
    package init?(daysSince1970 days: Int) {
        guard Self.daysOfTheRange.contains(days) else { return nil }
        let sinceMarchOfYear0 = UInt32(days + Self.daysFromMarchOfYear0To1970)
        let quarters = 4 * sinceMarchOfYear0 + 3
        let century = quarters / 146_097
        // The calculation counts years from March, so that the leap day is the last day of a year.
        let inCentury = UInt64((quarters % 146_097) | 3) * 2_939_745
        let yearOfCentury = UInt32(truncatingIfNeeded: inCentury >> 32)
        let dayOfYear = UInt32(truncatingIfNeeded: inCentury) / 2_939_745 / 4
        let inMonths = 2_141 * dayOfYear + 197_913
        let (monthFromMarch, dayOfMonth) = (inMonths >> 16, (inMonths & 0xFFFF) / 2_141)
        let isNextYear = dayOfYear >= 306
        self.init(
            uncheckedYear: Int(100 * century + yearOfCentury + (isNextYear ? 1 : 0)),
            month: Int(isNextYear ? monthFromMarch - 12 : monthFromMarch), day: Int(dayOfMonth + 1))
    }

    /// 0001-01-01 to 9999-12-31.
    private static let daysOfTheRange = -719_162...2_932_896

    private static let daysFromMarchOfYear0To1970 = 719_468

    /// The date a number of days later, or earlier if it is negative; nil outside of the years 0001 to 9999.
    package func adding(days: Int) -> CalendarDate? {
        let (sum, over) = daysSince1970.addingReportingOverflow(days)
        return over ? nil : CalendarDate(daysSince1970: sum)
    }

    /// The same day a number of months later or earlier; the last day of the month if the month is too
    /// short.
    ///
    /// Nil outside of the years 0001 to 9999.
    package func adding(months: Int) -> CalendarDate? {
        let (sum, over) = (year * 12 + month - 1).addingReportingOverflow(months)
        guard !over, sum >= 12 else { return nil }
        let (newYear, newMonth) = (sum / 12, sum % 12 + 1)
        let lastDay = Self.dayCount(ofMonth: newMonth, year: newYear)
        return CalendarDate(year: newYear, month: newMonth, day: min(day, lastDay))
    }

    /// The day of the week.
    package var weekday: Weekday {
        switch daysSinceSunday {
        case 0: .sunday
        case 1: .monday
        case 2: .tuesday
        case 3: .wednesday
        case 4: .thursday
        case 5: .friday
        default: .saturday
        }
    }

    /// 0 to 6.
    ///
    /// 1970-01-01 was a Thursday; the summand makes the sum positive from year 1 on.
    var daysSinceSunday: Int { (daysSince1970 + 719_163) % 7 }

    /// A day of the week.
    package enum Weekday: Sendable, Hashable, CaseIterable {
        case sunday, monday, tuesday, wednesday, thursday, friday, saturday

        package var isWeekend: Bool { self == .saturday || self == .sunday }
    }
}

extension CalendarDate: CustomStringConvertible {
    /// `2026-11-20`.
    package var description: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The length of each ``description``, in bytes.
    package static let utf8Count = 10

    /// Appends the bytes of ``description``.
    package func append(to bytes: inout [UInt8]) {
        bytes.append(addingCapacity: Self.utf8Count) { (output: inout OutputSpan<UInt8>) in
            write(into: &output)
        }
    }

    /// Appends the bytes of ``description``; `output` must have room for ``utf8Count`` bytes.
    package func write(into output: inout OutputSpan<UInt8>) {
        output.appendDate(self)
    }

    /// Reads `2026-11-20`, the full-date of RFC 3339, section 5.6; nil for any other text and for days that
    /// do not exist.
    package init?(_ text: some StringProtocol) {
        var text = String(text)
        let date: CalendarDate? = text.withUTF8 { bytes in CalendarDate(utf8: unsafe bytes.span) }
        guard let date else { return nil }
        self = date
    }

    /// Reads the whole of `bytes`, as ``init(_:)`` does.
    package init?(utf8 bytes: Span<UInt8>) {
        guard bytes.count == 10, let date = try? RFC3339.date(bytes) else { return nil }
        self = date
    }
}
