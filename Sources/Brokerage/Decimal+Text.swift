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
            return unsafe writeDigits(of: short, at: base + start) + start
        }
        return unsafe writeDigits(of: magnitude, at: base + start) + start
    }

    /// Writes right to left, once the number of digits is known.
    @inline(__always)
    private func writeDigits<Magnitude: FixedWidthInteger & UnsignedInteger>(
        of magnitude: Magnitude, at base: UnsafeMutablePointer<UInt8>
    ) -> Int {
        // A fraction has a digit before its point, be it 0.
        let digits = max(Self.digitCount(magnitude), scale + 1)
        let count = scale == 0 ? digits : digits + 1
        var rest = magnitude
        var index = count
        let point = scale == 0 ? -1 : count - scale - 1
        while index > 0 {
            index -= 1
            if index == point {
                unsafe base[index] = UInt8(ascii: ".")
                continue
            }
            let quotient = rest / 10
            unsafe base[index] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest &- quotient &* 10)
            rest = quotient
        }
        return count
    }

    @inline(__always)
    private static func digitCount<Magnitude: FixedWidthInteger & UnsignedInteger>(_ value: Magnitude) -> Int
    {
        var count = 1
        var rest = value
        while rest >= 10 {
            rest /= 10
            count += 1
        }
        return count
    }
}
