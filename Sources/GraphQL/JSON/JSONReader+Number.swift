extension JSONReader {
    /// A number (RFC 8259, section 6): an integer where it fits into 64 bits, else the digits as they stand.
    mutating func number(in bytes: Span<UInt8>) throws(JSONFailure) -> InputValue {
        let start = offset
        var integer = Integer()
        if byte(at: offset, in: bytes) == UInt8(ascii: "-") {
            integer.isNegative = true
            move(to: offset + 1)
        }
        let first = offset
        try digits(in: bytes) { integer.append($0) }
        if offset - first > 1, bytes[first] == UInt8(ascii: "0") {
            throw JSONFailure(reason: .leadingZero, offset: first)
        }
        let isWhole = try !fraction(in: bytes)
        let isPlain = try !exponent(in: bytes)
        if isWhole, isPlain, let value = integer.value { return .int(value) }
        // Digits, signs, a dot and an e: ASCII.
        var text = ""
        text.reserveCapacity(offset - start)
        for position in start..<offset { text.unicodeScalars.append(Unicode.Scalar(bytes[position])) }
        return .number(text)
    }

    /// Whether a fraction stood there.
    private mutating func fraction(in bytes: Span<UInt8>) throws(JSONFailure) -> Bool {
        guard byte(at: offset, in: bytes) == UInt8(ascii: ".") else { return false }
        move(to: offset + 1)
        try digits(in: bytes) { _ in }
        return true
    }

    /// Whether an exponent stood there.
    private mutating func exponent(in bytes: Span<UInt8>) throws(JSONFailure) -> Bool {
        guard let mark = byte(at: offset, in: bytes), mark | 0x20 == UInt8(ascii: "e") else { return false }
        move(to: offset + 1)
        if let sign = byte(at: offset, in: bytes), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
            move(to: offset + 1)
        }
        try digits(in: bytes) { _ in }
        return true
    }

    /// At least one digit.
    private mutating func digits(in bytes: Span<UInt8>, _ take: (UInt8) -> Void) throws(JSONFailure) {
        var end = offset
        while let byte = byte(at: end, in: bytes), byte &- UInt8(ascii: "0") < 10 {
            take(byte &- UInt8(ascii: "0"))
            end += 1
        }
        guard end > offset else { throw unexpected(.digit, in: bytes) }
        move(to: end)
    }
}

/// The digits of a whole number, as long as they fit.
private struct Integer {
    var isNegative = false
    /// Nil once they did not fit; kept at or below zero, since there is one more negative number than positive ones.
    private var negated: Int? = 0

    mutating func append(_ digit: UInt8) {
        guard let number = negated else { return }
        let (tens, isTooFar) = number.multipliedReportingOverflow(by: 10)
        let (sum, isOver) = tens.subtractingReportingOverflow(Int(digit))
        negated = isTooFar || isOver ? nil : sum
    }

    var value: Int? {
        guard let negated else { return nil }
        if isNegative { return negated }
        return negated == .min ? nil : -negated
    }
}
