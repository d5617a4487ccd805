/// The pass that attaches types to the nodes of a document.
///
/// It recurses into nested selections and values, whose depth the parser limits. It does not follow fragment
/// spreads: each fragment is typed once, by its own type condition.
struct TypeInfoPass {
    let document: Document
    let schema: Schema

    private(set) var operations: [TypedOperation] = []
    private(set) var fragments: [TypedFragment] = []
    private(set) var fragmentIndices: [Int32]
    private(set) var selections: [TypedSelection]
    private(set) var arguments: [TypedArgument]
    private(set) var directives: [Int?]
    private(set) var directiveSites: [NodeDirectives] = []
    private(set) var itemTypes: [GraphQLType?]
    private(set) var objectFields: [TypedObjectField]
    private(set) var variableTypes: [GraphQLType?]
    private(set) var variableUses: [VariableUse] = []
    private(set) var kinds: [TypeKind]
    private(set) var directiveDefinitions: [UInt32: DirectiveDefinition] = [:]
    /// The type of the condition, by fragment.
    private var fragmentConditions: [TypeID?] = []

    init(_ document: Document, schema: Schema) {
        self.document = document
        self.schema = schema
        fragmentIndices = Array(repeating: -1, count: document.names.count)
        selections = Array(repeating: .unknown, count: document.selections.count)
        arguments = Array(repeating: .unknown, count: document.arguments.count)
        directives = Array(repeating: nil, count: document.directives.count)
        itemTypes = Array(repeating: nil, count: document.values.count)
        objectFields = Array(repeating: .unknown, count: document.objectFields.count)
        variableTypes = Array(repeating: nil, count: document.variableDefinitions.count)
        kinds = Array(repeating: .untouched, count: schema.types.count)
    }

    /// Types the whole document.
    mutating func run() {
        indexFragments()
        for definition in document.definitions {
            switch definition {
            case .operation(let operation): typeOperation(operation)
            case .fragment(let fragment): typeFragment(fragment)
            case .schema, .type, .directive: typeDirectives(ofTypeSystem: definition)
            }
        }
    }

    /// Indexes fragments first, because spreads may precede the fragments.
    private mutating func indexFragments() {
        var count: Int32 = 0
        for case .fragment(let fragment) in document.definitions {
            fragmentIndices[Int(fragment.name.id)] = count
            count &+= 1
        }
        guard count > 0 else { return }
        fragmentConditions.reserveCapacity(Int(count))
        for case .fragment(let fragment) in document.definitions {
            fragmentConditions.append(namedType(fragment.typeCondition))
        }
    }

    private mutating func typeOperation(_ operation: OperationDefinition) {
        typeVariables(operation.variables)
        let rootType = schema.rootType(for: operation.type)
        if let rootType { touch(rootType) }
        let firstUse = variableUses.count
        typeDirectives(operation.directives, at: operation.type.directiveLocation, of: operation.span)
        typeSelections(operation.selectionSet, of: rootType)
        operations.append(
            TypedOperation(
                definition: operation, rootType: rootType, variableUses: firstUse..<variableUses.count))
    }

    private mutating func typeFragment(_ fragment: FragmentDefinition) {
        let type = fragmentConditions[fragments.count]
        let firstUse = variableUses.count
        typeDirectives(fragment.directives, at: .fragmentDefinition, of: fragment.span)
        typeSelections(fragment.selectionSet, of: type)
        fragments.append(
            TypedFragment(definition: fragment, type: type, variableUses: firstUse..<variableUses.count))
    }

    private mutating func typeVariables(_ variables: NodeRange<VariableDefinition>) {
        for index in variables.indices {
            let variable = document.variableDefinitions[index]
            let type = namedType(variable.type.name).map { GraphQLType($0, variable.type.wrapping) }
            variableTypes[index] = type
            if let value = variable.defaultValue {
                typeValue(value, ValuePosition(type: inputType(type)))
            }
            typeDirectives(variable.directives, at: .variableDefinition, of: variable.span)
        }
    }
}

// MARK: - Selections

extension TypeInfoPass {
    private mutating func typeSelections(_ set: SelectionSet, of type: TypeID?) {
        // The kind is looked up once for all selections of the set, because each lookup retains the data of
        // the kind.
        guard let type, kinds[type.index].isComposite else {
            return typeSelections(set, of: nil, composite: nil)
        }
        switch schema.types[type.index].kind {
        case .object(let composite), .interface(let composite):
            typeSelections(set, of: type, composite: composite)
        case .scalar, .union, .enum, .inputObject:
            typeSelections(set, of: type, composite: nil)
        }
    }

    private mutating func typeSelections(_ set: SelectionSet, of type: TypeID?, composite: FieldsContainer?) {
        for index in set.selections.indices {
            switch document.selections[index] {
            case .field(let field): typeField(field, at: index, of: type, composite: composite)
            case .fragmentSpread(let spread):
                let found = fragmentIndices[Int(spread.name.id)]
                let fragment = found < 0 ? nil : Int(found)
                selections[index] = TypedSelection(
                    parentType: type, fragment: fragment, type: fragment.flatMap { fragmentConditions[$0] })
                typeDirectives(spread.directives, at: .fragmentSpread, of: spread.span)
            case .inlineFragment(let fragment):
                let condition = fragment.typeCondition.map { namedType($0) } ?? type
                selections[index] = TypedSelection(parentType: type, fragment: nil, type: condition)
                typeDirectives(fragment.directives, at: .inlineFragment, of: fragment.span)
                typeSelections(fragment.selectionSet, of: condition)
            }
        }
    }

    private mutating func typeField(
        _ field: SelectedField, at index: Int, of type: TypeID?, composite: FieldsContainer?
    ) {
        let reference = reference(to: field.name, of: type, composite: composite)
        var result: TypeID?
        switch reference {
        case .unknown: typeArguments(field.arguments, by: [])
        case .defined(let position):
            result = composite?.fields[position].type.type
            if !field.arguments.isEmpty {
                typeArguments(field.arguments, by: composite?.fields[position].arguments ?? [])
            }
        case .typename, .schema, .type:
            let definition = definition(ofMeta: reference)
            result = definition?.type.type
            typeArguments(field.arguments, by: definition?.arguments ?? [])
        }
        if let result { touch(result) }
        selections[index] = TypedSelection(parentType: type, field: reference, type: result)
        typeDirectives(field.directives, at: .field, of: field.span)
        if let set = field.selectionSet { typeSelections(set, of: result) }
    }

    private func reference(to name: Name, of type: TypeID?, composite: FieldsContainer?) -> FieldReference {
        guard let type else { return .unknown }
        let text = document.text(name)
        if text.utf8.starts(with: "__".utf8) {
            switch text {
            case "__typename": return .typename
            case "__schema" where type == schema.queryType: return .schema
            case "__type" where type == schema.queryType: return .type
            default: break
            }
        }
        return (composite?.fieldIndex(named: text)).map { .defined($0) } ?? .unknown
    }

    private func definition(ofMeta reference: FieldReference) -> SchemaField? {
        switch reference {
        case .typename: MetaField.typename(in: schema)
        case .schema: MetaField.schema(in: schema)
        case .type: MetaField.type(in: schema)
        case .unknown, .defined: nil
        }
    }
}

// MARK: - Arguments, directives and values

extension TypeInfoPass {
    private mutating func typeArguments(_ run: NodeRange<Argument>, by definitions: [SchemaInputValue]) {
        for index in run.indices {
            let argument = document.arguments[index]
            let name = document.text(argument.name)
            guard let position = definitions.firstIndex(where: { $0.name == name }) else {
                typeValue(argument.value, ValuePosition(type: nil))
                continue
            }
            let type = inputType(definitions[position].type)
            arguments[index] = TypedArgument(position: position, type: type)
            let hasDefault = definitions[position].defaultValue != nil
            typeValue(argument.value, ValuePosition(type: type, hasDefault: hasDefault))
        }
    }

    private mutating func typeDirectives(
        _ run: NodeRange<Directive>, at location: DirectiveLocation, of owner: SourceSpan,
        defining name: Name? = nil
    ) {
        guard !run.isEmpty else { return }
        directiveSites.append(
            NodeDirectives(directives: run, location: location, owner: owner, definedName: name))
        for index in run.indices {
            let directive = document.directives[index]
            let name = document.text(directive.name)
            let definition = schema.directives.firstIndex { $0.name == name }
            directives[index] = definition
            typeArguments(directive.arguments, by: definition.map { schema.directives[$0].arguments } ?? [])
        }
    }

    /// The expected type at the position of a value.
    private struct ValuePosition {
        var type: GraphQLType?
        var hasDefault = false
        /// The OneOf input object type if the value is one of its fields.
        var oneOf: TypeID?
    }

    private mutating func typeValue(_ value: Value, _ position: ValuePosition) {
        switch value {
        case .variable(let name, let span):
            variableUses.append(
                VariableUse(
                    name: name, span: span, type: position.type, hasDefault: position.hasDefault,
                    oneOf: position.oneOf))
        case .int, .float, .string, .boolean, .null, .enum:
            break
        case .list(let items, _):
            let itemType = position.type.flatMap { type in
                type.wrapping.item.map { GraphQLType(type.type, $0) }
            }
            for index in items.indices {
                itemTypes[index] = itemType
                typeValue(document.values[index], ValuePosition(type: itemType))
            }
        case .object(let fields, _):
            typeObject(fields, of: position.type)
        }
    }

    private mutating func typeObject(_ run: NodeRange<ObjectField>, of type: GraphQLType?) {
        // A single object is a valid list of one item, so the lists around the type are irrelevant.
        var input: InputObjectType?
        if let type, case .inputObject(let object) = schema.types[type.type.index].kind { input = object }
        for index in run.indices {
            let field = document.objectFields[index]
            let name = document.text(field.name)
            guard let input, let position = input.fields.firstIndex(where: { $0.name == name }) else {
                typeValue(field.value, ValuePosition(type: nil))
                continue
            }
            let definition = input.fields[position]
            let fieldType = inputType(definition.type)
            objectFields[index] = TypedObjectField(position: position, type: fieldType)
            typeValue(
                field.value,
                ValuePosition(
                    type: fieldType, hasDefault: definition.defaultValue != nil,
                    oneOf: input.isOneOf ? type?.type : nil))
        }
    }

    /// Types the directives of type system definitions, which are invalid in an executable document.
    ///
    /// Their errors are reported nevertheless.
    private mutating func typeDirectives(ofTypeSystem definition: Definition) {
        switch definition {
        case .operation, .fragment: break
        case .schema(let schema): typeDirectives(schema.directives, at: .schema, of: schema.span)
        case .directive(let directive):
            directiveDefinitions[directive.name.id] = directive
            typeInputValues(directive.arguments, at: .argumentDefinition)
        case .type(let type):
            typeDirectives(
                type.directives, at: type.body.directiveLocation, of: type.span, defining: type.name)
            switch type.body {
            case .scalar, .union: break
            case .object(_, let fields), .interface(_, let fields): typeFieldDefinitions(fields)
            case .enum(let values):
                for index in values.indices {
                    let value = document.enumValueDefinitions[index]
                    typeDirectives(value.directives, at: .enumValue, of: value.span)
                }
            case .inputObject(let fields): typeInputValues(fields, at: .inputFieldDefinition)
            }
        }
    }

    private mutating func typeFieldDefinitions(_ fields: NodeRange<FieldDefinition>) {
        for index in fields.indices {
            let field = document.fieldDefinitions[index]
            typeInputValues(field.arguments, at: .argumentDefinition)
            typeDirectives(field.directives, at: .fieldDefinition, of: field.span)
        }
    }

    private mutating func typeInputValues(
        _ run: NodeRange<InputValueDefinition>, at location: DirectiveLocation
    ) {
        for index in run.indices {
            let value = document.inputValueDefinitions[index]
            typeDirectives(value.directives, at: location, of: value.span)
        }
    }
}

// MARK: - Types

extension TypeInfoPass {
    private mutating func namedType(_ name: Name) -> TypeID? {
        guard let type = schema.typeID(named: document.text(name)) else { return nil }
        touch(type)
        return type
    }

    /// Returns the type if it is an input type, otherwise nil.
    private mutating func inputType(_ type: GraphQLType?) -> GraphQLType? {
        guard let type else { return nil }
        touch(type.type)
        return kinds[type.type.index].isInput ? type : nil
    }

    private mutating func touch(_ type: TypeID) {
        if kinds[type.index] == .untouched { kinds[type.index] = TypeKind(schema.types[type.index].kind) }
    }
}

extension OperationType {
    fileprivate var directiveLocation: DirectiveLocation {
        switch self {
        case .query: .query
        case .mutation: .mutation
        case .subscription: .subscription
        }
    }
}
