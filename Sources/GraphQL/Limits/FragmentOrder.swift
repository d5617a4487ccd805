/// The fragments reachable from an operation, each after those that it spreads.
///
/// In this order, results for a fragment can be computed from those of other fragments without recursion
/// along chains of fragments.
struct FragmentOrder {
    /// The indices in `TypedDocument.fragments`.
    private(set) var fragments: [Int] = []

    /// Traverses a selection set of a valid document, whose fragments form no cycles.
    init(reachedFrom set: SelectionSet, in document: TypedDocument) {
        guard !document.fragments.isEmpty else { return }
        var reached = Array(repeating: false, count: document.fragments.count)
        var path = [Step(fragment: nil, spreads: document.fragmentsSpread(in: set))]
        while var step = path.popLast() {
            guard let next = step.spreads.popLast() else {
                if let fragment = step.fragment { fragments.append(fragment) }
                continue
            }
            path.append(step)
            if reached[next] { continue }
            reached[next] = true
            let inner = document.fragments[next].definition.selectionSet
            path.append(Step(fragment: next, spreads: document.fragmentsSpread(in: inner)))
        }
    }

    /// A fragment (nil for the operation) with its fragment spreads that are not yet followed.
    private struct Step {
        let fragment: Int?
        var spreads: [Int]
    }
}

extension TypedDocument {
    fileprivate func fragmentsSpread(in set: SelectionSet) -> [Int] {
        var fragments: [Int] = []
        document.forEachSpread(in: set) { index, _ in
            if let fragment = selections[index].fragment { fragments.append(fragment) }
        }
        return fragments
    }
}
