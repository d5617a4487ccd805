import GraphQL
import Testing

/// Requests that cannot be run: the codes of their errors, and the length of the response.
@Suite("Request errors")
struct RequestErrorTests {
    /// A request with the code, the beginning of the message, and the location of its first error.
    struct Case: CustomTestStringConvertible, Sendable {
        let document: String
        var operationName: String?
        var variables: InputObject = [:]
        let code: String
        let message: String
        var place = ""
        var testDescription: String { "\(code): \(document)" }
    }

    static let cases = [
        Case(
            document: "{ side", code: "GRAPHQL_PARSE_FAILED",
            message: "Syntax Error: Expected Name, found <EOF>.", place: "1:7"),
        Case(
            document: "{ \(String(repeating: "a", count: 257)) }", code: "GRAPHQL_PARSE_FAILED",
            message: "Syntax Error: Name contains more than 256 bytes. Parsing aborted.", place: "1:3"),
        Case(
            document: "{ nothing }", code: "GRAPHQL_VALIDATION_FAILED",
            message: "Cannot query field \"nothing\" on type \"Query\".", place: "1:3"),
        Case(
            document: "query ($i: Int!) { number(int: $i) }", variables: ["i": .string("x")],
            code: "BAD_USER_INPUT",
            message: "Variable \"$i\" has invalid value: Int cannot represent non-integer value: \"x\"",
            place: "1:8"),
        Case(
            document: "query ($i: Int!) { number(int: $i) }", code: "BAD_USER_INPUT",
            message:
                "Variable \"$i\" has invalid value: Expected a value of non-null type \"Int!\" to be provided.",
            place: "1:8"),
        Case(
            document: "query A { side } query B { side }", code: "OPERATION_RESOLUTION_FAILURE",
            message: "Must provide operation name if query contains multiple operations."),
        Case(
            document: "query A { side }", operationName: "B", code: "OPERATION_RESOLUTION_FAILURE",
            message: "Unknown operation named \"B\"."),
    ]

    private func errors(_ request: GraphQLRequest) throws -> [GraphQLError] {
        try #require(throws: GraphQLErrors.self) {
            _ = try DynamicSchema(Market.schema()).run(request)
        }.errors
    }

    @Test("have a code", arguments: cases)
    func codes(_ test: Case) throws {
        let errors = try errors(
            GraphQLRequest(test.document, operationName: test.operationName, variables: test.variables))
        let error = try #require(errors.first)
        #expect(errors.count == 1)
        #expect(error.extensions == ["code": .string(test.code)])
        #expect(error.message == test.message)
        #expect(ExpectedError(error).places == test.place)
    }

    @Test("state with the same code that there are more")
    func more() throws {
        let unknown = String(repeating: "nothing ", count: 60)
        let sides = InputValue.list(Array(repeating: .string("x"), count: 60))
        for (request, code, message) in [
            (
                GraphQLRequest("{ \(unknown) }"), "GRAPHQL_VALIDATION_FAILED",
                "Too many validation errors, error limit reached. Validation aborted."
            ),
            (
                GraphQLRequest(
                    "query ($s: [Side!]) { account { orders(sides: $s) { id } } }", variables: ["s": sides]),
                "BAD_USER_INPUT",
                "Too many errors processing variables, error limit reached. Execution aborted."
            ),
        ] {
            let errors = try errors(request)
            #expect(errors.count == 51)
            #expect(errors.allSatisfy { $0.extensions == ["code": .string(code)] })
            #expect(errors.last?.message == message)
        }
    }

    @Test(
        "have the code BAD_USER_INPUT if a variable makes an argument invalid, which is an error of the field"
    )
    func argument() throws {
        let response = DynamicSchema(try Schema.build("type Query { a(x: Int! = 1): Int }")).execute(
            GraphQLRequest("query ($x: Int = 2) { a(x: $x) }", variables: ["x": .null]))
        let text = String(decoding: response.body, as: UTF8.self)
        #expect(text.hasPrefix(#"{"data":{"a":null},"errors":["#))
        #expect(text.hasSuffix(#""path":["a"],"extensions":{"code":"BAD_USER_INPUT"}}]}"#))
    }

    /// A request of up to a megabyte, whose text an error message repeats.
    struct LongRequest: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let request: GraphQLRequest
        /// The beginning of the message of the first error.
        let message: String
    }

    private static let text = String(repeating: "x", count: 900_000)
    /// 60 fields that no input object has, and a long text.
    private static let unknownFields = (0..<60).map { (name: "f\($0)", value: InputValue.int(0)) }
    private static let names = (0..<500).map { "F\($0)" + String(repeating: "x", count: 250) }

    static let longRequests = [
        LongRequest(
            testDescription: "an object in a variable, with 60 unknown fields",
            request: GraphQLRequest(
                "query ($f: Filter) { account { orders(filter: $f) { id } } }",
                variables: [
                    "f": .object(InputObject(unknownFields + [(name: "text", value: .string(text))]))
                ]),
            message:
                "Variable \"$f\" has invalid value: Expected value of type \"Filter\" not to include unknown field"
        ),
        LongRequest(
            testDescription: "an object in the document, with 60 unknown fields",
            request: GraphQLRequest(
                "{ account { orders(filter: {\(unknownFields.map { "\($0.name): 0" }.joined(separator: " ")) "
                    + "text: \"\(text)\"}) { id } } }"),
            message:
                "Expected value of type \"Filter\" not to include unknown field \"f0\", found: {\n  f0: 0\n"),
        LongRequest(
            testDescription: "an unknown field with a long name, in a variable",
            request: GraphQLRequest(
                "query ($f: Filter) { account { orders(filter: $f) { id } } }",
                variables: ["f": .object(InputObject([(name: text, value: .null)]))]),
            message:
                "Variable \"$f\" has invalid value: Expected value of type \"Filter\" not to include unknown field"
        ),
        LongRequest(
            testDescription: "60 values of an enum in a variable",
            request: GraphQLRequest(
                "query ($s: [Side!]) { account { orders(sides: $s) { id } } }",
                variables: [
                    "s": .list(Array(repeating: .string(String(text.prefix(15_000))), count: 60))
                ]),
            message: "Variable \"$s\" has invalid value at [0]: Value \"xxx"),
        LongRequest(
            testDescription: "a literal of an enum",
            request: GraphQLRequest("{ account { orders(sides: \"\(text)\") { id } } }"),
            message: "Enum \"Side\" cannot represent non-enum value: \"xxx"),
        LongRequest(
            testDescription: "a number in the document",
            request: GraphQLRequest("{ number(int: 1\(text.replacing("x", with: "0"))) }"),
            message: "Int cannot represent non 32-bit signed integer value: 1000"),
        LongRequest(
            testDescription: "a string at a place without a value",
            request: GraphQLRequest("{ \"\(text)\" }"),
            message: "Syntax Error: Expected Name, found String \"xxx"),
        LongRequest(
            testDescription: "an operation name",
            request: GraphQLRequest("query A { side }", operationName: text),
            message: "Unknown operation named \"xxx"),
        LongRequest(
            testDescription: "an operation name of one character",
            request: GraphQLRequest(
                "query A { side }", operationName: "a" + String(repeating: "\u{301}", count: 400_000)),
            message: "Unknown operation named \"a\u{301}"),
        LongRequest(
            testDescription: "60 cycles of up to 500 fragments with long names",
            request: GraphQLRequest(
                "{ account { ...\(names[0]) } } "
                    + names.indices.map { index in
                        let first = index >= 440 ? "...\(names[0]) " : ""
                        let next = index + 1 < names.count ? "...\(names[index + 1])" : "id"
                        return "fragment \(names[index]) on Account { \(first)\(next) }"
                    }.joined(separator: " ")),
            message: "Cannot spread fragment \"F0xxx"),
        LongRequest(
            testDescription: "60 subscriptions of a fragment with 500 root fields",
            request: GraphQLRequest(
                (0..<60).map { "subscription S\($0) { ...F }" }.joined(separator: " ")
                    + " fragment F on Subscription { "
                    + (0..<500).map { "a\($0): quote { id }" }.joined(separator: " ") + " }"),
            message: "Subscription \"S0\" must select only one top level field."),
    ]

    @Test(
        "quote at most 256 bytes of a value, and have at most 2,000 bytes and 100 places",
        arguments: longRequests)
    func lengths(_ test: LongRequest) throws {
        let errors = try errors(test.request)
        #expect(errors.count <= 51)
        let message = errors.first?.message ?? ""
        // Not `hasPrefix`, which compares characters.
        #expect(message.utf8.starts(with: test.message.utf8), "\(message)")
        #expect(errors.allSatisfy { $0.message.utf8.count <= 2_003 && $0.locations.count <= 100 })
        #expect(errors.contains { $0.message.contains("…") || $0.locations.count == 100 })
        #expect(GraphQLResponse(requestErrors: errors).body.count < 400_000)
    }
}
