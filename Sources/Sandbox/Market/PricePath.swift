/// A line of prices with a given beginning, end, top and bottom, that can be asked at any step.
///
/// This is what makes bars of every interval tell one story: a day's path touches the day's high and low and
/// never leaves them; between two of its steps runs a path of the next finer kind, inside the same bounds. A
/// coarse bar is therefore known without its fine ones, and equals what they add up to. Prices are whole
/// ticks.
struct PricePath: Sendable {
    let range: ClosedRange<Int>
    /// Beginning, the two extremes in their order, end.
    private let pivots: [(step: Int, price: Int)]
    private let random: SeededRandom

    /// A path of `length` steps, at least 4, from `start` to `end`, both inside `range`.
    init(from start: Int, to end: Int, within range: ClosedRange<Int>, length: Int, random: SeededRandom) {
        let half = length / 2
        let first = 1 + random.number(1, below: half - 1)
        let second = half + random.number(2, below: length - half)
        // A rising line more often dips first.
        let dipsFirst = random.number(3, below: 4) == 0 ? start > end : start <= end
        let extremes = dipsFirst ? (range.lowerBound, range.upperBound) : (range.upperBound, range.lowerBound)
        self.range = range
        self.pivots = [(0, start), (first, extremes.0), (second, extremes.1), (length, end)]
        self.random = random
    }

    /// The price at a step; outside of `0 ... length` that of the nearer end.
    func price(at step: Int) -> Int {
        guard let after = pivots.firstIndex(where: { step < $0.step }) else { return pivots[3].price }
        guard after > 0 else { return pivots[0].price }
        let (left, right) = (pivots[after - 1], pivots[after])
        let (passed, ahead) = (step - left.step, right.step - step)
        let line = left.price + (right.price - left.price) * passed / (right.step - left.step)
        return min(
            max(line + deviation(at: step, fromPivot: min(passed, ahead)), range.lowerBound), range.upperBound
        )
    }

    /// Noise that vanishes at the pivots.
    private func deviation(at step: Int, fromPivot distance: Int) -> Int {
        let amplitude = (range.upperBound - range.lowerBound) * min(distance, 6) / 24
        guard amplitude > 0 else { return 0 }
        return random.wave(at: step, period: 9, amplitude: amplitude)
            + random.swing(step, (amplitude + 2) / 3)
    }
}
