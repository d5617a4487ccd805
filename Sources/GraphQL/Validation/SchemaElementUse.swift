/// A reference to an element of a schema in a document.
public struct SchemaElementUse: Sendable {
    /// The element's coordinate in the schema; for a field, with the type from which it is selected.
    public let coordinate: SchemaCoordinate
    /// The position in the document; for a type, field, enum value or directive only the name.
    public let span: SourceSpan
    /// The deprecation reason in the schema; nil if not deprecated.
    public let deprecationReason: String?
}

extension ValidDocument {
    /// All references to elements of the schema, in source order.
    ///
    /// These are fields and their arguments, types in conditions and of variables, directives and their
    /// arguments, input fields, and enum values as literals. Values of variables and meta-fields such as
    /// `__typename` are not included.
    public var schemaUses: [SchemaElementUse] {
        var collector = SchemaReferenceCollector(typed)
        collector.run()
        return collector.uses.sorted { ($0.span.start, $0.span.end) < ($1.span.start, $1.span.end) }
    }
}

/// Collects the references; recurses into values, whose depth the parser limits.
struct SchemaReferenceCollector {
    private let typed: TypedDocument
    private(set) var uses: [SchemaElementUse] = []

    private var document: Document { typed.document }
    private var schema: Schema { typed.schema }

    init(_ typed: TypedDocument) {
        self.typed = typed
    }

    mutating func run() {
        for index in document.selections.indices { collectSelection(at: index) }
        for fragment in typed.fragments {
            let condition = fragment.definition.typeCondition
            use(.type(document.text(condition)), condition.span)
        }
        for index in document.variableDefinitions.indices { collectVariable(at: index) }
        for index in document.directives.indices { collectDirective(at: index) }
    }

    private mutating func use(_ coordinate: SchemaCoordinate, _ span: SourceSpan, _ reason: String? = nil) {
        uses.append(SchemaElementUse(coordinate: coordinate, span: span, deprecationReason: reason))
    }

    private mutating func collectSelection(at index: Int) {
        switch document.selections[index] {
        case .field(let field): collectField(field, at: index)
        case .inlineFragment(let fragment):
            if let condition = fragment.typeCondition { use(.type(document.text(condition)), condition.span) }
        case .fragmentSpread: break
        }
    }

    private mutating func collectField(_ field: SelectedField, at index: Int) {
        guard case .defined = typed.selections[index].field, let parent = typed.selections[index].parentType,
            let definition = typed.fieldDefinition(at: index)
        else { return }
        let type = schema[parent].name
        use(.member(type: type, name: definition.name), field.name.span, definition.deprecationReason)
        collectArguments(field.arguments, by: definition.arguments) {
            .argument(type: type, field: definition.name, name: $0)
        }
    }

    private mutating func collectVariable(at index: Int) {
        let variable = document.variableDefinitions[index]
        guard let type = typed.variableTypes[index] else { return }
        use(.type(schema[type.type].name), variable.type.name.span)
        if let value = variable.defaultValue { collect(value, of: type.type) }
    }

    private mutating func collectDirective(at index: Int) {
        guard let position = typed.directives[index] else { return }
        let definition = schema.directives[position]
        let directive = document.directives[index]
        use(.directive(definition.name), directive.name.span)
        collectArguments(directive.arguments, by: definition.arguments) {
            .directiveArgument(directive: definition.name, name: $0)
        }
    }

    private mutating func collectArguments(
        _ run: NodeRange<Argument>, by definitions: [SchemaInputValue],
        _ coordinate: (String) -> SchemaCoordinate
    ) {
        for index in run.indices {
            guard let position = typed.arguments[index].position else { continue }
            let (argument, definition) = (document.arguments[index], definitions[position])
            use(coordinate(definition.name), argument.name.span, definition.deprecationReason)
            collect(argument.value, of: definition.type.type)
        }
    }

    /// Collects the references in a value of a named type; lists around the type are irrelevant.
    private mutating func collect(_ value: Value, of type: TypeID) {
        switch value {
        case .variable, .int, .float, .string, .boolean, .null: break
        case .enum(let name):
            guard case .enum(let definition) = schema[type].kind else { return }
            let text = document.text(name)
            use(
                .member(type: schema[type].name, name: text), name.span,
                definition.value(named: text)?.deprecationReason)
        case .list(let items, _):
            for index in items.indices { collect(document.values[index], of: type) }
        case .object(let fields, _):
            guard case .inputObject(let object) = schema[type].kind else { return }
            for index in fields.indices {
                let field = document.objectFields[index]
                guard let definition = object.field(named: document.text(field.name)) else { continue }
                use(
                    .member(type: schema[type].name, name: definition.name), field.name.span,
                    definition.deprecationReason)
                collect(field.value, of: definition.type.type)
            }
        }
    }
}
