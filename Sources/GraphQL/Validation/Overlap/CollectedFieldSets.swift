/// The fields of selection sets, inline fragments flattened and other fragments left as they are; each set collected
/// once.
struct CollectedFieldSets {
    private let document: TypedDocument
    private var collected: [CollectedFieldSet] = []
    /// By the index of the set's first selection.
    private var indices: [UInt32: Int] = [:]

    init(_ document: TypedDocument) {
        self.document = document
    }

    subscript(index: Int) -> CollectedFieldSet { collected[index] }

    /// Collects the fields of a set, unless that is done already; returns where they are.
    mutating func collect(_ set: SelectionSet) -> Int {
        if let index = indices[set.selections.start] { return index }
        var fields = CollectedFieldSet()
        // What stands in an inline fragment comes in its place: the rest of the set waits.
        var pending = [set.selections.indices]
        while let rest = pending.popLast() {
            guard let index = rest.first else { continue }
            pending.append(rest.dropFirst())
            switch document.document.selections[index] {
            case .field(let field): fields.add(index, key: field.responseKey.id)
            case .fragmentSpread:
                if let fragment = document.selections[index].fragment { fields.add(fragment: fragment) }
            case .inlineFragment(let fragment): pending.append(fragment.selectionSet.selections.indices)
            }
        }
        collected.append(fields)
        indices[set.selections.start] = collected.count - 1
        return collected.count - 1
    }
}

/// The fields of one selection set by response key, and the fragments spread in it.
struct CollectedFieldSet {
    /// In the order in which the keys come up.
    private(set) var groups: [(key: UInt32, fields: [Int])] = []
    /// Each once, in the order of the text.
    private(set) var fragments: [Int] = []
    private var positions: [UInt32: Int] = [:]
    private var knownFragments: Set<Int> = []

    /// The fields with a response key, by their index in `document.selections`.
    func fields(ofKey key: UInt32) -> [Int] {
        positions[key].map { groups[$0].fields } ?? []
    }

    fileprivate mutating func add(_ field: Int, key: UInt32) {
        if let position = positions[key] {
            groups[position].fields.append(field)
        } else {
            positions[key] = groups.count
            groups.append((key, [field]))
        }
    }

    fileprivate mutating func add(fragment: Int) {
        if knownFragments.insert(fragment).inserted { fragments.append(fragment) }
    }
}

extension TypedDocument {
    /// The selection sets of operations, fragments and fields, in the order of the text.
    ///
    /// Those of inline fragments are part of the sets in which they stand.
    var selectionSetsInOrder: [SelectionSet] {
        var sets = operations.map(\.definition.selectionSet) + fragments.map(\.definition.selectionSet)
        forEachField { _, field in
            if let set = field.selectionSet { sets.append(set) }
        }
        return sets.sorted { $0.span.start < $1.span.start }
    }
}
