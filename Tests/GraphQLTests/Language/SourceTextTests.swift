import GraphQL
import Testing

@Suite("Places in a text")
struct SourceTextTests {
    @Test(
        "Lines end at either terminator or both, columns count UTF-16 code units",
        arguments: [
            ("abc", 2, 1, 3), ("abc", 99, 1, 4), ("a\nb", 2, 2, 1), ("a\r\nb", 3, 2, 1), ("a\rb", 2, 2, 1),
            ("a\n\rb", 3, 3, 1), ("é1", 2, 1, 2), ("€1", 3, 1, 2), ("\u{1F600}1", 4, 1, 3),
            ("\u{FEFF}1", 3, 1, 2), ("a\u{2028}b", 4, 1, 3), ("", 0, 1, 1),
        ] as [(String, UInt32, Int, Int)])
    func location(text: String, offset: UInt32, line: Int, column: Int) {
        #expect(SourceText(text).location(of: offset) == SourceLocation(line: line, column: column))
    }

    @Test("An excerpt shows the line between its neighbours, and a caret")
    func excerpt() {
        let source = SourceText("{\r\n  a\r\n\r\n  b?\r}", name: "home.graphql")
        #expect(
            source.excerpt(at: SourceLocation(line: 4, column: 4)) == """
                home.graphql:4:4
                3 |
                4 |   b?
                  |    ^
                5 | }
                """)
        #expect(
            source.excerpt(at: SourceLocation(line: 1, column: 1)) == """
                home.graphql:1:1
                1 | {
                  | ^
                2 |   a
                """)
    }

    @Test("Line numbers stand below one another")
    func gutter() {
        let source = SourceText(String(repeating: "\n", count: 8) + "{ a\n? }")
        #expect(
            source.excerpt(at: SourceLocation(line: 10, column: 1)) == """
                GraphQL request:10:1
                 9 | { a
                10 | ? }
                   | ^
                """)
    }

    @Test("Long lines are shown in pieces")
    func pieces() {
        let line = String(repeating: "abcdefgh", count: 20)
        #expect(
            SourceText(line).excerpt(at: SourceLocation(line: 1, column: 83)) == """
                GraphQL request:1:83
                1 | \(line.prefix(80))
                  | \(line.prefix(80))
                  |   ^
                """)
        #expect(
            SourceText(line).excerpt(at: SourceLocation(line: 1, column: 80)).hasSuffix(
                "\n  | \(line.prefix(80))"))
    }

    @Test("An excerpt of a place that is not there shows what there is")
    func outside() {
        #expect(
            SourceText("").excerpt(at: SourceLocation(line: 1, column: 1))
                == "GraphQL request:1:1\n1 |\n  | ^")
        #expect(SourceText("a").excerpt(at: SourceLocation(line: 7, column: 0)).hasSuffix("^"))
    }

    @Test("A syntax error describes itself with its line")
    func description() {
        let error = #expect(throws: SyntaxError.self) {
            try parse(SourceText("{ a(b: 'c') }", name: "q.graphql"))
        }
        #expect(
            error?.description == """
                Syntax Error: Unexpected single quote character ('), did you mean to use a double quote (")?

                q.graphql:1:8
                1 | { a(b: 'c') }
                  |        ^
                """)
    }

    @Test(
        "Bytes that are no UTF-8 are refused where they stand",
        arguments: [
            ([0x7B, 0xFF], "Invalid character: byte 0xFF, the text is not UTF-8.", 2),
            ([0x7B, 0xC3], "Invalid character: byte 0xC3, the text is not UTF-8.", 2),
            ([0xC0, 0x80], "Invalid character: byte 0xC0, the text is not UTF-8.", 1),
            ([0xE0, 0x80, 0x80], "Invalid character: byte 0xE0, the text is not UTF-8.", 1),
            ([0xF4, 0x90, 0x80, 0x80], "Invalid character: byte 0xF4, the text is not UTF-8.", 1),
            ([0x23, 0x61, 0x80, 0x0A], "Invalid character: byte 0x80, the text is not UTF-8.", 3),
            (
                [0x22, 0x61, 0xE2, 0x82, 0x22],
                "Invalid character within String: byte 0xE2, the text is not UTF-8.", 3
            ),
            ([0xED, 0xA0, 0x80], "Invalid character: U+D800.", 1),
            ([0x22, 0x22, 0x22, 0xED, 0xBA, 0xAD], "Invalid character within String: U+DEAD.", 4),
        ] as [([UInt8], String, Int)])
    func invalidBytes(bytes: [UInt8], message: String, column: Int) {
        let error = #expect(throws: SyntaxError.self) { try parse(SourceText(bytes: bytes)) }
        #expect(error?.message == "Syntax Error: \(message)")
        #expect(error?.location == SourceLocation(line: 1, column: column))
    }
}
