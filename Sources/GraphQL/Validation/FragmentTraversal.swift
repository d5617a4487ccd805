extension Document {
    /// Returns the fragment spreads of a selection set, including those of nested selection sets.
    ///
    /// The direct spreads come first, then those of the last nested set, and so on. The reference
    /// implementation follows them in this order, which determines the order of its errors.
    func spreads(in set: SelectionSet) -> [FragmentSpread] {
        var spreads: [FragmentSpread] = []
        forEachSpread(in: set) { _, spread in spreads.append(spread) }
        return spreads
    }

    /// Calls `body` with each fragment spread and its index, in the order of `spreads(in:)`.
    @inline(__always)
    func forEachSpread(in set: SelectionSet, _ body: (Int, FragmentSpread) -> Void) {
        var pending = [set.selections]
        while let run = pending.popLast() {
            for index in run.indices {
                switch selections[index] {
                case .field(let field):
                    if let set = field.selectionSet { pending.append(set.selections) }
                case .fragmentSpread(let spread): body(index, spread)
                case .inlineFragment(let fragment): pending.append(fragment.selectionSet.selections)
                }
            }
        }
    }
}

/// Traverses the fragments reachable from operations, breadth-first and without recursion: a chain of
/// fragments can be as long as the document.
struct FragmentTraversal {
    private let document: TypedDocument
    /// The number of the last traversal that reached the fragment, by fragment.
    private var reached: [Int]
    private var traversalNumber = 0
    private var queue: [Int] = []

    init(_ document: TypedDocument) {
        self.document = document
        reached = Array(repeating: 0, count: document.fragments.count)
    }

    /// Calls `body` once with each fragment that is reachable from the selection set.
    mutating func forEachFragment(from set: SelectionSet, _ body: (Int) -> Void) {
        guard !reached.isEmpty else { return }
        traversalNumber += 1
        follow(from: set, body)
    }

    /// Calls `body` with each fragment that is reachable from the selection set and that no earlier
    /// traversal reached.
    mutating func forEachNewFragment(from set: SelectionSet, _ body: (Int) -> Void) {
        guard !reached.isEmpty else { return }
        traversalNumber = 1
        follow(from: set, body)
    }

    private mutating func follow(from set: SelectionSet, _ body: (Int) -> Void) {
        queue.removeAll(keepingCapacity: true)
        enqueueSpreads(in: set)
        var next = 0
        while next < queue.count {
            let fragment = queue[next]
            next += 1
            body(fragment)
            enqueueSpreads(in: document.fragments[fragment].definition.selectionSet)
        }
    }

    private mutating func enqueueSpreads(in set: SelectionSet) {
        document.document.forEachSpread(in: set) { index, _ in
            guard let fragment = document.selections[index].fragment, reached[fragment] != traversalNumber
            else {
                return
            }
            reached[fragment] = traversalNumber
            queue.append(fragment)
        }
    }
}
