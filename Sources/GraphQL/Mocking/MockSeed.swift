/// Where in an answer a made-up value stands; the seed and the way there are all that the value hangs on.
struct MockSeed {
    /// A number that the place has to itself, as far as 64 bits go.
    private let digest: UInt64
    /// Fields and items on the way.
    private let depth: Int
    /// The last field on the way.
    let fieldName: String

    init(seed: UInt64) {
        self.init(digest: MockSeed.mixed(seed), depth: 0, fieldName: "")
    }

    private init(digest: UInt64, depth: Int, fieldName: String) {
        self.digest = digest
        self.depth = depth
        self.fieldName = fieldName
    }

    /// The place of a field of the object here.
    func field(_ name: String) -> MockSeed {
        var digest = digest
        for byte in name.utf8 { digest = MockSeed.mixed(digest ^ UInt64(byte)) }
        return MockSeed(digest: digest, depth: depth + 1, fieldName: name)
    }

    /// The place of an item of the list here.
    func item(_ index: Int) -> MockSeed {
        MockSeed(
            digest: MockSeed.mixed(digest &+ UInt64(truncatingIfNeeded: index) &+ 1), depth: depth + 1,
            fieldName: fieldName)
    }

    /// From 0 up to, and without, a bound above 0.
    func number(below bound: Int) -> Int {
        Int(truncatingIfNeeded: digest % UInt64(max(1, bound)))
    }

    /// One of several; nil of none.
    func choice<Item>(of items: [Item]) -> Item? {
        items.isEmpty ? nil : items[number(below: items.count)]
    }

    /// Up to three items near the root, one deep inside: lists in lists would grow without end.
    var listLength: Int { depth > 4 ? 1 : 1 + number(below: 3) }

    /// The finalizer of SplitMix64 (Steele, Lea and Flood, 2014), which spreads every bit over all others.
    private static func mixed(_ state: UInt64) -> UInt64 {
        var bits = state &+ 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
