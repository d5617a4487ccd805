import GraphQL

/// Valid documents for the schema of `CostTests`, equal for equal seeds: nested fields and fragments,
/// aliases, lists of every size, abstract types.
struct RandomOperations {
    private var random: SplitMix64
    private var aliases = 0
    private var usedFragments: Set<Int> = []

    private static let fragmentTypes = [
        "Query", "Leaf", "Tree", "Node", "Thing", "Connection", "Query", "Connection", "Leaf", "Node", "Tree",
        "Query",
    ]
    private static let leaves = ["Leaf": "id", "Tree": "weight", "Node": "sizes", "Rock": "id"]
    private static let fields: [String: [(field: String, type: String)]] = [
        "Query": [
            ("leaf", "Leaf"), ("tree", "Tree"), ("node", "Node"), ("thing", "Thing"), ("query", "Query"),
            ("leaves", "Leaf"), ("matrix", "Leaf"), ("sliced(first: #)", "Leaf"), ("sliced(last: #)", "Leaf"),
            ("assumed", "Leaf"), ("assumed(first: #)", "Leaf"), ("connection(first: #)", "Connection"),
            ("others(first: $n)", "Connection"), ("others(first: 3)", "Connection"),
        ],
        "Leaf": [("children(first: #)", "Node"), ("children", "Node")],
        "Tree": [("children(first: 4)", "Node"), ("children(last: #, first: $n)", "Node")],
        "Node": [("children(first: #)", "Node")],
        "Rock": [("tree", "Tree")],
        "Thing": [],
        "Edge": [("node", "Leaf")],
        "Connection": [
            ("edges", "Edge"), ("nodes", "Leaf"), ("next", "Connection"), ("other", "Leaf"),
            ("matrix", "Leaf"),
        ],
    ]
    private static let overlapping = [
        "Thing": ["Leaf", "Tree", "Rock", "Node", "Thing"], "Node": ["Leaf", "Tree", "Node", "Thing"],
        "Leaf": ["Node", "Thing", "Leaf"], "Tree": ["Node", "Tree"], "Rock": ["Thing"],
    ]

    init(seed: UInt64) {
        random = SplitMix64(state: seed)
    }

    /// A document with one operation, which has the variables `$n: Int!` and `$m: Int`.
    mutating func document() -> String {
        usedFragments = []
        let root = selections(of: "Query", depth: Int.random(in: 1...4, using: &random), below: 0)
        var text = "query ($n: Int!, $m: Int) { used: sliced(first: $n, last: $m) { id } \(root) }"
        for (index, type) in RandomOperations.fragmentTypes.enumerated() where usedFragments.contains(index) {
            let body = selections(of: type, depth: Int.random(in: 0...2, using: &random), below: index + 1)
            text += "\nfragment F\(index) on \(type) { \(body) }"
        }
        return text
    }

    private mutating func selections(of type: String, depth: Int, below fragment: Int) -> String {
        let count = Int.random(in: 1...3, using: &random)
        return (0..<count).map { _ in selection(of: type, depth: depth, below: fragment) }.joined(
            separator: "\n")
    }

    private mutating func selection(of type: String, depth: Int, below fragment: Int) -> String {
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1: return spread(in: type, below: fragment) ?? leaf(of: type)
        case 2 where depth > 0:
            let condition =
                (RandomOperations.overlapping[type] ?? [type]).randomElement(using: &random) ?? type
            return "... on \(condition) { \(selections(of: condition, depth: depth - 1, below: fragment)) }"
        case 3 where depth > 0: return "... { \(selections(of: type, depth: depth - 1, below: fragment)) }"
        case 4: return leaf(of: type)
        default: return depth > 0 ? object(of: type, depth: depth, below: fragment) : leaf(of: type)
        }
    }

    private mutating func spread(in type: String, below fragment: Int) -> String? {
        let conditions = RandomOperations.overlapping[type] ?? [type]
        let fitting = RandomOperations.fragmentTypes.indices.filter {
            $0 >= fragment && conditions.contains(RandomOperations.fragmentTypes[$0])
        }
        guard let index = fitting.randomElement(using: &random) else { return nil }
        usedFragments.insert(index)
        return "...F\(index)"
    }

    private mutating func leaf(of type: String) -> String {
        let name = RandomOperations.leaves[type] ?? "__typename"
        return Bool.random(using: &random) ? alias() + name : name
    }

    private mutating func object(of type: String, depth: Int, below fragment: Int) -> String {
        guard let (field, result) = RandomOperations.fields[type]?.randomElement(using: &random) else {
            return leaf(of: type)
        }
        let size = ["$n", "$m", "null", "0", "1", "2", "30", "-1"].randomElement(using: &random) ?? "1"
        let text = field.replacing("#", with: field.hasPrefix("connection") && size == "null" ? "4" : size)
        let body = selections(of: result, depth: depth - 1, below: fragment)
        // Fields with equal names and different arguments or types would conflict without an alias.
        return "\(alias())\(text) { \(body) }"
    }

    private mutating func alias() -> String {
        aliases += 1
        return "x\(aliases): "
    }
}

/// Sebastiano Vigna's SplitMix64, for inputs that are equal in every run.
private struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
