extension CostPlan {
    /// The field at which the cost passes a limit, adding up in the order of the text with its fragments written out.
    ///
    /// The plan must not be folded: what is added up has no place any more. Nil where the root itself costs so much.
    ///
    /// - Throws: That a field is not given exactly one slicing argument although it must be.
    func place(
        past limit: Cost, of kind: KeyPath<OperationCost, Cost>, _ variables: VariableValues
    ) throws(LimitExceededError) -> SourceSpan? {
        let bills = try bills(variables)
        let literals = LiteralCoercion(document: document, schema: model.schema, variables: variables)
        var search = Search(bills: bills, kind: kind, limit: limit)
        search.charge(OperationCost(field: .zero, type: rootWeight))
        if search.isPastLimit { return nil }
        var place: SourceSpan?
        var part = root
        while case .step(let index) = part {
            switch steps[index] {
            case .sum(let parts):
                guard let next = search.firstPastLimit(among: parts) else { return place }
                part = next
            case .mostOf(let parts):
                guard let next = search.mostExpensive(among: parts) else { return place }
                part = next
            case .field(let field):
                place = field.span
                search.enter(field, try resolve(field, literals))
                guard !search.isPastLimit, let children = field.children else { return place }
                part = children
            }
        }
        return place
    }

    /// The state of going down to the place: what is due so far, and how often what comes next is due.
    private struct Search {
        let bills: [SelectionCost]
        let kind: KeyPath<OperationCost, Cost>
        let limit: Cost
        private var due = Cost.zero
        private var times = 1
        private var length = 1

        init(bills: [SelectionCost], kind: KeyPath<OperationCost, Cost>, limit: Cost) {
            self.bills = bills
            self.kind = kind
            self.limit = limit
        }

        var isPastLimit: Bool { due > limit }

        mutating func charge(_ cost: OperationCost) {
            due += times * cost[keyPath: kind]
        }

        /// Charges a field itself; what comes next is what is selected below it.
        mutating func enter(_ field: FieldCost, _ resolved: ResolvedCost) {
            charge(OperationCost(field: resolved.resolver, type: .zero))
            times = times.stoppingProduct(resolved.items)
            if field.isSizedFromAround { times = times.stoppingProduct(length) }
            charge(OperationCost(field: .zero, type: field.typeWeight))
            length = resolved.lengthBelow
        }

        /// The part that passes the limit; those in front of it are charged.
        mutating func firstPastLimit(among parts: [CostPart]) -> CostPart? {
            for part in parts {
                let cost = total(part)
                if due + times * cost[keyPath: kind] > limit { return part }
                charge(cost)
            }
            return nil
        }

        func mostExpensive(among parts: [CostPart]) -> CostPart? {
            parts.max { total($0)[keyPath: kind] < total($1)[keyPath: kind] }
        }

        private func total(_ part: CostPart) -> OperationCost {
            part.bill(bills).total(length: length)
        }
    }
}
