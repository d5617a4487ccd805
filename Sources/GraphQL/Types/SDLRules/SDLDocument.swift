/// A document that defines a schema, with its applied directives and type references, as input of the rules.
///
/// Includes the executable definitions of the document, like the reference implementation.
struct SDLDocument: Sendable {
    let syntax: SchemaDefinitions
    /// The nodes with applied directives.
    private(set) var directiveSites: [NodeDirectives] = []
    /// All references to types.
    private(set) var typeUses: [TypeUse] = []
    /// The directives of the document and of the specification, by `Name.id`.
    private(set) var directives: [UInt32: SDLDirective] = [:]

    /// A reference to a type.
    struct TypeUse: Sendable {
        let name: Name
        /// False in operations and fragments.
        let isTypeSystem: Bool
    }

    var document: Document { syntax.document }

    init(_ syntax: SchemaDefinitions) {
        self.syntax = syntax
        for (id, name) in document.names.enumerated() {
            if let directive = BuiltInDirective.named(name) {
                directives[UInt32(id)] = SDLDirective(directive)
            }
        }
        for directive in syntax.directives {
            directives[directive.name.id] = SDLDirective(directive, in: document)
        }
        for definition in document.definitions { collect(definition) }
    }

    func text(_ name: Name) -> String { document.text(name) }

    /// The definitions of types, without extensions.
    var typeDefinitions: [TypeDefinition] { types { !$0.isExtension } }

    var typeExtensions: [TypeDefinition] { types { $0.isExtension } }

    /// The definitions and extensions of types.
    var typeNodes: [TypeDefinition] { types { _ in true } }

    private func types(where isWanted: (TypeDefinition) -> Bool) -> [TypeDefinition] {
        document.definitions.compactMap { definition in
            guard case .type(let type) = definition, isWanted(type) else { return nil }
            return type
        }
    }
}

// MARK: - Type system definitions

extension SDLDocument {
    private mutating func collect(_ definition: Definition) {
        switch definition {
        case .schema(let schema): collect(schema)
        case .type(let type): collect(type)
        case .directive(let directive): collect(directive.arguments, .argumentDefinition)
        case .operation(let operation): collect(operation)
        case .fragment(let fragment): collect(fragment)
        }
    }

    private mutating func collect(_ schema: SchemaDefinition) {
        add(schema.directives, .schema, schema.span)
        for index in schema.operationTypes.indices { use(document.operationTypeDefinitions[index].type) }
    }

    private mutating func collect(_ type: TypeDefinition) {
        add(type.directives, type.body.directiveLocation, type.span, of: type.name)
        for index in type.body.interfaces.indices { use(document.nameLists[index]) }
        for index in type.body.members.indices { use(document.nameLists[index]) }
        for index in type.body.fields.indices {
            let field = document.fieldDefinitions[index]
            use(field.type.name)
            add(field.directives, .fieldDefinition, field.span)
            collect(field.arguments, .argumentDefinition)
        }
        for index in type.body.enumValues.indices {
            let value = document.enumValueDefinitions[index]
            add(value.directives, .enumValue, value.span)
        }
        collect(type.body.inputFields, .inputFieldDefinition)
    }

    private mutating func collect(_ values: NodeRange<InputValueDefinition>, _ location: DirectiveLocation) {
        for index in values.indices {
            let value = document.inputValueDefinitions[index]
            use(value.type.name)
            add(value.directives, location, value.span)
        }
    }

    private mutating func use(_ name: Name, isTypeSystem: Bool = true) {
        typeUses.append(TypeUse(name: name, isTypeSystem: isTypeSystem))
    }

    private mutating func add(
        _ directives: NodeRange<Directive>, _ location: DirectiveLocation, _ owner: SourceSpan,
        of name: Name? = nil
    ) {
        if directives.isEmpty { return }
        directiveSites.append(
            NodeDirectives(directives: directives, location: location, owner: owner, definedName: name))
    }
}

// MARK: - Executable definitions

extension SDLDocument {
    private mutating func collect(_ operation: OperationDefinition) {
        let location: DirectiveLocation =
            switch operation.type {
            case .query: .query
            case .mutation: .mutation
            case .subscription: .subscription
            }
        add(operation.directives, location, operation.span)
        for index in operation.variables.indices {
            let variable = document.variableDefinitions[index]
            use(variable.type.name, isTypeSystem: false)
            add(variable.directives, .variableDefinition, variable.span)
        }
        collect(operation.selectionSet)
    }

    private mutating func collect(_ fragment: FragmentDefinition) {
        use(fragment.typeCondition, isTypeSystem: false)
        add(fragment.directives, .fragmentDefinition, fragment.span)
        collect(fragment.selectionSet)
    }

    private mutating func collect(_ selectionSet: SelectionSet) {
        for index in selectionSet.selections.indices {
            switch document.selections[index] {
            case .field(let field):
                add(field.directives, .field, field.span)
                if let selectionSet = field.selectionSet { collect(selectionSet) }
            case .fragmentSpread(let spread):
                add(spread.directives, .fragmentSpread, spread.span)
            case .inlineFragment(let fragment):
                if let condition = fragment.typeCondition { use(condition, isTypeSystem: false) }
                add(fragment.directives, .inlineFragment, fragment.span)
                collect(fragment.selectionSet)
            }
        }
    }
}

/// The part of a directive's definition that the rules use.
struct SDLDirective: Sendable {
    let locations: [String]
    let isRepeatable: Bool
    let arguments: [String]
    /// The required arguments, with their types as text.
    let required: [(name: String, type: String)]

    init(_ directive: BuiltInDirective) {
        locations = directive.locations.map(\.rawValue)
        isRepeatable = false
        arguments = directive.arguments.map(\.name)
        required = directive.arguments.filter { $0.type.wrapping.isNonNull && $0.defaultValue == nil }
            .map { ($0.name, $0.type.wrapping.description(around: $0.type.name)) }
    }

    init(_ directive: DirectiveDefinition, in document: Document) {
        let definitions = document.inputValueDefinitions[directive.arguments.indices]
        locations = document.nameLists[directive.locations.indices].map(document.text)
        isRepeatable = directive.isRepeatable
        arguments = definitions.map { document.text($0.name) }
        required = definitions.filter { $0.type.wrapping.isNonNull && $0.defaultValue == nil }
            .map { (document.text($0.name), document.print($0.type)) }
    }
}

extension TypeBody {
    /// The location of directives on a type of this kind.
    var directiveLocation: DirectiveLocation {
        switch self {
        case .scalar: .scalar
        case .object: .object
        case .interface: .interface
        case .union: .union
        case .enum: .enum
        case .inputObject: .inputObject
        }
    }
}
