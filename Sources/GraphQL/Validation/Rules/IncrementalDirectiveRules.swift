// The rules of `@defer` and `@stream` (specification pull request 1110), with the wording of the reference
// implementation.

/// A use of `@defer` or `@stream` in a document.
private struct IncrementalDirective {
    let directive: Directive
    let isDefer: Bool

    /// The name in messages.
    var noun: String { isDefer ? "Defer" : "Stream" }
    var name: String { isDefer ? "defer" : "stream" }

    init?(_ directive: Directive, in document: Document) {
        self.directive = directive
        switch document.text(directive.name) {
        case "defer": isDefer = true
        case "stream": isDefer = false
        default: return nil
        }
    }

    func argument(_ name: String, in document: Document) -> Value? {
        directive.arguments.indices.first { document.text(document.arguments[$0].name) == name }
            .map { document.arguments[$0].value }
    }

    func finding(_ message: String, after first: SourceSpan? = nil) -> ValidationFinding {
        ValidationFinding(.entering(directive.span), at: (first.map { [$0] } ?? []) + [directive.span]) {
            message
        }
    }
}

extension TypedDocument {
    /// The uses of `@defer` and `@stream`, in source order.
    fileprivate var incrementalDirectives: [IncrementalDirective] {
        document.directives.compactMap { IncrementalDirective($0, in: document) }
    }

    /// Calls `body` with each use of `@defer` and `@stream` on a selection, and the selection's index.
    fileprivate func forEachIncrementalDirective(_ body: (IncrementalDirective, _ selection: Int) -> Void) {
        if document.directives.isEmpty { return }
        for index in document.selections.indices {
            let directives =
                switch document.selections[index] {
                case .field(let field): field.directives
                case .fragmentSpread(let spread): spread.directives
                case .inlineFragment(let fragment): fragment.directives
                }
            for directive in directives.indices {
                guard let use = IncrementalDirective(document.directives[directive], in: document) else {
                    continue
                }
                body(use, index)
            }
        }
    }
}

extension ValidationRule {
    /// No root field of a mutation or subscription is deferred or streamed.
    static let deferStreamDirectiveOnRootField = ValidationRule(
        name: "Defer And Stream Directives Are Used On Valid Root Field"
    ) { document in
        var findings: [ValidationFinding] = []
        document.forEachIncrementalDirective { use, selection in
            guard let parent = document.selections[selection].parentType else { return }
            for operation in [OperationType.mutation, .subscription]
            where document.schema.rootType(for: operation) == parent {
                findings.append(
                    use.finding(
                        "\(use.noun) directive cannot be used on root \(operation.rawValue) type "
                            + "\(document.quoted(parent))."))
            }
        }
        return findings
    }

    /// A subscription has no active `@defer` or `@stream`.
    static let deferStreamDirectiveOnValidOperations = ValidationRule(
        name: "Defer And Stream Directives Are Used On Valid Operations"
    ) { document in
        let uses = document.incrementalDirectives
        if uses.isEmpty { return [] }
        var spans: [SourceSpan] = []
        var fragments: Set<Int> = []
        // Like the reference implementation, fragments before the subscription are not checked.
        for operation in document.operations where operation.definition.type == .subscription {
            spans.append(operation.definition.span)
            var traversal = FragmentTraversal(document)
            traversal.forEachFragment(from: operation.definition.selectionSet) { fragment in
                let span = document.fragments[fragment].definition.span
                if span.start > operation.definition.span.start, fragments.insert(fragment).inserted {
                    spans.append(span)
                }
            }
        }
        return uses.compactMap { use in
            let condition = use.argument("if", in: document.document)
            switch condition {
            case .boolean(false, _), .variable: return nil
            default: break
            }
            guard spans.contains(where: { $0.contains(use.directive.span) }) else { return nil }
            return use.finding(
                "\(use.noun) directive not supported on subscription operations. Disable `@\(use.name)` by "
                    + "setting the `if` argument to `false`.")
        }
    }

    /// The labels of `@defer` and `@stream` are constant and unique; null is no label.
    static let deferStreamDirectiveLabel = ValidationRule(
        name: "Defer And Stream Directive Labels Are Unique"
    ) { document in
        var known: [String: SourceSpan] = [:]
        return document.incrementalDirectives.compactMap { use in
            let value: StringValue
            switch use.argument("label", in: document.document) {
            case nil, .null: return nil
            case .string(let text): value = text
            default: return use.finding("Argument \"@\(use.name)(label:)\" must be a static string.")
            }
            let text = document.document.string(value)
            guard let first = known[text] else {
                known[text] = use.directive.span
                return nil
            }
            return use.finding(
                "Value for arguments \"defer(label:)\" and \"stream(label:)\" must be unique across all "
                    + "Defer/Stream directive usages.", after: first)
        }
    }

    /// `@stream` is used on fields whose value is a list.
    static let streamDirectiveOnListField = ValidationRule(
        name: "Stream Directives Are Used On List Fields"
    ) { document in
        var findings: [ValidationFinding] = []
        document.forEachIncrementalDirective { use, selection in
            guard !use.isDefer, case .field = document.document.selections[selection],
                let parent = document.selections[selection].parentType,
                let field = document.fieldDefinition(at: selection), field.type.wrapping.item == nil
            else { return }
            findings.append(
                use.finding(
                    "Directive \"@stream\" cannot be used on non-list field "
                        + "\"\(document.schema[parent].name).\(field.name)\"."))
        }
        return findings
    }
}

extension TypedDocument {
    /// Returns the conflict of two fields with the same response key of which one is streamed; nil if none is.
    func streamConflict(_ one: Int, _ other: Int) -> String? {
        switch (stream(at: one), stream(at: other)) {
        case (nil, nil): nil
        case (let stream?, let otherStream?)
        where document.sameArguments(stream.arguments, otherStream.arguments):
            "they have overlapping stream directives. See https://github.com/graphql/defer-stream-wg/discussions/100"
        case (_, _): "they have overlapping stream directives"
        }
    }

    private func stream(at index: Int) -> Directive? {
        guard case .field(let field) = document.selections[index] else { return nil }
        return field.directives.indices.first { document.text(document.directives[$0].name) == "stream" }
            .map { document.directives[$0] }
    }
}
