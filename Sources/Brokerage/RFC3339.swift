/// Dates and times as RFC 3339, section 5.6, has them: `2026-11-20T14:30:00.5-05:00`.
package enum RFC3339 {
    /// Why a text is no instant.
    package enum Failure: Error, Hashable {
        /// It does not have the form of a date-time.
        case malformed
        /// The form is right, and the calendar or the clock has no such moment: February 30th, 25:00.
        case noSuchTime
        /// In UTC it lies before the year 0001 or after 9999.
        case outOfRange
    }

    /// Reads a whole date-time.
    ///
    /// Any number of fraction digits is read, those past the ninth are cut off. The second 60 is read where UTC may
    /// have one, at the end of June and December, and counts as the second after it, as in POSIX time.
    package static func instant(_ bytes: Span<UInt8>) throws(Failure) -> Instant {
        let date = try date(bytes)
        guard bytes.count >= 20, bytes[10] | 0x20 == UInt8(ascii: "t"), bytes[13] == UInt8(ascii: ":"),
            bytes[16] == UInt8(ascii: ":")
        else { throw .malformed }
        let hour = try pair(bytes, at: 11)
        let minute = try pair(bytes, at: 14)
        let second = try pair(bytes, at: 17)
        guard hour < 24, minute < 60, second <= 60 else { throw .noSuchTime }
        var position = 19
        let nanoseconds = try fraction(bytes, at: &position)
        let offset = try offset(bytes, at: position)
        let secondOfDay = hour * 3600 + minute * 60 + second - offset
        guard let instant = Instant(date: date, second: secondOfDay, nanoseconds: nanoseconds) else {
            throw .outOfRange
        }
        guard second < 60 || isAfterLeapSecond(instant) else { throw .noSuchTime }
        return instant
    }

    /// Reads the full-date at the start of `bytes`, whatever follows.
    static func date(_ bytes: Span<UInt8>) throws(Failure) -> CalendarDate {
        guard bytes.count >= 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else {
            throw .malformed
        }
        let year = try pair(bytes, at: 0) * 100 + pair(bytes, at: 2)
        let (month, day) = (try pair(bytes, at: 5), try pair(bytes, at: 8))
        guard let date = CalendarDate(year: year, month: month, day: day) else { throw .noSuchTime }
        return date
    }

    /// Two digits; `position` and the one after it are inside, by the callers' checks.
    private static func pair(_ bytes: Span<UInt8>, at position: Int) throws(Failure) -> Int {
        let tens = bytes[position] &- UInt8(ascii: "0")
        let ones = bytes[position + 1] &- UInt8(ascii: "0")
        guard tens < 10, ones < 10 else { throw .malformed }
        return Int(tens) * 10 + Int(ones)
    }

    private static func fraction(_ bytes: Span<UInt8>, at position: inout Int) throws(Failure) -> Int32 {
        guard bytes[position] == UInt8(ascii: ".") else { return 0 }
        position += 1
        let start = position
        var nanoseconds: Int32 = 0
        var unit: Int32 = 100_000_000
        while position < bytes.count {
            let digit = bytes[position] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            // From the tenth digit on the unit is 0.
            nanoseconds += Int32(digit) * unit
            unit /= 10
            position += 1
        }
        guard position > start else { throw .malformed }
        return nanoseconds
    }

    /// Seconds that local time is ahead of UTC; it must end the text.
    private static func offset(_ bytes: Span<UInt8>, at position: Int) throws(Failure) -> Int {
        guard position < bytes.count else { throw .malformed }
        let sign = bytes[position]
        if sign | 0x20 == UInt8(ascii: "z"), position + 1 == bytes.count { return 0 }
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), position + 6 == bytes.count,
            bytes[position + 3] == UInt8(ascii: ":")
        else { throw .malformed }
        let (hours, minutes) = (try pair(bytes, at: position + 1), try pair(bytes, at: position + 4))
        guard hours < 24, minutes < 60 else { throw .noSuchTime }
        let seconds = hours * 3600 + minutes * 60
        return sign == UInt8(ascii: "-") ? -seconds : seconds
    }

    private static func isAfterLeapSecond(_ instant: Instant) -> Bool {
        let (date, second) = instant.dayAndSecond(offset: 0)
        return second == 0 && date.day == 1 && (date.month == 1 || date.month == 7)
    }
}
