import Brokerage
import TestSupport
import Testing
import Upstream

@Suite("JSON reader")
struct JSONReaderTests {
    /// Reads a text as whatever it is, and throws it away.
    static func check(_ text: [UInt8], maximumDepth: Int = 64) throws(JSONError) {
        try JSONReader.read(text, maximumDepth: maximumDepth) { reader throws(JSONError) in try reader.skip()
        }
    }

    static func check(_ text: String) throws(JSONError) {
        try check(Array(text.utf8))
    }

    static func read<Value>(
        _ text: String, _ body: (inout JSONReader) throws(JSONError) -> Value
    ) throws(JSONError) -> Value {
        try JSONReader.read(Array(text.utf8), body)
    }

    /// Reads every object and array of a text.
    static func readAll(_ text: String) throws(JSONError) {
        try read(text) { reader throws(JSONError) in try readAll(&reader) }
    }

    private static func readAll(_ reader: inout JSONReader) throws(JSONError) {
        switch try reader.kind() {
        case .object: try reader.object { _, reader throws(JSONError) in try readAll(&reader) }
        case .array: try reader.array { reader throws(JSONError) in try readAll(&reader) }
        case .string, .number, .true, .false, .null: try reader.skip()
        }
    }

    // MARK: Grammar

    @Test(
        "accepts what RFC 8259 accepts",
        arguments: [
            "{}", "[]", " [ ] ", "\t\r\n{ \"a\" : 1 , \"b\" : [ 1 , 2 ] }\n", "null", "true", "false", "0",
            "-0", "1e5", "1E+5",
            "1.5e-3", "123456789012345678901234567890123456789012345678901234567890", "1e999999999", "\"\"",
            "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\\uD83D\\uDE00\"", "\"é\u{1F600}\u{7F}\"",
            "{\"a\":1,\"A\":2}", "[[[[]]]]", "\"/\"",
        ])
    func accepts(_ text: String) throws {
        try Self.check(text)
    }

    struct Bad: CustomTestStringConvertible, Sendable {
        var text: String
        var reason: JSONError.Reason
        var offset: Int
        var testDescription: String { text }

        init(_ text: String, _ reason: JSONError.Reason, at offset: Int) {
            self.text = text
            self.reason = reason
            self.offset = offset
        }

        static func byte(_ character: Character) -> JSONError.Reason {
            .unexpectedByte(character.asciiValue ?? 0)
        }
    }

    static let refused = [
        Bad("", .unexpectedEnd, at: 0),
        Bad("  ", .unexpectedEnd, at: 2),
        Bad("[1,]", Bad.byte("]"), at: 3),
        Bad("{\"a\":1,}", Bad.byte("}"), at: 7),
        Bad("[1 2]", Bad.byte("2"), at: 3),
        Bad("[,1]", Bad.byte(","), at: 1),
        Bad("{\"a\" 1}", Bad.byte("1"), at: 5),
        Bad("{a:1}", Bad.byte("a"), at: 1),
        Bad("{1:1}", Bad.byte("1"), at: 1),
        Bad("{'a':1}", Bad.byte("'"), at: 1),
        Bad("[1}", Bad.byte("}"), at: 2),
        Bad("{\"a\":1]", Bad.byte("]"), at: 6),
        Bad("1 2", .trailingContent, at: 2),
        Bad("{}x", .trailingContent, at: 2),
        Bad("[]]", .trailingContent, at: 2),
        Bad("nul", .unexpectedEnd, at: 3),
        Bad("nulL", Bad.byte("L"), at: 3),
        Bad("True", Bad.byte("T"), at: 0),
        Bad("NaN", Bad.byte("N"), at: 0),
        Bad("Infinity", Bad.byte("I"), at: 0),
        Bad("-Infinity", .invalidNumber, at: 0),
        Bad("+1", Bad.byte("+"), at: 0),
        Bad("01", .invalidNumber, at: 0),
        Bad("-01", .invalidNumber, at: 0),
        Bad("00", .invalidNumber, at: 0),
        Bad("1.", .invalidNumber, at: 0),
        Bad(".5", Bad.byte("."), at: 0),
        Bad("1.e5", .invalidNumber, at: 0),
        Bad("1e", .invalidNumber, at: 0),
        Bad("1e+", .invalidNumber, at: 0),
        Bad("-", .unexpectedEnd, at: 1),
        Bad("[-]", .invalidNumber, at: 1),
        Bad("0x10", .trailingContent, at: 1),
        Bad("\"a", .unexpectedEnd, at: 2),
        Bad("\"a\\", .unexpectedEnd, at: 3),
        Bad("\"a\\\"", .unexpectedEnd, at: 4),
        Bad("\"a\nb\"", .controlCharacter, at: 2),
        Bad("\"a\u{0}b\"", .controlCharacter, at: 2),
        Bad("\"12345678\u{1F}\"", .controlCharacter, at: 9),
        Bad("\"\\x41\"", .invalidEscape, at: 1),
        Bad("\"\\'\"", .invalidEscape, at: 1),
        Bad("\"\\u12\"", .invalidEscape, at: 1),
        Bad("\"\\u12g4\"", .invalidEscape, at: 1),
        Bad("\"\\uD800\\u12\"", .invalidEscape, at: 7),
        Bad("{\"\\uD800\":1}", .loneSurrogate, at: 2),
        Bad("{\"\\uDC00\":1}", .loneSurrogate, at: 2),
        Bad("{\"\\uD800\\u0041\":1}", .loneSurrogate, at: 2),
        Bad("{\"\\uD800\\uD800\":1}", .loneSurrogate, at: 2),
        Bad("{\"\\uD800x\":1}", .loneSurrogate, at: 2),
        Bad("\u{FEFF}1", .unexpectedByte(0xEF), at: 0),
        Bad("[1\u{A0}]", .unexpectedByte(0xC2), at: 2),
        Bad("/* */1", Bad.byte("/"), at: 0),
    ]

    @Test("refuses what RFC 8259 refuses, and says where", arguments: refused)
    func refuses(_ bad: Bad) {
        let error = #expect(throws: JSONError.self) { try Self.check(bad.text) }
        #expect(error?.reason == bad.reason)
        #expect(error?.offset == bad.offset)
    }

    @Test(
        "reads half of a surrogate pair in a value as a replacement character, and what follows on its own",
        arguments: [
            ("\\uD800", "\u{FFFD}"), ("\\uDC00", "\u{FFFD}"), ("Up \\ud83d", "Up \u{FFFD}"),
            ("\\uD800\\u0041", "\u{FFFD}A"), ("\\uD800\\uD800", "\u{FFFD}\u{FFFD}"),
            ("\\uD800x", "\u{FFFD}x"), ("\\uD800\\n", "\u{FFFD}\n"),
            ("\\uD83D\\uD83D\\uDE00", "\u{FFFD}\u{1F600}"),
        ])
    func loneSurrogates(_ content: String, _ expected: String) throws {
        let text = "\"\(content)\""
        try Self.check(text)
        #expect(try Self.read(text) { reader throws(JSONError) in try reader.string() } == expected)
        let name = try Self.read(text) { reader throws(JSONError) in try reader.token().string }
        #expect(name == expected)
        #expect(throws: JSONError.self) { try Self.readAll("{\(text):1}") }
    }

    @Test(
        "refuses bytes that are no UTF-8",
        arguments: [
            ([0x22, 0xFF, 0x22], 1), ([0x22, 0xC3, 0x22], 1), ([0x22, 0xC0, 0x80, 0x22], 1),
            ([0x22, 0xED, 0xA0, 0x80, 0x22], 1),
            ([0x5B, 0x22, 0x61, 0xF4, 0x90, 0x80, 0x80, 0x22, 0x5D], 3), ([0x31, 0xC2], 1),
        ] as [([UInt8], Int)])
    func encoding(_ bytes: [UInt8], _ offset: Int) {
        let error = #expect(throws: JSONError.self) { try Self.check(bytes) }
        #expect(error?.reason == .invalidUTF8)
        #expect(error?.offset == offset)
    }

    @Test("refuses nesting past the bound, wherever it is")
    func depth() throws {
        let deep = { (count: Int) in
            Array(repeating: UInt8(ascii: "["), count: count)
                + Array(repeating: UInt8(ascii: "]"), count: count)
        }
        try Self.check(deep(64))
        let error = #expect(throws: JSONError.self) { try Self.check(deep(65)) }
        #expect(error?.reason == .tooDeep(limit: 64))
        #expect(error?.offset == 64)
        #expect(throws: JSONError.self) {
            try Self.check(Array(repeating: UInt8(ascii: "["), count: 1_000_000))
        }
        #expect(throws: JSONError.self) { try Self.check(Array("{\"a\":{\"a\":{}}}".utf8), maximumDepth: 2) }
        // Depth counts what is open, not what was.
        try Self.check("[" + Array(repeating: "[]", count: 1_000).joined(separator: ",") + "]")
    }

    static let sample = """
        {"id":"a\\u00e9\\ud83d\\ude00\\n","equity":"1234.5600","n":-12.5e-3,\
        "list":[1,null,true,false,{"x":[]}],"t":"2026-11-20T14:30:00Z"}
        """

    @Test("refuses every beginning of a text, read or skipped")
    func truncated() throws {
        let bytes = Array(Self.sample.utf8)
        try Self.check(bytes)
        for count in 0..<bytes.count {
            #expect(throws: JSONError.self, "\(count)") { try Self.check(Array(bytes[..<count])) }
            #expect(throws: JSONError.self, "\(count)") {
                try JSONReader.read(Array(bytes[..<count])) { reader throws(JSONError) in
                    try Self.readSample(&reader)
                }
            }
        }
    }

    static func readSample(_ reader: inout JSONReader) throws(JSONError) -> Sample {
        var sample = Sample()
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "id": sample.id = try reader.string()
            case "equity": sample.equity = try reader.decimal()
            case "n": sample.n = try reader.decimal()
            case "t": sample.t = try reader.instant()
            case "list":
                try reader.array { reader throws(JSONError) in
                    sample.kinds.append(try reader.kind())
                    try reader.skip()
                }
            default: try reader.skip()
            }
        }
        return sample
    }

    struct Sample: Equatable {
        var id: String?
        var equity: Decimal?
        var n: Decimal?
        var t: Instant?
        var kinds: [JSONKind] = []
    }

    @Test("reads typed values")
    func values() throws {
        let sample = try Self.read(Self.sample) { reader throws(JSONError) in try Self.readSample(&reader) }
        #expect(sample.id == "aé😀\n")
        #expect(sample.equity?.description == "1234.5600")
        #expect(sample.n?.description == "-0.0125")
        #expect(sample.t == Instant("2026-11-20T14:30:00Z"))
        #expect(sample.kinds == [.number, .null, .true, .false, .object])
    }

    // MARK: Values

    @Test(
        "reads numbers and numeric strings alike, digit by digit",
        arguments: [
            ("1.10", "1.10"), ("\"1.10\"", "1.10"), ("\"+1.10\"", "1.10"), ("\"0012\"", "12"),
            ("-5E-05", "-0.00005"), ("0", "0"),
            ("12345678901234567890.123456789", "12345678901234567890.123456789"), (" 7 ", "7"),
            ("1e2", "100"),
        ])
    func decimals(_ text: String, _ expected: String) throws {
        #expect(
            try Self.read(text) { reader throws(JSONError) in try reader.decimal() }.description == expected)
    }

    @Test(
        "says what is no decimal",
        arguments: [
            ("true", JSONError.Reason.expected(.decimal, found: .true)),
            ("null", .expected(.decimal, found: .null)),
            ("{}", .expected(.decimal, found: .object)), ("\"12%\"", .unreadable(.decimal)),
            ("\"\"", .unreadable(.decimal)),
            ("\" 1\"", .unreadable(.decimal)), ("\"1\\u0030\"", .unreadable(.decimal)),
            ("\"NaN\"", .unreadable(.decimal)),
            ("1e99", .outOfRange(.decimal)), ("\"1e99\"", .outOfRange(.decimal)), ("01", .invalidNumber),
            ("1.", .invalidNumber),
        ])
    func noDecimals(_ text: String, _ reason: JSONError.Reason) {
        let error = #expect(throws: JSONError.self) {
            try Self.read(text) { reader throws(JSONError) in try reader.decimal() }
        }
        #expect(error?.reason == reason)
        #expect(error?.offset == 0)
    }

    @Test(
        "reads whole numbers",
        arguments: [
            ("12", 12), ("\"-12\"", -12), ("5.0", 5), ("1.5e3", 1_500), ("9223372036854775807", Int.max),
        ])
    func integers(_ text: String, _ expected: Int) throws {
        #expect(try Self.read(text) { reader throws(JSONError) in try reader.int() } == expected)
    }

    @Test(
        "says what is no whole number",
        arguments: [
            ("1.5", JSONError.Reason.unreadable(.integer)), ("9223372036854775808", .outOfRange(.integer)),
            ("1e99", .outOfRange(.integer)), ("false", .expected(.integer, found: .false)),
            ("\"x\"", .unreadable(.integer)),
        ])
    func noIntegers(_ text: String, _ reason: JSONError.Reason) {
        let error = #expect(throws: JSONError.self) {
            try Self.read(text) { reader throws(JSONError) in try reader.int() }
        }
        #expect(error?.reason == reason)
    }

    @Test("reads instants, dates and epochs")
    func times() throws {
        let instant = try #require(Instant("2026-11-20T14:30:00Z"))
        #expect(
            try Self.read("\"2026-11-20T09:30:00-05:00\"") { r throws(JSONError) in try r.instant() }
                == instant)
        #expect(
            try Self.read("1795185000") { r throws(JSONError) in try r.instant(since1970: .seconds) }
                == instant)
        #expect(
            try Self.read("1795185000000") { r throws(JSONError) in try r.instant(since1970: .milliseconds) }
                == instant)
        #expect(
            try Self.read("1795185000000000000") { r throws(JSONError) in
                try r.instant(since1970: .nanoseconds)
            } == instant)
        #expect(try Self.read("\"2026-11-20\"") { r throws(JSONError) in try r.date() } == instant.dateInUTC)
        for (text, reason) in [
            ("\"soon\"", JSONError.Reason.unreadable(.instant)), ("12", .expected(.instant, found: .number)),
        ] {
            let error = #expect(throws: JSONError.self) {
                try Self.read(text) { r throws(JSONError) in try r.instant() }
            }
            #expect(error?.reason == reason)
        }
        let error = #expect(throws: JSONError.self) {
            try Self.read("999999999999999") { r throws(JSONError) in try r.instant(since1970: .seconds) }
        }
        #expect(error?.reason == .outOfRange(.instant))
    }

    @Test("reads nulls, bools and tokens")
    func small() throws {
        #expect(try Self.read("null") { r throws(JSONError) in try r.decimalOrNil() } == nil)
        #expect(try Self.read("1") { r throws(JSONError) in try r.decimalOrNil() } == 1)
        #expect(try Self.read("null") { r throws(JSONError) in try r.intOrNil() } == nil)
        #expect(try Self.read("null") { r throws(JSONError) in try r.stringOrNil() } == nil)
        #expect(try Self.read("null") { r throws(JSONError) in try r.instantOrNil() } == nil)
        #expect(try Self.read("null") { r throws(JSONError) in try r.boolOrNil() } == nil)
        #expect(try Self.read("true") { r throws(JSONError) in try r.boolOrNil() } == true)
        #expect(try Self.read("false") { r throws(JSONError) in try r.bool() } == false)
        #expect(
            try Self.read("[1,2]") { r throws(JSONError) in
                try r.optional { r throws(JSONError) in try r.array(of: Number.self) }
            }?.count == 2)
        let side = { (reader: inout JSONReader) throws(JSONError) -> Int in
            try reader.token(oneOf: "\"buy\", \"sell\"") { key in
                switch key {
                case "buy": 1
                case "sell": -1
                default: nil
                }
            }
        }
        #expect(try Self.read("\"sell\"", side) == -1)
        #expect(try Self.read("\"\\u0062uy\"", side) == 1)
        let error = #expect(throws: JSONError.self) { try Self.read("\"SECRET\"", side) }
        #expect(
            error?.description == "expected one of \"buy\", \"sell\", found a string that is none (byte 0)")
    }

    struct Number: JSONDecodable {
        init(json reader: inout JSONReader) throws(JSONError) { _ = try reader.int() }
    }

    // MARK: Keys and places

    @Test(
        "matches keys of any length, escaped or not, at any place in the text",
        arguments: [
            "", "a", "id", "12345678", "123456789", String(repeating: "k", count: 32),
            String(repeating: "k", count: 33), "é", "a\"b",
        ])
    func keys(_ name: String) throws {
        let quoted = name.replacing("\"", with: "\\\"")
        let escaped = name.utf16.map { unit in
            "\\u" + String(repeating: "0", count: 4 - String(unit, radix: 16).count) + String(unit, radix: 16)
        }
        for text in [quoted, escaped.joined()] {
            for padding in ["", String(repeating: " ", count: 40)] {
                let found = try Self.read("{\"\(text)\":1}\(padding)") { reader throws(JSONError) in
                    var found: [String] = []
                    try reader.object { key, reader throws(JSONError) in
                        switch key {
                        case "": found.append("")
                        case "a": found.append("a")
                        case "id": found.append("id")
                        case "12345678": found.append("12345678")
                        case "123456789": found.append("123456789")
                        case "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk":
                            found.append(String(repeating: "k", count: 32))
                        case "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk":
                            found.append(String(repeating: "k", count: 33))
                        case "é": found.append("é")
                        case "a\"b": found.append("a\"b")
                        default: found.append("?")
                        }
                        found.append(key.string)
                        try reader.skip()
                    }
                    return found
                }
                #expect(found == [name, name])
            }
        }
    }

    @Test(
        "names neither prefixes nor look-alikes",
        arguments: ["i", "idd", "Id", "ie", "xd", "12345679", "1234567X9"])
    func otherKeys(_ name: String) throws {
        try Self.read("{\"\(name)\":1}") { reader throws(JSONError) in
            try reader.object { key, reader throws(JSONError) in
                switch key {
                case "id", "12345678", "123456789": Issue.record("\(name)")
                default: break
                }
                try reader.skip()
            }
        }
    }

    @Test(
        "refuses an object that is read with a duplicate key, before the second value, and skips one that nobody reads",
        arguments: [
            (#"{"a":1,"a":2}"#, "a: the key occurs twice (byte 10)"),
            (#"{"":1,"":2}"#, "the key occurs twice (byte 8)"),
            (#"{"a":1,"b":null,"a":null}"#, "a: the key occurs twice (byte 19)"),
            (#"{"a":1,"\u0061":2}"#, "a: the key occurs twice (byte 15)"),
            (
                #"{"x":[{"y":{}},{"y":{"market_value":1,"market_value":1}}]}"#,
                "x[1].y.market_value: the key occurs twice (byte 52)"
            ),
            (
                #"{"kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk":1,"kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk":1}"#,
                "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk: the key occurs twice (byte 74)"
            ),
        ])
    func duplicates(_ text: String, _ expected: String) {
        let error = #expect(throws: JSONError.self) { try Self.readAll(text) }
        #expect(error?.reason == .duplicateKey)
        #expect(error?.description == expected)
        // No value of a member that nobody reads is used, so that it does not matter which is valid.
        #expect(throws: Never.self) { try Self.check(text) }
        let member = try? Self.read(#"{"unread":\#(text),"read":1}"#) { reader throws(JSONError) in
            try reader.member("read") { reader throws(JSONError) in try reader.int() }
        }
        #expect(member == .some(1))
    }

    @Test(
        "accepts keys that differ, however similar, and equal keys of different objects",
        arguments: [
            #"{"a":{"a":{"a":1}},"b":{"a":1}}"#, #"[{"a":1},{"a":2}]"#, #"{"a":1,"A":1,"aa":1,"":1}"#,
            #"{"a":1,"a\u0000":1,"\u0000a":1,"\u0000":1,"\u0000\u0000":1}"#, #"{"é":1,"e\u0301":1}"#,
            #"{"12345678":1,"123456789":1,"1234567":1,"12345678\u0000":1}"#,
        ])
    func likeKeys(_ text: String) throws {
        try Self.readAll(text)
    }

    @Test(
        "finds the duplicate key in an object of any size, nested in others",
        arguments: [1, 2, 3] as [UInt64])
    func duplicatesAmongMany(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        for count in [2, 31, 32, 33, 34, 64, 100, 127, 128, 129, 130, 500, 5_000] {
            let keys = (0..<count).map { number in
                "key \(number)" + String(repeating: "x", count: number.isMultiple(of: 3) ? number % 40 : 0)
            }
            // Each value is an object with as many keys as are counted one way, and the whole is nested in such.
            let inner = #"{"a":1,"b":{"a":1}}"#
            let distinct = keys.map { "\"\($0)\":\(inner)" }
            let before = keys.prefix(40).map { "\"\($0)\":1," }.joined()
            func nested(_ members: [String]) -> String {
                "{\(before)\"in\":{\(members.joined(separator: ","))},\"after\":{\"a\":1}}"
            }
            try Self.readAll(nested(distinct))
            var repeated = distinct
            let first = Int.random(in: 0..<count - 1, using: &random)
            let second = Int.random(in: (first + 1)..<count, using: &random)
            repeated[second] = repeated[first]
            let error = #expect(throws: JSONError.self) { try Self.readAll(nested(repeated)) }
            #expect(error?.reason == .duplicateKey)
            #expect(
                error?.path == [
                    .key("in"), .key(String(keys[first].prefix(40)) + (keys[first].count > 40 ? "…" : "")),
                ])
        }
    }

    @Test("says where in the text something is wrong, and nothing of what it says")
    func places() {
        let text = "{\"positions\":[{\"qty\":1},{\"qty\":1},{\"qty\":1},{\"qty\":true,\"token\":\"SECRET\"}]}"
        let error = #expect(throws: JSONError.self) {
            try Self.read(text) { reader throws(JSONError) in
                try reader.object { _, reader throws(JSONError) in
                    try reader.array { reader throws(JSONError) in
                        try reader.object { _, reader throws(JSONError) in _ = try reader.decimal() }
                    }
                }
            }
        }
        #expect(error?.description == "positions[3].qty: expected a decimal, found true (byte 51)")
        let missing = #expect(throws: JSONError.self) {
            try Self.read("[{}]") { reader throws(JSONError) in
                try reader.array { reader throws(JSONError) in
                    try reader.skip()
                    _ = try reader.required(nil as Int?, "id")
                }
            }
        }
        #expect(missing?.description == "[0]: no \"id\" (byte 3)")
        let long = String(repeating: "k", count: 500)
        let hostile = #expect(throws: JSONError.self) { try Self.check("{\"\(long)\":{\"a\\nb\":x}}") }
        #expect(
            hostile?.description == String(repeating: "k", count: 40) + "….a b: unexpected 'x' (byte 512)")
        let key = JSONError(.missing(key: "id"), at: 7).inside(.key("A\u{0}\n\u{1B}[31mB\u{9B}"))
        #expect(key.description == "A   [31mB : no \"id\" (byte 7)")
    }

    @Test("a member that is not read is a fault of the program that shows at once")
    func unread() {
        let error = #expect(throws: JSONError.self) {
            try Self.read("{\"a\":1}") { reader throws(JSONError) in try reader.object { _, _ in } }
        }
        #expect(error?.reason == .unexpectedByte(UInt8(ascii: "1")))
    }
}
