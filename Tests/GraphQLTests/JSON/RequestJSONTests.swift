import GraphQL
import Testing

@Suite("The JSON of a request")
struct RequestJSONTests {
    @Test("gives the query, the name and the variables")
    func wholeRequest() throws {
        let request = try GraphQLRequest(
            json: Array(
                #"{"query":"{a}","operationName":"A","variables":{"x":1.0},"extensions":{},"id":[1]}"#.utf8))
        #expect(request.document == "{a}")
        #expect(request.operationName == "A")
        #expect(request.variables == ["x": .number("1.0")])
    }

    @Test(
        "needs a query alone",
        arguments: [
            #"{"query":"{a}"}"#, #"{"query":"{a}","operationName":null,"variables":null,"extensions":null}"#,
        ])
    func smallRequest(_ text: String) throws {
        let request = try GraphQLRequest(json: Array(text.utf8))
        #expect(request.document == "{a}")
        #expect(request.operationName == nil)
        #expect(request.variables == InputObject())
    }

    @Test("is told which key is wrong, and where", arguments: WrongKey.all)
    func wrongKeys(_ wrong: WrongKey) {
        let error = #expect(throws: RequestBodyError.self) {
            try GraphQLRequest(json: Array(wrong.text.utf8))
        }
        #expect(error?.message == wrong.message)
    }

    @Test("is read within its limits")
    func limits() {
        let text = Array(#"{"query":"a","variables":{"a":[]}}"#.utf8)
        #expect(throws: Never.self) { try GraphQLRequest(json: text, limits: JSONLimits(depth: 3)) }
        let error = #expect(throws: RequestBodyError.self) {
            try GraphQLRequest(json: text, limits: JSONLimits(depth: 2))
        }
        #expect(
            error?.message == "The request's JSON cannot be read. "
                + "Arrays and objects stand more than 2 levels deep, at line 1, column 31.")
    }
}

/// A request with a wrong key, and the expected message.
struct WrongKey: Sendable, CustomTestStringConvertible {
    let text: String
    let message: String

    var testDescription: String { text }

    init(_ text: String, _ message: String) {
        self.text = text
        self.message = message
    }

    private static let noQuery =
        #"The request has no "query". Send the operation as a string: {"query": "{ __typename }"}."#

    static let all = [
        WrongKey("{}", noQuery),
        WrongKey(#"{"Query":"{a}"}"#, noQuery),
        WrongKey(#"{"query":null}"#, #"The key "query" must be a string, not null, at line 1, column 10."#),
        WrongKey(
            "{\n \"query\": {}}", #"The key "query" must be a string, not an object, at line 2, column 11."#),
        WrongKey(
            #"{"query":"a","operationName":1.5}"#,
            #"The key "operationName" must be a string or null, not a number, at line 1, column 30."#),
        WrongKey(
            #"{"variables":[],"query":1}"#,
            #"The key "variables" must be an object or null, not an array, at line 1, column 14."#),
        WrongKey(
            #"{"query":"a","extensions":false}"#,
            #"The key "extensions" must be an object or null, not a boolean, at line 1, column 27."#),
        WrongKey(
            #"{"query":1,}"#,
            "The request's JSON cannot be read. "
                + #"Expected a name in double quotes, found "}", at line 1, column 12."#),
        WrongKey(
            #"{"query":"a","query":"b"}"#,
            "The request's JSON cannot be read. The object has the name \"query\" twice, at line 1, column 14."
        ),
        WrongKey("null", #"The request must be a JSON object with the key "query", not null."#),
        WrongKey(
            "[",
            "The request's JSON cannot be read. Expected a value, found the end of the text, at line 1, column 2."
        ),
    ]
}
