// Definitions and extensions of schemas, types and directives (specification, chapter 3).
extension Printer {
    mutating func write(_ schema: SchemaDefinition) {
        write(description: schema.description)
        write(schema.isExtension ? "extend schema" : "schema")
        write(schema.directives)
        writeBody(document.operationTypeDefinitions[schema.operationTypes.indices]) { printer, definition in
            printer.write(definition.operation.rawValue + ": ")
            printer.write(definition.type)
        }
    }

    mutating func write(_ type: TypeDefinition) {
        write(description: type.description)
        if type.isExtension { write("extend ") }
        write(type.body.keyword.rawValue + " ")
        write(type.name)
        switch type.body {
        case .scalar:
            write(type.directives)
        case .object(let interfaces, let fields), .interface(let interfaces, let fields):
            write(interfaces, prefix: " implements ", separator: " & ")
            write(type.directives)
            writeBody(document.fieldDefinitions[fields.indices]) { $0.write($1) }
        case .union(let members):
            write(type.directives)
            write(members, prefix: " = ", separator: " | ")
        case .enum(let values):
            write(type.directives)
            writeBody(document.enumValueDefinitions[values.indices]) { printer, value in
                printer.write(description: value.description)
                printer.write(value.name)
                printer.write(value.directives)
            }
        case .inputObject(let fields):
            write(type.directives)
            writeBody(document.inputValueDefinitions[fields.indices]) { $0.write($1) }
        }
    }

    mutating func write(_ directive: DirectiveDefinition) {
        write(description: directive.description)
        write("directive @")
        write(directive.name)
        write(directive.arguments)
        if directive.isRepeatable { write(" repeatable") }
        write(directive.locations, prefix: " on ", separator: " | ")
    }

    private mutating func write(_ field: FieldDefinition) {
        write(description: field.description)
        write(field.name)
        write(field.arguments)
        write(": ")
        write(field.type)
        write(field.directives)
    }

    private mutating func write(_ definition: InputValueDefinition) {
        write(description: definition.description)
        write(definition.name)
        write(": ")
        write(definition.type)
        write(defaultValue: definition.defaultValue)
        write(definition.directives)
    }

    /// Writes argument definitions in parentheses, each on its own line if one needs several lines.
    private mutating func write(_ arguments: NodeRange<InputValueDefinition>) {
        guard !arguments.isEmpty else { return }
        let definitions = document.inputValueDefinitions[arguments.indices]
        for definition in definitions {
            let isBroken = isMultiline(
                description: definition.description, defaultValue: definition.defaultValue,
                directives: definition.directives)
            if isBroken { return writeBlock("(", definitions, ")") { $0.write($1) } }
        }
        write("(")
        write(definitions, separator: ", ") { $0.write($1) }
        write(")")
    }

    /// Writes names after a prefix, or nothing if there are none.
    private mutating func write(_ names: NodeRange<Name>, prefix: String, separator: String) {
        guard !names.isEmpty else { return }
        write(prefix)
        write(document.nameLists[names.indices], separator: separator) { $0.write($1) }
    }

    /// Writes nodes between braces, or nothing if there are none.
    private mutating func writeBody<Nodes: Collection>(
        _ nodes: Nodes, node: (inout Printer, Nodes.Element) -> Void
    ) {
        guard !nodes.isEmpty else { return }
        write(" ")
        writeBlock("{", nodes, "}", node: node)
    }
}

extension TypeBody {
    /// The keyword at the start of the definition.
    fileprivate var keyword: Keyword {
        switch self {
        case .scalar: .scalar
        case .object: .type
        case .interface: .interface
        case .union: .union
        case .enum: .enum
        case .inputObject: .input
        }
    }
}
