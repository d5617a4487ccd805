extension ValidationRule {
    /// Introspection nests lists less than three levels deep.
    ///
    /// This rule is not part of the specification. The reference implementation recommends it, because each
    /// level multiplies the response by the size of the schema.
    static let maxIntrospectionDepth = ValidationRule(name: "Maximum Introspection Depth") { document in
        guard document.options.limitsIntrospectionDepth else { return [] }
        var roots: [(index: Int, span: SourceSpan)] = []
        document.forEachField { index, field in
            let text = document.text(field.name)
            if text == "__schema" || text == "__type" { roots.append((index, field.span)) }
        }
        guard !roots.isEmpty else { return [] }
        var search = IntrospectionDepth(document)
        var refused: SourceSpan?
        var findings: [ValidationFinding] = []
        for root in roots.sorted(by: { $0.span.start < $1.span.start }) {
            // Selections in a rejected field are not reported again.
            if let refused, refused.contains(root.span) { continue }
            guard search.isExceeded(from: root.index) else { continue }
            refused = root.span
            findings.append(
                ValidationFinding(.entering(root.span), at: [root.span]) {
                    "Maximum introspection depth exceeded"
                })
        }
        return findings
    }
}

/// Finds nested introspection lists, also through fragments.
///
/// Each fragment is followed at most once for each depth, and without recursion: a chain of fragments can be
/// as long as the document.
private struct IntrospectionDepth {
    private static let maximumLists = 3

    private let document: TypedDocument
    /// True if the field is an introspection list, by `Name.id`.
    private let isList: [Bool]
    /// The greatest depth at which the fragment was followed without exceeding the limit, by fragment.
    private var followed: [Int]
    /// The smallest depth from which the fragment exceeds the limit, by fragment.
    private var exceeded: [Int]

    private struct Step {
        var remaining: Range<Int>
        var depth: Int
        var fragment: Int?
    }

    init(_ document: TypedDocument) {
        self.document = document
        let lists: Set = ["fields", "interfaces", "possibleTypes", "inputFields"]
        isList = document.document.names.map { lists.contains($0) }
        followed = Array(repeating: -1, count: document.fragments.count)
        exceeded = Array(repeating: .max, count: document.fragments.count)
    }

    mutating func isExceeded(from root: Int) -> Bool {
        var steps = [Step(remaining: root..<(root + 1), depth: 0)]
        while var step = steps.popLast() {
            guard let index = step.remaining.popFirst() else { continue }
            steps.append(step)
            guard let next = follow(index, at: step.depth) else {
                for step in steps {
                    if let fragment = step.fragment {
                        exceeded[fragment] = min(exceeded[fragment], step.depth)
                    }
                }
                return true
            }
            if !next.remaining.isEmpty { steps.append(next) }
        }
        return false
    }

    /// Returns the next step below a selection; nil if it exceeds the limit.
    private mutating func follow(_ index: Int, at depth: Int) -> Step? {
        let nothing = Step(remaining: 0..<0, depth: depth)
        switch document.document.selections[index] {
        case .field(let field):
            let depth = isList[Int(field.name.id)] ? depth + 1 : depth
            if depth >= IntrospectionDepth.maximumLists { return nil }
            return field.selectionSet.map { Step(remaining: $0.selections.indices, depth: depth) } ?? nothing
        case .inlineFragment(let fragment):
            return Step(remaining: fragment.selectionSet.selections.indices, depth: depth)
        case .fragmentSpread:
            guard let fragment = document.selections[index].fragment else { return nothing }
            if exceeded[fragment] <= depth { return nil }
            if followed[fragment] >= depth { return nothing }
            followed[fragment] = depth
            let set = document.fragments[fragment].definition.selectionSet
            return Step(remaining: set.selections.indices, depth: depth, fragment: fragment)
        }
    }
}

extension Range<Int> {
    fileprivate mutating func popFirst() -> Int? {
        guard let first else { return nil }
        self = dropFirst()
        return first
    }
}
