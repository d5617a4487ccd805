import GraphQL
import Testing

@Suite("Strings")
struct StringTests {
    @Test(
        "Escapes are resolved",
        arguments: [
            (#""""#, ""), (#""plain é 😀""#, "plain é 😀"),
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u20AC""#, "Aé€"),
            (#""\u{41}\u{1F600}\u{00000041}""#, "A😀A"), (#""\uD83D\uDE00""#, "😀"),
            (#""\u{10FFFF}""#, "\u{10FFFF}"),
            (#""a\u0000b""#, "a\u{0}b"),
        ])
    func quoted(literal: String, meaning: String) throws {
        #expect(try string(literal) == meaning)
        #expect(try string(StringLiteral.quoted(meaning)) == meaning)
    }

    @Test(
        "Block strings lose the indentation and the blank lines at both ends",
        arguments: [
            ("", ""), ("a", "a"), ("  a", "  a"), ("\n  a\n    b\n  c\n", "a\n  b\nc"),
            ("\n\n  a\r\n\r\n   b\r", "a\n\n b"), ("a\n    b\n   c", "a\n b\nc"), ("\n\ta\n\t b", "a\n b"),
            ("\n  \t\n", ""), (#"a\n\"""b\u0041"#, #"a\n"""b\u0041"#),
            ("\n   a\n     \n   b\n \n", "a\n  \nb"),
        ])
    func block(content: String, meaning: String) throws {
        #expect(try string("\"\"\"\(content)\"\"\"") == meaning)
    }

    @Test(
        "What a block string can hold comes back from one",
        arguments: [
            "", "a", "a\nb", "a\n  b\nc", "ends in \"", "ends in \\", "\"\"\"", "a \"\"\" b", "é😀\n\nz",
            "  a",
            "a\n b", String(repeating: "long ", count: 20) + ".", "a\n\n\tb\n c",
        ])
    func held(text: String) throws {
        #expect(BlockString.canHold(text))
        #expect(try string(BlockString.literal(text)) == text)
    }

    @Test(
        "A block string cannot hold edges that reading takes away",
        arguments: [" ", "\na", "a\n", " a\n b", "a\rb", "a\u{7}", "\n", "  \n a", "a\n  "])
    func notHeld(text: String) {
        #expect(!BlockString.canHold(text))
    }

    private func string(_ literal: String) throws -> String {
        let parsed = try parseValue(SourceText(literal))
        guard case .string(let string) = parsed.node else { return "no string" }
        return parsed.document.string(string)
    }
}
