extension Instant: CustomStringConvertible {
    /// RFC 3339 in UTC: `2026-11-20T14:30:00Z`, with 3, 6 or 9 fraction digits where there is a fraction.
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
        let (date, second) = dayAndSecond(offset: 0)
        output.appendDate(date)
        output.append(UInt8(ascii: "T"))
        output.appendPair(second / 3600)
        output.append(UInt8(ascii: ":"))
        output.appendPair(second / 60 % 60)
        output.append(UInt8(ascii: ":"))
        output.appendPair(second % 60)
        if nanoseconds != 0 {
            output.append(UInt8(ascii: "."))
            output.appendFraction(Int(nanoseconds))
        }
        output.append(UInt8(ascii: "Z"))
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
        // A tenth of what is below 100.
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
    private mutating func appendTriple(_ number: Int) {
        append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number / 100))
        appendPair(number % 100)
    }
}
