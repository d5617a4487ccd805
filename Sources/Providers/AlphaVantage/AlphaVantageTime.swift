import Brokerage
import Upstream

/// Times in Alpha Vantage's form: New York time for all exchanges, without a time zone.
enum AlphaVantageTime {
    /// The only zone that was ever seen under `Time Zone`; other names of it are the same to us.
    static let zone = "America/New_York"

    /// Reads `2026-11-20 19:00:00`, with or without a fraction, or `2026-11-20`, which is midnight.
    static func instant(_ text: some StringProtocol) -> Instant? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count <= 2, let first = parts.first, let date = CalendarDate(first) else { return nil }
        guard parts.count == 2 else { return Instant(newYorkMidnight: date) }
        // A fraction and its range are checked by the reader of RFC 3339, which only needs a zone to be there.
        guard let inUTC = Instant("\(date)T\(parts[1])Z"), inUTC.dateInUTC == date else { return nil }
        let second = Int(inUTC.secondsSince1970 - Int64(date.daysSince1970) * 86_400)
        let local = LocalTime(
            date: date, hour: second / 3_600, minute: second / 60 % 60, second: second % 60)
        return local.map { Instant(newYork: $0) + .nanoseconds(inUTC.nanoseconds) }
    }
}

extension JSONReader {
    /// Reads a number or a numeric string; nil for null and for texts that mean a missing number.
    mutating func figureOrNil() throws(JSONError) -> Decimal? {
        guard try kind() == .string else { return try decimalOrNil() }
        return try token(oneOf: "decimals, None and -") { (word) -> Decimal?? in
            switch word {
            case "None", "-", "": .some(nil)
            default: Decimal(word.string).map { .some($0) }
            }
        }
    }

    /// See ``figureOrNil()``; for field tables.
    static func figure(_ reader: inout JSONReader) throws(JSONError) -> Decimal? { try reader.figureOrNil() }

    /// See ``textOrNil()``; for field tables.
    static func meaningfulText(_ reader: inout JSONReader) throws(JSONError) -> String? {
        try reader.textOrNil()
    }

    /// Reads a text; nil for null and for texts that mean a missing one.
    mutating func textOrNil() throws(JSONError) -> String? {
        guard let text = try stringOrNil(), !text.isEmpty, text != "None", text != "-" else { return nil }
        return text
    }

    /// Reads a time by the clock of New York.
    mutating func newYorkTime() throws(JSONError) -> Instant {
        try token(oneOf: "the times like 2026-11-20 19:00:00") { AlphaVantageTime.instant($0.string) }
    }

    /// Reads a date: `2026-11-20`.
    mutating func dateOrNil() throws(JSONError) -> CalendarDate? {
        try optional { reader throws(JSONError) in try reader.date() }
    }
}
