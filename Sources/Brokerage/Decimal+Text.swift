extension Decimal {
    /// Why a text is no decimal number.
    package enum ParseFailure: Error, Hashable {
        /// It is not `[+-] digits [. digits] [e [+-] digits]`.
        case malformed
        /// It is a number, with more digits than 38 or more of them after the point.
        case outOfRange
    }

    /// Reads the whole text, which may be `-1234.5600`, `+3` or `5E-05`.
    ///
    /// Nil when it is malformed or out of range.
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

    /// Reads the longest number that begins at `position`, and moves `position` after it.
    ///
    /// If it throws, `position` is unchanged. `position` must not be negative.
    package static func scan(_ bytes: Span<UInt8>, at position: inout Int) throws(ParseFailure) -> Decimal {
        if let value = scanShort(bytes, at: &position) { return value }
        var scanner = DecimalScanner(position: position)
        let value = try scanner.scan(bytes)
        position = scanner.position
        return value
    }

    /// Reads a number of up to 18 digits without an exponent, as most numbers are: 64 bits and one pass.
    ///
    /// Returns nil for all others, and if there is no number.
    @inline(__always)
    private static func scanShort(_ bytes: Span<UInt8>, at position: inout Int) -> Decimal? {
        guard position < bytes.count else { return nil }
        let isNegative = bytes[position] == UInt8(ascii: "-")
        let start = isNegative ? position &+ 1 : position
        var index = start
        // More than 18 digits overflow here, and the result is discarded below.
        var magnitude: UInt64 = 0
        func readDigits() {
            while index < bytes.count {
                let digit = bytes[index] &- UInt8(ascii: "0")
                guard digit < 10 else { break }
                magnitude = magnitude &* 10 &+ UInt64(digit)
                index &+= 1
            }
        }
        readDigits()
        guard index > start else { return nil }
        var scale = 0
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
            let point = index
            index &+= 1
            readDigits()
            scale = index &- point &- 1
            guard scale > 0 else { return nil }
        }
        let hasExponent = index < bytes.count && bytes[index] | 0x20 == UInt8(ascii: "e")
        guard index &- start <= 18, !hasExponent else { return nil }
        position = index
        let coefficient = Int64(bitPattern: magnitude)
        return Decimal(
            uncheckedCoefficient: Int128(isNegative ? 0 &- coefficient : coefficient), scale: scale)
    }
}

/// Any number: one pass over the digits, which go to 128 bits where 64 are not enough.
private struct DecimalScanner {
    var position: Int
    private var short: UInt64 = 0
    private var long: Int128 = 0
    private var isLong = false

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
        return try makeDecimal(isNegative ? -magnitude : magnitude, scale: scale)
    }

    private mutating func readSign(_ bytes: Span<UInt8>) -> Bool {
        guard position < bytes.count else { return false }
        let isNegative = bytes[position] == UInt8(ascii: "-")
        if isNegative || bytes[position] == UInt8(ascii: "+") { position += 1 }
        return isNegative
    }

    /// Adds digits to the coefficient; returns their number.
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

    private func makeDecimal(_ coefficient: Int128, scale: Int) throws(Decimal.ParseFailure) -> Decimal {
        if (0...Decimal.maximumScale).contains(scale) {
            return Decimal(uncheckedCoefficient: coefficient, scale: scale)
        }
        if coefficient == 0 {
            return Decimal(uncheckedCoefficient: 0, scale: scale < 0 ? 0 : Decimal.maximumScale)
        }
        return scale < 0
            ? try raise(coefficient, by: -scale) : try shorten(coefficient, scale: scale)
    }

    private func raise(_ coefficient: Int128, by exponent: Int) throws(Decimal.ParseFailure) -> Decimal {
        guard exponent <= Decimal.maximumScale else { throw .outOfRange }
        let (raised, over) = coefficient.multipliedReportingOverflow(by: PowersOfTen[exponent])
        guard !over else { throw .outOfRange }
        return Decimal(uncheckedCoefficient: raised, scale: 0)
    }

    /// Digits after the 38th are allowed if they are zeros.
    private func shorten(_ coefficient: Int128, scale: Int) throws(Decimal.ParseFailure) -> Decimal {
        let excess = scale - Decimal.maximumScale
        guard excess <= Decimal.maximumScale else { throw .outOfRange }
        let (shorter, lost) = coefficient.quotientAndRemainder(dividingBy: PowersOfTen[excess])
        guard lost == 0 else { throw .outOfRange }
        return Decimal(uncheckedCoefficient: shorter, scale: Decimal.maximumScale)
    }
}

extension Decimal: CustomStringConvertible {
    /// Plain notation with every written digit, like `-1234.5600`.
    ///
    /// Never an exponent, never a lone point.
    package var description: String {
        unsafe String(unsafeUninitializedCapacity: Self.maximumUTF8Count) { buffer in
            unsafe write(into: buffer)
        }
    }

    /// The longest ``description``, in bytes: a sign, a point and 39 digits.
    package static let maximumUTF8Count = 41

    /// Appends the bytes of ``description``.
    package func append(to bytes: inout [UInt8]) {
        bytes.append(addingCapacity: Self.maximumUTF8Count) { (output: inout OutputSpan<UInt8>) in
            write(into: &output)
        }
    }

    /// Appends the bytes of ``description``; `output` must have room for ``maximumUTF8Count`` bytes.
    package func write(into output: inout OutputSpan<UInt8>) {
        unsafe output.withUnsafeMutableBufferPointer { buffer, initializedCount in
            let free = unsafe UnsafeMutableBufferPointer(rebasing: buffer[initializedCount...])
            initializedCount += unsafe write(into: free)
        }
    }

    /// Writes the bytes of ``description`` to the start of `buffer`; returns their number.
    ///
    /// `buffer` must have room for ``maximumUTF8Count`` bytes. One check here makes every store below sound;
    /// stores without further checks are the reason why a chart of 60,000 numbers is written at memory
    /// speed.
    @unsafe
    package func write(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        precondition(buffer.count >= Self.maximumUTF8Count, "a decimal needs \(Self.maximumUTF8Count) bytes")
        guard let base = buffer.baseAddress else { return 0 }
        var start = 0
        if coefficient < 0 {
            unsafe base[0] = UInt8(ascii: "-")
            start = 1
        }
        let magnitude = coefficient.magnitude
        if let short = UInt64(exactly: magnitude) {
            return unsafe write(short, ofDigits: short.digitCount, at: base + start) + start
        }
        return unsafe write(magnitude, ofDigits: magnitude.digitCount, at: base + start) + start
    }

    /// Writes the digits from right to left, two at a time, and then puts the point between them.
    @inline(__always)
    private func write<Magnitude: FixedWidthInteger & UnsignedInteger>(
        _ magnitude: Magnitude, ofDigits known: Int, at base: UnsafeMutablePointer<UInt8>
    ) -> Int {
        // A fraction has at least one digit before its point.
        let digits = max(known, scale + 1)
        let shift = scale == 0 ? 0 : 1
        var rest = magnitude
        var index = digits + shift
        while index - shift >= 2 {
            let quotient = rest / 100
            let pair = UInt32(truncatingIfNeeded: rest &- quotient &* 100)
            // `tens` is a tenth of a number below 100.
            let tens = (pair &* 103) >> 10
            index -= 2
            unsafe base[index] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: tens)
            unsafe base[index + 1] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: pair &- tens &* 10)
            rest = quotient
        }
        if index > shift { unsafe base[shift] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest) }
        guard shift == 1 else { return digits }
        let whole = digits - scale
        for place in 0..<whole { unsafe base[place] = base[place + 1] }
        unsafe base[whole] = UInt8(ascii: ".")
        return digits + 1
    }
}

extension UInt64 {
    /// The number of decimal digits.
    fileprivate var digitCount: Int {
        // Each bit is about 0.3 digits (1233 / 4096); that is one too few from the power of ten on.
        let fewest = ((bitWidth - (self | 1).leadingZeroBitCount) * 1233) >> 12
        return self < UInt64(truncatingIfNeeded: PowersOfTen[fewest]) && fewest > 0 ? fewest : fewest + 1
    }
}

extension UInt128 {
    /// The number of decimal digits.
    var digitCount: Int {
        var count = 1
        var rest = self
        while rest >= 10 {
            rest /= 10
            count += 1
        }
        return count
    }
}
