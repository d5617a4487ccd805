import GraphQL
import Testing

/// An operation on JSON data, and the exact response.
private struct DynamicCase: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var fields = ""
    let document: String
    var variables = InputObject()
    let data: String
    let response: String

    static let all: [DynamicCase] = values + leaves + lists + abstract + arguments + operations

    static let values = [
        DynamicCase(
            testDescription: "a missing property is null", fields: "a: Int b: [Int!]", document: "{ a b }",
            data: "{}",
            response: #"{"data":{"a":null,"b":null}}"#),
        DynamicCase(
            testDescription: "what is no object has no properties", fields: "q: Query a: Int",
            document: "{ q { a } }",
            data: #"{"q": 5}"#, response: #"{"data":{"q":{"a":null}}}"#),
        DynamicCase(
            testDescription: "a null in a non-null position fails up to the next that may be null",
            fields: "q: Query! n: Query a: Int!", document: "{ n { q { a } } }", data: #"{"n": {"q": {}}}"#,
            response:
                #"{"data":{"n":null},"errors":[{"message":"Cannot return null for non-nullable field Query.a.","#
                + #""locations":[{"line":1,"column":11}],"path":["n","q","a"]}]}"#),
        DynamicCase(
            testDescription: "a failure that nothing catches makes the data null", fields: "a: Int!",
            document: "{ a }",
            data: "null",
            response:
                #"{"data":null,"errors":[{"message":"Cannot return null for non-nullable field Query.a.","#
                + #""locations":[{"line":1,"column":3}],"path":["a"]}]}"#),
        DynamicCase(
            testDescription: "__error fails with its message", fields: "a: Int b: Int", document: "{ a b }",
            data: #"{"a": {"__error": "Told to."}, "b": 2}"#,
            response: #"{"data":{"a":null,"b":2},"errors":[{"message":"Told to.","#
                + #""locations":[{"line":1,"column":3}],"path":["a"]}]}"#),
    ]

    static let leaves = [
        DynamicCase(
            testDescription: "leaves are coerced",
            fields: "i: [Int] f: [Float] s: [String] b: [Boolean] d: [ID] x: [Any]",
            document: "{ i f s b d x }",
            data:
                #"{"i": [1.0, "7", true], "f": [1, 1.50, "2.5", false], "s": [true, 1, 1.5], "b": [0, 1.5], "#
                + #""d": [17, 1.0], "x": [1.50, {"k": [null]}]}"#,
            response: #"{"data":{"i":[1,7,1],"f":[1,1.5,2.5,0],"s":["true","1","1.5"],"b":[false,true],"#
                + #""d":["17","1"],"x":[1.50,{"k":[null]}]}}"#),
        DynamicCase.refusal("Int", of: "1.5", "Int cannot represent non-integer value: 1.5"),
        DynamicCase.refusal("Int", of: "\"0x10\"", "Int cannot represent non-integer value: \\\"0x10\\\""),
        DynamicCase.refusal(
            "Int", of: "2147483648", "Int cannot represent non 32-bit signed integer value: 2147483648"),
        DynamicCase.refusal("Int", of: "1e400", "Int cannot represent non-integer value: Infinity"),
        DynamicCase.refusal("Float", of: "\"nan\"", "Float cannot represent non numeric value: \\\"nan\\\""),
        DynamicCase.refusal("String", of: #"{"a": 1}"#, "String cannot represent value: { a: 1 }"),
        DynamicCase.refusal(
            "Boolean", of: "\"true\"", "Boolean cannot represent a non boolean value: \\\"true\\\""),
        DynamicCase.refusal("ID", of: "1.5", "ID cannot represent value: 1.5"),
        DynamicCase.refusal("E", of: "\"GREEN\"", "Enum \\\"E\\\" cannot represent value: \\\"GREEN\\\""),
        DynamicCase.refusal(
            "[Int]", of: "\"text\"", "Expected Iterable, but did not find one for field \\\"Query.a\\\"."),
    ]

    static let lists = [
        DynamicCase(
            testDescription: "an item fails alone where it may be null", fields: "a: [[Int]!]",
            document: "{ a }", data: #"{"a": [[1, "x"], [2]]}"#,
            response: #"{"data":{"a":[[1,null],[2]]},"errors":[{"message":"#
                + #""Int cannot represent non-integer value: \"x\"","locations":[{"line":1,"column":3}],"#
                + #""path":["a",0,1]}]}"#),
        DynamicCase(
            testDescription: "an item that may not be null takes its list with it",
            fields: "a: [[Int!]] b: Int",
            document: "{ a b }", data: #"{"a": [[1, null], [2]], "b": 1}"#,
            response: #"{"data":{"a":[null,[2]],"b":1},"errors":[{"message":"#
                + #""Cannot return null for non-nullable field Query.a.","locations":[{"line":1,"column":3}],"#
                + #""path":["a",0,1]}]}"#),
    ]

    static let abstract = [
        DynamicCase(
            testDescription: "values say which type they have", fields: "a: [Named] u: Either",
            document:
                "{ a { __typename name ... on Cat { lives } } u { ... on Dog { name } ... on Cat { lives } } }",
            data: #"{"a": [{"__typename": "Dog", "name": "Rex"}, {"__typename": "Cat", "lives": 7}], "#
                + #""u": {"__typename": "Cat", "lives": 9}}"#,
            response: #"{"data":{"a":[{"__typename":"Dog","name":"Rex"},"#
                + #"{"__typename":"Cat","name":null,"lives":7}],"u":{"lives":9}}}"#),
        DynamicCase.refusal(
            "Named", "{ __typename }", of: "{}",
            #"Abstract type \"Named\" must resolve to an Object type at runtime for field \"Query.a\". Either the \"Named\" "#
                + #"type should provide a \"resolveType\" function or each possible type should provide an \"isTypeOf\" function."#
        ),
        DynamicCase.refusal(
            "Named", "{ __typename }", of: #"{"__typename": "Cow"}"#,
            #"Abstract type \"Named\" was resolved to a type \"Cow\" that does not exist inside the schema."#),
        DynamicCase.refusal(
            "Named", "{ __typename }", of: #"{"__typename": "Either"}"#,
            #"Abstract type \"Named\" was resolved to a non-object type \"Either\"."#),
        DynamicCase.refusal(
            "Named", "{ __typename }", of: #"{"__typename": "Query"}"#,
            #"Runtime Object type \"Query\" is not a possible type for \"Named\"."#),
    ]

    static let arguments = [
        DynamicCase(
            testDescription: "__args shows coerced arguments in the order of their definitions",
            fields: "a(x: Int = 3, e: E, l: [Float], o: In, n: Any): String",
            document: "query ($l: [Float]) { a(n: {k: 1.50, s: \"é\"}, l: $l, o: {y: null}, e: RED) }",
            variables: ["l": .list([.int(1), .number("2.5")])], data: #"{"a": {"__args": true}}"#,
            response: #"{"data":{"a":"{\"x\":3,\"e\":\"RED\",\"l\":[1,2.5],\"o\":{\"x\":7,\"y\":null},"#
                + #"\"n\":{\"k\":1.5,\"s\":\"é\"}}"}}"#),
        DynamicCase(
            testDescription: "an argument that a variable leaves null fails its field",
            fields: "a(x: Int! = 1): String",
            document: "query ($x: Int = 2) { a(x: $x) }", variables: ["x": .null], data: #"{"a": "never"}"#,
            response: #"{"data":{"a":null},"errors":[{"message":"Argument \"x\" has invalid value: "#
                + #"Expected variable \"$x\" provided to non-null type \"Int!\" not to be null.","#
                + #""locations":[{"line":1,"column":28}],"path":["a"],"extensions":{"code":"BAD_USER_INPUT"}}]}"#
        ),
    ]

    static let operations = [
        DynamicCase(
            testDescription: "introspection stands beside data, also below the root",
            fields: "q: Query a: Int",
            document: "{ a q { a __type(name: \"Cat\") { name } } __schema { queryType { name } } }",
            data: #"{"a": 1, "q": {"a": 2}}"#,
            response:
                #"{"data":{"a":1,"q":{"a":2,"__type":{"name":"Cat"}},"__schema":{"queryType":{"name":"Query"}}}}"#
        ),
        DynamicCase(
            testDescription: "a mutation runs from the root value", fields: "a: Int",
            document: "mutation { b c: b }", data: #"{"b": 1}"#, response: #"{"data":{"b":1,"c":1}}"#),
        DynamicCase(
            testDescription: "a subscription answers to the root value as one event", fields: "a: Int",
            document: "subscription { tick }", data: #"{"tick": 5}"#, response: #"{"data":{"tick":5}}"#),
        DynamicCase(
            testDescription: "a request that cannot run has no data", fields: "a: Int",
            document: "query A { a } query B { a }", data: "{}",
            response:
                #"{"errors":[{"message":"Must provide operation name if query contains multiple operations.","#
                + #""extensions":{"code":"OPERATION_RESOLUTION_FAILURE"}}]}"#
        ),
    ]

    /// A value of the field `a`, in JSON, that fails with a message.
    private static func refusal(
        _ type: String, _ selection: String = "", of value: String, _ message: String
    ) -> DynamicCase {
        DynamicCase(
            testDescription: "\(type) from \(value)", fields: "a: \(type)", document: "{ a \(selection) }",
            data: "{\"a\": \(value)}",
            response: #"{"data":{"a":null},"errors":[{"message":"\#(message)","#
                + #""locations":[{"line":1,"column":3}],"path":["a"]}]}"#)
    }
}

@Suite("Dynamic schemas")
struct DynamicSchemaTests {
    private static let types = """
        type Mutation { b: Int } type Subscription { tick: Int } scalar Any enum E { RED BLUE }
        interface Named { name: String } type Dog implements Named { name: String }
        type Cat implements Named { name: String lives: Int } union Either = Dog | Cat
        input In { x: Int = 7 y: Int }
        """

    @Test("answers from JSON as the specification says", arguments: DynamicCase.all)
    private func answers(_ dynamic: DynamicCase) throws {
        let schema = DynamicSchema(
            try Schema.build("type Query { \(dynamic.fields) } \(DynamicSchemaTests.types)"))
        let response = schema.execute(
            GraphQLRequest(dynamic.document, variables: dynamic.variables),
            rootValue: try InputValue(json: Array(dynamic.data.utf8)))
        #expect(String(decoding: response.body, as: UTF8.self) == dynamic.response)
    }

    @Test("fragments that spread one another twice each are planned once each")
    func plansOnce() throws {
        let fragments = (0..<60).map {
            "fragment F\($0) on Query { x: q { ...F\($0 + 1) } y: q { ...F\($0 + 1) } }"
        }
        let document = "{ ...F0 } \(fragments.joined(separator: " ")) fragment F60 on Query { __typename }"
        let schema = DynamicSchema(try Schema.build("type Query { q: Query }"))
        let response = schema.execute(
            GraphQLRequest(document), rootValue: .object(["q": .object(["q": .null])]))
        #expect(
            String(decoding: response.body, as: UTF8.self)
                == #"{"data":{"x":{"x":null,"y":null},"y":{"x":null,"y":null}}}"#)
    }

    @Test("a failure has its whole path, however deep it lies", arguments: [30, 31, 32, 33, 64, 65, 190])
    func deep(_ depth: Int) throws {
        let schema = DynamicSchema(try Schema.build("type Query { q: Query! a: Int! }"))
        var root = InputValue.object([:])
        for _ in 0..<depth { root = .object(["q": root]) }
        let levels = String(repeating: "{ q ", count: depth)
        let response = schema.execute(
            GraphQLRequest("\(levels) { a } \(String(repeating: "}", count: depth))"), rootValue: root)
        let path = String(repeating: #""q","#, count: depth)
        #expect(
            String(decoding: response.body, as: UTF8.self)
                == #"{"data":null,"errors":[{"message":"Cannot return null for non-nullable field Query.a.","#
                + #""locations":[{"line":1,"column":\#(depth * 4 + 4)}],"path":[\#(path)"a"]}]}"#)
    }

    @Test("a wide object is read by name, however many properties it has")
    func wide() throws {
        let names = (0..<2_000).map { "f\($0)" }
        let schema = DynamicSchema(
            try Schema.build("type Query { \(names.map { "\($0): Int" }.joined(separator: " ")) }"))
        var root = InputObject(names.enumerated().map { ($1, InputValue.int($0)) })
        root["f1999"] = nil
        let response = schema.execute(GraphQLRequest("{ f0 f9 f1998 f1999 }"), rootValue: .object(root))
        #expect(
            String(decoding: response.body, as: UTF8.self)
                == #"{"data":{"f0":0,"f9":9,"f1998":1998,"f1999":null}}"#)
    }
}
