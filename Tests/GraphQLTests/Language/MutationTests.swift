import GraphQL
import Testing

@Suite("Anything at all")
struct MutationTests {
    /// Texts that together contain every production.
    private static let seeds = [
        ##"query Q("d" $a: [Int!]! = [1, -2.5e3] @b(c: {d: true})) @e { f: g(h: "\u{41}\n", i: $a) { ...j @k } }"##,
        ##"{ a(b: """ block \""" é """, c: ENUM, d: null) ... on T @x { y } ... { z } } # comment"##,
        ##""doc" fragment F on T @a { b } mutation { c } subscription S { d }"##,
        ##"schema @a { query: Q } extend schema @b "s" scalar S @c(d: "😀")"##,
        ##"type A implements & B & C @d { "e" f("g" h: [I!] = {j: [1]} @k): L! @m } extend type A { n: O }"##,
        ##"interface A implements B { c: D } union U @a = | B | C enum E { "f" G @h I } extend enum E { J }"##,
        ##"input I @oneOf { a: B = 1 @c } directive @d(e: F = "g") repeatable on | FIELD | ENUM_VALUE"##,
        ##"@Type.field(arg:) [[A!]!] $v -0.0e-1 .5 .. "\uD83D\uDE00" """ ' \ "##,
    ].map { Array($0.utf8) }

    /// Insertions: punctuators, prefixes of tokens, bytes that are not UTF-8.
    private static let pieces: [[UInt8]] =
        [
            "{", "}", "(", ")", "[", "]", ":", "!", "=", "@", "$", "|", "&", "...", "..", ".", "\"", "\"\"\"",
            "\\", "\\u",
            "\\u{", "#", ",", "'", "-", "0", "1", "e", "on", "extend", "\n", "\r", "\r\n", "\u{FEFF}", "é",
            "😀", "\0",
        ].map { Array($0.utf8) } + [
            [0xFF], [0xC3], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x80],
        ]

    @Test("gives a document that prints to itself, or an error with a place in the text", arguments: 0..<20)
    func mutated(round: Int) throws {
        var random = SplitMix64(state: UInt64(round))
        for _ in 0..<1000 {
            let bytes = mutated(using: &random)
            check(SourceText(bytes: bytes))
        }
    }

    private func mutated(using random: inout SplitMix64) -> [UInt8] {
        var bytes = Self.seeds[Int.random(in: 0..<Self.seeds.count, using: &random)]
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let start = Int.random(in: 0...bytes.count, using: &random)
            let end = min(bytes.count, start + Int.random(in: 0...8, using: &random))
            let piece = Self.pieces[Int.random(in: 0..<Self.pieces.count, using: &random)]
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes.removeSubrange(start..<end)
            case 1: bytes.insert(contentsOf: piece, at: start)
            case 2: bytes.replaceSubrange(start..<end, with: piece)
            case 3:
                bytes.insert(
                    contentsOf: bytes[start..<end], at: Int.random(in: 0...bytes.count, using: &random))
            case 4: bytes.removeSubrange(start...)
            default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: start)
            }
        }
        return bytes
    }

    private func check(_ source: SourceText) {
        do throws(SyntaxError) {
            let document = try parse(source)
            let printed = document.print()
            let again = try parse(printed)
            #expect(again.print() == printed, "\(source.bytes)")
            #expect(again.tokenCount > 0)
        } catch {
            check(error, in: source)
        }
        _ = try? parseValue(source, isConstant: false).print()
        _ = try? parseType(source).print()
        _ = try? SchemaCoordinate(parsing: source).description
    }

    private func check(_ error: SyntaxError, in source: SourceText) {
        #expect(error.source.bytes == source.bytes, "what we print can be read: \(error)")
        #expect(error.span.start <= error.span.end && Int(error.span.end) <= source.bytes.count)
        #expect(
            error.message.hasPrefix("Syntax Error: ")
                && (error.message.hasSuffix(".") || error.message.hasSuffix("?")), "\(error.message)")
        #expect(
            error.description.contains("\(source.name):\(error.location.line):\(error.location.column)\n"))
    }
}

/// A small random number generator, equal in every run (Steele, Lea, Flood: Fast splittable pseudorandom
/// number generators, 2014).
private struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}
