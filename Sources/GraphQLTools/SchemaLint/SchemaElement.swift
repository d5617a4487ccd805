import GraphQL

/// A definition in a schema's document, in the common form for the rules: each has a name and a position.
struct SchemaElement {
    let kind: Kind
    let coordinate: SchemaCoordinate
    let name: Name
    let description: StringValue?
    let directives: NodeRange<Directive>
    /// The type of an element with a value; nil for types, enum values and directives.
    var type: TypeReference?
    /// True for an extension, whose description is at the definition.
    var isExtension = false

    enum Kind: String {
        case type = "Type"
        case field = "Field"
        case argument = "Argument"
        case inputField = "Input field"
        case enumValue = "Enum value"
        case directive = "Directive"
    }
}

extension Document {
    /// All definitions, including nested ones, in source order.
    var schemaDefinitions: [SchemaElement] {
        definitions.flatMap { definition in
            switch definition {
            case .operation, .fragment, .schema: [SchemaElement]()
            case .type(let type): elements(of: type)
            case .directive(let directive): elements(of: directive)
            }
        }
    }

    private func elements(of type: TypeDefinition) -> [SchemaElement] {
        let name = text(type.name)
        let element = SchemaElement(
            kind: .type, coordinate: .type(name), name: type.name, description: type.description,
            directives: type.directives, isExtension: type.isExtension)
        switch type.body {
        case .scalar, .union: return [element]
        case .object(_, let fields), .interface(_, let fields):
            return [element] + fields.indices.flatMap { elements(of: fieldDefinitions[$0], in: name) }
        case .enum(let values):
            return [element]
                + values.indices.map { index in
                    let value = enumValueDefinitions[index]
                    return SchemaElement(
                        kind: .enumValue, coordinate: .member(type: name, name: text(value.name)),
                        name: value.name, description: value.description, directives: value.directives)
                }
        case .inputObject(let fields):
            return [element]
                + inputValues(fields, .inputField) { .member(type: name, name: $0) }
        }
    }

    private func elements(of field: FieldDefinition, in type: String) -> [SchemaElement] {
        let name = text(field.name)
        let element = SchemaElement(
            kind: .field, coordinate: .member(type: type, name: name), name: field.name,
            description: field.description, directives: field.directives, type: field.type)
        return [element]
            + inputValues(field.arguments, .argument) { .argument(type: type, field: name, name: $0) }
    }

    private func elements(of directive: DirectiveDefinition) -> [SchemaElement] {
        let name = text(directive.name)
        let element = SchemaElement(
            kind: .directive, coordinate: .directive(name), name: directive.name,
            description: directive.description, directives: .none)
        return [element]
            + inputValues(directive.arguments, .argument) { .directiveArgument(directive: name, name: $0) }
    }

    private func inputValues(
        _ run: NodeRange<InputValueDefinition>, _ kind: SchemaElement.Kind,
        _ coordinate: (String) -> SchemaCoordinate
    ) -> [SchemaElement] {
        run.indices.map { index in
            let value = inputValueDefinitions[index]
            return SchemaElement(
                kind: kind, coordinate: coordinate(text(value.name)), name: value.name,
                description: value.description, directives: value.directives, type: value.type)
        }
    }
}
