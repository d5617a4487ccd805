import Contract
import Foundation
import GraphQL
import Testing

@Suite("The page of forty questions")
struct QuestionPageTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../docs/questions.md").standardizedFileURL

    /// A row: the number, the document and the number of levels.
    private static func rows() throws -> [(number: Int, document: String, levels: Int)] {
        let text = try String(contentsOf: page, encoding: .utf8)
        return text.matches(of: /(?m)^\| (\d+) \| [^|]+ \| `([^`]+)` \| (\d+) \|$/).compactMap { match in
            guard let number = Int(match.1), let levels = Int(match.3) else { return nil }
            return (number, String(match.2), levels)
        }
    }

    @Test("has documents that are valid, with the levels that it states")
    func documents() throws {
        let schema = try Schema.build(Contract.schemaText)
        let rows = try Self.rows()
        #expect(rows.map(\.number) == Array(1...40))
        for row in rows {
            let document = try GraphQL.parse(row.document)
            let errors: [String]
            do throws(GraphQLErrors) {
                _ = try GraphQL.validate(document, against: schema)
                errors = []
            } catch {
                errors = error.errors.map(\.message)
            }
            #expect(errors.isEmpty, "\(row.number): \(row.document)")
            #expect(Self.depth(of: row.document) == row.levels, "\(row.number): \(row.document)")
        }
    }

    /// The levels of selections; an inline fragment is none, and braces of arguments and texts do not count.
    private static func depth(of document: String) -> Int {
        let selections = document.replacing(/"[^"]*"/, with: "").replacing(/\([^()]*\)/, with: "")
        var (depth, deepest) = (0, 0)
        var isFragment: [Bool] = []
        var word = ""
        for character in selections {
            switch character {
            case "{":
                isFragment.append(word.contains("..."))
                if isFragment.last == false { depth += 1 }
                deepest = max(deepest, depth)
                word = ""
            case "}":
                if isFragment.popLast() == false { depth -= 1 }
                word = ""
            default: word.append(character)
            }
        }
        return deepest
    }
}
