/// The costs of one schema: its `@cost` and `@listSize` directives, read once (IBM GraphQL Cost Directives,
/// chapters 7 and 8).
///
/// The default weight is 1 for composite types, and for fields, arguments and input fields of composite
/// types; it is 0 for scalars and enums (7.1). Directives have no weight, but their arguments may.
package struct SchemaCosts: Sendable {
    let schema: Schema
    /// The weight of a value by `TypeID.index`; for an abstract type, the maximum of its possible types.
    private(set) var types: [Cost] = []
    /// The fields of object and interface types, by `TypeID.index` and position.
    private(set) var fields: [[FieldCostDefinition]] = []
    /// The fields of input object types, by `TypeID.index` and position.
    private(set) var inputFields: [[Cost]] = []
    /// The arguments of directives, by positions of the directive in `Schema.directives` and of the
    /// argument.
    private(set) var directiveArguments: [[Cost]] = []
    /// The `sizedFields` that may apply to the fields of a type.
    private(set) var sizings: SizedFieldSets

    /// Reads the directives of a schema.
    ///
    /// - Throws: All violations of the specification (chapter 9), with their positions in the schema.
    package init(_ schema: Schema) throws(GraphQLErrors) {
        self.schema = schema
        sizings = SizedFieldSets(typeCount: schema.types.count)
        var reader = CostDirectiveReader(schema)
        types = schema.types.map { reader.weight(of: $0) }
        inputFields = schema.types.map { reader.inputFields(of: $0) }
        fields = schema.types.map { reader.fields(of: $0) }
        directiveArguments = schema.directives.map { reader.arguments($0.arguments, of: "@\($0.name)") }
        if !reader.errors.isEmpty { throw GraphQLErrors(reader.errors) }
        for type in schema.types where type.isAbstract { setMaximumCosts(type) }
        for type in schema.types.indices {
            for position in fields[type].indices { complete(position, of: type) }
        }
    }

    /// Adds the data that depend on other types than the parent type.
    private mutating func complete(_ position: Int, of type: Int) {
        var field = fields[type][position]
        field.typeWeight = types[field.type.type.index]
        let sized = field.listSizes.reduce(into: Set()) { $0.formUnion($1.sizedFields) }
        field.sizing = sizings.id(of: sized, below: field.type.type, schema)
        let arguments = schema.types[type].fields[position].arguments
        field.isPlain =
            field.listSizes.isEmpty
            && zip(field.arguments, arguments).allSatisfy { weight, argument in
                !affectsCost(weight, argument.type)
            }
        fields[type][position] = field
    }

    /// Sets the weights of an abstract type to the maximum of its possible types (7.2 and 9.1.1).
    private mutating func setMaximumCosts(_ abstract: NamedType) {
        let possible = schema.possibleTypes(of: abstract.id)
        if let weight = possible.map({ types[$0.index] }).max() { types[abstract.id.index] = weight }
        for (position, field) in abstract.fields.enumerated() {
            let implementations = possible.compactMap { implementation(of: field, on: $0) }
            fields[abstract.id.index][position].setMaximumCosts(of: implementations, of: field)
        }
    }

    private func implementation(of field: SchemaField, on type: TypeID) -> FieldCostDefinition.Implementation?
    {
        guard case .object(let object) = schema[type].kind,
            let position = object.fieldIndex(named: field.name)
        else {
            return nil
        }
        return FieldCostDefinition.Implementation(
            definition: object.fields[position], cost: fields[type.index][position])
    }
}

/// The cost of resolving a field, with the size of its list.
struct FieldCostDefinition: Sendable {
    let name: String
    /// The type of the field.
    let type: GraphQLType
    var weight: Cost
    /// The weights of the arguments, by position.
    var arguments: [Cost]
    /// The `@listSize` directives.
    ///
    /// A field of an interface without one has those of its implementations, of which the longest list is
    /// used.
    var listSizes: [ListSizeDirective]
    /// The number of the child fields whose length this field determines; see `SizedFieldSets`.
    var sizing = SizedFieldSets.none
    /// The weight of one returned value.
    var typeWeight = Cost.zero
    /// True if the cost is independent of the field's use in a document, apart from directives.
    ///
    /// This applies to most fields.
    var isPlain = false

    /// The field of a possible type that implements an interface field.
    struct Implementation {
        let definition: SchemaField
        let cost: FieldCostDefinition
    }

    /// Sets the costs of an interface field to the maximum of its implementations.
    mutating func setMaximumCosts(of implementations: [Implementation], of field: SchemaField) {
        weight = implementations.map(\.cost.weight).max() ?? weight
        for (position, argument) in field.arguments.enumerated() {
            for implementation in implementations {
                guard let other = implementation.position(of: argument.name) else { continue }
                arguments[position] = max(arguments[position], implementation.cost.arguments[other])
            }
        }
        if listSizes.isEmpty, implementations.contains(where: { !$0.cost.listSizes.isEmpty }) {
            listSizes = implementations.map { implementation in
                implementation.cost.listSizes.first.map { implementation.moved($0, to: field) }
                    ?? .unspecified
            }
        }
    }
}

extension FieldCostDefinition.Implementation {
    fileprivate func position(of argument: String) -> Int? {
        definition.arguments.firstIndex { $0.name == argument }
    }

    /// Returns the same size for the interface's field, whose arguments may have a different order.
    fileprivate func moved(_ size: ListSizeDirective, to field: SchemaField) -> ListSizeDirective {
        let arguments = size.slicingArguments.compactMap { slicing in
            let name = definition.arguments[slicing.argument].name
            return field.arguments.firstIndex { $0.name == name }.map { position in
                SlicingArgument(
                    path: slicing.path, argument: position, inputFields: slicing.inputFields,
                    field.arguments[position].type)
            }
        }
        // The returned type is unknown, so the interface's field cannot require an argument.
        return ListSizeDirective(
            assumedSize: size.assumedSize, slicingArguments: arguments, requiresOneSlicingArgument: false,
            sizedFields: size.sizedFields)
    }
}
