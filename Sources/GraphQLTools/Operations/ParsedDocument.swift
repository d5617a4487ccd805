import Foundation
import GraphQL

/// A document of a repository, with what the combination with other documents needs.
struct ParsedDocument {
    let document: Document
    /// The file that contains the document.
    let file: SourceText
    /// The uses of variables, in source order.
    let variableUses: [(name: String, span: SourceSpan)]
    /// The selections with `@client`, which clients resolve themselves.
    let clientSelections: [SourceSpan]
    /// The `#import` statements.
    let imports: [ImportStatement]

    struct ImportStatement {
        /// The path of the imported file.
        let path: String
        let place: SourcePlace
    }

    init(_ document: Document, file: SourceText) {
        self.document = document
        self.file = file
        let values = document.arguments.map(\.value) + document.objectFields.map(\.value) + document.values
        variableUses =
            values.compactMap { value in
                guard case .variable(let name, let span) = value else { return nil }
                return (document.text(name), span)
            }
            .sorted { $0.span.start < $1.span.start }
        clientSelections = document.selections.compactMap { selection in
            let isLocal = selection.directives.indices.contains {
                document.text(document.directives[$0].name) == "client"
            }
            return isLocal ? selection.span : nil
        }
        imports = ParsedDocument.imports(in: document.source)
    }

    var hasExecutableDefinitions: Bool {
        document.definitions.contains { definition in
            switch definition {
            case .operation, .fragment: true
            case .schema, .type, .directive: false
            }
        }
    }

    /// Returns true if clients resolve the selection at a span themselves.
    func isLocal(_ span: SourceSpan) -> Bool { clientSelections.contains { $0.contains(span) } }

    /// Returns the first directive with a name among some.
    func directive(_ name: String, in range: NodeRange<Directive>) -> Directive? {
        range.indices.lazy.map { document.directives[$0] }.first { document.text($0.name) == name }
    }

    /// The fragment spreads within a span that are sent to the server.
    func spreads(in span: SourceSpan) -> [FragmentSpread] {
        document.selections.compactMap { selection in
            guard case .fragmentSpread(let spread) = selection, span.contains(spread.span),
                !isLocal(spread.span)
            else { return nil }
            return spread
        }
    }

    /// Reads `#import "path"` and `# import Name from "path"` in comments.
    private static func imports(in source: SourceText) -> [ImportStatement] {
        guard DocumentFiles.isGraphQL(source.name) else { return [] }
        let folder = URL(filePath: source.name).deletingLastPathComponent()
        let lines = String(decoding: source.bytes, as: UTF8.self).split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return lines.enumerated().compactMap { index, line in
            guard let match = line.firstMatch(of: /^\s*#\s*import\s+(?:[^"']+\s+from\s+)?["']([^"']+)["']/)
            else {
                return nil
            }
            let url = URL(filePath: String(match.1), relativeTo: folder).standardized
            let path = source.name.hasPrefix("/") ? url.path : url.relativePath
            let place = SourcePlace(file: source.name, location: SourceLocation(line: index + 1, column: 1))
            return ImportStatement(path: path, place: place)
        }
    }
}

extension Selection {
    var directives: NodeRange<Directive> {
        switch self {
        case .field(let field): field.directives
        case .fragmentSpread(let spread): spread.directives
        case .inlineFragment(let fragment): fragment.directives
        }
    }

    var span: SourceSpan {
        switch self {
        case .field(let field): field.span
        case .fragmentSpread(let spread): spread.span
        case .inlineFragment(let fragment): fragment.span
        }
    }
}
