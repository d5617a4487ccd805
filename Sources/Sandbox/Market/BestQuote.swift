/// The best bid and offer, in the instrument's ticks; a side that nobody takes is nil.
package struct BestQuote: Sendable, Hashable {
    package let bid: Side?
    package let ask: Side?
    /// The second in which it came to stand.
    package let second: Int

    package struct Side: Sendable, Hashable {
        package let price: Int
        /// Shares, in round lots of 100; of a pair of currencies, units of its base.
        package let size: Int
    }

    /// How far bid and ask stand from the last price, in ticks.
    static func reach(of price: Int) -> Int { max(1, price / 20_000) }

    init(
        of last: (price: Int, second: Int), lot: Int, isOneSided: Bool, isEmpty: Bool, random: SeededRandom
    ) {
        let reach = Self.reach(of: last.price)
        second = last.second
        func side(_ index: Int, at price: Int) -> Side {
            Side(price: price, size: lot * (1 + random.branch(.quote, index).number(last.second, below: 9)))
        }
        // A bid of 0 would mean that there is none.
        let bid = max(1, last.price - reach - random.number(last.second, below: 2))
        self.bid = isEmpty ? nil : side(0, at: bid)
        ask = isEmpty || isOneSided ? nil : side(1, at: last.price + reach)
    }
}
