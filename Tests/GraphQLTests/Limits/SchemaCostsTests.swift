import GraphQL
import Testing

@Suite("Cost directives that a schema may not have")
struct SchemaCostsTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let sdl: String
        let message: String
        let place: String

        init(_ sdl: String, _ message: String, at place: String) {
            self.sdl = sdl
            self.message = message
            self.place = place
        }

        var testDescription: String { sdl }
    }

    static let cases = [
        Case(
            "type Query { a: Int @cost(weight: \"much\") }",
            "The weight \"much\" of @cost on Query.a is not a number between -1000000000 and 1000000000. "
                + "Write it like \"2.5\".", at: "6:14"),
        Case(
            "type Query { a: Int }\nscalar S @cost(weight: \"0x10\")",
            "The weight \"0x10\" of @cost on S is not a number between -1000000000 and 1000000000. "
                + "Write it like \"2.5\".", at: "7:1"),
        Case(
            "type Query { a(b: Int\n @cost(weight: \"1e10\")): Int }",
            "The weight \"1e10\" of @cost on Query.a(b:) is not a number between -1000000000 and 1000000000. "
                + "Write it like \"2.5\".", at: "6:16"),
        Case(
            "directive @d(b: Int @cost(weight: \"nan\")) on FIELD type Query { a: Int }",
            "The weight \"nan\" of @cost on @d(b:) is not a number between -1000000000 and 1000000000. "
                + "Write it like \"2.5\".", at: "6:14"),
        Case(
            "type Query { a(i: I): Int } input I {\nf: Int @cost(weight: \"\") }",
            "The weight \"\" of @cost on I.f is not a number between -1000000000 and 1000000000. "
                + "Write it like \"2.5\".", at: "7:1"),
        Case(
            "interface Node { id: ID @cost(weight: \"1\") } type Query implements Node { id: ID }",
            "@cost cannot be applied to Node.id, a field of an interface. "
                + "Apply it to the fields of the types that implement it.", at: "6:18"),
        Case(
            "type Query { a: Int @listSize(assumedSize: 1) }",
            "@listSize on Query.a bears on no list. Name those of the returned object in \"sizedFields\".",
            at: "6:14"),
        Case(
            "type Query { a: Query @listSize(assumedSize: 1, sizedFields: [\"b\", \"c\"]), c: [Int] }",
            "@listSize on Query.a names the sized field \"b\", but type \"Query\" has no such field.",
            at: "6:14"),
        Case(
            "type Query { a: Query @listSize(assumedSize: 1, sizedFields: [\"a\"]) }",
            "@listSize on Query.a names the sized field \"a\" of type \"Query\", which is not a list.",
            at: "6:14"),
        Case(
            "type Query { a(n: Int): [Int] @listSize(slicingArguments: [\"m\"]) }",
            "@listSize on Query.a names the slicing argument \"m\", but the field has no such argument.",
            at: "6:14"),
        Case(
            "type Query { a(n: String!): [Int] @listSize(slicingArguments: [\"n\"]) }",
            "@listSize on Query.a names the slicing argument \"n\" of type \"String!\". "
                + "Only an Int or a list tells a length.", at: "6:14"),
        Case(
            "type Query { a(n: I): [Int] @listSize(slicingArguments: [\"n.m\"]) } input I { f: Int }",
            "@listSize on Query.a names the slicing argument \"n.m\", but \"I\" has no field \"m\".",
            at: "6:14"),
        Case(
            "type Query { a(n: [I]): [Int] @listSize(slicingArguments: [\"n.f\"]) } input I { f: Int }",
            "@listSize on Query.a names the slicing argument \"n.f\", but \"[I]\" has no field \"f\".",
            at: "6:14"),
        Case(
            "type Query { a: [Int] @listSize(assumedSize: -1) }",
            "@listSize on Query.a has the assumed size -1. No list is shorter than 0.", at: "6:14"),
        Case(
            "type Query { a(n: Int): [Int] @listSize(slicingArguments: [\"n\"], assumedSize: 1) }",
            "@listSize on Query.a has an assumed size that never holds, because it requires a slicing argument. "
                + "Set \"requireOneSlicingArgument\" to false, or leave out \"assumedSize\".", at: "6:14"),
        Case(
            "type Query { a(n: Int = 1): [Int] "
                + "@listSize(slicingArguments: [\"n\"], assumedSize: 1, requireOneSlicingArgument: false) }",
            "@listSize on Query.a has an assumed size that never holds, because the slicing argument \"n\" has a "
                + "default. Leave out \"assumedSize\".", at: "6:14"),
    ]

    @Test("are refused with what is wrong, and where", arguments: cases)
    func refused(_ bad: Case) throws {
        let schema = try Schema.build(costDirectives + bad.sdl)
        let errors = #expect(throws: GraphQLErrors.self) { try SchemaCosts(schema) }
        #expect(errors?.errors.map(LimitRefusal.init) == [LimitRefusal(bad.message, at: bad.place, "")])
    }

    @Test("all faults are told at once")
    func all() throws {
        let sdl =
            "type Query { a: Int @cost(weight: \"x\") b: Int @listSize b2: [Int] @listSize(assumedSize: -2) }"
        let schema = try Schema.build(costDirectives + sdl)
        let errors = #expect(throws: GraphQLErrors.self) { try SchemaCosts(schema) }
        let subjects = [
            "of @cost on Query.a is not", "@listSize on Query.b bears on", "@listSize on Query.b2 has the",
        ]
        #expect(errors?.errors.count == subjects.count)
        for (error, subject) in zip(errors?.errors ?? [], subjects) {
            #expect(error.message.contains(subject), "\(error.message)")
        }
    }

    @Test(
        "weights are read as they may be written",
        arguments: [
            ("\"2.0\"", "2"), ("\"-0.5\"", "0"), ("\"1e3\"", "1000"), ("\"1.25E-2\"", "0.0125"),
            ("\"+7\"", "7"),
            ("\"0.1\"", "0.1"), ("\"1000000000\"", "1000000000"), ("\"0.0000004\"", "0"),
        ])
    func weights(_ weight: String, _ cost: String) throws {
        let schema = try LimitedSchema("type Query { a: Int @cost(weight: \(weight)) }")
        #expect(try schema.cost("{ a }").field.description == cost)
    }

    @Test("a whole number may be a weight where the directive's definition takes one, as Apollo's does")
    func whole() throws {
        let schema = try Schema.build(
            "directive @cost(weight: Int!) on FIELD_DEFINITION type Query { a: Int @cost(weight: 3) }")
        let costs = try SchemaCosts(schema)
        let valid = try validate(try parse("{ a }"), against: schema)
        let operation = try #require(valid.document.firstOperation)
        let measured = try OperationLimits.default.check(operation, of: valid, costs: costs)
        #expect(try measured.cost(.empty).field == Cost(3))
    }

    @Test("a directive of the name without a weight is another one")
    func other() throws {
        let schema = try Schema.build(
            "directive @cost(complexity: Int) on FIELD_DEFINITION type Query { a: Int @cost(complexity: 3) }")
        let valid = try validate(try parse("{ a }"), against: schema)
        let operation = try #require(valid.document.firstOperation)
        let measured = try OperationLimits.default.check(operation, of: valid, costs: SchemaCosts(schema))
        #expect(try measured.cost(.empty).field == .zero)
    }
}
