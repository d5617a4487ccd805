/// A selected field of an operation, after fields with the same response key have been merged
/// (specification, section 6.3.2, CollectFields).
@usableFromInline
struct FieldSelection {
    /// The merged fields.
    ///
    /// Validation has checked that they have the same name and arguments (specification, section 5.3.2).
    let fieldGroup: FieldGroup
    /// The definition in the schema.
    let definition: SchemaField
    /// The selection sets of all merged fields.
    @usableFromInline
    let selectionSets: [SelectionSet]
    /// The active `@stream` of the field; nil if there is none.
    ///
    /// Validation permits only equal ones on merged fields, so the first field's applies.
    @usableFromInline
    var stream: StreamUsage?

    init(fieldGroup: FieldGroup, definition: SchemaField) {
        self.fieldGroup = fieldGroup
        self.definition = definition
        selectionSets = fieldGroup.selectionSets
    }
}

/// Selected fields with the same response key, in source order.
struct FieldGroup: Sendable {
    let first: SelectedField
    /// The fields after the first; usually empty, which needs no allocation.
    private(set) var others: [SelectedField] = []

    init(_ first: SelectedField) {
        self.first = first
    }

    var key: Name { first.responseKey }

    /// The positions of the fields in the document.
    var spans: [SourceSpan] { [first.span] + others.map(\.span) }

    fileprivate var selectionSets: [SelectionSet] {
        guard !others.isEmpty else { return first.selectionSet.map { [$0] } ?? [] }
        return ([first] + others).compactMap(\.selectionSet)
    }

    mutating func append(_ field: SelectedField) {
        others.append(field)
    }
}
