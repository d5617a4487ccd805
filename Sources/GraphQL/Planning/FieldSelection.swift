/// A field as an operation selects it, after fields with the same response key have been merged
/// (specification, section 6.3.2, CollectFields).
@usableFromInline
struct FieldSelection {
    /// The places that select it, in the order of the document; never empty.
    ///
    /// They agree in name and arguments,
    /// which validation has checked (specification, section 5.3.2).
    let fields: [SelectedField]
    /// What the schema says of it.
    let definition: SchemaField
    /// The selection sets of all places.
    @usableFromInline
    let selectionSets: [SelectionSet]

    init(fields: [SelectedField], definition: SchemaField) {
        self.fields = fields
        self.definition = definition
        selectionSets = fields.compactMap(\.selectionSet)
    }
}

/// A key of the response, by which errors name their path.
struct ResponseKey: Sendable {
    let name: String
    /// The places in the document that select it.
    let spans: [SourceSpan]
}
