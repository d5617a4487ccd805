/// A stateless random number generator: the same key and index give the same number on every machine.
///
/// The mixing is SplitMix64's finalizer (Steele, Lea, Flood: "Fast splittable pseudorandom number
/// generators", 2014). It is not cryptographically secure, and need not be.
struct SeededRandom: Sendable {
    private let key: UInt64

    init(seed: UInt64) {
        key = Self.mix(seed)
    }

    private init(key: UInt64) {
        self.key = key
    }

    /// Returns an independent source for one purpose.
    func branch(_ purpose: Purpose, _ index: Int = 0) -> SeededRandom {
        SeededRandom(
            key: Self.mix(
                key ^ Self.mix(UInt64(truncatingIfNeeded: index)) &+ purpose.rawValue &* Self.golden))
    }

    /// Returns an independent source for one name.
    func branch(_ name: String) -> SeededRandom {
        var hash = key
        for byte in name.utf8 { hash = Self.mix(hash ^ UInt64(byte)) }
        return SeededRandom(key: hash)
    }

    func bits(_ index: Int) -> UInt64 {
        Self.mix(key &+ UInt64(truncatingIfNeeded: index) &* Self.golden)
    }

    /// Returns a number in `0 ..< bound`; 0 if the range is empty.
    func number(_ index: Int, below bound: Int) -> Int {
        bound > 0 ? Int(bits(index) % UInt64(bound)) : 0
    }

    /// Returns a number in `-amplitude ... amplitude`.
    func swing(_ index: Int, _ amplitude: Int) -> Int {
        number(index, below: 2 * amplitude + 1) - amplitude
    }

    /// Returns the value of a continuous curve through a random point in `-amplitude ... amplitude` every
    /// `period` steps.
    func wave(at step: Int, period: Int, amplitude: Int) -> Int {
        let (point, rest) = step.flooredQuotientAndRemainder(dividingBy: period)
        let (left, right) = (swing(point, amplitude), swing(point + 1, amplitude))
        return left + (right - left) * rest / period
    }

    private static let golden: UInt64 = 0x9E37_79B9_7F4A_7C15

    private static func mix(_ value: UInt64) -> UInt64 {
        var bits = value &+ golden
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    /// The purpose of a branch; the raw value separates branches of one index.
    enum Purpose: UInt64, Sendable {
        case level = 1
        case gap, day, preMarket, postMarket, minute, second, volume, quote, identity, news
    }
}

extension Int {
    /// Returns the quotient rounded down, and the non-negative remainder; `divisor` is above zero.
    func flooredQuotientAndRemainder(dividingBy divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
