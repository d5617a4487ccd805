/// What things cost in one schema: its `@cost` and `@listSize` directives, read once (IBM GraphQL Cost Directives,
/// chapters 7 and 8).
///
/// Where the schema says nothing a weight is 1 for composite types, and for fields, arguments and input fields of
/// such types; it is 0 for scalars and enums (7.1). Directives have no weight of their own, but their arguments may.
package struct SchemaCosts: Sendable {
    let schema: Schema
    /// By `TypeID.index`: the weight of a value of the type; of an abstract one the greatest of its possible types.
    private(set) var types: [Cost] = []
    /// By `TypeID.index`, then by position: the fields of object and interface types.
    private(set) var fields: [[FieldCostDefinition]] = []
    /// By `TypeID.index`, then by position: the fields of input object types.
    private(set) var inputFields: [[Cost]] = []
    /// By position in `Schema.directives`, then by position: the arguments of directives.
    private(set) var directiveArguments: [[Cost]] = []
    /// Which `sizedFields` may hold for the fields of a type.
    private(set) var sizings: SizedFieldSets

    /// Reads the directives of a schema.
    ///
    /// - Throws: Everything that they say against the specification (chapter 9), with its places in the schema.
    package init(_ schema: Schema) throws(GraphQLErrors) {
        self.schema = schema
        sizings = SizedFieldSets(typeCount: schema.types.count)
        var reader = CostDirectiveReader(schema)
        types = schema.types.map { reader.weight(of: $0) }
        inputFields = schema.types.map { reader.inputFields(of: $0) }
        fields = schema.types.map { reader.fields(of: $0) }
        directiveArguments = schema.directives.map { reader.arguments($0.arguments, of: "@\($0.name)") }
        if !reader.errors.isEmpty { throw GraphQLErrors(reader.errors) }
        for type in schema.types where type.isAbstract { settle(type) }
        for type in schema.types.indices {
            for position in fields[type].indices { complete(position, of: type) }
        }
    }

    /// Adds what hangs on other types than the field's own.
    private mutating func complete(_ position: Int, of type: Int) {
        var price = fields[type][position]
        price.typeWeight = types[price.type.type.index]
        let sized = price.listSizes.reduce(into: Set()) { $0.formUnion($1.sizedFields) }
        price.sizing = sizings.id(of: sized, below: price.type.type, schema)
        let arguments = schema.types[type].fields[position].arguments
        price.isPlain =
            price.listSizes.isEmpty
            && zip(price.arguments, arguments).allSatisfy { weight, argument in
                !matters(weight, argument.type)
            }
        fields[type][position] = price
    }

    /// A value of an abstract type is one of its possible types: it costs what the most expensive of them does
    /// (7.2 and 9.1.1).
    private mutating func settle(_ abstract: NamedType) {
        let possible = schema.possibleTypes(of: abstract.id)
        if let weight = possible.map({ types[$0.index] }).max() { types[abstract.id.index] = weight }
        for (position, field) in abstract.fields.enumerated() {
            let implementations = possible.compactMap { implementation(of: field, on: $0) }
            fields[abstract.id.index][position].settle(among: implementations, of: field)
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
            definition: object.fields[position], price: fields[type.index][position])
    }
}

/// What a field costs whenever it is resolved, and how long its list gets.
struct FieldCostDefinition: Sendable {
    let name: String
    /// What the field returns.
    let type: WrappedType
    var weight: Cost
    /// By position.
    var arguments: [Cost]
    /// What `@listSize` says.
    ///
    /// Of a field of an interface that has none, what those of its implementations say; the longest list
    /// counts.
    var listSizes: [ListSizeDirective]
    /// The fields below this one whose length is told here, as `SizedFieldSets` numbers them.
    var sizing = SizedFieldSets.none
    /// The weight of a value of the type that comes back.
    var typeWeight = Cost.zero
    /// Whether nothing that a document says of the field, directives aside, bears on what it costs: so it is with
    /// most fields.
    var isPlain = false

    /// The field of one possible type that implements a field of an interface.
    struct Implementation {
        let definition: SchemaField
        let price: FieldCostDefinition
    }

    /// Takes over, for a field of an interface, the most that its implementations cost.
    mutating func settle(among implementations: [Implementation], of field: SchemaField) {
        weight = implementations.map(\.price.weight).max() ?? weight
        for (position, argument) in field.arguments.enumerated() {
            for implementation in implementations {
                guard let other = implementation.position(of: argument.name) else { continue }
                arguments[position] = max(arguments[position], implementation.price.arguments[other])
            }
        }
        if listSizes.isEmpty, implementations.contains(where: { !$0.price.listSizes.isEmpty }) {
            listSizes = implementations.map { implementation in
                implementation.price.listSizes.first.map { implementation.moved($0, to: field) } ?? .unsaid
            }
        }
    }
}

extension FieldCostDefinition.Implementation {
    fileprivate func position(of argument: String) -> Int? {
        definition.arguments.firstIndex { $0.name == argument }
    }

    /// The same for the interface's field, whose arguments may stand in another order.
    fileprivate func moved(_ size: ListSizeDirective, to field: SchemaField) -> ListSizeDirective {
        let arguments = size.slicingArguments.compactMap { slicing in
            let name = definition.arguments[slicing.argument].name
            return field.arguments.firstIndex { $0.name == name }.map { position in
                SlicingArgument(path: slicing.path, argument: position, inputFields: slicing.inputFields)
            }
        }
        // Which type comes back is not known yet, so nothing can be required of the interface's field.
        return ListSizeDirective(
            assumedSize: size.assumedSize, slicingArguments: arguments, requiresOneSlicingArgument: false,
            sizedFields: size.sizedFields)
    }
}
