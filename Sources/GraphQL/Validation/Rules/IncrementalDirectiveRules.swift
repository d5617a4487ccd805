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

    /// - Parameters:
    ///   - message: The message of the error.
    ///   - first: The place of the error before that of the directive, if there is one.
    ///   - spreads: The fragment spreads that lead to the directive, the innermost first.
    ///   - operation: The operation that the reference implementation checks when it finds the violation; nil if it finds the
    ///     violation at the directive.
    /// - Returns: The violation, with the places of `first`, the directive and the spreads.
    func finding(
        _ message: String, after first: SourceSpan? = nil, in spreads: [SourceSpan] = [],
        of operation: TypedOperation? = nil
    ) -> ValidationFinding {
        let position = operation?.definition.span ?? directive.span
        return ValidationFinding(
            .entering(position), at: (first.map { [$0] } ?? []) + [directive.span] + spreads
        ) { message }
    }
}

extension TypedDocument {
    /// The uses of `@defer` and `@stream`, in source order.
    fileprivate var incrementalDirectives: [IncrementalDirective] {
        document.directives.compactMap { IncrementalDirective($0, in: document) }
    }

    /// The uses of `@defer` and `@stream` on a selection.
    fileprivate func incrementalDirectives(at selection: Int) -> [IncrementalDirective] {
        document.directives(at: selection).indices.compactMap {
            IncrementalDirective(document.directives[$0], in: document)
        }
    }

    /// Whether `@skip` or `@include` can leave a selection out.
    fileprivate func canBeLeftOut(_ selection: Int) -> Bool {
        func canBe(_ value: Bool, _ name: String, without argument: Bool) -> Bool {
            guard let directive = directive(name, at: selection) else { return false }
            return switch directive.argument("if", in: document) {
            case nil: argument
            case .boolean(let constant, _): constant == value
            default: true
            }
        }
        return canBe(true, "skip", without: true) || canBe(false, "include", without: false)
    }

    /// The findings of a rule for the selections of operations of some types.
    ///
    /// The time is proportional to the length of the document: a fragment without an error is visited once, and the number of
    /// collected errors has the limit of the response.
    ///
    /// - Parameters:
    ///   - types: The types of operations.
    ///   - visit: Checks a selection, and returns whether the selections below it are visited, too. It gets the
    ///     operation, the selection's index, a function that returns the fragment spreads that lead to it, the innermost first,
    ///     and the findings to which it adds.
    /// - Returns: The findings, in the order of a depth-first traversal of each operation that follows each fragment once.
    fileprivate func findings(
        in types: [OperationType],
        _ visit: (TypedOperation, Int, () -> [SourceSpan], inout [ValidationFinding]) -> Bool
    ) -> [ValidationFinding] {
        var findings: [ValidationFinding] = []
        var faultless: Set<Int> = []
        for operation in operations where types.contains(operation.definition.type) {
            let count = findings.count
            var visited: Set<Int> = []
            // A stack and no recursion, because a chain of fragments can be as long as the document.
            var path = [
                (rest: operation.definition.selectionSet.selections.indices, spread: SourceSpan?.none)
            ]
            while let last = path.indices.last {
                guard let index = path[last].rest.popFirst() else {
                    path.removeLast()
                    continue
                }
                let isEntered = visit(
                    operation, index, { path.reversed().compactMap(\.spread) }, &findings)
                if findings.count > options.maximumErrors { return findings }
                guard isEntered else { continue }
                switch document.selections[index] {
                case .field(let field):
                    if let set = field.selectionSet { path.append((set.selections.indices, nil)) }
                case .inlineFragment(let fragment):
                    path.append((fragment.selectionSet.selections.indices, nil))
                case .fragmentSpread(let spread):
                    guard let fragment = selections[index].fragment, !faultless.contains(fragment),
                        visited.insert(fragment).inserted
                    else { continue }
                    path.append((fragments[fragment].definition.selectionSet.selections.indices, spread.span))
                }
            }
            if findings.count == count { faultless.formUnion(visited) }
        }
        return findings
    }
}

extension ValidationRule {
    /// No root field of a mutation or subscription is deferred or streamed, at whichever type a fragment selects it.
    static let deferStreamDirectiveOnRootField = ValidationRule(
        name: "Defer And Stream Directives Are Used On Valid Root Field"
    ) { document in
        if document.incrementalDirectives.isEmpty { return [] }
        return document.findings(in: [.mutation, .subscription]) { operation, selection, _, findings in
            guard let root = operation.rootType else { return false }
            let isField = if case .field = document.document.selections[selection] { true } else { false }
            // The reference implementation reports a spread with `@defer` only if no earlier spread has this fragment.
            if let use = document.incrementalDirectives(at: selection).first(where: { $0.isDefer != isField })
            {
                let type = operation.definition.type.rawValue
                findings.append(
                    use.finding(
                        "\(use.noun) directive cannot be used on root \(type) type \(document.quoted(root)).",
                        of: operation))
            }
            return !isField
        }
    }

    /// A subscription has no active `@defer` or `@stream`, except in selections that `@skip` or `@include` can leave out.
    static let deferStreamDirectiveOnValidOperations = ValidationRule(
        name: "Defer And Stream Directives Are Used On Valid Operations"
    ) { document in
        if document.incrementalDirectives.isEmpty { return [] }
        return document.findings(in: [.subscription]) { operation, selection, spreads, findings in
            if document.canBeLeftOut(selection) { return false }
            for use in document.incrementalDirectives(at: selection) {
                switch use.directive.argument("if", in: document.document) {
                case .boolean(false, _), .variable: continue
                default: break
                }
                findings.append(
                    use.finding(
                        "\(use.noun) directive not supported on subscription operations. Disable `@\(use.name)` by "
                            + "setting the `if` argument to `false`.", in: spreads(), of: operation))
            }
            return true
        }
    }

    /// The length of a label in bytes, the same as of a name (see `ParserLimits.nameBytes`).
    ///
    /// A response repeats a label for each object and for each item, so a long label makes the response many times as
    /// long as its document.
    private static let maximumLabelBytes = 256

    /// The labels of `@defer` and `@stream` are constant, unique and short; null is no label.
    static let deferStreamDirectiveLabel = ValidationRule(
        name: "Defer And Stream Directive Labels Are Unique"
    ) { document in
        var known: [String: SourceSpan] = [:]
        return document.incrementalDirectives.compactMap { use in
            let value: StringValue
            switch use.directive.argument("label", in: document.document) {
            case nil, .null: return nil
            case .string(let text): value = text
            default: return use.finding("Argument \"@\(use.name)(label:)\" must be a static string.")
            }
            let text = document.document.string(value)
            guard text.utf8.count <= maximumLabelBytes else {
                return ValidationFinding(.entering(use.directive.span), at: [value.span]) {
                    "Argument \"@\(use.name)(label:)\" has \(text.utf8.count) bytes; the limit is "
                        + "\(maximumLabelBytes). Use a shorter label."
                }
            }
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
        if document.document.directives.isEmpty { return [] }
        var findings: [ValidationFinding] = []
        document.forEachField { index, _ in
            guard let parent = document.selections[index].parentType,
                let field = document.fieldDefinition(at: index), field.type.wrapping.item == nil
            else { return }
            for use in document.incrementalDirectives(at: index) where !use.isDefer {
                findings.append(
                    use.finding(
                        "Directive \"@stream\" cannot be used on non-list field "
                            + "\"\(document.schema[parent].name).\(field.name)\"."))
            }
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

    private func stream(at index: Int) -> Directive? { directive("stream", at: index) }

    private func directive(_ name: String, at selection: Int) -> Directive? {
        document.directives(at: selection).indices.first {
            document.text(document.directives[$0].name) == name
        }
        .map { document.directives[$0] }
    }
}

extension Document {
    fileprivate func directives(at selection: Int) -> NodeRange<Directive> {
        switch selections[selection] {
        case .field(let field): field.directives
        case .fragmentSpread(let spread): spread.directives
        case .inlineFragment(let fragment): fragment.directives
        }
    }
}

extension Directive {
    fileprivate func argument(_ name: String, in document: Document) -> Value? {
        arguments.indices.first { document.text(document.arguments[$0].name) == name }
            .map { document.arguments[$0].value }
    }
}
