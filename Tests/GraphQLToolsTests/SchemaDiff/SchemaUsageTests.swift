import GraphQL
import GraphQLTools
import Testing

/// A change of a schema, and whether an operation is reached by it.
struct UsageCase: CustomTestStringConvertible, Sendable {
    let title: String
    /// What stands in the older schema, and what stands there in the newer one.
    let change: (old: String, new: String)
    /// Operations that the change reaches.
    let reached: [String]
    /// Operations that do not notice.
    var spared: [String] = []

    var testDescription: String { title }
}

@Suite("Which changes of a schema reach an operation")
struct SchemaUsageTests {
    private static let schema = """
        type Query {
          account(id: ID, kind: Kind = CASH): Account
          node: Node
          holding: Holding
          orders(filter: Filter, last: Int): [Order!]
        }
        interface Node { id: ID }
        type Account implements Node { id: ID kind: Kind equity: Float }
        type Stock { symbol: String }
        type Bond { name: String }
        union Holding = Stock | Bond
        enum Kind { CASH MARGIN }
        input Filter { side: Side, price: Range, open: Boolean }
        input Range { from: Float = 0, to: Float }
        enum Side { BUY SELL }
        type Order { id: ID }
        directive @trace(level: Int) repeatable on FIELD | QUERY
        """

    @Test("a change reaches the operations that rely on what changed, and no other", arguments: UsageCase.all)
    func reaches(_ test: UsageCase) throws {
        let old = try Schema.build(Self.schema)
        let text = Self.schema.replacing(test.change.old, with: test.change.new)
        try #require(text != Self.schema)
        let new = try Schema.build(text)
        let changes = old.changes(to: new).filter { $0.impact != .safe }
        try #require(!changes.isEmpty)
        func isReached(_ operation: String) throws -> Bool {
            let usage = SchemaUsage(of: try validate(parse(SourceText(operation)), against: old))
            return changes.contains { usage.isReached(by: $0, to: new) }
        }
        for operation in test.reached { #expect(try isReached(operation), "\(operation)") }
        for operation in test.spared { #expect(try !isReached(operation), "\(operation)") }
    }

    @Test(
        "an operation that is refused by the newer schema was reached by a breaking change",
        arguments: UsageCase.all)
    func explains(_ test: UsageCase) throws {
        let old = try Schema.build(Self.schema)
        let new = try Schema.build(Self.schema.replacing(test.change.old, with: test.change.new))
        let breaking = old.changes(to: new).filter { $0.impact == .breaking }
        for operation in UsageCase.all.flatMap({ $0.reached + $0.spared }) {
            let document = try parse(SourceText(operation))
            let usage = SchemaUsage(of: try validate(document, against: old))
            let isRefused = (try? validate(document, against: new)) == nil
            let isExplained = breaking.contains { usage.isReached(by: $0, to: new) }
            #expect(!isRefused || isExplained, "\(operation)")
        }
    }
}

extension UsageCase {
    static let all = outputs + inputs + directives

    private static let outputs = [
        UsageCase(
            title: "a field goes", change: ("equity: Float", ""),
            reached: ["{ account { equity } }", "{ node { ...a } } fragment a on Account { e: equity }"],
            spared: ["{ account { id } }"]),
        UsageCase(
            title: "a field has another type", change: ("equity: Float", "equity: String"),
            reached: ["{ account { equity } }"], spared: ["{ account { id } }"]),
        UsageCase(
            title: "a type goes",
            change: ("type Bond { name: String }\nunion Holding = Stock | Bond", "union Holding = Stock"),
            reached: ["{ holding { ... on Bond { name } } }"],
            spared: ["{ holding { ... on Stock { symbol } } }", "{ holding { __typename } }"]),
        UsageCase(
            title: "a type is of another kind", change: ("type Order {", "interface Order {"),
            reached: ["{ orders { id } }"], spared: ["{ account { id } }"]),
        UsageCase(
            title: "a union loses a member", change: ("Stock | Bond", "Stock"),
            reached: ["{ holding { ... on Bond { name } } }"],
            spared: ["{ holding { ... on Stock { symbol } } }"]),
        UsageCase(
            title: "a union has another member", change: ("Stock | Bond", "Stock | Bond | Order"),
            reached: ["{ holding { __typename } }"], spared: ["{ orders { id } }"]),
        UsageCase(
            title: "a type no longer has an interface", change: ("Account implements Node", "Account"),
            reached: ["{ node { ... on Account { equity } } }"],
            spared: ["{ node { id } }", "{ account { id } }"]),
        UsageCase(
            title: "a type has an interface more",
            change: ("type Order {", "type Order implements Node {"),
            reached: ["{ node { id } }"], spared: ["{ orders { id } }"]),
        UsageCase(
            title: "an enum may answer something new", change: ("CASH MARGIN", "CASH MARGIN OTHER"),
            reached: ["{ account { kind } }"],
            spared: ["{ account(kind: CASH) { id } }", "query ($k: Kind) { account(kind: $k) { id } }"]),
    ]

    private static let inputs = [
        UsageCase(
            title: "an enum value goes", change: ("CASH MARGIN", "CASH"),
            reached: [
                "{ account(kind: MARGIN) { id } }", "query ($k: Kind) { account(kind: $k) { id } }",
                "query ($k: Kind = MARGIN) { account(kind: $k) { id } }",
            ],
            spared: ["{ account(kind: CASH) { id } }", "{ account { kind } }"]),
        UsageCase(
            title: "a value of an enum deep in variables goes", change: ("BUY SELL", "BUY"),
            reached: [
                "query ($f: Filter) { orders(filter: $f) { id } }",
                "query ($s: Side) { orders(filter: { side: $s }) { id } }",
                "{ orders(filter: { side: SELL }) { id } }",
            ],
            spared: ["{ orders(filter: { side: BUY }) { id } }", "{ orders(filter: { open: true }) { id } }"]),
        UsageCase(
            title: "an argument goes", change: (", last: Int", ""),
            reached: ["{ orders(last: 1) { id } }", "query ($n: Int) { orders(last: $n) { id } }"],
            spared: ["{ orders { id } }"]),
        UsageCase(
            title: "an argument is to be given", change: ("last: Int", "last: Int!"),
            reached: ["{ orders { id } }", "{ orders(last: 1) { id } }"], spared: ["{ account { id } }"]),
        UsageCase(
            title: "an argument has another type", change: ("last: Int", "last: String"),
            reached: ["{ orders(last: 1) { id } }"], spared: ["{ orders { id } }"]),
        UsageCase(
            title: "a required argument comes", change: ("last: Int", "last: Int, first: Int!"),
            reached: ["{ orders(last: 1) { id } }"], spared: ["{ account { id } }"]),
        UsageCase(
            title: "an optional argument comes", change: ("last: Int", "last: Int, first: Int"),
            reached: ["{ orders { id } }"], spared: ["{ account { id } }"]),
        UsageCase(
            title: "a default changes", change: ("kind: Kind = CASH", "kind: Kind = MARGIN"),
            reached: ["{ account { id } }"], spared: ["{ orders { id } }"]),
        UsageCase(
            title: "an input field goes", change: (", to: Float", ""),
            reached: [
                "{ orders(filter: { price: { to: 1 } }) { id } }",
                "query ($f: Filter) { orders(filter: $f) { id } }",
                "query ($r: Range) { orders(filter: { price: $r }) { id } }",
            ],
            spared: ["{ orders(filter: { price: { from: 1 } }) { id } }"]),
        UsageCase(
            title: "an input field is to be given", change: ("from: Float = 0", "from: Float!"),
            reached: [
                "{ orders(filter: { price: { to: 1 } }) { id } }", "{ orders(filter: { price: {} }) { id } }",
                "query ($f: Filter) { orders(filter: $f) { id } }",
            ],
            spared: ["{ orders(filter: { open: true }) { id } }"]),
        UsageCase(
            title: "a required input field comes", change: ("to: Float", "to: Float, unit: Int!"),
            reached: ["{ orders(filter: { price: { to: 1 } }) { id } }"],
            spared: ["{ orders(filter: { open: true }) { id } }"]),
        UsageCase(
            title: "a default of an input field changes", change: ("from: Float = 0", "from: Float"),
            reached: ["{ orders(filter: { price: { to: 1 } }) { id } }"],
            spared: ["{ orders(filter: { open: true }) { id } }"]),
        UsageCase(
            title: "an input type goes",
            change: ("input Range { from: Float = 0, to: Float }", "scalar Range"),
            reached: [
                "query ($r: Range) { orders(filter: { price: $r }) { id } }",
                "query ($f: Filter) { orders(filter: $f) { id } }",
            ],
            spared: ["{ orders(filter: { open: true }) { id } }"]),
        UsageCase(
            title: "an input type accepts only one field",
            change: (
                "input Range { from: Float = 0, to: Float }", "input Range @oneOf { from: Float, to: Float }"
            ),
            reached: [
                "query ($r: Range) { orders(filter: { price: $r }) { id } }",
                "{ orders(filter: { price: { from: 1, to: 2 } }) { id } }",
            ],
            spared: ["{ orders(filter: { open: true }) { id } }"]),
    ]

    private static let directives = [
        UsageCase(
            title: "a directive goes",
            change: ("directive @trace(level: Int) repeatable on FIELD | QUERY", ""),
            reached: ["{ orders { id @trace } }"], spared: ["{ orders { id @skip(if: false) } }"]),
        UsageCase(
            title: "an argument of a directive goes", change: ("@trace(level: Int)", "@trace"),
            reached: ["{ orders { id @trace(level: 1) } }"], spared: ["{ orders { id @trace } }"]),
        UsageCase(
            title: "an argument of a directive is to be given", change: ("level: Int", "level: Int!"),
            reached: ["{ orders { id @trace } }"], spared: ["{ orders { id } }"]),
        UsageCase(
            title: "a required argument of a directive comes", change: ("level: Int", "level: Int, to: Int!"),
            reached: ["{ orders { id @trace(level: 1) } }"], spared: ["{ orders { id } }"]),
        UsageCase(
            title: "a directive may come only once", change: (" repeatable", ""),
            reached: ["{ orders { id @trace @trace } }"], spared: ["{ orders { id @trace } }"]),
        UsageCase(
            title: "a directive may not stand at queries", change: ("FIELD | QUERY", "FIELD"),
            reached: ["query @trace { orders { id } }"], spared: ["{ orders { id @trace } }"]),
    ]
}
