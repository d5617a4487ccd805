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
    let length: ListLength?
    /// How many items the lists within the list have altogether, a list; 1 where there are none.
    let innerItems: Int
    /// Whether the field around the selection set tells the length of the list.
    let isSizedFromAround: Bool
    /// The length of the lists below that this field tells (`sizedFields`); nil where it tells none.
    let lengthBelow: ListLength?
    /// What is selected below; nil of a leaf.
    let children: CostPart?

    /// An argument whose cost depends on variables.
    struct PricedInput: Sendable {
        let value: GivenValue
        let weight: Cost
    }

    /// What is known of the cost once the variables are.
    struct Resolved {
        /// What each time costs that the field is resolved.
        let resolver: Cost
        /// How many values come back; of a list that is sized from around, for each of its items.
        let items: Int
        /// The length of the lists below that this field tells.
        let lengthBelow: Int
    }

    /// Whether the cost is the same whatever the variables, what is selected below aside.
    var isConstant: Bool {
        inputs.isEmpty && length?.isConstant != false && lengthBelow?.isConstant != false
    }

    /// Reads the variables.
    func resolved(_ literals: LiteralCoercion, _ model: CostModel) throws(SlicingFault) -> Resolved {
        let raw = inputs.reduce(weight) { sum, input in
            sum + model.cost(of: input.value.read(literals), weight: input.weight, type: input.value.type)
        }
        let items = isSizedFromAround ? 1 : try length?.items(literals) ?? 1
        return Resolved(
            // Arguments may make a field cheaper, but nothing makes it cheaper than nothing (5.3.2.2).
            resolver: max(.zero, raw),
            items: items.stoppingProduct(innerItems),
            lengthBelow: try lengthBelow?.items(literals) ?? 1)
    }

    /// What the field costs, from what is selected below it.
    func bill(_ resolved: Resolved, children: Bill) -> Bill {
        let below = children.total(length: resolved.lengthBelow)
        let values = resolved.items * OperationCost(field: below.field, type: typeWeight + below.type)
        let resolver = OperationCost(field: resolved.resolver, type: .zero)
        return isSizedFromAround ? Bill(fixed: resolver, perItem: values) : Bill(fixed: resolver + values)
    }
}
