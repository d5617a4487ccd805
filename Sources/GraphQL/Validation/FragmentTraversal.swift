extension Document {
    /// The fragment spreads of a selection set, those of nested selection sets included: first those that stand in
    /// it directly, then those of its last nested set, and so on; in this order the reference implementation
    /// follows them, and its errors with it.
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

/// Walks from operations to the fragments that they reach, breadth first, without recursion: chains of fragments may
/// be as long as the document.
struct FragmentTraversal {
    private let document: TypedDocument
    /// By fragment: the number of the walk that reached it last.
    private var reached: [Int]
    private var traversalNumber = 0
    private var queue: [Int] = []

    init(_ document: TypedDocument) {
        self.document = document
        reached = Array(repeating: 0, count: document.fragments.count)
    }

    /// Calls `body` with each fragment that the selection set reaches, once.
    mutating func forEachFragment(from set: SelectionSet, _ body: (Int) -> Void) {
        guard !reached.isEmpty else { return }
        traversalNumber += 1
        follow(from: set, body)
    }

    /// Calls `body` with each fragment that the selection set reaches and that no walk has reached before.
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
