/// Dates and times as RFC 3339, section 5.6, has them: `2026-11-20T14:30:00.5-05:00`.
package enum RFC3339 {
    /// Why a text is no instant.
    package enum Failure: Error, Hashable {
        /// It does not have the form of a date-time.
        case malformed
        /// The form is valid, but the date or time does not exist: February 30th, 25:00.
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

    /// Reads the full-date at the start of `bytes`; further bytes are ignored.
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

extension Instant: CustomStringConvertible {
    /// RFC 3339 in UTC: `2026-11-20T14:30:00Z`, with 3, 6 or 9 fraction digits if there is a fraction.
    package var description: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The longest ``description``, in bytes.
    package static let maximumUTF8Count = 30

    /// Appends the bytes of ``description``.
    package func append(to bytes: inout [UInt8]) {
        bytes.append(addingCapacity: Self.maximumUTF8Count) { (output: inout OutputSpan<UInt8>) in
            write(into: &output)
        }
    }

    /// Appends the bytes of ``description``; `output` must have room for ``maximumUTF8Count`` bytes.
    package func write(into output: inout OutputSpan<UInt8>) {
        appendSeconds(to: &output)
        if nanoseconds != 0 {
            output.append(UInt8(ascii: "."))
            output.appendFraction(Int(nanoseconds))
        }
        output.append(UInt8(ascii: "Z"))
    }

    /// The form that clients read, `2026-11-20T14:30:00.000Z`: with 3 fraction digits, or with 6 if the microseconds
    /// are not zero.
    ///
    /// Nanoseconds are cut off, because clients such as Python's `fromisoformat` reject them.
    package var dateTime: String {
        var bytes: [UInt8] = []
        bytes.append(addingCapacity: Self.maximumUTF8Count) { (output: inout OutputSpan<UInt8>) in
            writeDateTime(into: &output)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the bytes of ``dateTime``; `output` must have room for ``maximumUTF8Count`` bytes.
    package func writeDateTime(into output: inout OutputSpan<UInt8>) {
        appendSeconds(to: &output)
        output.append(UInt8(ascii: "."))
        output.appendTriple(Int(nanoseconds) / 1_000_000)
        let microseconds = Int(nanoseconds) / 1_000 % 1_000
        if microseconds != 0 { output.appendTriple(microseconds) }
        output.append(UInt8(ascii: "Z"))
    }

    /// Appends `2026-11-20T14:30:00`.
    private func appendSeconds(to output: inout OutputSpan<UInt8>) {
        let (date, second) = dayAndSecond(offset: 0)
        output.appendDate(date)
        output.append(UInt8(ascii: "T"))
        output.appendPair(second / 3600)
        output.append(UInt8(ascii: ":"))
        output.appendPair(second / 60 % 60)
        output.append(UInt8(ascii: ":"))
        output.appendPair(second % 60)
    }

    /// Reads a whole RFC 3339 date-time; nil for anything else.
    package init?(_ text: some StringProtocol) {
        var text = String(text)
        let instant: Instant? = text.withUTF8 { bytes in try? RFC3339.instant(unsafe bytes.span) }
        guard let instant else { return nil }
        self = instant
    }
}

extension OutputSpan<UInt8> {
    /// `2026-11-20`.
    mutating func appendDate(_ date: CalendarDate) {
        appendPair(date.year / 100)
        appendPair(date.year % 100)
        append(UInt8(ascii: "-"))
        appendPair(date.month)
        append(UInt8(ascii: "-"))
        appendPair(date.day)
    }

    /// Two digits; `number` is 0 to 99.
    fileprivate mutating func appendPair(_ number: Int) {
        let number = UInt32(truncatingIfNeeded: number)
        // `tens` is a tenth of a number below 100.
        let tens = (number &* 103) >> 10
        append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: tens))
        append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number &- tens &* 10))
    }

    /// Milli-, micro- or nanoseconds, the coarsest that loses nothing.
    fileprivate mutating func appendFraction(_ nanoseconds: Int) {
        let (milliseconds, belowMillisecond) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
        appendTriple(milliseconds)
        guard belowMillisecond != 0 else { return }
        appendTriple(belowMillisecond / 1_000)
        if belowMillisecond % 1_000 != 0 { appendTriple(belowMillisecond % 1_000) }
    }

    /// Three digits; `number` is 0 to 999.
    fileprivate mutating func appendTriple(_ number: Int) {
        append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number / 100))
        appendPair(number % 100)
    }
}
