extension Decimal {
    /// Why a text is no decimal number.
    package enum ParseFailure: Error, Hashable {
        /// It is not `[+-] digits [. digits] [e [+-] digits]`.
        case malformed
        /// It is a number, with more digits than 38 or more of them after the point.
        case outOfRange
    }

    /// Reads the whole text: `-1234.5600`, `+3`, `5E-05`. Nil when it is malformed or out of range.
    ///
    /// A positive exponent is written out (`1.5e3` is `1500`); a negative one moves the point (`5E-05` is
    /// `0.00005`). Digits are wanted on both sides of a point; white space, `%`, `,` and the like are refused.
    package init?(_ text: some StringProtocol) {
        var text = String(text)
        let value = text.withUTF8 { bytes in unsafe Decimal(utf8: bytes.span) }
        guard let value else { return nil }
        self = value
    }

    /// Reads the whole of `bytes`, as ``init(_:)`` does.
    package init?(utf8 bytes: Span<UInt8>) {
        var position = 0
        guard let value = try? Decimal.scan(bytes, at: &position), position == bytes.count else { return nil }
        self = value
    }

    /// Reads the longest number that begins at `position`, and moves `position` behind it.
    ///
    /// Where it throws, `position` is unchanged. `position` must not be negative.
    package static func scan(_ bytes: Span<UInt8>, at position: inout Int) throws(ParseFailure) -> Decimal {
        var scanner = Scanner(position: position)
        let value = try scanner.scan(bytes)
        position = scanner.position
        return value
    }
}

/// One pass over the digits. A number of up to 18 digits, which is nearly every one, never leaves 64 bits.
private struct Scanner {
    var position: Int
    private var short: UInt64 = 0
    private var long: Int128 = 0
    private var isLong = false
    private var digitCount = 0

    init(position: Int) {
        self.position = position
    }

    mutating func scan(_ bytes: Span<UInt8>) throws(Decimal.ParseFailure) -> Decimal {
        let isNegative = readSign(bytes)
        guard try readDigits(bytes) > 0 else { throw .malformed }
        var scale = 0
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position += 1
            scale = try readDigits(bytes)
            guard scale > 0 else { throw .malformed }
        }
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            scale -= try readExponent(bytes)
        }
        let magnitude = isLong ? long : Int128(short)
        return try place(isNegative ? -magnitude : magnitude, scale: scale)
    }

    private mutating func readSign(_ bytes: Span<UInt8>) -> Bool {
        guard position < bytes.count else { return false }
        let isNegative = bytes[position] == UInt8(ascii: "-")
        if isNegative || bytes[position] == UInt8(ascii: "+") { position += 1 }
        return isNegative
    }

    /// Adds digits to the coefficient; the result is how many there were.
    private mutating func readDigits(_ bytes: Span<UInt8>) throws(Decimal.ParseFailure) -> Int {
        let start = position
        while position < bytes.count {
            let digit = bytes[position] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            if short < 100_000_000_000_000_000, !isLong {
                short = short &* 10 &+ UInt64(digit)
            } else {
                try widen(with: digit)
            }
            position += 1
        }
        return position - start
    }

    private mutating func widen(with digit: UInt8) throws(Decimal.ParseFailure) {
        if !isLong {
            isLong = true
            long = Int128(short)
        }
        let (shifted, over) = long.multipliedReportingOverflow(by: 10)
        let (sum, overAgain) = shifted.addingReportingOverflow(Int128(digit))
        guard !over, !overAgain else { throw .outOfRange }
        long = sum
    }

    /// The exponent, clamped far outside of what any coefficient could bear.
    private mutating func readExponent(_ bytes: Span<UInt8>) throws(Decimal.ParseFailure) -> Int {
        let isNegative = readSign(bytes)
        let start = position
        var exponent = 0
        while position < bytes.count {
            let digit = bytes[position] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            exponent = min(exponent * 10 + Int(digit), 1_000_000)
            position += 1
        }
        guard position > start else { throw .malformed }
        return isNegative ? -exponent : exponent
    }

    private func place(_ coefficient: Int128, scale: Int) throws(Decimal.ParseFailure) -> Decimal {
        if (0...Decimal.maximumScale).contains(scale) {
            return Decimal(uncheckedCoefficient: coefficient, scale: scale)
        }
        if coefficient == 0 { return Decimal(uncheckedCoefficient: 0, scale: scale < 0 ? 0 : Decimal.maximumScale) }
        return scale < 0
            ? try raise(coefficient, by: -scale) : try shorten(coefficient, scale: scale)
    }

    private func raise(_ coefficient: Int128, by exponent: Int) throws(Decimal.ParseFailure) -> Decimal {
        guard exponent <= Decimal.maximumScale else { throw .outOfRange }
        let (raised, over) = coefficient.multipliedReportingOverflow(by: PowersOfTen[exponent])
        guard !over else { throw .outOfRange }
        return Decimal(uncheckedCoefficient: raised, scale: 0)
    }

    /// Digits past the 38th place are allowed where they are zeros.
    private func shorten(_ coefficient: Int128, scale: Int) throws(Decimal.ParseFailure) -> Decimal {
        let excess = scale - Decimal.maximumScale
        guard excess <= Decimal.maximumScale else { throw .outOfRange }
        let (shorter, lost) = coefficient.quotientAndRemainder(dividingBy: PowersOfTen[excess])
        guard lost == 0 else { throw .outOfRange }
        return Decimal(uncheckedCoefficient: shorter, scale: Decimal.maximumScale)
    }
}
