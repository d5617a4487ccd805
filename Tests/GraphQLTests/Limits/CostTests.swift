import GraphQL
import Testing

@Suite("Cost where the specification leaves a choice, and its place")
struct CostTests {
    static let sdl = """
        input Page { first: Int = 3, size: Size }
        input Size { rows: Int, columns: [Int!] }
        input Filter { name: String, weight: Int @cost(weight: "2"), and: [Filter!], size: Size @cost(weight: "0.5") }
        interface Node { id: ID, children(first: Int): [Node], weight: Int, sizes: [Int] }
        type Leaf implements Node { id: ID, children(first: Int): [Node], weight: Int, sizes: [Int] }
        type Tree implements Node @cost(weight: "4") {
          id: ID
          children(last: Int, first: Int): [Node] @cost(weight: "3") @listSize(slicingArguments: ["first"])
          weight: Int @cost(weight: "2")
          sizes: [Int]
        }
        type Rock { id: ID, tree: Tree }
        union Thing = Leaf | Tree | Rock
        type Edge { node: Leaf }
        type Connection { edges: [Edge], nodes: [Leaf], next: Connection, other: [Leaf], matrix: [[Leaf]] }
        type Query {
          leaf: Leaf, tree: Tree, node: Node, thing: Thing, query: Query
          leaves: [Leaf]
          matrix: [[[Leaf!]!]!]! @listSize(assumedSize: 2)
          sliced(first: Int = 5, last: Int): [Leaf]
            @listSize(slicingArguments: ["first", "last"], requireOneSlicingArgument: false)
          one(first: Int, last: Int): [Leaf] @listSize(slicingArguments: ["first", "last"])
          assumed(first: Int): [Leaf]
            @listSize(slicingArguments: ["first"], assumedSize: 7, requireOneSlicingArgument: false)
          paged(page: Page): [Leaf] @cost(weight: "1") @listSize(slicingArguments: ["page.first"])
          grid(page: Page = {size: {columns: [1, 2]}}): [Leaf]
            @listSize(slicingArguments: ["page.size.columns", "page.size.rows"], requireOneSlicingArgument: false)
          named(names: [String!]!): [Leaf] @listSize(slicingArguments: ["names"])
          found(filter: Filter, filters: [Filter!]): Leaf
          connection(first: Int = 4): Connection @listSize(slicingArguments: ["first"], sizedFields: ["edges", "nodes"])
          others(first: Int!): Connection @listSize(slicingArguments: ["first"], sizedFields: ["other", "matrix"])
        }
        """

    struct Case: CustomTestStringConvertible, Sendable {
        let query: String
        var variables: InputObject = [:]
        let field: String
        let type: String

        init(_ query: String, _ variables: InputObject = [:], field: String, type: String) {
            self.query = query
            self.variables = variables
            self.field = field
            self.type = type
        }

        var testDescription: String { query }
    }

    static let cases = [
        // Default weights (7.1).
        Case("{ leaf { id } }", field: "1", type: "2"),
        Case("{ __typename leaf { __typename } }", field: "1", type: "2"),
        // Merged fields count each time, as do aliases and fragments.
        Case("{ leaf { id } leaf { id } x: leaf { id } }", field: "3", type: "4"),
        Case("{ ...F ...F } fragment F on Query { leaf { id } }", field: "2", type: "3"),
        Case(
            "query ($no: Boolean!) { leaf @include(if: $no) { id } }", ["no": .boolean(false)], field: "1",
            type: "2"),
        // Lists, with the default assumed size 10.
        Case("{ leaves { id } }", field: "1", type: "11"),
        Case("{ leaf { sizes } }", field: "1", type: "2"),
        Case("{ matrix { id } }", field: "1", type: "201"),
        // Slicing arguments (8.2): literal, default, variable; the largest counts, and negative values count
        // as zero.
        Case("{ sliced { id } }", field: "1", type: "6"),
        Case("{ sliced(first: 2) { id } }", field: "1", type: "3"),
        Case("{ sliced(last: 9) { id } }", field: "1", type: "10"),
        Case("{ sliced(first: null) { id } }", field: "1", type: "11"),
        Case("{ sliced(first: -4) { tree: id } }", field: "1", type: "1"),
        Case("query ($n: Int) { sliced(first: $n) { id } }", field: "1", type: "6"),
        Case("query ($n: Int = 8) { sliced(first: $n) { id } }", field: "1", type: "9"),
        Case("query ($n: Int = 8) { sliced(first: $n) { id } }", ["n": .int(20)], field: "1", type: "21"),
        Case("query ($n: Int) { sliced(first: $n) { id } }", ["n": .null], field: "1", type: "11"),
        Case("query ($n: Int) { one(last: $n) { id } }", ["n": .int(2)], field: "1", type: "3"),
        Case("{ assumed { id } }", field: "1", type: "8"),
        Case("{ assumed(first: 1) { id } }", field: "1", type: "2"),
        // Extensions of the specification: paths into input objects, and lists as slicing arguments.
        Case("{ paged(page: {first: 6}) { id } }", field: "2", type: "7"),
        Case("{ paged(page: {}) { id } }", field: "2", type: "4"),
        Case(
            "query ($p: Page) { paged(page: $p) { id } }", ["p": .object(["first": .int(2)])], field: "2",
            type: "3"),
        Case("query ($n: Int) { paged(page: {first: $n}) { id } }", ["n": .int(2)], field: "2", type: "3"),
        Case("{ grid { id } }", field: "3", type: "3"),
        Case("{ grid(page: {size: {columns: 1, rows: 4}}) { id } }", field: "3", type: "5"),
        Case("{ named(names: [\"a\", \"b\", \"c\"]) { id } }", field: "1", type: "4"),
        Case("{ named(names: \"a\") { id } }", field: "1", type: "2"),
        Case(
            "query ($n: [String!]!) { named(names: $n) { id } }", ["n": .list([.string("a"), .string("b")])],
            field: "1", type: "3"),
        Case(
            "query ($n: String!) { named(names: [$n, \"b\", $n]) { id } }", ["n": .string("a")], field: "1",
            type: "4"),
        // Input fields (5.3.2.2), at any depth, in lists, in literals and in variables.
        Case("{ found(filter: {}) { id } }", field: "2", type: "2"),
        Case("{ found(filter: null) { id } }", field: "1", type: "2"),
        Case("{ found(filter: {name: \"a\", weight: 1}) { id } }", field: "4", type: "2"),
        Case("{ found(filter: {weight: null, size: {rows: 1}}) { id } }", field: "2.5", type: "2"),
        Case("{ found(filters: [{weight: 1}, {weight: 2}, {}]) { id } }", field: "6", type: "2"),
        Case("{ found(filter: {and: [{weight: 1}, {and: {weight: 1}}]}) { id } }", field: "8", type: "2"),
        Case(
            "query ($f: Filter) { found(filter: $f) { id } }",
            ["f": .object(["and": .list([.object(["weight": .int(1)]), .object(["name": .string("a")])])])],
            field: "5", type: "2"),
        Case("query ($f: Filter) { found(filter: $f) { id } }", field: "1", type: "2"),
        Case("query ($w: Int) { found(filter: {weight: $w}) { id } }", ["w": .int(0)], field: "4", type: "2"),
        Case("query ($w: Int) { found(filter: {weight: $w}) { id } }", field: "2", type: "2"),
        // Sized fields (8.3), including those in fragments; the field itself and other lists below it have
        // no size.
        Case("{ connection { edges { node { id } } } }", field: "6", type: "10"),
        Case(
            "{ connection(first: 2) { edges { node { id } } nodes { id } other { id } } }", field: "6",
            type: "18"),
        Case(
            "query ($n: Int) { connection(first: $n) { ...C } } fragment C on Connection { ...D nodes { id } } "
                + "fragment D on Connection { edges { node { id } } }", ["n": .int(100)], field: "103",
            type: "302"),
        Case(
            "query ($n: Int!) { a: connection(first: $n) { ...C } b: others(first: $n) { ...C } c: others(first: 1) "
                + "{ next { ...C } } } fragment C on Connection { nodes { id } other { id } }",
            // a: 100 nodes, 10 others; b: 10 nodes, 100 others; c: 10 of each, a level below.
            ["n": .int(100)], field: "10", type: "245"),
        Case("{ others(first: 3) { matrix { id } } }", field: "2", type: "32"),
        // For an abstract type, the most expensive possible type counts (7.2), and its fields (9.1.1).
        Case("{ node { id } }", field: "1", type: "5"),
        Case("{ thing { __typename } }", field: "1", type: "5"),
        Case("{ node { weight } }", field: "3", type: "5"),
        Case("{ node { children(first: 2) { id } } }", field: "4", type: "45"),
        Case("{ node { children(first: 20) { id } } }", field: "4", type: "85"),
        // Of fragments on different object types only one applies, together with the selections for all
        // types.
        Case("{ thing { ... on Leaf { children { id } } ... on Rock { id } } }", field: "2", type: "45"),
        Case(
            "{ thing { ... on Rock { tree { id } } ... on Tree { weight } ... on Node { weight } } }",
            field: "5",
            type: "9"),
        Case(
            "{ thing { ...R ...T ... on Rock { tree { weight } } } } fragment R on Rock { tree { id } } "
                + "fragment T on Tree { weight }", field: "5", type: "13"),
        // Introspection costs nothing: it has separate limits.
        Case(
            "{ __schema { types { name fields { name } } } __type(name: \"A\") { name } }", field: "0",
            type: "1"),
    ]

    @Test("costs", arguments: cases)
    func cost(_ example: Case) throws {
        let cost = try LimitedSchema(CostTests.sdl).cost(example.query, example.variables)
        #expect(cost.field.description == example.field)
        #expect(cost.type.description == example.type)
    }

    struct Refused: CustomTestStringConvertible, Sendable {
        let query: String
        var variables: InputObject = [:]
        let limit: Int
        let message: String
        let place: String

        init(_ query: String, _ variables: InputObject = [:], limit: Int, _ message: String, at place: String)
        {
            self.query = query
            self.variables = variables
            self.limit = limit
            self.message = message
            self.place = place
        }

        var testDescription: String { query }
    }

    static let refused = [
        Refused("{ leaf { id } tree { id }\n node { id } }", limit: 9, "type cost of 10", at: "2:2"),
        Refused(
            "{ leaf { id } leaf { id }\n found(filter: {weight: 1}) { id } }", limit: 5, "field cost of 6",
            at: "2:2"),
        Refused(
            "{ leaves {\n children {\n children { id } } } }", limit: 4_000, "type cost of 4411", at: "3:2"),
        Refused(
            "query ($n: Int) { sliced(first: $n) { id\n children { id } } }", ["n": .int(1_000)],
            limit: 5_000,
            "type cost of 41001", at: "2:2"),
        Refused(
            "{ connection(first: 9) {\n next { nodes { id } }\n edges { node { id } } } }", limit: 24,
            "type cost of 31", at: "3:10"),
        Refused(
            "query ($n: Int!) { others(first: $n) { ...C } }\nfragment C on Connection {\nnodes { id }\nother { id } }",
            ["n": .int(50)], limit: 50, "type cost of 62", at: "4:1"),
        Refused(
            "{ thing { ... on Rock { id }\n... on Leaf { id children { id } } } }", limit: 8,
            "type cost of 45",
            at: "2:18"),
        Refused("{ leaf { id } }", limit: 0, "type cost of 2", at: "1:1"),
        Refused(
            "query ($n: Int!) { sliced(first: $n) { children { children { children { id } } } } }",
            ["n": .int(2_147_483_647)], limit: 5_000, "type cost of more than 9223372036854.775807",
            at: "1:20"),
    ]

    @Test("past its limit the cost is told with the field that passes it", arguments: refused)
    func refusal(_ case: Refused) throws {
        let schema = try LimitedSchema(CostTests.sdl)
        let text =
            "The operation has a \(`case`.message); the limit is \(`case`.limit). "
            + "Ask for shorter lists, or for fewer fields within them."
        let refusals = try schema.refusals(
            of: `case`.query, OperationLimits(cost: `case`.limit), `case`.variables)
        #expect(refusals == [LimitRefusal(text, at: `case`.place, "COST_LIMIT_EXCEEDED")])
    }

    @Test("at its limit the cost passes, past it by a millionth it does not")
    func edge() throws {
        let schema = try LimitedSchema(
            "scalar S @cost(weight: \"0.000001\") type Query { s: S, leaf: Query }")
        #expect(try schema.refusals(of: "{ leaf { leaf { __typename } } }", OperationLimits(cost: 3)) == [])
        let refusals = try schema.refusals(of: "{ leaf { leaf { __typename s } } }", OperationLimits(cost: 3))
        #expect(
            refusals.map(\.message).first?.hasPrefix("The operation has a type cost of 3.000001; ") == true)
        #expect(refusals.map(\.place) == ["1:28"])
    }

    @Test("a slicing argument that a variable leaves out is missing")
    func missing() throws {
        let schema = try LimitedSchema(CostTests.sdl)
        let query = "query ($n: Int) {\n one(first: $n) { id } }"
        #expect(try schema.refusals(of: query, .unlimited, ["n": .int(1)]) == [])
        let refusal = LimitRefusal(
            "Field \"Query.one\" requires one of the arguments \"first\" or \"last\", but it has none. "
                + "Give exactly one, which tells how long the list may get.", at: "2:2",
            "SLICING_ARGUMENT_REQUIRED")
        #expect(try schema.refusals(of: query, .unlimited) == [refusal])
        #expect(try schema.refusals(of: query, .unlimited, ["n": .null]) == [refusal])
    }

    @Test(
        "a null for a non-null slicing argument is left to the coercion of the field, and costs no list",
        arguments: [
            "query ($n: Int = 1) { others(first: $n) { other { id } } }",
            "query ($n: String = \"a\") { named(names: [$n]) { id } }",
        ])
    func nullForNonNull(query: String) throws {
        let schema = try LimitedSchema(CostTests.sdl)
        #expect(try schema.refusals(of: query, OperationLimits(cost: 2), ["n": .null]) == [])
    }

    @Test("a cost is shown as responses show it")
    func shown() throws {
        let cost = try LimitedSchema(CostTests.sdl).cost("{ found(filter: {size: {}}) { id } }")
        #expect(
            cost.inputValue
                == .object(["requested": .number("2.5"), "fieldCost": .number("2.5"), "typeCost": .int(2)]))
        #expect(Cost(-3).description == "-3" && Cost.zero.inputValue == .int(0))
        #expect(Cost(Int.max) == .highest && Cost(Int.min) == .lowest)
    }
}
