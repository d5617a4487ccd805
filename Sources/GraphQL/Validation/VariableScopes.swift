/// Brings the uses of variables together with the definitions of an operation.
struct VariableScopes {
    private let document: TypedDocument
    private var fragments: FragmentTraversal
    /// By `Name.id`: the index in `document.variableDefinitions` of the variable last defined by this name.
    private var definitions: [Int]

    init(_ document: TypedDocument) {
        self.document = document
        fragments = FragmentTraversal(document)
        definitions = Array(repeating: -1, count: document.document.names.count)
    }

    /// Calls `body` with each use of a variable in the operation and the fragments that it reaches, and with
    /// the index of the variable's definition; nil where the operation has none.
    ///
    /// Of several by one name the last counts.
    mutating func forEachUse(in operation: TypedOperation, _ body: (VariableUse, Int?) -> Void) {
        let variables = operation.definition.variables.indices
        for index in variables {
            definitions[Int(document.document.variableDefinitions[index].name.id)] = index
        }
        func report(_ uses: Range<Int>) {
            for use in document.variableUses[uses] {
                // Leftovers of other operations lie outside the range.
                let definition = definitions[Int(use.name.id)]
                body(use, variables.contains(definition) ? definition : nil)
            }
        }
        report(operation.variableUses)
        fragments.forEachFragment(from: operation.definition.selectionSet) { fragment in
            report(document.fragments[fragment].variableUses)
        }
    }
}
