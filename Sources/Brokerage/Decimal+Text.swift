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

    /// Writes the bytes of ``description`` to the start of `buffer`; the result is their number.
    ///
    /// `buffer` must have room for ``maximumUTF8Count`` bytes: one check here makes every store below sound, and
    /// stores without further checks are why a chart of 60,000 numbers is written at memory speed.
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
        // A fraction has a digit before its point, be it 0.
        let digits = max(known, scale + 1)
        let shift = scale == 0 ? 0 : 1
        var rest = magnitude
        var index = digits + shift
        while index - shift >= 2 {
            let quotient = rest / 100
            let pair = UInt32(truncatingIfNeeded: rest &- quotient &* 100)
            // A tenth of what is below 100.
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
    /// How many digits it is written with.
    fileprivate var digitCount: Int {
        // Each bit is about 0.3 digits (1233 / 4096); that is one too few from the power of ten on.
        let fewest = ((bitWidth - (self | 1).leadingZeroBitCount) * 1233) >> 12
        return self < UInt64(truncatingIfNeeded: PowersOfTen[fewest]) && fewest > 0 ? fewest : fewest + 1
    }
}

extension UInt128 {
    /// How many digits it is written with.
    fileprivate var digitCount: Int {
        var count = 1
        var rest = self
        while rest >= 10 {
            rest /= 10
            count += 1
        }
        return count
    }
}
