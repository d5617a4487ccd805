import Brokerage
import Upstream

extension JSONReader {
    /// Reads a figure where 0 stands for unknown; nil for null too.
    mutating func nonzeroOrNil() throws(JSONError) -> Decimal? {
        guard let value = try decimalOrNil(), !value.isZero else { return nil }
        return value
    }

    /// Reads a time where the year 0001 stands for unknown; nil for null too.
    mutating func timeOrNil() throws(JSONError) -> Instant? {
        guard let time = try instantOrNil(), time.secondsSince1970 > 0 else { return nil }
        return time
    }

    /// Reads an id that may be written as a number; nil for null.
    mutating func idOrNil() throws(JSONError) -> String? {
        switch try kind() {
        case .null:
            try skip()
            return nil
        case .number: return String(try int())
        case .object, .array, .string, .true, .false: return try string()
        }
    }

    /// Reads texts; null is none.
    mutating func strings() throws(JSONError) -> [String] {
        var texts: [String] = []
        guard try !null() else { return texts }
        try array { reader throws(JSONError) in texts.append(try reader.string()) }
        return texts
    }
}
