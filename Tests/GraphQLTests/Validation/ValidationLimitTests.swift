import GraphQL
import Testing

@Suite("Bounds of validation")
struct ValidationLimitTests {
    @Test("the list of errors ends at its limit and says so", arguments: [1, 3, 50])
    func limit(_ maximum: Int) throws {
        let errors = try validationErrors(
            of: "{ \(String(repeating: "nope ", count: 60)) }",
            options: ValidationOptions(maximumErrors: maximum))
        #expect(errors.count == maximum + 1)
        #expect(
            errors.last
                == ExpectedError("Too many validation errors, error limit reached. Validation aborted."))
        #expect(
            errors[0]
                == ExpectedError(
                    "Cannot query field \"nope\" on type \"Query\". Did you mean \"node\"?", at: "1:3"))
    }

    @Test("a value with ten thousand faults is told of as often as the limit allows")
    func valueLimit() throws {
        // Each message quotes the whole value: all messages would have a gigabyte.
        let fields = (0..<10_000).map { "f\($0): 1" }.joined(separator: ", ")
        let errors = try validationErrors(
            of: "{ account { orders(filter: {\(fields)}) { id } } }",
            options: ValidationOptions(maximumErrors: 3))
        #expect(errors.map(\.places) == ["1:29", "1:36", "1:43", ""])
        #expect(errors[2].message.contains("not to include unknown field \"f2\", found: {\n  f0: 1\n"))
    }

    @Test("as many errors as the limit allows are all of them")
    func exactly() throws {
        let errors = try validationErrors(
            of: "{ nope nope nope }", options: ValidationOptions(maximumErrors: 3))
        #expect(errors.map(\.places) == ["1:3", "1:8", "1:13"])
    }

    @Test("a limit below one is one")
    func least() {
        #expect(ValidationOptions(maximumErrors: -1).maximumErrors == 1)
    }

    @Test(
        "nothing of the schema is suggested when suggestions are off",
        arguments: [
            ("{ nope }", "Cannot query field \"nope\" on type \"Query\"."),
            ("{ node(id: 1) { symbol } }", "Cannot query field \"symbol\" on type \"Node\"."),
            ("{ ... on Acount { id } }", "Unknown type \"Acount\"."),
            ("{ search(txt: 1) { __typename } }", "Unknown argument \"txt\" on field \"Query.search\"."),
            ("{ side @tag(nam: 1) }", "Unknown argument \"nam\" on directive \"@tag\"."),
            (
                "{ account { orders(sides: BUI) { id } } }",
                "Value \"BUI\" does not exist in \"Side\" enum."
            ),
            (
                "{ account { orders(filter: {sid: 1}) { id } } }",
                "Expected value of type \"Filter\" not to include unknown field \"sid\", found: { sid: 1 }."
            ),
        ])
    func silent(_ document: String, _ message: String) throws {
        let errors = try validationErrors(of: document, options: ValidationOptions(suggests: false))
        #expect(errors.map(\.message) == [message])
    }

    @Test("introspection nests as deep as one likes when its limit is off")
    func introspection() throws {
        let text = "{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }"
        let options = ValidationOptions(limitsIntrospectionDepth: false)
        #expect(try validationErrors(of: text, options: options) == [])
    }

    @Test("ten thousand fragments, each spread by the one before, are followed without recursion")
    func chain() throws {
        let count = 10_000
        let chain = (0..<count).map { "fragment F\($0) on Account { id ...F\($0 + 1) }" }.joined(
            separator: "\n")
        let last = "fragment F\(count) on Account { orders(filter: {side: $side}) { id } }"
        try expectValid("query ($side: Side) { account { ...F0 } }\n\(chain)\n\(last)")
    }

    @Test("a cycle of ten thousand fragments is one error, with at most 2,000 bytes and 100 places")
    func cycle() throws {
        let count = 10_000
        let chain = (0..<count).map { "fragment F\($0) on Account { id ...F\(($0 + 1) % count) }" }
        let errors = try validationErrors(of: "{ account { ...F0 } }\n\(chain.joined(separator: "\n"))")
        #expect(errors.count == 1)
        #expect(errors[0].message.hasPrefix("Cannot spread fragment \"F0\" within itself via \"F1\", \"F2\""))
        #expect(errors[0].message.hasSuffix("…") && errors[0].message.utf8.count <= 2_003)
        #expect(errors[0].places.hasPrefix("2:29 3:29") && errors[0].places.hasSuffix(" 101:30"))
    }

    @Test("fragments spread under ever more fields are merged once")
    func doubling() throws {
        let fragments = (0..<200).map { level in
            "fragment F\(level) on Account { a: orders { account { ...F\(level + 1) } } "
                + "b: orders { account { ...F\(level + 1) } } }"
        }
        try expectValid("{ account { ...F0 } } \(fragments.joined()) fragment F200 on Account { id }")
    }
}
