import Foundation
import GraphQL
import Testing

@Suite("Limits of the parser")
struct ParserLimitsTests {
    @Test("Bytes are counted before anything is read")
    func bytes() throws {
        _ = try parse("{ a }", limits: ParserLimits(bytes: 5))
        let error = #expect(throws: SyntaxError.self) { try parse("{ a? }", limits: ParserLimits(bytes: 5)) }
        #expect(error?.message == "Syntax Error: Document contains more than 5 bytes. Parsing aborted.")
        #expect(error?.location == SourceLocation(line: 1, column: 1))
    }

    @Test("Tokens are counted, comments and the end of the text are not")
    func tokens() throws {
        let document = try parse("# a b c\n{ a } # d", limits: ParserLimits(tokens: 3))
        #expect(document.tokenCount == 3)
        let error = #expect(throws: SyntaxError.self) {
            try parse("{\n a b }", limits: ParserLimits(tokens: 3))
        }
        #expect(error?.message == "Syntax Error: Document contains more than 3 tokens. Parsing aborted.")
        #expect(error?.location == SourceLocation(line: 2, column: 6))
    }

    @Test(
        "Names in operations and fragments are limited at every position",
        arguments: [
            "{ NAME: a }", "{ NAME }", "{ a(NAME: 1) }", "{ a(b: NAME) }", "{ a(b: { NAME: 1 }) }",
            "{ a(b: $NAME) }", "{ a @NAME }", "{ ...NAME }", "{ ... on NAME { a } }", "query NAME { a }",
            "query ($NAME: T) { a }", "query ($a: [NAME]) { a }", "mutation NAME { a }",
            "subscription NAME { a }", "fragment NAME on T { a }", "fragment F on NAME { a }",
            "scalar \(String(repeating: "t", count: 300)) query NAME { a }",
        ])
    func names(form: String) throws {
        func text(_ length: Int) -> String {
            form.replacing("NAME", with: String(repeating: "n", count: length))
        }
        _ = try parse(text(256))
        _ = try parse(text(257), limits: ParserLimits(nameBytes: .max))
        let error = #expect(throws: SyntaxError.self) { try parse(text(257)) }
        #expect(error?.message == "Syntax Error: Name contains more than 256 bytes. Parsing aborted.")
        let start = try #require(form.range(of: "NAME")).lowerBound
        #expect(error?.location.column == form.distance(from: form.startIndex, to: start) + 1)
    }

    @Test("Names of a schema are not limited")
    func schemaNames() throws {
        let name = String(repeating: "n", count: 1_000)
        _ = try parse(
            """
            query Q { a }
            type \(name) implements \(name) @\(name) { \(name)(\(name): \(name) = \(name)): \(name) }
            extend enum \(name) { \(name) }
            """)
    }

    @Test(
        "Selection sets, lists and objects count as levels alike",
        arguments: ["{ a { b { c } } }", "{ a(b: [[1]]) }", "{ a(b: [{ c: 1 }]) }", "{ a { b(c: [1]) } }"])
    func depth(text: String) throws {
        _ = try parse(text, limits: ParserLimits(depth: 3))
        let error = #expect(throws: SyntaxError.self) { try parse(text, limits: ParserLimits(depth: 2)) }
        #expect(
            error?.message == "Syntax Error: Document is nested more than 2 levels deep. Parsing aborted.")
        #expect(error?.location.line == 1)
        #expect(error?.span.start == UInt32(deepest(in: text)))
    }

    /// The offset of the innermost opening punctuator.
    private func deepest(in text: String) -> Int {
        Array(text.utf8).lastIndex { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") } ?? 0
    }

    @Test("Siblings are no deeper than one of them")
    func siblings() throws {
        let text = "{ " + String(repeating: "a(b: [1]) { c } ", count: 1000) + "}"
        _ = try parse(text, limits: ParserLimits(depth: 2))
    }

    @Test("A type may stand in 62 lists and no more")
    func lists() throws {
        func type(_ lists: Int) -> SourceText {
            SourceText(String(repeating: "[", count: lists) + "A" + String(repeating: "!]", count: lists))
        }
        #expect(try parseType(type(62)).node.wrapping.lists == 62)
        let error = #expect(throws: SyntaxError.self) { try parseType(type(63)) }
        #expect(error?.message == "Syntax Error: Type is wrapped in more than 62 lists. Parsing aborted.")
        #expect(error?.location == SourceLocation(line: 1, column: 63))
    }

    @Test("A document of 100,000 tokens is within the defaults")
    func largeDocument() throws {
        let text = "{ " + String(repeating: "a: b(c: 1) ", count: 12_500) + "}"
        #expect(try parse(text).tokenCount == 100_002)
    }

    @Test("No text is deep enough to exhaust the stack", arguments: Nesting.allCases)
    func stackOfParser(nesting: Nesting) async {
        let text = nesting.text(levels: 100_000)
        let tokens = await onSmallStack {
            try? parse(text, limits: ParserLimits(depth: .max)).tokenCount
        }
        #expect(tokens ?? 0 >= 200_000)
    }

    @Test(
        "The deepest document that the defaults allow can be printed on a small stack",
        arguments: Nesting.allCases)
    func stackOfPrinter(nesting: Nesting) async throws {
        let limit = ParserLimits.default.depth
        let document = try parse(nesting.text(levels: limit))
        #expect(throws: SyntaxError.self) { try parse(nesting.text(levels: limit + 1)) }
        let printed = await onSmallStack { document.print() }
        #expect(try parse(printed).print() == printed)
    }

    /// Ways to nest a document within itself.
    enum Nesting: String, CaseIterable {
        case fields, inlineFragments, lists, objects

        func text(levels: Int) -> String {
            func around(_ core: String, _ open: String, _ close: String, _ count: Int) -> String {
                String(repeating: open, count: count) + core + String(repeating: close, count: count)
            }
            return switch self {
            case .fields: around("{ a }", "{ a ", "}", levels - 1)
            case .inlineFragments: around("{ a }", "{ ... on A @b", "}", levels - 1)
            case .lists: "{ a(b: \(around("1", "[", "]", levels - 1))) }"
            case .objects: "{ a(b: \(around("1", "{ c: ", "}", levels - 1))) }"
            }
        }
    }
}

/// Runs on a thread with the smallest stack of a server's threads.
private func onSmallStack<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        let thread = Thread { continuation.resume(returning: work()) }
        thread.stackSize = 512 << 10
        thread.start()
    }
}
