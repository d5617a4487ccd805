package import GraphQL

/// An operation as a client sends it: with the fragments that it needs, and without the directives of clients.
package struct SentDocument {
    /// The name; nil for an anonymous operation.
    package let name: String?
    package let type: OperationType
    /// The place of the operation.
    package let place: SourcePlace
    /// The text of the file, if the file is a complete document.
    package let asWritten: String?
    /// The operation and its fragments with `__typename` in each selection set except that of the operation, as Apollo's
    /// clients send and hash it.
    package let printed: String

    /// The same document as urql's clients send and hash it.
    package var printedForUrql: String { Self.urqlForm(of: printed) }

    /// `stringifyDocument` of `@urql/core`: one line break in place of several, and one at the end of each part that a
    /// string follows.
    ///
    /// As there, all from the first block string to the last one is one string.
    private static func urqlForm(of text: String) -> String {
        let (bytes, quote, lineFeed) = (Array(text.utf8), UInt8(ascii: "\""), UInt8(ascii: "\n"))
        func isBlock(at position: Int) -> Bool {
            position + 3 <= bytes.count && bytes[position..<position + 3].allSatisfy { $0 == quote }
        }
        let lastBlock = bytes.indices.last(where: isBlock)
        /// The position behind the string that begins at a quote.
        func end(from start: Int) -> Int {
            if let lastBlock, isBlock(at: start), lastBlock > start { return lastBlock + 3 }
            var position = start + 1
            while position < bytes.count, bytes[position] != quote {
                position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
            }
            return min(position + 1, bytes.count)
        }
        var form: [UInt8] = []
        var position = 0
        while position < bytes.count {
            if bytes[position] == quote {
                let next = end(from: position)
                form.append(lineFeed)
                form += bytes[position..<next]
                position = next
            } else {
                let repeats = bytes[position] == lineFeed && position > 0 && bytes[position - 1] == lineFeed
                if !repeats { form.append(bytes[position]) }
                position += 1
            }
        }
        return String(decoding: form, as: UTF8.self)
    }
}

extension DocumentSet {
    /// Returns the operations as clients send them.
    ///
    /// - Throws: The errors of an operation that lacks a fragment.
    package func sentDocuments() throws(GraphQLErrors) -> [SentDocument] {
        var documents: [SentDocument] = []
        for reference in operations {
            guard case .operation(let operation) = self[reference] else { continue }
            let combined = DocumentCombiner.document(
                of: reference, in: self, removing: ClientDirectives.names)
            if let finding = combined.findings.first {
                throw GraphQLErrors([
                    GraphQLError(finding.message, locations: finding.places.prefix(1).map(\.location))
                ])
            }
            let text = SourceText(bytes: combined.text.bytes)
            let complete = completeText(of: reference)
            // Clients send the fragments of a complete document in its order.
            let sent = complete.flatMap { hasOneOperation(reference.document) ? SourceText($0) : nil } ?? text
            let printed = try Document.read(sent).insertingTypenames() ?? sent
            documents.append(
                SentDocument(
                    name: name(of: reference), type: operation.type, place: place(of: reference),
                    asWritten: complete, printed: try Document.read(printed).print()))
        }
        return documents
    }

    private func hasOneOperation(_ document: Int) -> Bool {
        documents[document].document.definitions.count { definition in
            if case .operation = definition { true } else { false }
        } == 1
    }

    /// The text of a `.graphql` file that contains all fragments of its operations.
    private func completeText(of reference: Reference) -> String? {
        let parsed = documents[reference.document]
        let own = Set(
            parsed.document.definitions.compactMap { definition -> String? in
                guard case .fragment(let fragment) = definition else { return nil }
                return parsed.document.text(fragment.name)
            })
        let whole = SourceSpan(start: 0, end: UInt32(clamping: parsed.document.source.bytes.count))
        let hasClientDirective = parsed.document.directives.contains {
            ClientDirectives.names.contains(parsed.document.text($0.name))
        }
        guard parsed.document.source.bytes == parsed.file.bytes, !hasClientDirective,
            parsed.spreads(in: whole).allSatisfy({ own.contains(parsed.document.text($0.name)) })
        else { return nil }
        return String(decoding: parsed.file.bytes, as: UTF8.self)
    }
}

extension Document {
    /// Returns the text with `__typename` in the selection sets that lack it; nil if none does.
    fileprivate func insertingTypenames() -> SourceText? {
        var sets = selections.compactMap { selection -> SelectionSet? in
            switch selection {
            case .field(let field): field.selectionSet
            case .inlineFragment(let fragment): fragment.selectionSet
            case .fragmentSpread: nil
            }
        }
        for case .fragment(let fragment) in definitions { sets.append(fragment.selectionSet) }
        let ends = sets.filter { !hasTypename($0) }.map { Int($0.span.end) - 1 }.sorted()
        guard !ends.isEmpty else { return nil }
        var bytes: [UInt8] = []
        var position = 0
        for end in ends {
            bytes += source.bytes[position..<end] + Array(" __typename ".utf8)
            position = end
        }
        return SourceText(bytes: bytes + source.bytes[position...])
    }

    /// Returns true if a selection set selects `__typename`, or is one of introspection.
    private func hasTypename(_ set: SelectionSet) -> Bool {
        set.selections.indices.contains { index in
            guard case .field(let field) = selections[index] else { return false }
            let name = text(field.name)
            return name.hasPrefix("__") && (field.alias == nil || name != "__typename")
        }
    }
}
