extension Int {
    /// Division that rounds down, so that the remainder is never negative; `divisor` is above zero.
    @inlinable
    package func flooredDivision(by divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

/// The functions of the generator SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
///
/// It is not cryptographically secure.
package enum SplitMix64 {
    /// The difference of successive states.
    @inlinable
    package static var increment: UInt64 { 0x9E37_79B9_7F4A_7C15 }

    /// The output of a state; each bit of the state changes all bits of the output.
    @inlinable
    package static func mixed(_ state: UInt64) -> UInt64 {
        var bits = state &+ increment
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
