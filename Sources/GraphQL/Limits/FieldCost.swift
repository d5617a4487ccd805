/// The cost of one selected field, as far as it is independent of variables.
struct FieldCost: Sendable {
    let span: SourceSpan
    /// The coordinate for messages, such as `Query.orders`.
    let coordinate: String
    /// The weight of the field, including its arguments and directives that are independent of variables.
    var weight: Cost
    /// The arguments and directive arguments that depend on variables.
    var inputs: [VariableInput] = []
    /// The weight of one returned value.
    let typeWeight: Cost
    /// The estimated length of the list; nil if the field returns no list.
    let length: ListSizeEstimate?
    /// The total number of items in the inner lists of one item; 1 without inner lists.
    let innerItems: Int
    /// True if the parent field determines the length of the list.
    let isSizedByParent: Bool
    /// The length of the child lists that this field determines (`sizedFields`); nil if it determines none.
    let childLength: ListSizeEstimate?
    /// The cost of the selections; nil for a leaf.
    let children: CostPart?

    /// An argument whose cost depends on variables.
    struct VariableInput: Sendable {
        let value: ArgumentSource
        let weight: Cost
    }

    /// True if the cost is independent of the variables, excluding the selections.
    var isConstant: Bool {
        inputs.isEmpty && length?.isConstant != false && childLength?.isConstant != false
    }

    /// Returns the cost for the variables of `literals`.
    func resolved(_ literals: LiteralCoercion, _ model: SchemaCosts) throws(SlicingArgumentError)
        -> ResolvedCost
    {
        let raw = inputs.reduce(weight) { sum, input in
            sum + model.cost(of: input.value.read(literals), weight: input.weight, type: input.value.type)
        }
        let items = isSizedByParent ? 1 : try length?.items(literals) ?? 1
        return ResolvedCost(
            weight: raw, items: items.saturatingProduct(innerItems), typeWeight: typeWeight,
            isSizedByParent: isSizedByParent, childLength: try childLength?.items(literals) ?? 1)
    }
}

extension FieldCost {
    /// Computes the cost of a selected field from a document.
    ///
    /// The field is at `position` of its parent type. `isSizedByParent` is true if the parent field sizes
    /// this one, and `children` is the cost of its selections.
    init(
        _ field: SelectedField, _ position: Int, of parent: TypeID, in typed: TypedDocument,
        _ model: SchemaCosts,
        assumedListSize: Int, isSizedByParent: Bool, children: CostPart?
    ) {
        let definition = model.schema[parent].fields[position]
        let costDefinition = model.fields[parent.index][position]
        let arguments = SuppliedArguments(field.arguments, of: definition.arguments, in: typed)
        let wrapping = definition.type.wrapping
        let ownSizes = costDefinition.listSizes.filter(\.sizedFields.isEmpty)
        let childSizes = costDefinition.listSizes.filter { !$0.sizedFields.isEmpty }
        let assumed = max(0, assumedListSize)

        span = field.span
        coordinate = "\(model.schema[parent].name).\(definition.name)"
        weight = costDefinition.weight
        typeWeight = costDefinition.typeWeight
        length = wrapping.isList ? ListSizeEstimate(ownSizes, assumed: assumed, given: arguments.value) : nil
        let innerLists = max(1, Int(wrapping.lists)) - 1
        innerItems = (0..<innerLists).reduce(1) { items, _ in items.saturatingProduct(assumed) }
        self.isSizedByParent = wrapping.isList && isSizedByParent
        childLength =
            childSizes.isEmpty ? nil : ListSizeEstimate(childSizes, assumed: assumed, given: arguments.value)
        self.children = children

        add(arguments, weights: costDefinition.arguments, model, typed)
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
            guard model.affectsCost(weight, value.type) else { continue }
            if value.isConstant {
                self.weight += model.cost(of: value.read(literals), weight: weight, type: value.type)
            } else {
                inputs.append(VariableInput(value: value, weight: weight))
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

/// The cost of one selected field for given variables.
struct ResolvedCost {
    /// The cost of resolving the field once.
    let resolver: Cost
    /// The number of returned values; for a list sized by its parent, the number per item.
    let items: Int
    /// The weight of each value.
    let typeWeight: Cost
    /// True if the parent field determines the length of the list.
    let isSizedByParent: Bool
    /// The length of the child lists that this field determines.
    let childLength: Int

    /// Creates the cost of a field; the weight with its arguments and directives may be negative.
    init(weight: Cost, items: Int, typeWeight: Cost, isSizedByParent: Bool, childLength: Int) {
        // Negative argument weights cannot make the cost of a field negative (5.3.2.2).
        resolver = max(.zero, weight)
        self.items = items
        self.typeWeight = typeWeight
        self.isSizedByParent = isSizedByParent
        self.childLength = childLength
    }

    /// Creates the cost of a plain field: lists have the assumed size, unless the parent field sizes them.
    init(plain costDefinition: FieldCostDefinition, assumedListSize: Int, isSizedByParent: Bool) {
        let isSized = isSizedByParent && costDefinition.type.wrapping.isList
        var items = 1
        for _ in (isSized ? 1 : 0)..<Int(costDefinition.type.wrapping.lists) {
            items = items.saturatingProduct(max(0, assumedListSize))
        }
        self.init(
            weight: costDefinition.weight, items: items, typeWeight: costDefinition.typeWeight,
            isSizedByParent: isSized, childLength: 1)
    }

    /// Returns the cost of the field, given the cost of its selections.
    func cost(children: SelectionCost) -> SelectionCost {
        let below = children.total(length: childLength)
        let values = items * OperationCost(field: below.field, type: typeWeight + below.type)
        let once = OperationCost(field: resolver, type: .zero)
        return isSizedByParent
            ? SelectionCost(fixed: once, perItem: values) : SelectionCost(fixed: once + values)
    }
}
