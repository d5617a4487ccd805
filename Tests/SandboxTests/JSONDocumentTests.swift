import Brokerage
import Sandbox
import TestSupport
import Testing

@Suite("The sandbox's JSON")
struct JSONDocumentTests {
    @Test(
        "writes what it reads, number for number",
        arguments: [
            "null", "true", "false", "0", "-12.500", "123456789012345678901234567890.12345678", #""""#,
            #""é\n""#,
            "[]", "{}", #"[1,[2,{"a":[]}]]"#, #"{"b":1,"a":{"b":null}}"#, #""\"\\\u0001""#,
        ])
    func roundTrip(text: String) throws {
        let written = String(decoding: try JSONDocument(parsing: Array(text.utf8)).bytes, as: UTF8.self)
        #expect(written == text.replacing(#"\n"#, with: #"\u000a"#))
        #expect(try JSONValue(parsing: written) == JSONValue(parsing: text))
    }

    @Test("reads space, exponents and every escape")
    func reads() throws {
        let text = " [ 1e2 , \"\\u00e9\\ud83d\\ude00\\/\\b\\f\\n\\r\\t\" ]\r\n\t"
        #expect(try JSONDocument(parsing: Array(text.utf8)) == [100, "é😀/\u{8}\u{c}\n\r\t"])
    }

    @Test(
        "refuses what RFC 8259 refuses, and says where",
        arguments: [
            ("", "a value", 0), ("[1,]", "a value", 3), ("{\"a\":1,}", "a member name", 7),
            ("[1 2]", "',' or ']'", 3), ("{\"a\" 1}", "':'", 5), ("{\"a\":1 \"b\"}", "',' or '}'", 7),
            ("01", "a number without leading zeros", 0), ("-", "a value", 0), ("+1", "a value", 0),
            (".5", "a value", 0), ("1.", "a number of at most 38 digits", 0),
            ("1e999", "a number of at most 38 digits", 0), ("tru", "a value", 0),
            ("1 1", "the end of the document", 2),
            ("\"\u{1}\"", "an escaped control character", 1), ("\"\\x\"", "an escape", 2), ("\"", "'\"'", 1),
            ("\"\\u12\"", "four hexadecimal digits", 3), ("\"\\ud800\"", "a pair of surrogates", 7),
            ("\"\\ud800\\u0041\"", "a low surrogate", 13),
            (String(repeating: "[", count: 40), "at most 32 levels of nesting", 32),
        ])
    func refuses(text: String, expected: String, offset: Int) {
        let error = #expect(throws: JSONDocument.SyntaxError.self) {
            try JSONDocument(parsing: Array(text.utf8))
        }
        #expect(error == JSONDocument.SyntaxError(expected: expected, offset: offset))
    }

    @Test("refuses a document that ends early, at every byte")
    func truncated() throws {
        let text = Array(#"{"a":[1.5,"x\u00e9",null],"b":{"c":true}}"#.utf8)
        for end in text.indices {
            #expect(throws: JSONDocument.SyntaxError.self) { try JSONDocument(parsing: Array(text[..<end])) }
        }
    }

    @Test("refuses bytes that are no UTF-8")
    func notUTF8() {
        #expect(throws: JSONDocument.SyntaxError.self) {
            try JSONDocument(parsing: [0x22, 0xC3, 0x28, 0x22])
        }
    }
}
