import GraphQL
import Testing

@Suite("Operations that write out to more than can be")
struct LimitAttackTests {
    /// Each fragment spreads the next one twice, under fields or side by side.
    static func doubling(_ levels: Int, _ link: (Int) -> String, last: String) -> String {
        let fragments = (0..<levels).map { "fragment F\($0) on Query { \(link($0 + 1)) }" }
        return "{ ...F0 }\n" + fragments.joined(separator: "\n")
            + "\nfragment F\(levels) on Query { \(last) }"
    }

    @Test("2 to the 40th fields are counted and refused without being written out")
    func trillion() throws {
        let schema = try LimitedSchema(CostTests.sdl)
        let text = LimitAttackTests.doubling(40, { "...F\($0) ...F\($0)" }, last: "leaf { id }")
        let measure = try schema.measure(text)
        #expect(measure.fields == 2 << 40)
        #expect(measure.rootFields == 1 << 40 && measure.selections == 1 << 40 && measure.depth == 2)
        let refusals = try schema.refusals(of: text, .default)
        #expect(
            refusals.map(\.code) == [
                "ROOT_FIELD_LIMIT_EXCEEDED", "SELECTION_LIMIT_EXCEEDED", "FIELD_LIMIT_EXCEEDED",
            ])
        #expect(refusals.map(\.place) == ["42:25", "42:25", "42:25"])
        #expect(
            refusals[0].message
                == "The operation has 1099511627776 root fields; the limit is 30. "
                + "Select fewer fields, or send several operations.")
        #expect(try schema.cost(text, limits: .unlimited).field == Cost(1 << 40))
    }

    @Test("lists in lists of fragments under aliases are refused too, whatever their sizes")
    func nested() throws {
        let schema = try LimitedSchema(CostTests.sdl)
        let text = LimitAttackTests.doubling(
            12, { "a: query { ...F\($0) } b: query { ...F\($0) }" }, last: "leaves { children { id } }")
        let limits = OperationLimits(aliases: .max)
        let refusals = try schema.refusals(of: text, limits)
        #expect(refusals.map(\.code) == ["FIELD_LIMIT_EXCEEDED"])
        let free = OperationLimits(aliases: .max, fields: .max)
        // 2 + 4 + … + 4,096 fields `query`, and 4,096 times `leaves` with `children` of ten.
        #expect(try schema.refusals(of: text, free).map(\.code) == ["COST_LIMIT_EXCEEDED"])
        #expect(try schema.cost(text).field == Cost(2 * 4_095 + 4_096 * (1 + 10)))
    }

    @Test("empty lists cost nothing, but fields within them are still counted")
    func emptyLists() throws {
        let schema = try LimitedSchema(
            "type Query { none(first: Int): [Query] @listSize(slicingArguments: [\"first\"]) }")
        let text = LimitAttackTests.doubling(
            13, { "none(first: 0) { ...F\($0) ...F\($0) }" }, last: "__typename")
        #expect(try schema.cost(text).type == Cost(1))
        #expect(try schema.refusals(of: text, .default).map(\.code) == ["FIELD_LIMIT_EXCEEDED"])
    }

    @Test("counts and costs past the largest number stay there")
    func saturation() throws {
        let schema = try LimitedSchema(CostTests.sdl)
        let text = LimitAttackTests.doubling(
            100, { "x: leaf { id } ...F\($0) ...F\($0)" }, last: "leaf { id }")
        let measure = try schema.measure(text)
        #expect(measure.fields == .max && measure.aliases == .max && measure.rootFields == .max)
        #expect(try schema.cost(text).type == .highest)
        let refusals = try schema.refusals(of: text, OperationLimits(tokens: .max, fields: .max))
        #expect(
            refusals.first
                == LimitRefusal(
                    "The operation has more than 9223372036854775807 aliases; the limit is 30. "
                        + "Use fewer aliases, or send several operations.", at: "32:25",
                    "ALIAS_LIMIT_EXCEEDED"))
    }

    @Test("ten thousand fragments, each spread by the one before, are followed without recursion")
    func chain() throws {
        let schema = try LimitedSchema(CostTests.sdl)
        let count = 10_000
        let chain = (0..<count).map { "fragment F\($0) on Query { ...F\($0 + 1) leaf { id } }" }
        let text =
            "{ ...F0 } \(chain.joined(separator: "\n")) fragment F\(count) on Query { sliced(first: 3) { id } }"
        #expect(try schema.cost(text).type == Cost(1 + count + 3))
        #expect(try schema.measure(text).rootFields == count + 1)
        // Costs are added from the innermost fragment on: the root, its three and 9,997 of the fragments
        // around it exceed the limit.
        let limits = OperationLimits(
            tokens: .max, rootFields: .max, selections: .max, fields: .max, cost: count)
        #expect(try schema.refusals(of: text, limits).map(\.place) == ["4:30"])
    }

    @Test("a document as deep as the parser takes is walked")
    func deep() throws {
        let schema = try LimitedSchema(CostTests.sdl)
        let text =
            String(repeating: "{ query ", count: 198) + "{ leaf { id } }"
            + String(repeating: " }", count: 198)
        #expect(try schema.measure(text).depth == 200)
        #expect(try schema.cost(text).field == Cost(199))
        #expect(throws: SyntaxError.self) { try parse("{ query \(text) }") }
    }

    @Test("variables with ten thousand input objects are priced item by item")
    func largeVariables() throws {
        let schema = try LimitedSchema(CostTests.sdl)
        let filters = InputValue.list(Array(repeating: .object(["weight": .int(1)]), count: 10_000))
        let query = "query ($f: [Filter!]) {\n found(filters: $f) { id } }"
        #expect(try schema.cost(query, ["f": filters]).field == Cost(20_002))
        let refusals = try schema.refusals(of: query, .default, ["f": filters])
        #expect(refusals.map(\.place) == ["2:2"] && refusals.map(\.code) == ["COST_LIMIT_EXCEEDED"])
    }
}
