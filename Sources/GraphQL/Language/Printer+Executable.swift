// Documents, operations and fragments (specification, sections 2.2 to 2.8 and 2.10).
extension Printer {
    mutating func writeDefinitions() {
        var isFirst = true
        for definition in document.definitions {
            if !isFirst { write("\n\n") }
            isFirst = false
            write(definition)
        }
    }

    mutating func write(_ definition: Definition) {
        switch definition {
        case .operation(let operation): write(operation)
        case .fragment(let fragment): write(fragment)
        case .schema(let schema): write(schema)
        case .type(let type): write(type)
        case .directive(let directive): write(directive)
        }
    }

    private mutating func write(_ operation: OperationDefinition) {
        let isBare =
            operation.type == .query && operation.name == nil && operation.variables.isEmpty
            && operation.directives.isEmpty && operation.description == nil
        if !isBare {
            write(description: operation.description)
            write(operation.type.rawValue)
            if operation.name != nil || !operation.variables.isEmpty { write(" ") }
            if let name = operation.name { write(name) }
            write(operation.variables)
            write(operation.directives)
            write(" ")
        }
        write(operation.selectionSet)
    }

    /// Variable definitions in parentheses; where one takes several lines, all stand on lines of their own.
    private mutating func write(_ variables: NodeRange<VariableDefinition>) {
        guard !variables.isEmpty else { return }
        let definitions = document.variableDefinitions[variables.indices]
        var isBroken = false
        for definition in definitions where !isBroken {
            isBroken = isMultiline(
                description: definition.description, defaultValue: definition.defaultValue,
                directives: definition.directives)
        }
        write("(")
        var isFirst = true
        for definition in definitions {
            if isBroken { breakLine() } else if !isFirst { write(", ") }
            isFirst = false
            write(definition)
        }
        if isBroken { breakLine() }
        write(")")
    }

    private mutating func write(_ definition: VariableDefinition) {
        write(description: definition.description)
        write("$")
        write(definition.name)
        write(": ")
        write(definition.type)
        write(defaultValue: definition.defaultValue)
        write(definition.directives)
    }

    mutating func write(defaultValue: Value?) {
        guard let defaultValue else { return }
        write(" = ")
        write(defaultValue)
    }

    private mutating func write(_ fragment: FragmentDefinition) {
        write(description: fragment.description)
        write("fragment ")
        write(fragment.name)
        write(" on ")
        write(fragment.typeCondition)
        write(fragment.directives)
        write(" ")
        write(fragment.selectionSet)
    }

    private mutating func write(_ selectionSet: SelectionSet) {
        write("{")
        indent()
        finish([selectionSet.selections.indices])
    }

    mutating func write(_ selection: Selection) {
        var open: [Range<Int>] = []
        write(selection, &open)
        finish(open)
    }

    /// Writes what selection sets still hold, the innermost last, and closes them.
    private mutating func finish(_ selectionSets: [Range<Int>]) {
        var open = selectionSets
        while var rest = open.popLast() {
            if let index = rest.popFirst() {
                open.append(rest)
                breakLine()
                write(document.selections[index], &open)
            } else {
                outdent()
                breakLine()
                write("}")
            }
        }
    }

    /// A selection up to the opening brace of its own selection set, which is left to the caller then.
    private mutating func write(_ selection: Selection, _ open: inout [Range<Int>]) {
        let selectionSet: SelectionSet?
        switch selection {
        case .field(let field):
            selectionSet = field.selectionSet
            write(field)
        case .fragmentSpread(let spread):
            selectionSet = nil
            write("...")
            write(spread.name)
            write(spread.directives)
        case .inlineFragment(let fragment):
            selectionSet = fragment.selectionSet
            write("...")
            if let type = fragment.typeCondition { write(" on " + document.text(type)) }
            write(fragment.directives)
        }
        guard let selectionSet else { return }
        write(" {")
        indent()
        open.append(selectionSet.selections.indices)
    }

    /// A field without its selection set.
    private mutating func write(_ field: SelectedField) {
        var prefix = document.text(field.name)
        if let alias = field.alias { prefix = "\(document.text(alias)): \(prefix)" }
        write(prefix)
        write(field.arguments, behind: prefix)
        write(field.directives)
    }

    /// Arguments in parentheses, on lines of their own where they and what stands in front are too wide.
    private mutating func write(_ arguments: NodeRange<Argument>, behind prefix: String) {
        guard !arguments.isEmpty else { return }
        let nodes = document.arguments[arguments.indices]
        if extent(of: arguments).enclosed(prefix.utf16.count + 2).units > Printer.maximumWidth {
            return writeBlock("(", nodes, ")") { $0.write($1) }
        }
        write("(")
        write(nodes, separator: ", ") { $0.write($1) }
        write(")")
    }
}
