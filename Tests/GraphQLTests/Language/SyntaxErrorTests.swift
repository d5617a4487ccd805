import GraphQL
import Testing

/// A text that is not GraphQL, with the expected message and location.
struct RefusedText: CustomTestStringConvertible {
    var text: String
    var message: String
    var line: Int
    var column: Int

    init(_ text: String, _ message: String, _ line: Int, _ column: Int) {
        self.text = text
        self.message = message
        self.line = line
        self.column = column
    }

    var testDescription: String { text }
}

@Suite("Syntax errors")
struct SyntaxErrorTests {
    @Test("say what is wrong and where, as the reference implementation does", arguments: RefusedText.all)
    func messageAndLocation(_ refused: RefusedText) {
        let error = #expect(throws: SyntaxError.self) { try parse(refused.text) }
        #expect(error?.message == "Syntax Error: \(refused.message)")
        #expect(error?.location == SourceLocation(line: refused.line, column: refused.column))
    }
}

extension RefusedText {
    static let all: [RefusedText] = characters + numbers + strings + executable + typeSystem

    static let characters = [
        RefusedText("{ ? }", #"Unexpected character: "?"."#, 1, 3),
        RefusedText("{ a\u{7} }", "Unexpected character: U+0007.", 1, 4),
        RefusedText("{ \u{1F600} }", "Unexpected character: U+1F600.", 1, 3),
        RefusedText("\u{FEFF}?", #"Unexpected character: "?"."#, 1, 2),
        RefusedText(
            "{ a(b: 'c') }",
            #"Unexpected single quote character ('), did you mean to use a double quote (")?"#, 1, 8),
        RefusedText("{ ..a }", #"Unexpected "..", did you mean "..."?"#, 1, 3),
        RefusedText("{ . }", #"Unexpected character: "."."#, 1, 3),
        RefusedText(
            "{ a(b: .25) }", #"Invalid number, expected digit before ".", did you mean "0.25"?"#, 1, 8),
        RefusedText("# é \u{1F600}\r\n\r  ?", #"Unexpected character: "?"."#, 3, 3),
    ]

    static let numbers = [
        RefusedText("{ a(b: 00) }", #"Invalid number, unexpected digit after 0: "0"."#, 1, 9),
        RefusedText("{ a(b: -) }", #"Invalid number, expected digit but got: ")"."#, 1, 9),
        RefusedText("{ a(b: 1.) }", #"Invalid number, expected digit but got: ")"."#, 1, 10),
        RefusedText("{ a(b: 1e+) }", #"Invalid number, expected digit but got: ")"."#, 1, 11),
        RefusedText("{ a(b: 1.2.3) }", #"Invalid number, expected digit but got: "."."#, 1, 11),
        RefusedText("{ a(b: 1x) }", #"Invalid number, expected digit but got: "x"."#, 1, 9),
        RefusedText("{ a(b: 1", #"Expected Name, found <EOF>."#, 1, 9),
        RefusedText("{ a(b: -", "Invalid number, expected digit but got: <EOF>.", 1, 9),
    ]

    static let strings = [
        RefusedText(#"{ a(b: "c) }"#, "Unterminated string.", 1, 13),
        RefusedText("{ a(b: \"c\n\") }", "Unterminated string.", 1, 10),
        RefusedText("{ a(b: \"\"\"c\r\n) }", "Unterminated string.", 2, 4),
        RefusedText(#"{ a(b: "\x") }"#, #"Invalid character escape sequence: "\x"."#, 1, 9),
        RefusedText(#"{ a(b: "\u12G4") }"#, #"Invalid Unicode escape sequence: "\u12G4"."#, 1, 9),
        RefusedText(#"{ a(b: "\uD83D\uDBFF") }"#, #"Invalid Unicode escape sequence: "\uD83D"."#, 1, 9),
        RefusedText(#"{ a(b: "\uDEAD") }"#, #"Invalid Unicode escape sequence: "\uDEAD"."#, 1, 9),
        RefusedText(#"{ a(b: "\u{}") }"#, #"Invalid Unicode escape sequence: "\u{}"."#, 1, 9),
        RefusedText(#"{ a(b: "\u{FFFFFFF}") }"#, #"Invalid Unicode escape sequence: "\u{FFFFFFF}"."#, 1, 9),
        RefusedText(#"{ a(b: "\u{D800}") }"#, #"Invalid Unicode escape sequence: "\u{D800}"."#, 1, 9),
        RefusedText(#"{ a(b: "\u{110000}") }"#, #"Invalid Unicode escape sequence: "\u{110000}"."#, 1, 9),
    ]

    static let executable = [
        RefusedText("", "Unexpected <EOF>.", 1, 1),
        RefusedText("{", "Expected Name, found <EOF>.", 1, 2),
        RefusedText("{}", #"Expected Name, found "}"."#, 1, 2),
        RefusedText("{ a() }", #"Expected Name, found ")"."#, 1, 5),
        RefusedText("{ a: }", #"Expected Name, found "}"."#, 1, 6),
        RefusedText("query () { a }", #"Expected "$", found ")"."#, 1, 8),
        RefusedText("query ($a: Int = $b) { a }", #"Unexpected variable "$b" in constant value."#, 1, 18),
        RefusedText(
            "query ($a: Int @b(c: [$d])) { a }", #"Unexpected variable "$d" in constant value."#, 1, 23),
        RefusedText("query ($a: Int = $) { a }", #"Unexpected "$"."#, 1, 18),
        RefusedText("query ($a: [Int) { a }", #"Expected "]", found ")"."#, 1, 16),
        RefusedText("fragment on on on { a }", #"Unexpected Name "on"."#, 1, 10),
        RefusedText("fragment a off B { a }", #"Expected "on", found Name "off"."#, 1, 12),
        RefusedText("{ ...on }", #"Expected Name, found "}"."#, 1, 9),
        RefusedText("notAnOperation a { b }", #"Unexpected Name "notAnOperation"."#, 1, 1),
        RefusedText("...", #"Unexpected "..."."#, 1, 1),
        RefusedText(
            #""a" { b }"#, "Unexpected description, descriptions are not supported on shorthand queries.", 1,
            1),
        RefusedText(#"{ "a\tb" }"#, "Expected Name, found String \"a\tb\".", 1, 3),
        RefusedText("{ \"\"\"\n  a\n    b\n\"\"\" }", "Expected Name, found BlockString \"a\n  b\".", 1, 3),
        RefusedText("{ a(b: ]) }", #"Unexpected "]"."#, 1, 8),
        RefusedText("{ a(b: {c 1}) }", #"Expected ":", found Int "1"."#, 1, 11),
    ]

    static let typeSystem = [
        RefusedText("type A {}", #"Expected Name, found "}"."#, 1, 9),
        RefusedText("type A { b(): C }", #"Expected Name, found ")"."#, 1, 12),
        RefusedText("type A { b: C = 1 }", #"Expected Name, found "="."#, 1, 15),
        RefusedText("type A implements { b: C }", #"Expected Name, found "{"."#, 1, 19),
        RefusedText("type A implements & & B { b: C }", #"Expected Name, found "&"."#, 1, 21),
        RefusedText("union A = | { b }", #"Expected Name, found "{"."#, 1, 13),
        RefusedText(
            "enum A { true }", #"Name "true" is reserved and cannot be used for an enum value."#, 1, 10),
        RefusedText(
            "enum A { B false }", #"Name "false" is reserved and cannot be used for an enum value."#, 1, 12),
        RefusedText(
            "enum A { null }", #"Name "null" is reserved and cannot be used for an enum value."#, 1, 10),
        RefusedText("schema @a", #"Expected "{", found <EOF>."#, 1, 10),
        RefusedText("schema { queries: A }", #"Unexpected Name "queries"."#, 1, 10),
        RefusedText("directive @a on FIELD | INCORRECT", #"Unexpected Name "INCORRECT"."#, 1, 25),
        RefusedText("directive @a repeated on FIELD", #"Expected "on", found Name "repeated"."#, 1, 14),
        RefusedText("extend type A", "Unexpected <EOF>.", 1, 14),
        RefusedText("extend scalar A", "Unexpected <EOF>.", 1, 16),
        RefusedText("extend schema", "Unexpected <EOF>.", 1, 14),
        RefusedText("extend directive @a on FIELD", #"Unexpected Name "directive"."#, 1, 8),
        RefusedText(
            #""a" extend type A { b: C }"#,
            "Unexpected description, only GraphQL definitions support descriptions.", 1, 1),
        RefusedText("input A { b: C = $d }", #"Unexpected variable "$d" in constant value."#, 1, 18),
    ]
}
