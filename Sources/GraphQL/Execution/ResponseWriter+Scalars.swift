extension ResponseWriter {
    /// Writes a string with its quotes, escaped only if RFC 8259 (section 7) requires it.
    @inlinable
    public mutating func write(_ text: String) {
        let bytes = text.utf8Span.span
        let length = bytes.count
        reserve(length &+ 2)
        unsafe bytes.withUnsafeBufferPointer { source in
            if unsafe copyQuoted(source) { return }
            unsafe writeEscaped(source)
        }
    }

    /// Copies a string that needs no escape, with its quotes; otherwise writes nothing and returns false.
    ///
    /// The caller has reserved the memory.
    @inlinable
    @inline(__always)
    mutating func copyQuoted(_ source: UnsafeBufferPointer<UInt8>) -> Bool {
        let length = source.count
        unsafe base[count] = UInt8(ascii: "\"")
        if length > 0, let start = source.baseAddress {
            guard unsafe copyPlain(start, length, to: base + (count &+ 1)) else { return false }
        }
        unsafe base[count &+ length &+ 1] = UInt8(ascii: "\"")
        count &+= length &+ 2
        return true
    }

    @inline(never)
    @usableFromInline
    mutating func writeEscaped(_ source: UnsafeBufferPointer<UInt8>) {
        write(byte: UInt8(ascii: "\""))
        for position in 0..<source.count {
            let byte = unsafe source[position]
            switch byte {
            case UInt8(ascii: "\""): write(json: "\\\"")
            case UInt8(ascii: "\\"): write(json: "\\\\")
            case 0x08: write(json: "\\b")
            case 0x09: write(json: "\\t")
            case 0x0A: write(json: "\\n")
            case 0x0C: write(json: "\\f")
            case 0x0D: write(json: "\\r")
            case 0..<0x20:
                write(json: "\\u00")
                write(byte: hexDigit(byte >> 4))
                write(byte: hexDigit(byte & 15))
            default: write(byte: byte)
            }
        }
        write(byte: UInt8(ascii: "\""))
    }
}

private func hexDigit(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
}

/// Copies bytes, eight at a time, and reports whether none of them needs an escape.
@inlinable
@inline(__always)
func copyPlain(
    _ source: UnsafePointer<UInt8>, _ length: Int, to target: UnsafeMutablePointer<UInt8>
) -> Bool {
    let from = unsafe UnsafeRawPointer(source)
    let into = UnsafeMutableRawPointer(target)
    var escapes: UInt64 = 0
    var offset = 0
    while offset &+ 8 <= length {
        let word = unsafe from.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        unsafe into.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
        escapes |= bytesToEscape(in: word)
        offset &+= 8
    }
    if offset < length, length >= 8 {
        // The tail overlaps with the bytes already copied.
        let word = unsafe from.loadUnaligned(fromByteOffset: length &- 8, as: UInt64.self)
        unsafe into.storeBytes(of: word, toByteOffset: length &- 8, as: UInt64.self)
        escapes |= bytesToEscape(in: word)
        return escapes == 0
    }
    while offset < length {
        let byte = unsafe source[offset]
        unsafe target[offset] = byte
        if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { escapes = 1 }
        offset &+= 1
    }
    return escapes == 0
}

/// Returns non-zero if one of the eight bytes is a control character, a quote or a backslash.
///
/// Each term sets the high bit of a byte that is less than a bound (subtraction borrows) or equal to a
/// character (exclusive or makes it zero). Bytes of multi-byte characters have their high bit set and are
/// masked.
@inlinable
@inline(__always)
func bytesToEscape(in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    let control = (word &- (ones &* 0x20)) & ~word
    return (control | ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)) & highs
}

extension ResponseWriter {
    /// Writes an integer in decimal digits.
    @inlinable
    public mutating func write(_ value: Int) {
        reserve(20)
        if value < 0 {
            unsafe base[count] = UInt8(ascii: "-")
            count &+= 1
        }
        write(digits: UInt64(value.magnitude))
    }

    /// Writes the digits of a number, two at a time from the end.
    ///
    /// The caller has reserved 20 bytes.
    @inlinable
    @inline(__always)
    mutating func write(digits number: UInt64) {
        let width = decimalWidth(of: number)
        let pairs = unsafe UnsafeRawPointer(digitPairs.utf8Start)
        let target = unsafe UnsafeMutableRawPointer(base + count)
        var rest = number
        var position = width
        while rest >= 100 {
            let quotient = rest / 100
            let pair = Int(truncatingIfNeeded: rest &- quotient &* 100)
            position &-= 2
            unsafe target.storeBytes(
                of: pairs.loadUnaligned(fromByteOffset: pair &* 2, as: UInt16.self), toByteOffset: position,
                as: UInt16.self)
            rest = quotient
        }
        if rest >= 10 {
            unsafe target.storeBytes(
                of: pairs.loadUnaligned(fromByteOffset: Int(rest) &* 2, as: UInt16.self),
                toByteOffset: position &- 2, as: UInt16.self)
        } else {
            unsafe target.storeBytes(
                of: UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest), toByteOffset: position &- 1,
                as: UInt8.self)
        }
        count &+= width
    }
}

/// The pairs "00" to "99" in sequence.
@usableFromInline
let digitPairs: StaticString = """
    0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849\
    5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899
    """

/// Returns the number of decimal digits of a number; 1 for zero.
@inlinable
@inline(__always)
func decimalWidth(of number: UInt64) -> Int {
    if number < 10 { return 1 }
    if number < 100 { return 2 }
    if number < 1_000 { return 3 }
    if number < 10_000 { return 4 }
    if number < 100_000 { return 5 }
    if number < 1_000_000 { return 6 }
    if number < 10_000_000 { return 7 }
    var width = 7
    var rest = number / 10_000_000
    while rest > 0 {
        width &+= 1
        rest /= 10
    }
    return width
}

extension ResponseWriter {
    /// Writes the shortest decimal that parses to the same number, in the notation of ECMAScript.
    ///
    /// Infinities and NaN have no JSON form; the caller has rejected them.
    @inlinable
    public mutating func write(_ value: Double) {
        reserve(32)
        if let number = value.magnitude.tenThousandths {
            write(isNegative: value.sign == .minus, tenThousandths: number)
        } else {
            writeShortest(value)
        }
    }

    @inlinable
    @inline(__always)
    mutating func write(isNegative: Bool, tenThousandths number: UInt64) {
        if isNegative && number != 0 {
            unsafe base[count] = UInt8(ascii: "-")
            count &+= 1
        }
        let whole = number / 10_000
        let fraction = Int(truncatingIfNeeded: number &- whole &* 10_000)
        write(digits: whole)
        if fraction == 0 { return }
        let high = fraction / 100
        let low = fraction &- high &* 100
        let pairs = unsafe UnsafeRawPointer(digitPairs.utf8Start)
        let target = unsafe UnsafeMutableRawPointer(base + count)
        let highPair = unsafe pairs.loadUnaligned(fromByteOffset: high &* 2, as: UInt16.self)
        let lowPair = unsafe pairs.loadUnaligned(fromByteOffset: low &* 2, as: UInt16.self)
        unsafe target.storeBytes(of: UInt8(ascii: "."), as: UInt8.self)
        unsafe target.storeBytes(of: highPair, toByteOffset: 1, as: UInt16.self)
        unsafe target.storeBytes(of: lowPair, toByteOffset: 3, as: UInt16.self)
        // Read from the table of pairs and not from the output, because a processor waits for its own recent
        // writes.
        let lastPair = UInt16(littleEndian: low == 0 ? highPair : lowPair)
        let width = low == 0 ? 3 : 5
        count &+= lastPair >> 8 == UInt16(UInt8(ascii: "0")) ? width &- 1 : width
    }

    @inline(never)
    @usableFromInline
    mutating func writeShortest(_ value: Double) {
        guard value.isFinite else { return writeNull() }
        reserve(40)
        if value == 0 { return write(byte: UInt8(ascii: "0")) }
        if value < 0 { write(byte: UInt8(ascii: "-")) }
        let decimal = ShortestDecimal(of: value.magnitude)
        let width = decimalWidth(of: decimal.digits)
        let point = width + decimal.exponent
        if point > 21 || point < -5 {
            writeScientific(decimal, width: width, exponent: point - 1)
        } else if decimal.exponent >= 0 {
            write(digits: decimal.digits)
            writeZeros(decimal.exponent)
        } else if point <= 0 {
            write(json: "0.")
            writeZeros(-point)
            write(digits: decimal.digits)
        } else {
            write(decimal.digits, withPointAfter: point)
        }
    }

    private mutating func writeZeros(_ number: Int) {
        for _ in 0..<number { write(byte: UInt8(ascii: "0")) }
    }

    /// Writes the form with an exponent: `d.ddde±x`.
    private mutating func writeScientific(_ decimal: ShortestDecimal, width: Int, exponent: Int) {
        if width == 1 { write(digits: decimal.digits) } else { write(decimal.digits, withPointAfter: 1) }
        write(byte: UInt8(ascii: "e"))
        write(byte: exponent > 0 ? UInt8(ascii: "+") : UInt8(ascii: "-"))
        write(digits: UInt64(exponent.magnitude))
    }

    /// Writes the digits one position to the right, and moves the head back over the gap.
    private mutating func write(_ digits: UInt64, withPointAfter head: Int) {
        let start = count
        count += 1
        write(digits: digits)
        unsafe (base + start).update(from: base + (start + 1), count: head)
        unsafe base[start + head] = UInt8(ascii: ".")
    }
}

extension Double {
    /// The n of the unique decimal n / 10⁴ that parses to this number, if there is one, as for prices.
    ///
    /// Nil for numbers below 2⁻¹¹, including zero, and from 10⁹ on.
    ///
    /// With n below 2⁵³ there are 15 digits at most, so the decimal is unique, and no shorter decimal parses
    /// to the same number.
    @inlinable
    @inline(__always)
    var tenThousandths: UInt64? {
        guard self >= 0x1p-11, self < 1e9 else { return nil }
        // Adding 2⁵² rounds to an integer and stores it in the last 52 bits.
        let number = (self * 1e4 + 0x1p52).significandBitPattern
        // The number is M / 2ˢ with M from 2⁵² to 2⁵³. n / 10⁴ parses to it if it is less than half a unit
        // of M away: |n · 2ˢ - M · 10⁴| < 5000. Both products wrap, but their difference is below 2ˢ, and s
        // at most 63.
        let significand = significandBitPattern | 1 << 52
        let shift = 1_075 &- UInt64(exponentBitPattern)
        let distance = number &<< shift &- significand &* 10_000
        return distance &+ 4_999 < 9_999 ? number : nil
    }
}
