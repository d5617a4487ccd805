/// A stop that follows the market at a distance, in steps; all in ticks.
struct FakeSaxoTrail: Sendable, Hashable {
    /// Where it stands.
    var stop: Int
    /// `TrailingStopDistanceToMarket`.
    let distance: Int
    /// `TrailingStopStep`, at least 1.
    let step: Int
    /// It follows the last trade instead of the quote.
    let isIfTraded: Bool

    /// Moves by whole steps to its distance from a price that is better than those before, and never back.
    mutating func follow(_ price: Int, isBuy: Bool) {
        let gap = isBuy ? stop - price - distance : price - stop - distance
        guard gap >= step else { return }
        let way = gap / step * step
        stop += isBuy ? -way : way
    }
}
