/// What one selected field costs, as far as it is known without variables.
struct FieldCost: Sendable {
    let span: SourceSpan
    /// `Query.orders`, for messages.
    let coordinate: String
    /// The weight of the field, and of those of its arguments and directives that do not depend on variables.
    var weight: Cost
    /// The arguments and directive arguments that do.
    var inputs: [PricedInput] = []
    /// The weight of a value of the type that comes back.
    let typeWeight: Cost
    /// Nil where no list comes back.
    let length: ListSizeEstimate?
    /// How many items the lists within the list have altogether, a list; 1 where there are none.
    let innerItems: Int
    /// Whether the field around the selection set tells the length of the list.
    let isSizedFromAround: Bool
    /// The length of the lists below that this field tells (`sizedFields`); nil where it tells none.
    let lengthBelow: ListSizeEstimate?
    /// What is selected below; nil of a leaf.
    let children: CostPart?

    /// An argument whose cost depends on variables.
    struct PricedInput: Sendable {
        let value: ArgumentSource
        let weight: Cost
    }

    /// Whether the cost is the same whatever the variables, what is selected below aside.
    var isConstant: Bool {
        inputs.isEmpty && length?.isConstant != false && lengthBelow?.isConstant != false
    }

    /// Reads the variables.
    func resolved(_ literals: LiteralCoercion, _ model: SchemaCosts) throws(SlicingArgumentError)
        -> ResolvedCost
    {
        let raw = inputs.reduce(weight) { sum, input in
            sum + model.cost(of: input.value.read(literals), weight: input.weight, type: input.value.type)
        }
        let items = isSizedFromAround ? 1 : try length?.items(literals) ?? 1
        return ResolvedCost(
            weight: raw, items: items.stoppingProduct(innerItems), typeWeight: typeWeight,
            isSizedFromAround: isSizedFromAround, lengthBelow: try lengthBelow?.items(literals) ?? 1)
    }
}
