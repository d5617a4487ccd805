extension ValidationRule {
    /// No fragment spreads itself, directly or through other fragments (specification, 5.5.2.2).
    static let noFragmentCycles = ValidationRule(name: "Fragment Spreads Must Not Form Cycles") { document in
        guard !document.fragments.isEmpty else { return [] }
        var search = CycleSearch(document)
        search.run()
        return search.findings
    }
}

/// A depth-first search in the graph of fragments, with an explicit stack: a chain of fragments can be as
/// long as the document.
private struct CycleSearch {
    private let document: TypedDocument
    /// The fragments whose spreads have been followed.
    ///
    /// Of several fragments with one name, the last is used.
    private var visited: [Bool]
    /// The position on the path by fragment; -1 if it is not on the path.
    private var depths: [Int]
    private var path: [Step] = []
    private(set) var findings: [ValidationFinding] = []

    /// A fragment on the path, with its spreads and the next spread to follow.
    private struct Step {
        var fragment: Int
        var spreads: [FragmentSpread]
        var next = 0
    }

    init(_ document: TypedDocument) {
        self.document = document
        visited = Array(repeating: false, count: document.fragments.count)
        depths = Array(repeating: -1, count: document.fragments.count)
    }

    mutating func run() {
        for root in document.fragments.indices {
            enter(root)
            while let step = path.indices.last {
                guard path[step].next < path[step].spreads.count else {
                    depths[path[step].fragment] = -1
                    path.removeLast()
                    continue
                }
                let spread = path[step].spreads[path[step].next]
                path[step].next += 1
                guard let fragment = document.fragment(named: spread.name) else { continue }
                if depths[fragment] < 0 {
                    enter(fragment)
                } else {
                    reportCycle(from: depths[fragment], to: spread, root: root)
                    // Each error contains a path, which can be long, so no more are collected than are
                    // reported.
                    if findings.count > document.options.maximumErrors { return }
                }
            }
        }
    }

    private mutating func enter(_ fragment: Int) {
        let definition = document.fragments[fragment].definition
        let namesake = document.fragment(named: definition.name) ?? fragment
        guard !visited[namesake] else { return }
        visited[namesake] = true
        let spreads = document.document.spreads(in: definition.selectionSet)
        guard !spreads.isEmpty else { return }
        depths[namesake] = path.count
        path.append(Step(fragment: namesake, spreads: spreads))
    }

    private mutating func reportCycle(from depth: Int, to closing: FragmentSpread, root: Int) {
        let between = path[depth..<(path.count - 1)].map { $0.spreads[$0.next - 1] }
        let document = document
        findings.append(
            ValidationFinding(
                .entering(document.fragments[root].definition.span),
                at: between.map(\.span) + [closing.span]
            ) {
                let via = between.map { document.quoted($0.name) }.joined(separator: ", ")
                return "Cannot spread fragment \(document.quoted(closing.name)) within itself"
                    + (via.isEmpty ? "." : " via \(via).")
            })
    }
}
