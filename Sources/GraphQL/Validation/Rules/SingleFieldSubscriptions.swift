extension ValidationRule {
    /// A subscription selects exactly one field, which is no introspection field and has no conditions
    /// (specification, 5.2.4.1).
    static let singleFieldSubscriptions = ValidationRule(name: "Single Root Field") { document in
        var findings: [ValidationFinding] = []
        for operation in document.operations where operation.definition.type == .subscription {
            guard let type = operation.rootType else { continue }
            var collected = RootFields(of: type, in: document)
            collected.collect(operation.definition.selectionSet)
            findings += faults(of: collected, in: operation, document)
        }
        return findings
    }

    private static func faults(
        of root: RootFields, in operation: TypedOperation, _ document: TypedDocument
    ) -> [ValidationFinding] {
        func finding(_ spans: [SourceSpan], _ fault: String) -> ValidationFinding {
            ValidationFinding(.entering(operation.definition.span), at: spans) {
                let name = operation.definition.name.map { "Subscription \(document.quoted($0))" }
                return "\(name ?? "Anonymous Subscription") must \(fault)."
            }
        }
        guard root.conditions.isEmpty else {
            return [
                finding(
                    root.conditions, "not use `@skip` or `@include` directives in the top level selection")
            ]
        }
        guard let first = root.fields.first else {
            return [finding([operation.definition.selectionSet.span], "select one top level field")]
        }
        var findings: [ValidationFinding] = []
        let extra = root.fields.dropFirst().flatMap(\.self)
        if !extra.isEmpty { findings.append(finding(extra.map(\.span), "select only one top level field")) }
        for group in [first] + root.fields.dropFirst()
        where document.text(group[0].name).utf8.starts(with: "__".utf8) {
            findings.append(finding(group.map(\.span), "not select an introspection top level field"))
        }
        return findings
    }
}

/// The root fields of a subscription, including those in fragments (specification,
/// CollectSubscriptionFields).
private struct RootFields {
    private let type: TypeID
    private let document: TypedDocument
    /// The fields by response key, in source order.
    private(set) var fields: [[SelectedField]] = []
    /// The `@skip` and `@include` directives of these selections.
    private(set) var conditions: [SourceSpan] = []
    private var groups: [UInt32: Int] = [:]
    private var visitedFragments: Set<Int> = []

    init(of type: TypeID, in document: TypedDocument) {
        self.type = type
        self.document = document
    }

    mutating func collect(_ set: SelectionSet) {
        var pending = [set.selections.indices]
        while let rest = pending.popLast() {
            guard let index = rest.first else { continue }
            pending.append(rest.dropFirst())
            if let nested = add(index) { pending.append(nested) }
        }
    }

    /// Adds one selection; returns the selections of a fragment, to be added next.
    private mutating func add(_ index: Int) -> Range<Int>? {
        switch document.document.selections[index] {
        case .field(let field):
            if isConditional(field.directives) { return nil }
            let key = field.responseKey.id
            if let group = groups[key] {
                fields[group].append(field)
            } else {
                groups[key] = fields.count
                fields.append([field])
            }
            return nil
        case .fragmentSpread(let spread):
            guard !isConditional(spread.directives), let fragment = document.selections[index].fragment,
                applies(document.fragments[fragment].type), visitedFragments.insert(fragment).inserted
            else { return nil }
            return document.fragments[fragment].definition.selectionSet.selections.indices
        case .inlineFragment(let fragment):
            guard !isConditional(fragment.directives),
                fragment.typeCondition == nil || applies(document.selections[index].type)
            else { return nil }
            return fragment.selectionSet.selections.indices
        }
    }

    private func applies(_ condition: TypeID?) -> Bool {
        condition.map { document.schema.isSubtype(type, of: $0) } ?? false
    }

    private mutating func isConditional(_ directives: NodeRange<Directive>) -> Bool {
        let applied = document.document.directives[directives.indices]
        for name in ["skip", "include"] {
            guard let directive = applied.first(where: { document.text($0.name) == name }) else { continue }
            conditions.append(directive.span)
            return true
        }
        return false
    }
}
