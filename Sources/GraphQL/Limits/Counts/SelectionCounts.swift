/// The counts of all selections of one operation, each fragment counted once and then taken as often as it is spread:
/// the time grows with the length of the document, not with what it writes out to.
struct SelectionCounts {
    let document: TypedDocument
    let operation: OperationDefinition
    /// The fragments that the operation reaches, each behind those that it spreads.
    let order: FragmentOrder
    /// Side by side with `document.selections`; zero for those that the operation does not reach.
    private(set) var selections: [SelectionCount]
    /// Side by side with `TypedDocument.fragments`.
    private var fragments: [SelectionCount]
    /// What the whole operation comes to.
    private(set) var total = SelectionCount()
    /// How many fields the widest selection set has.
    private(set) var widest = 0

    init(of operation: OperationDefinition, in document: TypedDocument) {
        self.document = document
        self.operation = operation
        order = FragmentOrder(reachedFrom: operation.selectionSet, in: document)
        selections = Array(repeating: SelectionCount(), count: document.document.selections.count)
        fragments = Array(repeating: SelectionCount(), count: document.fragments.count)
        for fragment in order.fragments {
            fragments[fragment] = count(document.fragments[fragment].definition.selectionSet)
        }
        total = count(operation.selectionSet)
        widest = max(widest, total.width)
    }

    /// The selection sets of fields, and that of the operation: those in which fields stand side by side in a
    /// response.
    ///
    /// In no particular order.
    func forEachSelectionSet(_ body: (SelectionSet) -> Void) {
        body(operation.selectionSet)
        forEachSelection { _, selection in
            if case .field(let field) = selection, let set = field.selectionSet { body(set) }
        }
    }

    /// Calls `body` with each selection that the operation reaches, once, and with its index.
    func forEachSelection(_ body: (Int, Selection) -> Void) {
        var pending = order.fragments.map { document.fragments[$0].definition.selectionSet }
        pending.append(operation.selectionSet)
        while let set = pending.popLast() {
            for index in set.selections.indices {
                let selection = document.document.selections[index]
                body(index, selection)
                if let set = selection.selectionSet { pending.append(set) }
            }
        }
    }

    /// Counts a selection set and, before it, all that are nested in it.
    ///
    /// The parser bounds how deep that is.
    private mutating func count(_ set: SelectionSet) -> SelectionCount {
        var sum = SelectionCount()
        for index in set.selections.indices {
            let selection = count(document.document.selections[index], at: index)
            selections[index] = selection
            sum.add(selection)
        }
        return sum
    }

    private mutating func count(_ selection: Selection, at index: Int) -> SelectionCount {
        switch selection {
        case .field(let field):
            let inner = field.selectionSet.map { count($0) } ?? SelectionCount()
            widest = max(widest, inner.width)
            return inner.field(
                isAliased: field.alias != nil,
                isIntrospection: document.selections[index].field.isIntrospection)
        case .fragmentSpread:
            return document.selections[index].fragment.map { fragments[$0] } ?? SelectionCount()
        case .inlineFragment(let fragment):
            return count(fragment.selectionSet)
        }
    }
}

extension FieldReference {
    /// `__schema` or `__type`, the two ways into introspection.
    var isIntrospection: Bool {
        switch self {
        case .schema, .type: true
        case .unknown, .typename, .defined: false
        }
    }
}

extension Selection {
    /// The selection set that stands within the selection itself.
    var selectionSet: SelectionSet? {
        switch self {
        case .field(let field): field.selectionSet
        case .inlineFragment(let fragment): fragment.selectionSet
        case .fragmentSpread: nil
        }
    }
}
