import GraphQL

/// Makes one document of an operation, or of a fragment, and all fragments that it needs, as clients send it.
///
/// - Selections with `@client` become `__typename`, and variables that only they use are removed.
/// - Fragments with `@argumentDefinitions` (Relay) are copied for each set of arguments, with the arguments in place of
///   their variables.
struct DocumentCombiner {
    private typealias Pieces = [CombinedText.Piece]

    /// A fragment with the values of its arguments.
    private struct Instance {
        let reference: DocumentSet.Reference
        let name: String
        let arguments: [String: Pieces]
    }

    private struct Edit {
        let span: SourceSpan
        let pieces: Pieces
    }

    private let set: DocumentSet
    /// The names of directives that are removed.
    private let removed: Set<String>
    private var text = CombinedText()
    private var findings: [Finding] = []
    /// The names of the instances of each fragment, by its arguments.
    private var names: [DocumentSet.Reference: [String: String]] = [:]
    private var pending: [Instance] = []
    private var usedNames: Set<String> = []

    /// The most instances of fragments in one document.
    private static let maximumInstances = 10_000

    /// A document, and what was found while it was made.
    struct Result {
        let text: CombinedText
        let findings: [Finding]
    }

    /// Makes the document of an operation or a fragment.
    static func document(
        of reference: DocumentSet.Reference, in set: DocumentSet, removing directives: Set<String>
    ) -> Result {
        var combiner = DocumentCombiner(set: set, removed: directives)
        combiner.run(from: reference)
        return Result(text: combiner.text, findings: combiner.findings)
    }

    private init(set: DocumentSet, removed: Set<String>) {
        self.set = set
        self.removed = removed
    }

    private mutating func run(from reference: DocumentSet.Reference) {
        if case .fragment = set[reference] {
            _ = instanceName(of: reference, arguments: [:])
        } else {
            copy(reference, name: nil, arguments: [:])
        }
        var count = 0
        while let next = pending.popLast(), count < DocumentCombiner.maximumInstances {
            text.append(.text("\n"))
            copy(next.reference, name: next.name, arguments: next.arguments)
            count += 1
        }
        text.append(.text("\n"))
    }

    // MARK: - Definitions

    private mutating func copy(_ reference: DocumentSet.Reference, name: String?, arguments: [String: Pieces])
    {
        let parsed = set.documents[reference.document]
        let definition = set[reference]
        let span = definition.span
        var edits = parsed.clientSelections.filter(span.contains).map {
            Edit(span: $0, pieces: [.text("__typename")])
        }
        edits += removedDirectives(in: span, of: parsed)
        if case .operation(let operation) = definition, let edit = variablesEdit(of: operation, parsed) {
            edits.append(edit)
        }
        if case .fragment(let fragment) = definition, let name, name != parsed.document.text(fragment.name) {
            edits.append(Edit(span: fragment.name.span, pieces: [.text(name)]))
        }
        for spread in parsed.spreads(in: span) {
            let original = parsed.document.text(spread.name)
            let name = self.name(of: spread, in: reference.document, outer: arguments)
            if name != original { edits.append(Edit(span: spread.name.span, pieces: [.text(name)])) }
        }
        for use in parsed.variableUses where span.contains(use.span) {
            if let value = arguments[use.name] { edits.append(Edit(span: use.span, pieces: value)) }
        }
        append(span, of: parsed.document.source, edits)
    }

    private mutating func append(_ span: SourceSpan, of source: SourceText, _ edits: [Edit]) {
        for piece in DocumentCombiner.pieces(of: span, in: source, edits) { text.append(piece) }
    }

    private static func pieces(of span: SourceSpan, in source: SourceText, _ edits: [Edit]) -> Pieces {
        var pieces: Pieces = []
        var position = span.start
        // Of edits within each other, the outer one applies.
        for edit in edits.sorted(by: { ($0.span.start, $1.span.end) < ($1.span.start, $0.span.end) }) {
            guard edit.span.start >= position else { continue }
            pieces.append(.copy(SourceSpan(start: position, end: edit.span.start), source))
            pieces += edit.pieces
            position = edit.span.end
        }
        pieces.append(.copy(SourceSpan(start: position, end: max(position, span.end)), source))
        return pieces
    }

    private func removedDirectives(in span: SourceSpan, of parsed: ParsedDocument) -> [Edit] {
        parsed.document.directives.compactMap { directive in
            span.contains(directive.span) && removed.contains(parsed.document.text(directive.name))
                ? Edit(span: directive.span, pieces: []) : nil
        }
    }

    /// Removes the variables that only removed selections and directives use; nil if there is none.
    private func variablesEdit(of operation: OperationDefinition, _ parsed: ParsedDocument) -> Edit? {
        let document = parsed.document
        let local = Set(
            parsed.variableUses.filter { operation.span.contains($0.span) && parsed.isLocal($0.span) }.map(
                \.name))
        guard !local.isEmpty else { return nil }
        var used = Set(
            parsed.variableUses.filter { operation.span.contains($0.span) && !parsed.isLocal($0.span) }.map(
                \.name))
        // A fragment may use any variable.
        if !parsed.spreads(in: operation.span).isEmpty { used.formUnion(variablesOfFragments()) }
        let definitions = operation.variables.indices.map { document.variableDefinitions[$0] }
        let kept = definitions.filter { definition in
            let name = document.text(definition.name)
            return !local.contains(name) || used.contains(name)
        }
        guard kept.count < definitions.count, let first = definitions.first, let last = definitions.last
        else {
            return nil
        }
        guard kept.isEmpty else {
            let pieces = kept.flatMap { [CombinedText.Piece.copy($0.span, document.source), .text(" ")] }
            return Edit(span: SourceSpan(start: first.span.start, end: last.span.end), pieces: pieces)
        }
        // Without a variable, there are no parentheses.
        let start =
            operation.name?.span.end ?? operation.span.start + UInt32(operation.type.rawValue.utf8.count)
        let end =
            operation.directives.indices.first.map { document.directives[$0].span.start }
            ?? operation.selectionSet.span.start
        return Edit(span: SourceSpan(start: start, end: max(start, end)), pieces: [.text(" ")])
    }

    private func variablesOfFragments() -> Set<String> {
        Set(set.fragments.values.joined().flatMap { set.documents[$0.document].variableUses.map(\.name) })
    }

    // MARK: - Fragments

    /// Returns the name under which the document has the fragment of a spread.
    private mutating func name(of spread: FragmentSpread, in document: Int, outer: [String: Pieces]) -> String
    {
        let parsed = set.documents[document]
        let name = parsed.document.text(spread.name)
        switch set.fragment(named: name, in: document) {
        case .missing: return name
        case .ambiguous(let references):
            let places = references.map(set.place)
            findings.append(
                Finding(
                    .ambiguousFragment,
                    "\(places.count) different fragments have the name \"\(name)\". Rename them, or import one by "
                        + "#import \"PATH\".",
                    at: [SourcePlace(parsed.document.source, spread.name.span.start)] + places))
            return instanceName(of: references[0], arguments: [:])
        case .found(let reference):
            return instanceName(of: reference, arguments: arguments(of: spread, parsed, reference, outer))
        }
    }

    private mutating func instanceName(of reference: DocumentSet.Reference, arguments: [String: Pieces])
        -> String
    {
        let key = arguments.sorted { $0.key < $1.key }
            .map { "\($0.key): \(DocumentCombiner.text($0.value))" }.joined(separator: ", ")
        if let name = names[reference]?[key] { return name }
        let original = set.name(of: reference) ?? ""
        var name = original
        var number = 1
        while !usedNames.insert(name).inserted {
            number += 1
            name = "\(original)_\(number)"
        }
        names[reference, default: [:]][key] = name
        pending.append(Instance(reference: reference, name: name, arguments: arguments))
        return name
    }

    /// The values of a fragment's arguments at a spread.
    private mutating func arguments(
        of spread: FragmentSpread, _ parsed: ParsedDocument, _ reference: DocumentSet.Reference,
        _ outer: [String: Pieces]
    ) -> [String: Pieces] {
        let given = parsed.directive("arguments", in: spread.directives)
        let declared = declaredArguments(of: reference)
        var values: [String: Pieces] = [:]
        for index in given?.arguments.indices ?? 0..<0 {
            let argument = parsed.document.arguments[index]
            let name = parsed.document.text(argument.name)
            guard declared[name] != nil else {
                let fragment = parsed.document.text(spread.name)
                report("The fragment \"\(fragment)\" has no argument \"\(name)\".", argument.span, parsed)
                continue
            }
            let edits = parsed.variableUses.filter { argument.value.span.contains($0.span) }
                .compactMap { use in outer[use.name].map { Edit(span: use.span, pieces: $0) } }
            values[name] = DocumentCombiner.pieces(of: argument.value.span, in: parsed.document.source, edits)
        }
        for (name, argument) in declared where values[name] == nil {
            if let value = argument.defaultValue {
                values[name] = value
            } else if argument.isNonNull {
                let fragment = parsed.document.text(spread.name)
                report("The fragment \"\(fragment)\" needs the argument \"\(name)\".", spread.span, parsed)
            } else {
                values[name] = [.text("null")]
            }
        }
        return values
    }

    private mutating func report(_ message: String, _ span: SourceSpan, _ parsed: ParsedDocument) {
        findings.append(
            Finding(.invalidOperation, message, at: [SourcePlace(parsed.document.source, span.start)]))
    }

    private struct DeclaredArgument {
        var isNonNull = false
        var defaultValue: Pieces?
    }

    /// The arguments that a fragment declares by `@argumentDefinitions(name: {type: "Int", defaultValue: 10})`.
    private func declaredArguments(of reference: DocumentSet.Reference) -> [String: DeclaredArgument] {
        let document = set.documents[reference.document].document
        guard case .fragment(let fragment) = set[reference],
            let directive = set.documents[reference.document].directive(
                "argumentDefinitions", in: fragment.directives)
        else { return [:] }
        var declared: [String: DeclaredArgument] = [:]
        for index in directive.arguments.indices {
            let argument = document.arguments[index]
            var result = DeclaredArgument()
            if case .object(let fields, _) = argument.value {
                for field in fields.indices.map({ document.objectFields[$0] }) {
                    switch document.text(field.name) {
                    case "type": result.isNonNull = document.source.text(field.value.span).hasSuffix("!\"")
                    case "defaultValue": result.defaultValue = [.copy(field.value.span, document.source)]
                    default: break
                    }
                }
            }
            declared[document.text(argument.name)] = result
        }
        return declared
    }

    private static func text(_ pieces: Pieces) -> String {
        pieces.map { piece in
            switch piece {
            case .copy(let span, let source): source.text(span)
            case .text(let text): text
            }
        }
        .joined()
    }
}
