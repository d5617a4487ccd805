extension SDLRule {
    /// No definition of a directive contains itself, through the directives on its arguments and the types of its arguments
    /// (specification, section 3.13).
    ///
    /// Of several cycles with common elements, one is reported.
    static let noDirectiveCycles = SDLRule(name: "No Directive Cycles") { document in
        DirectiveReferences(document).cycles().map { cycle in
            ValidationFinding(.end, at: cycle.prefix(100).map(\.span)) {
                let names = cycle.map { "\"\($0.isType ? "" : "@")\(document.text($0.name))\"" }
                let kind = cycle.contains(where: \.isType) ? "references" : "directive applications"
                // A cycle can have as many elements as a file has names.
                let others = names.count > 100 ? ", …" : ""
                let path =
                    " through a series of \(kind): \(names.prefix(100).joined(separator: ", "))\(others)"
                return "Cannot reference directive \(names[names.count - 1]) within itself"
                    + (names.count == 1 ? "." : path + ".")
            }
        }
    }
}

/// The references that definitions of directives, and of the types of their arguments, contain.
private struct DirectiveReferences {
    /// A directive or a type.
    struct Element: Hashable {
        let isType: Bool
        /// The `Name.id`.
        let id: UInt32
    }

    /// An applied directive, or the named type of an argument or input field.
    struct Reference {
        let name: Name
        let isType: Bool
        let span: SourceSpan

        var element: Element { Element(isType: isType, id: name.id) }
    }

    /// The references in the definition of an element and its extensions.
    private var references: [Element: [Reference]] = [:]
    private let directives: [Element]
    private let document: Document

    init(_ document: SDLDocument) {
        self.document = document.document
        directives = document.syntax.directives.map { Element(isType: false, id: $0.name.id) }
        for (element, directive) in zip(directives, document.syntax.directives) {
            add(directive.arguments, to: element)
        }
        for type in document.typeNodes {
            let element = Element(isType: true, id: type.name.id)
            add(type.directives, to: element)
            for index in type.body.enumValues.indices {
                add(self.document.enumValueDefinitions[index].directives, to: element)
            }
            add(type.body.inputFields, to: element)
        }
    }

    private mutating func add(_ applied: NodeRange<Directive>, to element: Element) {
        for directive in document.directives[applied.indices] {
            references[element, default: []].append(
                Reference(name: directive.name, isType: false, span: directive.span))
        }
    }

    private mutating func add(_ values: NodeRange<InputValueDefinition>, to element: Element) {
        for value in document.inputValueDefinitions[values.indices] {
            add(value.directives, to: element)
            let name = value.type.name
            references[element, default: []].append(Reference(name: name, isType: true, span: name.span))
        }
    }

    /// Returns the shortest cycle of a directive in each group of elements that refer to one another.
    ///
    /// The groups are the strongly connected components (Kosaraju's algorithm), so the time is linear in the size of the
    /// document.
    func cycles() -> [[Reference]] {
        var targets: [Element: [Element]] = [:]
        var sources: [Element: [Element]] = [:]
        for (element, references) in references {
            targets[element] = references.map(\.element)
            for reference in references { sources[reference.element, default: []].append(element) }
        }
        var visited: Set<Element> = []
        var order: [Element] = []
        for directive in directives { order += postorder(from: directive, along: targets, &visited) }
        visited = []
        var cycles: [[Reference]] = []
        for element in order.reversed() {
            let group = postorder(from: element, along: sources, &visited)
            let first = group.filter { !$0.isType }.min { $0.id < $1.id }
            if let first, let cycle = cycle(of: first, in: Set(group)) { cycles.append(cycle) }
        }
        return cycles.sorted { $0[0].span.start < $1[0].span.start }
    }

    /// Returns the elements that `start` leads to, without those visited before, in the order in which a depth-first
    /// traversal leaves them.
    private func postorder(
        from start: Element, along edges: [Element: [Element]], _ visited: inout Set<Element>
    ) -> [Element] {
        guard visited.insert(start).inserted else { return [] }
        var left: [Element] = []
        // An explicit stack: a chain of types can be as long as the document.
        var stack = [(element: start, next: 0)]
        while let (element, next) = stack.last {
            let targets = edges[element] ?? []
            if next == targets.count {
                left.append(element)
                stack.removeLast()
            } else {
                stack[stack.count - 1].next += 1
                if visited.insert(targets[next]).inserted { stack.append((targets[next], 0)) }
            }
        }
        return left
    }

    /// Returns the shortest path from an element to itself through elements of a group; nil if there is none.
    private func cycle(of start: Element, in group: Set<Element>) -> [Reference]? {
        var arrivals: [Element: (source: Element, reference: Reference)] = [:]
        var queue = [start]
        var position = 0
        while position < queue.count, arrivals[start] == nil {
            for reference in references[queue[position]] ?? []
            where group.contains(reference.element) && arrivals[reference.element] == nil {
                arrivals[reference.element] = (queue[position], reference)
                queue.append(reference.element)
            }
            position += 1
        }
        var path: [Reference] = []
        var element = start
        while let arrival = arrivals[element], path.isEmpty || element != start {
            path.append(arrival.reference)
            element = arrival.source
        }
        return path.isEmpty ? nil : path.reversed()
    }
}
