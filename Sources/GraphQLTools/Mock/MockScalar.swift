import GraphQL

/// Generates values of scalars that are valid for their type.
///
/// A custom scalar with a common name has the format that this name usually implies.
struct MockScalar {
    private let seed: MockSeed

    init(_ seed: MockSeed) {
        self.seed = seed
    }

    func value(of name: String, _ scalar: ScalarType) -> InputValue {
        switch scalar.builtIn {
        case .int: .int(seed.moving.number(below: 1_000))
        case .float: .number("\(seed.moving.number(below: 1_000)).\(seed.moving.number(below: 9) + 1)")
        // A client that requests pages until the last one must terminate.
        case .boolean: .boolean(isPaging ? false : seed.number(below: 2) == 1)
        case .id: .string("\(seed.fieldName)-\(seed.number(below: 1_000_000))")
        case .string: .string(text)
        case nil: custom(name)
        }
    }

    private var isPaging: Bool { ["hasNextPage", "hasPreviousPage"].contains(seed.fieldName) }

    private var text: String {
        "\(seed.fieldName) \(MockScalar.words[seed.number(below: MockScalar.words.count)])"
    }

    private static let words = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron"]

    private func custom(_ name: String) -> InputValue {
        switch name {
        case "Decimal", "BigDecimal", "Money":
            .string("\(seed.moving.number(below: 100_000)).\(padded(seed.moving.number(below: 100)))")
        case "Number": .number("\(seed.moving.number(below: 1_000)).\(seed.moving.number(below: 9) + 1)")
        case "Long", "BigInt", "UnixTime", "Timestamp": .int(1_767_225_600 + seed.number(below: 31_536_000))
        case "DateTime": .string("\(date)T\(twoDigits(24)):\(twoDigits(60)):00Z")
        case "Date": .string(date)
        case "Time", "LocalTime": .string("\(twoDigits(24)):\(twoDigits(60)):00")
        case "URL", "URI": .string("https://example.com/\(seed.fieldName)/\(seed.number(below: 1_000))")
        case "Email", "EmailAddress": .string("user\(seed.number(below: 1_000))@example.com")
        case "UUID": .string(uuid)
        case "JSON", "JSONObject": .object(["value": .int(seed.number(below: 1_000))])
        default: .string(text)
        }
    }

    /// A date in 2026.
    private var date: String {
        "2026-\(padded(1 + seed.number(below: 12)))-\(padded(1 + seed.number(below: 28)))"
    }

    /// A version 4 UUID (RFC 9562), whose digits have no meaning.
    private var uuid: String {
        let tail = String(seed.number(below: 1 << 40), radix: 16)
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: max(0, 12 - tail.count)) + tail
    }

    private func twoDigits(_ bound: Int) -> String { padded(seed.number(below: bound)) }

    private func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

/// The position of a generated value in a response; the value depends only on the seed and this path.
struct MockSeed {
    /// A 64-bit hash of the position.
    private let digest: UInt64
    /// The number of fields and items in the path.
    private let depth: Int
    /// The last field of the path.
    let fieldName: String
    /// The number of the event of a subscription, from 0.
    let event: Int

    init(seed: UInt64, event: Int = 0) {
        self.init(digest: MockSeed.mixed(seed), depth: 0, fieldName: "", event: event)
    }

    private init(digest: UInt64, depth: Int, fieldName: String, event: Int) {
        self.digest = digest
        self.depth = depth
        self.fieldName = fieldName
        self.event = event
    }

    /// The position for a number, which changes with each event of a subscription.
    var moving: MockSeed {
        event == 0
            ? self
            : MockSeed(
                digest: MockSeed.mixed(digest ^ UInt64(truncatingIfNeeded: event)), depth: depth,
                fieldName: fieldName, event: event)
    }

    /// Returns the position of a field of this object.
    func field(_ name: String) -> MockSeed {
        var digest = digest
        for byte in name.utf8 { digest = MockSeed.mixed(digest ^ UInt64(byte)) }
        return MockSeed(digest: digest, depth: depth + 1, fieldName: name, event: event)
    }

    /// Returns the position of a field with arguments.
    func field(_ name: String, _ arguments: InputObject) -> MockSeed {
        guard !arguments.fields.isEmpty else { return field(name) }
        var digest = field(name).digest
        for byte in InputValue.object(arguments).json { digest = MockSeed.mixed(digest ^ UInt64(byte)) }
        return MockSeed(digest: digest, depth: depth + 1, fieldName: name, event: event)
    }

    /// Returns the position of an item of this list.
    func item(_ index: Int) -> MockSeed {
        MockSeed(
            digest: MockSeed.mixed(digest &+ UInt64(truncatingIfNeeded: index) &+ 1), depth: depth + 1,
            fieldName: fieldName, event: event)
    }

    /// Returns a number from 0 up to, but excluding, a bound above 0.
    func number(below bound: Int) -> Int {
        Int(truncatingIfNeeded: digest % UInt64(max(1, bound)))
    }

    /// Returns one of several items; nil if there are none.
    func choice<Item>(of items: [Item]) -> Item? {
        items.isEmpty ? nil : items[number(below: items.count)]
    }

    /// One to three items near the root, one at greater depth: nested lists would otherwise grow
    /// exponentially.
    var listLength: Int { depth > 4 ? 1 : 1 + number(below: 3) }

    /// The finalizer of SplitMix64 (Steele, Lea and Flood, 2014), which propagates every bit to all others.
    private static func mixed(_ state: UInt64) -> UInt64 {
        var bits = state &+ 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
