/// A field as an operation selects it, after fields with the same response key have been merged
/// (specification, section 6.3.2, CollectFields).
@usableFromInline
struct FieldSelection {
    /// The places that select it.
    ///
    /// They agree in name and arguments, which validation has checked (specification, section 5.3.2).
    let fieldGroup: FieldGroup
    /// What the schema says of it.
    let definition: SchemaField
    /// The selection sets of all places.
    @usableFromInline
    let selectionSets: [SelectionSet]

    init(fieldGroup: FieldGroup, definition: SchemaField) {
        self.fieldGroup = fieldGroup
        self.definition = definition
        selectionSets = fieldGroup.selectionSets
    }
}

/// Selected fields that share a response key, in the order of the document.
struct FieldGroup: Sendable {
    let first: SelectedField
    /// Apart, since as a rule there are none, and then nothing is allocated.
    private(set) var others: [SelectedField] = []

    init(_ first: SelectedField) {
        self.first = first
    }

    /// The key in the response.
    var key: Name { first.responseKey }

    /// Where the document selects it.
    var spans: [SourceSpan] { [first.span] + others.map(\.span) }

    fileprivate var selectionSets: [SelectionSet] {
        guard !others.isEmpty else { return first.selectionSet.map { [$0] } ?? [] }
        return ([first] + others).compactMap(\.selectionSet)
    }

    mutating func append(_ field: SelectedField) {
        others.append(field)
    }
}
