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

    /// Writes variable definitions in parentheses, each on its own line if one needs several lines.
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

    /// Writes the remaining selections of the open selection sets, innermost last, and closes them.
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

    /// Writes a selection up to the opening brace of its selection set; the caller writes the rest.
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

    /// Writes a field without its selection set.
    private mutating func write(_ field: SelectedField) {
        var prefix = document.text(field.name)
        if let alias = field.alias { prefix = "\(document.text(alias)): \(prefix)" }
        write(prefix)
        write(field.arguments, after: prefix)
        write(field.directives)
    }

    /// Writes arguments in parentheses, on separate lines if the prefix and the arguments are too wide.
    private mutating func write(_ arguments: NodeRange<Argument>, after prefix: String) {
        guard !arguments.isEmpty else { return }
        let nodes = document.arguments[arguments.indices]
        if size(of: arguments).enclosed(prefix.utf16.count + 2).units > Printer.maximumWidth {
            return writeBlock("(", nodes, ")") { $0.write($1) }
        }
        write("(")
        write(nodes, separator: ", ") { $0.write($1) }
        write(")")
    }
}

// Values, directives and descriptions (specification, sections 2.6, 2.9 and 2.12).
extension Printer {
    /// A list or an input object whose opening delimiter is already written.
    private struct OpenContainer {
        var isObject: Bool
        /// True if the items are on separate lines.
        var isBroken: Bool
        /// The items not yet written.
        var remaining: Range<Int>
        var isFirst = true
    }

    /// Writes a value with all nested values.
    mutating func write(_ value: Value) {
        var open: [OpenContainer] = []
        begin(value, &open)
        while var container = open.popLast() {
            guard let index = container.remaining.popFirst() else {
                close(container)
                continue
            }
            if container.isBroken { breakLine() } else if !container.isFirst { write(", ") }
            container.isFirst = false
            open.append(container)
            if container.isObject {
                let field = document.objectFields[index]
                write(field.name)
                write(": ")
                begin(field.value, &open)
            } else {
                begin(document.values[index], &open)
            }
        }
    }

    /// Writes a leaf value, or the opening delimiter of a container.
    private mutating func begin(_ value: Value, _ open: inout [OpenContainer]) {
        switch value {
        case .variable(let name, _): write("$" + document.text(name))
        case .int(let span), .float(let span): write(document.source.text(span))
        case .string(let string): writeLines(literal(string))
        case .boolean(let isTrue, _): write(isTrue ? "true" : "false")
        case .null: write("null")
        case .enum(let name): write(name)
        case .list(let items, _):
            let isBroken = isBroken(value)
            write("[")
            if isBroken { indent() }
            open.append(OpenContainer(isObject: false, isBroken: isBroken, remaining: items.indices))
        case .object(let fields, _):
            let isBroken = isBroken(value)
            write(isBroken ? "{" : "{ ")
            if isBroken { indent() }
            open.append(OpenContainer(isObject: true, isBroken: isBroken, remaining: fields.indices))
        }
    }

    private mutating func close(_ container: OpenContainer) {
        if container.isBroken {
            outdent()
            breakLine()
        } else if container.isObject {
            write(" ")
        }
        write(container.isObject ? "}" : "]")
    }

    /// A list or an object that is too wide for one line is also wider than that when it is broken.
    private mutating func isBroken(_ value: Value) -> Bool {
        size(of: value).units > Printer.maximumWidth
    }

    /// Returns a string literal with the same kind of quotes as in the document, printed from its value.
    func literal(_ string: StringValue) -> String {
        let text = document.string(string)
        return string.isBlock ? BlockString.literal(text) : StringLiteral.quoted(text)
    }

    mutating func write(_ argument: Argument) {
        write(argument.name)
        write(": ")
        write(argument.value)
    }

    mutating func write(_ directive: Directive) {
        write("@")
        write(directive.name)
        guard !directive.arguments.isEmpty else { return }
        write("(")
        write(document.arguments[directive.arguments.indices], separator: ", ") { $0.write($1) }
        write(")")
    }

    /// Writes directives, each after a space.
    mutating func write(_ directives: NodeRange<Directive>) {
        for index in directives.indices {
            write(" ")
            write(document.directives[index])
        }
    }

    mutating func write(_ type: TypeReference) {
        write(document.print(type))
    }

    /// Writes a description on separate lines.
    mutating func write(description: StringValue?) {
        guard let description else { return }
        writeLines(literal(description))
        breakLine()
    }
}
