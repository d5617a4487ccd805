import GraphQL
import PorticoCore

/// Generates values of scalars that are valid for their type.
///
/// A custom scalar with a common name has the format that this name usually implies.
struct MockScalar {
    private let seed: MockSeed

    init(_ seed: MockSeed) {
        self.seed = seed
    }

    func value(of name: String, _ scalar: ScalarType) -> InputValue {
        switch (scalar.builtIn, name) {
        case (.string, _):
            if let text = MockFinance(seed).text { return .string(text) }
        case (.float, _), (nil, "Number"):
            if let amount = MockFinance(seed).amount { return .number(amount) }
        case (nil, "Decimal"), (nil, "BigDecimal"), (nil, "Money"):
            if let amount = MockFinance(seed).amount { return .string(amount) }
        default: break
        }
        return general(of: name, scalar)
    }

    /// A value whose field has no known meaning.
    private func general(of name: String, _ scalar: ScalarType) -> InputValue {
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
        case "DateTime": .string("\(date)T\(twoDigits(24)):\(twoDigits(60)):00.000Z")
        case "Date": .string(date)
        case "ProviderName": .string("alpaca")
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

/// Values of fields with known names, which are consistent with the other fields of their object: a bid is below its ask,
/// and a value is the quantity times the price.
private struct MockFinance {
    private let seed: MockSeed
    /// The price of the object in hundredths, which changes with each event.
    private let price: Int
    private let quantity: Int
    private let cash: Int

    init(_ seed: MockSeed) {
        self.seed = seed
        let object = seed.object
        price = 2_000 + object.number(below: 40_000) + object.moving.number(below: 200)
        quantity = 1 + object.number(below: 90)
        cash = 100_000 + object.number(below: 900_000)
    }

    /// Nil if the field has no known meaning.
    var text: String? {
        let name = seed.fieldName.lowercased()
        if name.hasSuffix("currency") { return "USD" }
        switch name {
        case "symbol": return seed.object.choice(of: Self.symbols)
        case "country": return "US"
        case "timezone": return "America/New_York"
        default: return nil
        }
    }

    private static let symbols = ["AAPL", "AMZN", "GOOGL", "JPM", "KO", "MSFT", "NVDA", "PFE", "TSLA", "XOM"]

    /// With two fractional digits; nil if the field has no known meaning.
    var amount: String? { hundredths.map { decimal($0) } }

    private var hundredths: Int? {
        let name = seed.fieldName.lowercased()
        if name.contains("percent") { return seed.moving.number(below: 4_001) - 2_000 }
        if name == "progress" { return seed.moving.number(below: 10_001) }
        let (value, cost) = (price * quantity, price * quantity / 10 * 9)
        switch name {
        case "price", "close", "last", "mid": return price
        case "bid", "bidprice": return price - 5
        case "ask", "askprice": return price + 5
        case "open", "previousclose": return price * 99 / 100
        case "low", "daylow": return price * 97 / 100
        case "high", "dayhigh": return price * 103 / 100
        case "quantity": return quantity * 100
        case "marketvalue", "value": return value
        case "costbasis", "cost": return cost
        case "profit", "unrealizedprofit", "gain": return value - cost
        case "averageprice": return price / 10 * 9
        case "cash": return cash
        case "equity", "total": return value + cash
        default: return nil
        }
    }

    private func decimal(_ hundredths: Int) -> String {
        let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
        return (hundredths < 0 ? "-" : "") + "\(whole)." + (rest < 10 ? "0\(rest)" : "\(rest)")
    }
}

/// The position of a generated value in a response; the value depends only on the seed and this path.
struct MockSeed {
    /// A 64-bit hash of the position.
    private let digest: UInt64
    /// The hash of the object that has the field.
    private let parent: UInt64
    /// The number of fields and items in the path.
    private let depth: Int
    /// The last field of the path.
    let fieldName: String
    /// The number of the event of a subscription, from 0.
    let event: Int

    init(seed: UInt64, event: Int = 0) {
        self.init(digest: SplitMix64.mixed(seed), depth: 0, fieldName: "", event: event)
    }

    private init(digest: UInt64, parent: UInt64 = 0, depth: Int, fieldName: String, event: Int) {
        (self.digest, self.parent) = (digest, parent)
        self.depth = depth
        self.fieldName = fieldName
        self.event = event
    }

    /// The position of the object that has this field.
    var object: MockSeed { MockSeed(digest: parent, depth: depth, fieldName: fieldName, event: event) }

    /// The position for a number, which changes with each event of a subscription.
    var moving: MockSeed {
        event == 0
            ? self
            : MockSeed(
                digest: SplitMix64.mixed(digest ^ UInt64(truncatingIfNeeded: event)), depth: depth,
                fieldName: fieldName, event: event)
    }

    /// Returns the position of a field of this object.
    func field(_ name: String) -> MockSeed {
        var hash = digest
        for byte in name.utf8 { hash = SplitMix64.mixed(hash ^ UInt64(byte)) }
        return MockSeed(digest: hash, parent: digest, depth: depth + 1, fieldName: name, event: event)
    }

    /// Returns the position of a field with arguments.
    func field(_ name: String, _ arguments: InputObject) -> MockSeed {
        guard !arguments.fields.isEmpty else { return field(name) }
        var hash = field(name).digest
        for byte in InputValue.object(arguments).json { hash = SplitMix64.mixed(hash ^ UInt64(byte)) }
        return MockSeed(digest: hash, parent: digest, depth: depth + 1, fieldName: name, event: event)
    }

    /// Returns the position of an item of this list.
    func item(_ index: Int) -> MockSeed {
        MockSeed(
            digest: SplitMix64.mixed(digest &+ UInt64(truncatingIfNeeded: index) &+ 1),
            depth: depth + 1,
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
}
