extension ResponseWriter {
    /// An integer in decimal digits.
    @inlinable
    public mutating func write(_ value: Int) {
        reserve(20)
        if value < 0 {
            unsafe base[count] = UInt8(ascii: "-")
            count &+= 1
        }
        write(digits: UInt64(value.magnitude))
    }

    /// The digits of a number, two at a time from the end.
    ///
    /// The caller has made room for 20.
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

/// "00" to "99", one after the other.
@usableFromInline
let digitPairs: StaticString = """
    0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849\
    5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899
    """

/// How many decimal digits a number has; 1 for zero.
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
