package import Brokerage

extension JSONReader {
    /// Reads a number or a numeric string, digit by digit: no binary floating point in between.
    ///
    /// A string may have a leading `+` or zeros, as some providers write them; a number may not.
    package mutating func decimal() throws(JSONError) -> Decimal {
        skipWhitespace()
        if byte(at: position) == UInt8(ascii: "\"") { return try decimalString() }
        try checkNumberStart(.decimal)
        let start = position
        do throws(Decimal.ParseFailure) {
            return try scanDecimal()
        } catch {
            throw numberFailure(error, .decimal, at: start)
        }
    }

    /// Reads a whole number, or a string of one.
    ///
    /// `5.0` and `1.5e3` are whole.
    package mutating func int() throws(JSONError) -> Int {
        skipWhitespace()
        let start = position
        let read = try decimal(expecting: .integer)
        let value = read.scale == 0 ? read : read.withoutTrailingZeros
        guard value.scale == 0 else { throw JSONError(.unreadable(.integer), at: start) }
        guard let whole = Int(exactly: value.coefficient) else {
            throw JSONError(.outOfRange(.integer), at: start)
        }
        return whole
    }

    /// Reads `true` or `false`.
    package mutating func bool() throws(JSONError) -> Bool {
        switch try kind() {
        case .true:
            try literal("true")
            return true
        case .false:
            try literal("false")
            return false
        case .object, .array, .string, .number, .null:
            throw mismatch(.bool)
        }
    }

    /// The unit of a number that counts from 1970-01-01T00:00:00Z.
    package enum EpochUnit: Sendable {
        case seconds, milliseconds, nanoseconds
    }

    /// Reads an instant given as a whole number since 1970.
    package mutating func instant(since1970 unit: EpochUnit) throws(JSONError) -> Instant {
        skipWhitespace()
        let start = position
        let count = Int64(try int())
        let instant: Instant? =
            switch unit {
            case .seconds: Instant(secondsSince1970: count)
            case .milliseconds: Instant(millisecondsSince1970: count)
            case .nanoseconds: Instant(nanosecondsSince1970: count)
            }
        guard let instant else { throw JSONError(.outOfRange(.instant), at: start) }
        return instant
    }

    private mutating func decimal(expecting expectation: JSONError.ExpectedType) throws(JSONError) -> Decimal
    {
        do throws(JSONError) {
            return try decimal()
        } catch {
            throw error.expecting(expectation)
        }
    }

    private mutating func decimalString() throws(JSONError) -> Decimal {
        let start = position
        let (range, isEscaped) = try scanString()
        guard !isEscaped else { throw JSONError(.unreadable(.decimal), at: start) }
        let end = position
        position = range.lowerBound
        do throws(Decimal.ParseFailure) {
            let value = try scanDecimal()
            guard position == range.upperBound else { throw .malformed }
            position = end
            return value
        } catch {
            let reason: JSONError.Reason = error == .malformed ? .unreadable(.decimal) : .outOfRange(.decimal)
            throw JSONError(reason, at: start)
        }
    }

    /// JSON requires a digit directly after the sign, and no zero before another digit (RFC 8259, section 6).
    @inline(__always)
    private mutating func checkNumberStart(_ expectation: JSONError.ExpectedType) throws(JSONError) {
        let isNegative = byte(at: position) == UInt8(ascii: "-")
        let first = isNegative ? position &+ 1 : position
        guard isDigit(byte(at: first)) else {
            guard isNegative else { throw mismatch(expectation) }
            throw first < count ? JSONError(.invalidNumber, at: position) : unexpected(at: first)
        }
        if byte(at: first) == UInt8(ascii: "0"), isDigit(byte(at: first &+ 1)) {
            throw JSONError(.invalidNumber, at: position)
        }
    }

    private func numberFailure(
        _ failure: Decimal.ParseFailure, _ expectation: JSONError.ExpectedType, at start: Int
    ) -> JSONError {
        switch failure {
        case .malformed: JSONError(.invalidNumber, at: start)
        case .outOfRange: JSONError(.outOfRange(expectation), at: start)
        }
    }

    @inline(__always)
    private func isDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10
    }

    /// Passes over a number of any size.
    mutating func skipNumber() throws(JSONError) {
        try checkNumberStart(.decimal)
        let start = position
        if byte(at: position) == UInt8(ascii: "-") { position &+= 1 }
        skipDigits()
        if byte(at: position) == UInt8(ascii: ".") {
            position &+= 1
            guard isDigit(byte(at: position)) else { throw JSONError(.invalidNumber, at: start) }
            skipDigits()
        }
        if byte(at: position) | 0x20 == UInt8(ascii: "e") {
            position &+= 1
            if byte(at: position) == UInt8(ascii: "-") || byte(at: position) == UInt8(ascii: "+") {
                position &+= 1
            }
            guard isDigit(byte(at: position)) else { throw JSONError(.invalidNumber, at: start) }
            skipDigits()
        }
    }

    private mutating func skipDigits() {
        while isDigit(byte(at: position)) { position &+= 1 }
    }
}

extension JSONReader {
    /// Nil for null, else a decimal.
    package mutating func decimalOrNil() throws(JSONError) -> Decimal? { try null() ? nil : try decimal() }
    /// Nil for null, else a whole number.
    package mutating func intOrNil() throws(JSONError) -> Int? { try null() ? nil : try int() }
    /// Nil for null, else a bool.
    package mutating func boolOrNil() throws(JSONError) -> Bool? { try null() ? nil : try bool() }
    /// Nil for null, else a string.
    package mutating func stringOrNil() throws(JSONError) -> String? { try null() ? nil : try string() }
    /// Nil for null, else an RFC 3339 date-time.
    package mutating func instantOrNil() throws(JSONError) -> Instant? { try null() ? nil : try instant() }
}

extension JSONError {
    /// The same error with a more specific expected type.
    fileprivate func expecting(_ expectation: ExpectedType) -> JSONError {
        let reason: Reason =
            switch self.reason {
            case .expected(_, let found): .expected(expectation, found: found)
            case .unreadable: .unreadable(expectation)
            case .outOfRange: .outOfRange(expectation)
            default: self.reason
            }
        return JSONError(reason, at: offset)
    }
}
