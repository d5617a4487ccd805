import Foundation
import TestSupport
import Testing
import Upstream

/// The reader against Foundation's, on values that chance made.
@Suite("JSON reader and Foundation's")
struct JSONAgreementTests {
    /// A tree, for comparison; `Upstream` itself builds none.
    indirect enum Tree: Equatable, Decodable {
        case null
        case bool(Bool)
        case number(Double)
        case string(String)
        case array([Tree])
        case object([String: Tree])

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if value.decodeNil() {
                self = .null
            } else if let bool = try? value.decode(Bool.self) {
                self = .bool(bool)
            } else if let number = try? value.decode(Double.self) {
                self = .number(number)
            } else if let string = try? value.decode(String.self) {
                self = .string(string)
            } else if let array = try? value.decode([Tree].self) {
                self = .array(array)
            } else {
                self = .object(try value.decode([String: Tree].self))
            }
        }

        /// Whether a string has a replacement character, which stands for half of a surrogate pair: no generated text has it.
        var hasReplacement: Bool {
            switch self {
            case .null, .bool, .number: false
            case .string(let text): text.unicodeScalars.contains("\u{FFFD}")
            case .array(let items): items.contains(where: \.hasReplacement)
            case .object(let members): members.values.contains(where: \.hasReplacement)
            }
        }

        static func read(_ reader: inout JSONReader) throws(JSONError) -> Tree {
            switch try reader.kind() {
            case .null:
                _ = try reader.null()
                return .null
            case .true, .false: return .bool(try reader.bool())
            case .number: return .number(Double("\(try reader.decimal())") ?? .nan)
            case .string: return .string(try reader.string())
            case .array:
                var items: [Tree] = []
                try reader.array { reader throws(JSONError) in items.append(try read(&reader)) }
                return .array(items)
            case .object:
                var members: [String: Tree] = [:]
                try reader.object { key, reader throws(JSONError) in members[key.string] = try read(&reader) }
                return .object(members)
            }
        }
    }

    static func read(_ text: [UInt8]) -> Tree? {
        try? JSONReader.read(text) { reader throws(JSONError) in try Tree.read(&reader) }
    }

    static func decode(_ text: [UInt8]) -> Tree? {
        try? JSONDecoder().decode(Tree.self, from: Data(text))
    }

    @Test("agree on what valid texts say", arguments: [1, 2, 3, 4] as [UInt64])
    func valid(seed: UInt64) {
        var random = SplitMix(seed: seed)
        for _ in 0..<200 {
            let text = random.json(depth: 4)
            let expected = Self.decode(Array(text.utf8))
            #expect(expected != nil, "\(text)")
            #expect(Self.read(Array(text.utf8)) == expected, "\(text)")
        }
    }

    @Test(
        "a text with a byte changed is never accepted where Foundation refuses it, except for half of a surrogate pair",
        arguments: [11, 12, 13, 14] as [UInt64])
    func mutated(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var refusals = 0
        let replacements = Array("\"\\{}[]:,0129-+.eEutfn x\u{1}\n".utf8) + [0x80, 0xC3, 0xFF]
        for _ in 0..<1_000 {
            var text = Array(random.json(depth: 3).utf8)
            let index = Int.random(in: 0..<text.count, using: &random)
            text[index] = replacements[Int.random(in: 0..<replacements.count, using: &random)]
            let ours = Self.read(text)
            guard let theirs = Self.decode(text) else {
                refusals += 1
                #expect(ours?.hasReplacement ?? true, "\(String(decoding: text, as: UTF8.self))")
                continue
            }
            // Foundation takes more (and numbers that no decimal holds): what both take must be the same.
            if let ours, !ours.hasReplacement {
                #expect(ours == theirs, "\(String(decoding: text, as: UTF8.self))")
            }
        }
        #expect(refusals > 300)
    }
}

extension SplitMix {
    /// A valid JSON text.
    ///
    /// Keys within an object differ: Foundation takes the last of two equal ones.
    mutating func json(depth: Int) -> String {
        let space = ["", "", "", " ", "\n", "\t "].randomElement(using: &self) ?? ""
        return space + value(depth: depth) + space
    }

    private mutating func value(depth: Int) -> String {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &self) {
        case 0: return ["null", "true", "false"].randomElement(using: &self) ?? "null"
        case 1, 2: return number()
        case 3, 4: return string()
        case 5, 6:
            let items = (0..<Int.random(in: 0..<5, using: &self)).map { _ in json(depth: depth - 1) }
            return "[" + items.joined(separator: ",") + "]"
        default:
            let members = (0..<Int.random(in: 0..<5, using: &self)).map { index in
                "\"k\(index)" + string().dropFirst() + ":" + json(depth: depth - 1)
            }
            return "{" + members.joined(separator: ",") + "}"
        }
    }

    private mutating func number() -> String {
        var text = Bool.random(using: &self) ? "-" : ""
        text += "\(Int.random(in: 0..<1_000_000, using: &self))"
        if Bool.random(using: &self) { text += ".\(Int.random(in: 0..<100_000, using: &self))" }
        if Int.random(in: 0..<4, using: &self) == 0 {
            text += ["e", "E", "e+", "e-"].randomElement(using: &self) ?? "e"
            text += "\(Int.random(in: 0..<12, using: &self))"
        }
        return text
    }

    private mutating func string() -> String {
        let pieces = [
            "a", "Zz", "0", " ", "é", "漢", "😀", "\u{7F}", "\\n", "\\\"", "\\\\", "\\/", "\\u0041", "\\u00e9",
            "\\uD83D\\uDE00", "12345678",
        ]
        let count = Int.random(in: 0..<12, using: &self)
        return "\"" + (0..<count).map { _ in pieces.randomElement(using: &self) ?? "" }.joined() + "\""
    }
}
