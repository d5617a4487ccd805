import TestSupport
import Testing

@Suite("The JSON Schema validator")
struct JSONSchemaTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let schema: String
        let valid: [String]
        let invalid: String
        let pointer: String
        let reason: String
        var testDescription: String { schema }

        static let all: [Case] = [
            Case(
                schema: #"{"type":"string"}"#, valid: [#""a""#], invalid: "1", pointer: "",
                reason: "is the number 1, not string"),
            Case(
                schema: #"{"type":["number","null"]}"#, valid: ["1.5", "null"], invalid: "true", pointer: "",
                reason: "is a boolean, not number or null"),
            Case(
                schema: #"{"type":"integer"}"#, valid: ["1", "1.0", "-3", "1e3"], invalid: "1.5", pointer: "",
                reason: "is the number 1.5, not integer"),
            Case(
                schema: #"{"type":"boolean"}"#, valid: ["true", "false"], invalid: "0", pointer: "",
                reason: "is the number 0, not boolean"),
            Case(
                schema: #"{"properties":{"a":{"type":"array","items":{"type":"object"}}}}"#,
                valid: [#"{"a":[{}]}"#, "{}", "7"], invalid: #"{"a":[{},{},[]]}"#, pointer: "/a/2",
                reason: "is an array, not object"),
            Case(
                schema: #"{"properties":{"a/b~c":{"type":"null"}}}"#, valid: [#"{"a/b~c":null}"#],
                invalid: #"{"a/b~c":1}"#, pointer: "/a~1b~0c", reason: "is the number 1, not null"),
            Case(
                schema: #"{"required":["a","b"]}"#, valid: [#"{"a":1,"b":null}"#, "[]"], invalid: #"{"a":1}"#,
                pointer: "", reason: #""b" is missing"#),
            Case(
                schema: #"{"enum":["a",1,null]}"#, valid: [#""a""#, "1", "null"], invalid: #""b""#,
                pointer: "",
                reason: #""b" is none of the values allowed"#),
            Case(
                schema: #"{"const":"bearer"}"#, valid: [#""bearer""#], invalid: #""Bearer""#, pointer: "",
                reason: "is not the constant"),
            Case(
                schema: #"{"pattern":"^-?\\d+$"}"#, valid: [#""-12""#, "12", "null"], invalid: #""٣""#,
                pointer: "",
                reason: #""٣" does not match ^-?\d+$"#),
            Case(
                schema: #"{"pattern":"b"}"#, valid: [#""abc""#], invalid: #""a""#, pointer: "",
                reason: #""a" does not match b"#),
            Case(
                schema: #"{"maxLength":2}"#, valid: [#""ab""#, #""😀😀""#, "123"], invalid: #""abc""#,
                pointer: "",
                reason: "is longer than 2"),
            Case(
                schema: #"{"minItems":1}"#, valid: ["[0]", "{}"], invalid: "[]", pointer: "",
                reason: "has fewer than 1 items"),
            Case(
                schema: #"{"maxProperties":1}"#, valid: [#"{"a":1}"#, "[1,2]"], invalid: #"{"a":1,"b":2}"#,
                pointer: "", reason: "has more than 1 members"),
            Case(
                schema: #"{"properties":{"a":{}},"additionalProperties":false}"#, valid: [#"{"a":1}"#],
                invalid: #"{"a":1,"b":2}"#, pointer: "/b", reason: "nothing is allowed here"),
            Case(
                schema: #"{"additionalProperties":{"type":"number"}}"#, valid: [#"{"x":1}"#],
                invalid: #"{"x":"1"}"#, pointer: "/x", reason: #"is "1", not number"#),
            Case(
                schema: #"{"patternProperties":{"^\\d+$":{"type":"null"}},"additionalProperties":false}"#,
                valid: [#"{"12":null}"#], invalid: #"{"12":1}"#, pointer: "/12",
                reason: "is the number 1, not null"),
            Case(
                schema: #"{"anyOf":[{"type":"null"},{"type":"number"}]}"#, valid: ["null", "1"],
                invalid: #""1""#,
                pointer: "", reason: "matches no schema of anyOf"),
            Case(
                schema: #"{"oneOf":[{"type":"integer"},{"type":"number"},{"type":"null"}]}"#,
                valid: ["1.5", "null"],
                invalid: "1", pointer: "", reason: "matches 2 schemas of oneOf"),
            Case(
                schema:
                    ##"{"$defs":{"D":{"type":"string"},"L":{"items":{"$ref":"#/$defs/D"}}},"$ref":"#/$defs/L"}"##,
                valid: [#"["a"]"#], invalid: #"["a",2]"#, pointer: "/1", reason: "is the number 2, not string"
            ),
            Case(
                schema: "false", valid: [], invalid: "1", pointer: "", reason: "nothing is allowed here"),
        ]
    }

    @Test("each keyword allows what it should and refuses the rest, with the place", arguments: Case.all)
    func keyword(_ rule: Case) throws {
        let schema = try JSONSchema(JSONValue(parsing: rule.schema))
        for valid in rule.valid {
            #expect(try schema.violations(in: JSONValue(parsing: valid)) == [], "\(valid)")
        }
        let violations = try schema.violations(in: JSONValue(parsing: rule.invalid))
        #expect(violations.map(\.pointer) == [rule.pointer])
        #expect(violations.map(\.reason) == [rule.reason])
    }

    @Test("all violations are told, not the first one only")
    func every() throws {
        let schema = try JSONSchema(
            JSONValue(parsing: #"{"required":["c"],"properties":{"a":{"type":"null"},"b":{"type":"null"}}}"#))
        let violations = try schema.violations(in: JSONValue(parsing: #"{"a":1,"b":2}"#))
        #expect(violations.map(\.pointer) == ["", "/a", "/b"])
    }

    @Test(
        "a schema that is not understood is refused, with the place",
        arguments: [
            (#"{"properties":{"a":{"minimum":1}}}"#, "unknown keyword \"minimum\"", "/properties/a/minimum"),
            (#"{"items":{"format":"date"}}"#, "unknown keyword \"format\"", "/items/format"),
            (#"{"anyOf":[{},{"not":{}}]}"#, "unknown keyword \"not\"", "/anyOf/1/not"),
            (#"{"$defs":{"A":{"allOf":[]}}}"#, "unknown keyword \"allOf\"", "/$defs/A/allOf"),
            (#"{"type":"decimal"}"#, "unknown type", "/type"),
            (##"{"$ref":"#/$defs/Missing"}"##, "no definition \"Missing\"", "/$ref"),
            (#"{"$ref":"other.json"}"#, "only references into #/$defs/ are understood", "/$ref"),
            (#"{"pattern":"("}"#, "no regular expression: (", "/pattern"),
            (#"{"maxLength":-1}"#, "not a count", "/maxLength"),
            (#"{"maxLength":1.5}"#, "not a count", "/maxLength"),
            (#"{"required":"a"}"#, "not an array", "/required"),
            (#"{"properties":[]}"#, "not an object", "/properties"),
            (#"{"items":1}"#, "a schema must be an object or a boolean", "/items"),
        ])
    func malformed(schema: String, reason: String, pointer: String) throws {
        let document = try JSONValue(parsing: schema)
        let error = #expect(throws: JSONSchema.Malformed.self) { try JSONSchema(document) }
        #expect(error?.reason.hasPrefix(reason) == true)
        #expect(error?.pointer == pointer)
    }

    @Test("the providers' schemas are understood", arguments: ["alpaca"])
    func golden(provider: String) throws {
        let schema = try Golden.schema(of: provider)
        _ = try schema.definition("Error")
        let error = #expect(throws: JSONSchema.Malformed.self) { try schema.definition("Nothing") }
        #expect(error?.description == "no definition \"Nothing\" at /$defs")
    }
}
