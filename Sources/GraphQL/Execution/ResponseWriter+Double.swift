extension ResponseWriter {
    /// The shortest decimal that reads back as the same number, in the form that ECMAScript gives it.
    ///
    /// Not finite numbers have no JSON form; the caller has refused them.
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
        // Looked for in the pairs and not where they were just written: a processor waits for its own writes.
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
        let decimal = ShortestDouble(of: value.magnitude)
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
    private mutating func writeScientific(_ decimal: ShortestDouble, width: Int, exponent: Int) {
        if width == 1 { write(digits: decimal.digits) } else { write(decimal.digits, withPointAfter: 1) }
        write(byte: UInt8(ascii: "e"))
        write(byte: exponent > 0 ? UInt8(ascii: "+") : UInt8(ascii: "-"))
        write(digits: UInt64(exponent.magnitude))
    }

    /// Writes the digits one place to the right, and moves the head back over the gap.
    private mutating func write(_ digits: UInt64, withPointAfter head: Int) {
        let start = count
        count += 1
        write(digits: digits)
        unsafe (base + start).update(from: base + (start + 1), count: head)
        unsafe base[start + head] = UInt8(ascii: ".")
    }
}

extension Double {
    /// The n of the only decimal n / 10⁴ that reads back as this number, where there is one, as prices have; nil also
    /// for numbers below 2⁻¹¹ and from 10⁹ on, zero among them.
    ///
    /// With n below 2⁵³ there are 15 digits at most, so there is only one, and no shorter decimal reads back the same.
    @inlinable
    @inline(__always)
    var tenThousandths: UInt64? {
        guard self >= 0x1p-11, self < 1e9 else { return nil }
        // Adding 2⁵² rounds to a whole number and leaves it in the last 52 bits.
        let number = (self * 1e4 + 0x1p52).significandBitPattern
        // The number is M / 2ˢ with M from 2⁵² to 2⁵³; n / 10⁴ reads back as it if it is less than half a unit of M
        // away: |n · 2ˢ - M · 10⁴| < 5000. Both products wrap, but their difference is below 2ˢ, and s at most 63.
        let significand = significandBitPattern | 1 << 52
        let shift = 1_075 &- UInt64(exponentBitPattern)
        let distance = number &<< shift &- significand &* 10_000
        return distance &+ 4_999 < 9_999 ? number : nil
    }
}
