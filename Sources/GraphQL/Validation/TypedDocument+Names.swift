extension TypedDocument {
    /// The nodes whose name a node before them has, each with the first node of that name.
    func repeated<Node>(_ nodes: [Node], by name: (Node) -> Name) -> [(first: Node, other: Node)] {
        guard nodes.count > 1 else { return [] }
        var firsts: [UInt32: Node] = [:]
        var repeated: [(first: Node, other: Node)] = []
        for node in nodes {
            if let first = firsts[name(node).id] {
                repeated.append((first, node))
            } else {
                firsts[name(node).id] = node
            }
        }
        return repeated
    }

    /// The names that stand in the list more than once, all occurrences of one together.
    func groupsOfSame(_ names: [Name]) -> [[Name]] {
        guard names.count > 1 else { return [] }
        var order: [UInt32] = []
        var groups: [UInt32: [Name]] = [:]
        for name in names {
            if groups[name.id] == nil { order.append(name.id) }
            groups[name.id, default: []].append(name)
        }
        return order.compactMap { groups[$0] }.filter { $0.count > 1 }
    }

    /// Calls `body` with every value in the document, nested ones included.
    func forEachValue(_ body: (Value) -> Void) {
        for argument in document.arguments { body(argument.value) }
        for variable in document.variableDefinitions {
            if let value = variable.defaultValue { body(value) }
        }
        for definition in document.inputValueDefinitions {
            if let value = definition.defaultValue { body(value) }
        }
        for value in document.values { body(value) }
        for field in document.objectFields { body(field.value) }
    }
}
