import Foundation
import GraphQL
import Testing

/// A text, and the result of the reference implementation (Tests/Golden/language).
struct GoldenCase: Decodable, CustomTestStringConvertible {
    enum Kind: String, Decodable {
        case document, value, constValue, type, coordinate
    }

    var kind: Kind
    var source: String
    /// The canonical form, if the text is accepted.
    var printed: String?
    /// The message and its location, if the text is rejected.
    var message: String?
    var line: Int?
    var column: Int?

    var testDescription: String { "\(kind): \(source)" }

    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Golden/language").standardizedFileURL

    static let all: [GoldenCase] = {
        do {
            let data = try Data(contentsOf: folder.appending(path: "cases.json"))
            return try JSONDecoder().decode([GoldenCase].self, from: data)
        } catch {
            Issue.record(error)
            return []
        }
    }()

    /// The result of our parser.
    func printedByUs() throws(SyntaxError) -> String {
        let source = SourceText(source)
        return switch kind {
        case .document: try parse(source).print()
        case .value: try parseValue(source, isConstant: false).print()
        case .constValue: try parseValue(source).print()
        case .type: try parseType(source).print()
        case .coordinate: try SchemaCoordinate(parsing: source).description
        }
    }
}

@Suite("Golden cases of the language")
struct GoldenTests {
    @Test("Hold texts that are accepted and texts that are refused")
    func present() {
        #expect(GoldenCase.all.count { $0.printed != nil } > 150)
        #expect(GoldenCase.all.count { $0.message != nil } > 600)
    }

    @Test("We answer as the reference implementation does")
    func answers() {
        for golden in GoldenCase.all {
            do throws(SyntaxError) {
                let printed = try golden.printedByUs()
                #expect(printed == golden.printed, "\(golden)")
            } catch {
                #expect(error.message == golden.message, "\(golden)")
                #expect(error.location.line == golden.line, "\(golden)")
                #expect(error.location.column == golden.column, "\(golden)")
            }
        }
    }

    @Test("The canonical form is its own canonical form")
    func fixedPoint() throws {
        for golden in GoldenCase.all where golden.kind == .document {
            guard let printed = golden.printed else { continue }
            #expect(try parse(printed).print() == printed)
        }
    }

    @Test("A definition, a selection, a value and a directive print alone as they do within the document")
    func parts() throws {
        for golden in GoldenCase.all where golden.kind == .document && golden.printed != nil {
            let document = try parse(golden.source)
            let definitions = document.definitions.map { document.print($0) }
            #expect(definitions.joined(separator: "\n\n") == golden.printed)
        }
        let document = try parse("{ a(b: [1, $c]) @d(e: {f: 2}) { ...g } }")
        #expect(
            document.selections.map { document.print($0) } == [
                "...g", "a(b: [1, $c]) @d(e: { f: 2 }) {\n  ...g\n}",
            ])
        #expect(document.arguments.map { document.print($0.value) } == ["[1, $c]", "{ f: 2 }"])
        #expect(document.directives.map { document.print($0) } == ["@d(e: { f: 2 })"])
    }
}
