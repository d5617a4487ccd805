extension FieldCost {
    /// Reads off a document what a selected field costs.
    ///
    /// The field is the one at `position` of its parent type. `isSizedFromAround` tells whether the field around the
    /// selection set sizes this one, and `children` is what is selected below.
    init(
        _ field: SelectedField, _ position: Int, of parent: TypeID, in typed: TypedDocument,
        _ model: SchemaCosts,
        assumedListSize: Int, isSizedFromAround: Bool, children: CostPart?
    ) {
        let definition = model.schema[parent].fields[position]
        let price = model.fields[parent.index][position]
        let arguments = SuppliedArguments(field.arguments, of: definition.arguments, in: typed)
        let wrapping = definition.type.wrapping
        let ownSizes = price.listSizes.filter(\.sizedFields.isEmpty)
        let sizesBelow = price.listSizes.filter { !$0.sizedFields.isEmpty }
        let assumed = max(0, assumedListSize)

        span = field.span
        coordinate = "\(model.schema[parent].name).\(definition.name)"
        weight = price.weight
        typeWeight = price.typeWeight
        length = wrapping.isList ? ListSizeEstimate(ownSizes, assumed: assumed, given: arguments.value) : nil
        let innerLists = max(1, Int(wrapping.lists)) - 1
        innerItems = (0..<innerLists).reduce(1) { items, _ in items.stoppingProduct(assumed) }
        self.isSizedFromAround = wrapping.isList && isSizedFromAround
        lengthBelow =
            sizesBelow.isEmpty ? nil : ListSizeEstimate(sizesBelow, assumed: assumed, given: arguments.value)
        self.children = children

        add(arguments, weights: price.arguments, model, typed)
        for directive in field.directives.indices {
            guard let position = typed.directives[directive] else { continue }
            let given = SuppliedArguments(
                typed.document.directives[directive].arguments,
                of: model.schema.directives[position].arguments,
                in: typed)
            add(given, weights: model.directiveArguments[position], model, typed)
        }
    }

    private mutating func add(
        _ arguments: SuppliedArguments, weights: [Cost], _ model: SchemaCosts, _ typed: TypedDocument
    ) {
        let literals = LiteralCoercion(document: typed.document, schema: model.schema)
        for (position, weight) in weights.enumerated() {
            let value = arguments.value(position)
            guard model.matters(weight, value.type) else { continue }
            if value.isConstant {
                self.weight += model.cost(of: value.read(literals), weight: weight, type: value.type)
            } else {
                inputs.append(PricedInput(value: value, weight: weight))
            }
        }
    }
}

/// The arguments of a field or directive, by their positions in its definition.
private struct SuppliedArguments {
    private let definitions: [SchemaInputValue]
    private let document: Document
    private var literals: [Value?]

    init(_ run: NodeRange<Argument>, of definitions: [SchemaInputValue], in typed: TypedDocument) {
        self.definitions = definitions
        document = typed.document
        literals = Array(repeating: nil, count: definitions.count)
        for index in run.indices {
            guard let position = typed.arguments[index].position, literals.indices.contains(position) else {
                continue
            }
            literals[position] = typed.document.arguments[index].value
        }
    }

    func value(_ position: Int) -> ArgumentSource {
        ArgumentSource(literals[position], for: definitions[position], in: document)
    }
}
