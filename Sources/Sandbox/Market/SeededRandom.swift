import PorticoCore

/// A stateless random number generator: the same key and index give the same number on every machine.
///
/// Its numbers are outputs of SplitMix64. It is not cryptographically secure, and need not be.
struct SeededRandom: Sendable {
    private let key: UInt64

    init(seed: UInt64) {
        key = SplitMix64.mixed(seed)
    }

    private init(key: UInt64) {
        self.key = key
    }

    /// Returns an independent source for one purpose.
    func branch(_ purpose: Purpose, _ index: Int = 0) -> SeededRandom {
        SeededRandom(
            key: SplitMix64.mixed(
                key ^ SplitMix64.mixed(UInt64(truncatingIfNeeded: index)) &+ purpose.rawValue
                    &* SplitMix64.increment))
    }

    /// Returns an independent source for one name.
    func branch(_ name: String) -> SeededRandom {
        var hash = key
        for byte in name.utf8 { hash = SplitMix64.mixed(hash ^ UInt64(byte)) }
        return SeededRandom(key: hash)
    }

    func bits(_ index: Int) -> UInt64 {
        SplitMix64.mixed(key &+ UInt64(truncatingIfNeeded: index) &* SplitMix64.increment)
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
        let (point, rest) = step.flooredDivision(by: period)
        let (left, right) = (swing(point, amplitude), swing(point + 1, amplitude))
        return left + (right - left) * rest / period
    }

    /// The purpose of a branch; the raw value separates branches of one index.
    enum Purpose: UInt64, Sendable {
        case level = 1
        case gap, day, preMarket, postMarket, minute, second, volume, quote, identity, news
    }
}
