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
