/// What a selection costs for one object that it is made on.
struct SelectionCost: Sendable, Equatable {
    /// What is due once.
    var fixed = OperationCost.zero
    /// What is due for each item of the lists whose length the field around the selection tells (`sizedFields`).
    var perItem = OperationCost.zero

    /// The whole, for lists of a length.
    func total(length: Int) -> OperationCost { fixed + length * perItem }

    static func + (one: SelectionCost, other: SelectionCost) -> SelectionCost {
        SelectionCost(fixed: one.fixed + other.fixed, perItem: one.perItem + other.perItem)
    }

    /// The more of each, for alternatives of which one comes to pass.
    func most(or other: SelectionCost) -> SelectionCost {
        SelectionCost(fixed: fixed.most(or: other.fixed), perItem: perItem.most(or: other.perItem))
    }
}

extension OperationCost {
    static let zero = OperationCost(field: .zero, type: .zero)

    static func + (one: OperationCost, other: OperationCost) -> OperationCost {
        OperationCost(field: one.field + other.field, type: one.type + other.type)
    }

    static func * (count: Int, cost: OperationCost) -> OperationCost {
        OperationCost(field: count * cost.field, type: count * cost.type)
    }

    fileprivate func most(or other: OperationCost) -> OperationCost {
        OperationCost(field: max(field, other.field), type: max(type, other.type))
    }
}
