import GraphQL
import Testing

/// A JSON text and its value.
struct GoodJSON: Sendable, CustomTestStringConvertible {
    let text: String
    let value: InputValue

    var testDescription: String { text }

    init(_ text: String, _ value: InputValue) {
        self.text = text
        self.value = value
    }
}

/// A text that is not JSON, and the expected message.
struct BadJSON: Sendable, CustomTestStringConvertible {
    let bytes: [UInt8]
    let message: String
    let offset: Int

    var testDescription: String { String(decoding: bytes, as: UTF8.self) }

    init(_ text: String, _ message: String, at offset: Int) {
        self.init(bytes: Array(text.utf8), message, at: offset)
    }

    init(bytes: [UInt8], _ message: String, at offset: Int) {
        self.bytes = bytes
        self.message = message
        self.offset = offset
    }
}

@Suite("The JSON reader")
struct JSONReaderTests {
    @Test("reads what RFC 8259 has", arguments: GoodJSON.all)
    func reads(_ good: GoodJSON) throws {
        #expect(try InputValue(json: Array(good.text.utf8)) == good.value)
    }

    @Test("refuses everything else, and says what and where", arguments: BadJSON.all)
    func refuses(_ bad: BadJSON) {
        let error = #expect(throws: JSONError.self) { try InputValue(json: bad.bytes) }
        #expect(error?.message == bad.message)
        #expect(error?.offset == bad.offset)
    }

    @Test("refuses a text that ends anywhere before its end")
    func truncated() throws {
        let whole = Array(#"{"a\né":[1.5e+3,-20,true,false,null,"x\ud83d\ude00😀"],"b":{"c":[]}}"#.utf8)
        _ = try InputValue(json: whole)
        for length in 0..<whole.count {
            let error = #expect(throws: JSONError.self) { try InputValue(json: Array(whole.prefix(length))) }
            #expect(error.map { $0.offset <= length } == true)
        }
    }

    @Test("never traps, whatever byte is changed")
    func mutated() throws {
        let whole = Array(#"{"a\n":[1.5e+3,-20,true,"x\ud83d\ude00é"],"b":{"c":[]}}"#.utf8)
        for position in whole.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = whole
                changed[position] = byte
                // A text that is accepted is written back with the same value.
                guard let value = try? InputValue(json: changed) else { continue }
                #expect(try InputValue(json: value.json) == value)
            }
        }
    }

    @Test("reads as many levels as it may, and no more")
    func depth() throws {
        func nested(_ levels: Int) -> [UInt8] {
            Array((String(repeating: "[", count: levels) + String(repeating: "]", count: levels)).utf8)
        }
        _ = try InputValue(json: nested(64))
        let error = #expect(throws: JSONError.self) { try InputValue(json: nested(65)) }
        #expect(error?.message == "Arrays and objects stand more than 64 levels deep, at line 1, column 65.")
        let far = #expect(throws: JSONError.self) { try InputValue(json: nested(1 << 19)) }
        #expect(far?.reason == .tooDeep(limit: 64))
        let flat = #expect(throws: JSONError.self) {
            try InputValue(json: Array("{}".utf8), limits: JSONLimits(depth: 0))
        }
        #expect(flat?.reason == .tooDeep(limit: 0))
    }

    @Test("reads as many bytes as it may, and no more")
    func length() throws {
        let text = Array("[1,2]".utf8)
        _ = try InputValue(json: text, limits: JSONLimits(bytes: 5))
        let error = #expect(throws: JSONError.self) {
            try InputValue(json: text, limits: JSONLimits(bytes: 4))
        }
        #expect(error?.message == "The text is longer than 4 bytes, at line 1, column 1.")
    }

    @Test(
        "reads values up to the limit, and no more",
        arguments: [
            ("[1,2]", 4), ("[[],{}]", 5), (#"{"a":1,"b":2}"#, 12), (#"["",""]"#, 5), ("[null,true]", 7),
        ])
    func values(_ text: String, _ column: Int) throws {
        let bytes = Array(text.utf8)
        _ = try InputValue(json: bytes, limits: JSONLimits(values: 3))
        let error = #expect(throws: JSONError.self) {
            try InputValue(json: bytes, limits: JSONLimits(values: 2))
        }
        #expect(error?.reason == .tooManyValues(limit: 2))
        #expect(error?.location == SourceLocation(line: 1, column: column))
    }

    @Test("reads at most 20,000 values by default", arguments: ["true,", "[],", "0,"])
    func defaultValues(_ item: String) throws {
        func list(_ count: Int) -> [UInt8] {
            Array("[\(String(repeating: item, count: count).dropLast())]".utf8)
        }
        _ = try InputValue(json: list(19_999))
        let error = #expect(throws: JSONError.self) { try InputValue(json: list(20_000)) }
        #expect(error?.message.hasPrefix("The text has more than 20000 values, at line 1, column ") == true)
    }

    @Test("finds a name that is given twice, among few and among many", arguments: [1, 11, 12, 13, 14, 500])
    func duplicates(_ count: Int) throws {
        let members = (0..<count).map { "\"n\($0)\":\($0)" }.joined(separator: ",")
        _ = try InputValue(json: Array("{\(members)}".utf8))
        for repeated in [0, count - 1] {
            let error = #expect(throws: JSONError.self) {
                try InputValue(json: Array("{\(members),\"n\(repeated)\":0}".utf8))
            }
            #expect(error?.reason == .duplicateName("n\(repeated)"))
            #expect(error?.offset == members.utf8.count + 2)
        }
    }

    @Test("finds the end of plain text at every distance")
    func plainText() throws {
        for length in 0..<40 {
            let plain = String(repeating: "a", count: length)
            #expect(try InputValue(json: Array("\"\(plain)\"".utf8)) == .string(plain))
            #expect(
                try InputValue(json: Array("\"\(plain)\\n\(plain)\"".utf8)) == .string("\(plain)\n\(plain)"))
            #expect(try InputValue(json: Array("\"\(plain)é\(plain)\"".utf8)) == .string("\(plain)é\(plain)"))
            let error = #expect(throws: JSONError.self) { try InputValue(json: Array("\"\(plain)\n\"".utf8)) }
            #expect(error?.offset == length + 1)
        }
    }
}

extension GoodJSON {
    static let all = [
        GoodJSON("null", .null), GoodJSON(" \t\r\ntrue\n", .boolean(true)),
        GoodJSON("false", .boolean(false)),
        GoodJSON("0", .int(0)), GoodJSON("-0", .int(0)), GoodJSON("42", .int(42)), GoodJSON("-7", .int(-7)),
        GoodJSON("9223372036854775807", .int(.max)), GoodJSON("-9223372036854775808", .int(.min)),
        GoodJSON("9223372036854775808", .number("9223372036854775808")),
        GoodJSON("-9223372036854775809", .number("-9223372036854775809")),
        GoodJSON("123456789012345678901234567890", .number("123456789012345678901234567890")),
        GoodJSON("1.50", .number("1.50")), GoodJSON("-0.0", .number("-0.0")),
        GoodJSON("1e400", .number("1e400")),
        GoodJSON("1E+2", .number("1E+2")), GoodJSON("0.1e-7", .number("0.1e-7")),
        GoodJSON(#""""#, .string("")), GoodJSON(#""é 😀""#, .string("é 😀")),
        GoodJSON(#""\"\\\/\b\f\n\r\t""#, .string("\"\\/\u{8}\u{C}\n\r\t")),
        GoodJSON(#""\u0041\u00e9\u00E9\ud83d\ude00\u0000""#, .string("Aéé😀\0")),
        GoodJSON("\"\u{7F}\"", .string("\u{7F}")),
        GoodJSON("[]", .list([])), GoodJSON("[ ]", .list([])),
        GoodJSON("[1 , [2],{}]", .list([.int(1), .list([.int(2)]), .object([:])])),
        GoodJSON("{ }", .object([:])),
        GoodJSON(#"{"a" : 1,"" :{"a":null}}"#, .object(["a": .int(1), "": .object(["a": .null])])),
    ]
}

extension BadJSON {
    static let all: [BadJSON] = structure + literals + numbers + strings + encodings

    private static let structure = [
        BadJSON("", "Expected a value, found the end of the text, at line 1, column 1.", at: 0),
        BadJSON("  ", "Expected a value, found the end of the text, at line 1, column 3.", at: 2),
        BadJSON("[1,]", #"Expected a value, found "]", at line 1, column 4."#, at: 3),
        BadJSON("[1 2]", #"Expected "," or "]", found "2", at line 1, column 4."#, at: 3),
        BadJSON("[,1]", #"Expected a value, found ",", at line 1, column 2."#, at: 1),
        BadJSON("[1}", #"Expected "," or "]", found "}", at line 1, column 3."#, at: 2),
        BadJSON("{\"a\":1,\n}", #"Expected a name in double quotes, found "}", at line 2, column 1."#, at: 8),
        BadJSON("{\"a\" 1}", #"Expected ":" after the name, found "1", at line 1, column 6."#, at: 5),
        BadJSON(
            "{\"a\":1 \"b\":2}", #"Expected "," or "}", found a double quote, at line 1, column 8."#, at: 7),
        BadJSON("{a:1}", #"Expected a name in double quotes or "}", found "a", at line 1, column 2."#, at: 1),
        BadJSON("{1:1}", #"Expected a name in double quotes or "}", found "1", at line 1, column 2."#, at: 1),
        BadJSON("{\"a\":1,\"a\":2}", "The object has the name \"a\" twice, at line 1, column 8.", at: 7),
        BadJSON(#"{"a":1,"\u0061":2}"#, "The object has the name \"a\" twice, at line 1, column 8.", at: 7),
        BadJSON("1 2", #"Expected nothing after the value, found "2", at line 1, column 3."#, at: 2),
        BadJSON("{}}", #"Expected nothing after the value, found "}", at line 1, column 3."#, at: 2),
        BadJSON("// a\n1", #"Expected a value, found "/", at line 1, column 1."#, at: 0),
        BadJSON(
            "\u{FEFF}1", "Expected a value, found a character outside ASCII, at line 1, column 1.", at: 0),
        BadJSON(
            "\u{0B}1", "Expected a value, found the control character U+000B, at line 1, column 1.", at: 0),
        BadJSON("\u{A0}1", "Expected a value, found a character outside ASCII, at line 1, column 1.", at: 0),
    ]

    private static let literals = [
        BadJSON("nul", #"Expected a value, found "n", at line 1, column 1."#, at: 0),
        BadJSON("nulx", #"Expected a value, found "n", at line 1, column 1."#, at: 0),
        BadJSON("True", #"Expected a value, found "T", at line 1, column 1."#, at: 0),
        BadJSON("truely", #"Expected nothing after the value, found "l", at line 1, column 5."#, at: 4),
        BadJSON("NaN", #"Expected a value, found "N", at line 1, column 1."#, at: 0),
        BadJSON("'a'", #"Expected a value, found "'", at line 1, column 1."#, at: 0),
    ]

    private static let numbers = [
        BadJSON("-", "Expected a digit, found the end of the text, at line 1, column 2.", at: 1),
        BadJSON("+1", #"Expected a value, found "+", at line 1, column 1."#, at: 0),
        BadJSON("01", "A number of more than one digit cannot begin with 0, at line 1, column 1.", at: 0),
        BadJSON("-00", "A number of more than one digit cannot begin with 0, at line 1, column 2.", at: 1),
        BadJSON("1.", "Expected a digit, found the end of the text, at line 1, column 3.", at: 2),
        BadJSON(".5", #"Expected a value, found ".", at line 1, column 1."#, at: 0),
        BadJSON("1.e5", #"Expected a digit, found "e", at line 1, column 3."#, at: 2),
        BadJSON("1e", "Expected a digit, found the end of the text, at line 1, column 3.", at: 2),
        BadJSON("1e+", "Expected a digit, found the end of the text, at line 1, column 4.", at: 3),
        BadJSON("-Infinity", #"Expected a digit, found "I", at line 1, column 2."#, at: 1),
        BadJSON("0x10", #"Expected nothing after the value, found "x", at line 1, column 2."#, at: 1),
        BadJSON("1_000", #"Expected nothing after the value, found "_", at line 1, column 2."#, at: 1),
    ]

    private static let escapes =
        #"Only \", \\, \/, \b, \f, \n, \r, \t and \u with four hexadecimal digits are escapes"#

    private static let strings = [
        BadJSON(
            "\"a",
            "Expected the double quote that ends the string, found the end of the text, at line 1, column 3.",
            at: 2),
        BadJSON(
            "\"a\\",
            "Expected the double quote that ends the string, found the end of the text, at line 1, column 4.",
            at: 3),
        BadJSON("\"a\nb\"", "a line break must be escaped in a string, at line 1, column 3.", at: 2),
        BadJSON(
            "\"\u{1F}\"", "the control character U+001F must be escaped in a string, at line 1, column 2.",
            at: 1),
        BadJSON(#""\x41""#, "\(escapes), at line 1, column 2.", at: 1),
        BadJSON(#""é\'""#, "\(escapes), at line 1, column 3.", at: 3),
        BadJSON(#""\u12g4""#, "\(escapes), at line 1, column 2.", at: 1),
        BadJSON(#""\u12"#, "\(escapes), at line 1, column 2.", at: 1),
        BadJSON(#""\u+123""#, "\(escapes), at line 1, column 2.", at: 1),
        BadJSON(#""\ud83d""#, "Half of a surrogate pair stands alone, at line 1, column 2.", at: 1),
        BadJSON(#""\ude00""#, "Half of a surrogate pair stands alone, at line 1, column 2.", at: 1),
        BadJSON(#""\ud83d\u0041""#, "Half of a surrogate pair stands alone, at line 1, column 2.", at: 1),
        BadJSON(
            #""\ud83d\ud83d\ude00""#, "Half of a surrogate pair stands alone, at line 1, column 2.", at: 1),
        BadJSON(#""\ud83dx""#, "Half of a surrogate pair stands alone, at line 1, column 2.", at: 1),
    ]

    private static let encodings = [
        BadJSON(bytes: [0x22, 0x61, 0xFF, 0x22], "The text is not UTF-8, at line 1, column 3.", at: 2),
        BadJSON(bytes: [0x22, 0xC3, 0x22], "The text is not UTF-8, at line 1, column 2.", at: 1),
        BadJSON(bytes: [0x22, 0xC0, 0xAF, 0x22], "The text is not UTF-8, at line 1, column 2.", at: 1),
        BadJSON(bytes: [0x22, 0xED, 0xA0, 0x80, 0x22], "The text is not UTF-8, at line 1, column 2.", at: 1),
        BadJSON(
            bytes: [0xFF, 0xFE], "Expected a value, found a character outside ASCII, at line 1, column 1.",
            at: 0),
    ]
}
