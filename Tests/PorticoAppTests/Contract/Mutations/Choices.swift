/// One way through everything that can be chosen while something is made, by its number: the same number, the same way.
///
/// The first way takes the first of everything. The others are drawn, so that a hundred of them have most pairs of
/// choices, however many ways there are.
struct Choices {
    private var state: UInt64
    private let isFirst: Bool
    /// Alternatives that were chosen, as `OrderSize.notional`.
    private(set) var alternatives: Set<String> = []
    /// Inputs that were given though they need not be, as `GoalPatch.title`.
    private(set) var optionals: Set<String> = []

    init(_ number: Int) {
        isFirst = number == 0
        state = UInt64(truncatingIfNeeded: number)
    }

    /// One of some items; nil where there are none.
    mutating func pick<Item>(_ items: [Item]) -> Item? {
        guard !items.isEmpty else { return nil }
        return isFirst ? items[0] : items[Int(next() % UInt64(items.count))]
    }

    mutating func note(alternative: String) {
        alternatives.insert(alternative)
    }

    mutating func note(optional: String) {
        optionals.insert(optional)
    }

    /// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
