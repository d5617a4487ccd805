/// What one selected field costs once the variables are known.
struct ResolvedCost {
    /// What each time costs that the field is resolved.
    let resolver: Cost
    /// How many values come back; of a list that is sized from around, for each of its items.
    let items: Int
    /// The weight of each of them.
    let typeWeight: Cost
    /// Whether the field around the selection set tells the length of the list.
    let isSizedFromAround: Bool
    /// The length of the lists below that this field tells.
    let lengthBelow: Int

    /// Of a field whose weight, with its arguments and directives, may be negative.
    init(weight: Cost, items: Int, typeWeight: Cost, isSizedFromAround: Bool, lengthBelow: Int) {
        // Arguments may make a field cheaper, but nothing makes it cheaper than nothing (5.3.2.2).
        resolver = max(.zero, weight)
        self.items = items
        self.typeWeight = typeWeight
        self.isSizedFromAround = isSizedFromAround
        self.lengthBelow = lengthBelow
    }

    /// Of a plain field: lists have the assumed size, unless the field around tells theirs.
    init(plain price: FieldCostDefinition, assumedListSize: Int, isSizedFromAround: Bool) {
        let isSized = isSizedFromAround && price.type.wrapping.isList
        var items = 1
        for _ in (isSized ? 1 : 0)..<Int(price.type.wrapping.lists) {
            items = items.stoppingProduct(max(0, assumedListSize))
        }
        self.init(
            weight: price.weight, items: items, typeWeight: price.typeWeight,
            isSizedFromAround: isSized, lengthBelow: 1)
    }

    /// What the field costs, from what is selected below it.
    func bill(children: SelectionCost) -> SelectionCost {
        let below = children.total(length: lengthBelow)
        let values = items * OperationCost(field: below.field, type: typeWeight + below.type)
        let once = OperationCost(field: resolver, type: .zero)
        return isSizedFromAround
            ? SelectionCost(fixed: once, perItem: values) : SelectionCost(fixed: once + values)
    }
}
