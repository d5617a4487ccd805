/// Products and quotients of 256 bits, by words of 64 bits.
///
/// `multipliedFullWidth(by:)` and `dividingFullWidth(_:)` of the standard library are generic code for `UInt128`, which
/// takes microseconds.
extension UInt128 {
    /// This number × `other`, exactly.
    func fullProduct(with other: UInt128) -> (high: UInt128, low: UInt128) {
        let (low, over) = multipliedReportingOverflow(by: other)
        if !over { return (0, low) }
        let (a0, a1) = (self & Self.lowWord, self >> 64)
        let (b0, b1) = (other & Self.lowWord, other >> 64)
        // Each product of two words, and each sum of three words, fits.
        let (first, second, third) = (a0 &* b0, a0 &* b1, a1 &* b0)
        let middle = (first >> 64) &+ (second & Self.lowWord) &+ (third & Self.lowWord)
        return (
            a1 &* b1 &+ (second >> 64) &+ (third >> 64) &+ (middle >> 64),
            middle << 64 | (first & Self.lowWord)
        )
    }

    /// `number` ÷ this number; `high` must be below this number, so that the quotient fits.
    func dividing(_ number: (high: UInt128, low: UInt128)) -> (quotient: UInt128, remainder: UInt128) {
        guard number.high != 0 else { return number.low.quotientAndRemainder(dividingBy: self) }
        // D. Knuth, The Art of Computer Programming, volume 2, section 4.3.1, algorithm D, with two words. The highest
        // bit of the divisor must be set.
        let shift = UInt128(leadingZeroBitCount)
        let divisor = self << shift
        // A shift by 128 gives 0.
        let high = number.high << shift | number.low >> (128 - shift)
        let low = number.low << shift
        let (first, rest) = divisor.quotientWord(of: high, next: low >> 64)
        let (second, last) = divisor.quotientWord(of: rest, next: low & Self.lowWord)
        return (first << 64 | second, last >> shift)
    }

    /// (`number` × 2^64 + `next`) ÷ this number, whose highest bit is set, with `number` below it.
    private func quotientWord(
        of number: UInt128, next: UInt128
    ) -> (quotient: UInt128, remainder: UInt128) {
        let (high, low) = (self >> 64, self & Self.lowWord)
        var (quotient, rest) = number.quotientAndRemainder(dividingBy: high)
        // The estimate by the divisor's high word is at most 2 too large.
        while quotient > Self.lowWord || quotient &* low > rest << 64 | next {
            quotient -= 1
            rest += high
            if rest > Self.lowWord { break }
        }
        return (quotient, (number << 64 | next) &- quotient &* self)
    }

    private static var lowWord: UInt128 { 0xFFFF_FFFF_FFFF_FFFF }
}
