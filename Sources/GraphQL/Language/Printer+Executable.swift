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
    private mutating func write(_ variables: Run<VariableDefinition>) {
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
        writeBlock("{", document.selections[selectionSet.selections.indices], "}") { $0.write($1) }
    }

    mutating func write(_ selection: Selection) {
        switch selection {
        case .field(let field): write(field)
        case .fragmentSpread(let spread):
            write("...")
            write(spread.name)
            write(spread.directives)
        case .inlineFragment(let fragment):
            write("...")
            if let type = fragment.typeCondition { write(" on " + document.text(type)) }
            write(fragment.directives)
            write(" ")
            write(fragment.selectionSet)
        }
    }

    private mutating func write(_ field: SelectedField) {
        var prefix = document.text(field.name)
        if let alias = field.alias { prefix = "\(document.text(alias)): \(prefix)" }
        write(prefix)
        write(field.arguments, behind: prefix)
        write(field.directives)
        if let selectionSet = field.selectionSet {
            write(" ")
            write(selectionSet)
        }
    }

    /// Arguments in parentheses, on lines of their own where they and what stands in front are too wide.
    private mutating func write(_ arguments: Run<Argument>, behind prefix: String) {
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
