import Foundation
import GraphQL

/// The operations and fragments of a repository.
///
/// A fragment is visible in all documents, as for Apollo's and Relay's compilers.
package struct DocumentSet {
    /// A definition of a document.
    struct Reference: Hashable {
        let document: Int
        let definition: Int
    }

    private(set) var documents: [ParsedDocument] = []
    /// The fragments by their names.
    private(set) var fragments: [String: [Reference]] = [:]
    private(set) var operations: [Reference] = []
    /// The documents that could not be parsed, and imports without a file.
    package private(set) var findings: [Finding] = []

    /// Parses documents.
    ///
    /// Documents that define only types, such as a copy of the schema, are left out.
    ///
    /// - Throws: `UsageError` if an imported file cannot be read.
    package init(_ texts: [DocumentFiles.Document]) throws {
        for text in texts { add(text) }
        var paths = Set(texts.map(\.file.name))
        var index = 0
        while index < documents.count {
            for statement in documents[index].imports where paths.insert(statement.path).inserted {
                if FileManager.default.fileExists(atPath: statement.path) {
                    let source = try InputFile(path: statement.path).source
                    add(DocumentFiles.Document(text: source, file: source, isEmbedded: false))
                } else {
                    findings.append(
                        Finding(
                            .missingImport, "The imported file \(statement.path) does not exist.",
                            at: [statement.place]))
                }
            }
            index += 1
        }
        for (document, parsed) in documents.enumerated() {
            for (definition, node) in parsed.document.definitions.enumerated() {
                let reference = Reference(document: document, definition: definition)
                switch node {
                case .operation: operations.append(reference)
                case .fragment(let fragment):
                    fragments[parsed.document.text(fragment.name), default: []].append(reference)
                case .schema, .type, .directive: break
                }
            }
        }
    }

    private mutating func add(_ text: DocumentFiles.Document) {
        if text.isEmbedded, text.isBlank { return }
        do throws(GraphQLErrors) {
            let parsed = ParsedDocument(try Document.read(text.text), file: text.file)
            if parsed.hasExecutableDefinitions { documents.append(parsed) }
        } catch {
            for error in error.errors {
                let places = error.locations.map { SourcePlace(file: text.file.name, location: $0) }
                findings.append(Finding(.syntax, error.message, at: places))
            }
        }
    }

    subscript(reference: Reference) -> Definition {
        documents[reference.document].document.definitions[reference.definition]
    }

    /// The result of looking a fragment up.
    enum Resolution {
        case found(Reference)
        case missing
        /// Several files define different fragments with the name.
        case ambiguous([Reference])
    }

    /// Returns the fragment that a document means: its own one, otherwise one that it imports, otherwise that of any
    /// document.
    func fragment(named name: String, in document: Int) -> Resolution {
        let candidates = fragments[name] ?? []
        if let own = candidates.first(where: { $0.document == document }) { return .found(own) }
        let imported = importedPaths(of: document)
        if let match = candidates.first(where: { imported.contains(documents[$0.document].file.name) }) {
            return .found(match)
        }
        guard let first = candidates.first else { return .missing }
        let texts = Set(candidates.map { Array(text(of: $0)) })
        return texts.count == 1 ? .found(first) : .ambiguous(candidates)
    }

    private func importedPaths(of document: Int) -> Set<String> {
        var open = documents[document].imports.map(\.path)
        var found: Set<String> = []
        while let path = open.popLast() {
            guard found.insert(path).inserted else { continue }
            for parsed in documents where parsed.file.name == path { open += parsed.imports.map(\.path) }
        }
        return found
    }

    private func text(of reference: Reference) -> ArraySlice<UInt8> {
        let span = self[reference].span
        return documents[reference.document].document.source.bytes[Int(span.start)..<Int(span.end)]
    }

    /// The place of the name of an operation or fragment, or of its begin if it has no name.
    func place(of reference: Reference) -> SourcePlace {
        let parsed = documents[reference.document]
        let offset =
            switch self[reference] {
            case .operation(let operation): operation.name?.span.start ?? operation.span.start
            case .fragment(let fragment): fragment.name.span.start
            case let other: other.span.start
            }
        return SourcePlace(parsed.document.source, offset)
    }

    /// The name of an operation or fragment; nil for an anonymous operation.
    func name(of reference: Reference) -> String? {
        let document = documents[reference.document].document
        switch self[reference] {
        case .operation(let operation): return operation.name.map { document.text($0) }
        case .fragment(let fragment): return document.text(fragment.name)
        case .schema, .type, .directive: return nil
        }
    }
}
