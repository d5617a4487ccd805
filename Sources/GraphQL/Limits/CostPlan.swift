/// What an operation costs, compiled from its document once and told for the variables of each request.
///
/// All that does not depend on variables is added up beforehand. What is left are a few steps, each of which reads
/// only steps in front of it; a fragment that is spread many times is one step, or none.
struct CostPlan: Sendable {
    let model: SchemaCosts
    let document: Document
    /// Each behind those that it reads.
    let steps: [CostStep]
    /// The operation's selection set.
    let root: CostPart
    /// The weight of the root's type: one value of it comes back.
    let rootWeight: Cost

    /// Whether the cost is the same whatever the variables.
    var isConstant: Bool { steps.isEmpty }

    /// What the operation costs.
    ///
    /// - Throws: That a field is not given exactly one slicing argument although it must be.
    func cost(_ variables: VariableValues) throws(LimitExceededError) -> OperationCost {
        let bills = try bills(variables)
        return root.bill(bills).fixed + OperationCost(field: .zero, type: rootWeight)
    }

    /// What each step comes to.
    func bills(_ variables: VariableValues) throws(LimitExceededError) -> [SelectionCost] {
        let literals = LiteralCoercion(document: document, schema: model.schema, variables: variables)
        var bills: [SelectionCost] = []
        bills.reserveCapacity(steps.count)
        for step in steps {
            switch step {
            case .sum(let parts): bills.append(parts.reduce(SelectionCost()) { $0 + $1.bill(bills) })
            case .maximum(let parts):
                bills.append(parts.reduce(SelectionCost()) { $0.maximum(with: $1.bill(bills)) })
            case .field(let field):
                let resolved = try resolve(field, literals)
                bills.append(resolved.bill(children: field.children?.bill(bills) ?? SelectionCost()))
            }
        }
        return bills
    }

    /// What a field costs with the variables, what is selected below it aside.
    func resolve(
        _ field: FieldCost, _ literals: LiteralCoercion
    ) throws(LimitExceededError) -> ResolvedCost {
        do {
            return try field.resolved(literals, model)
        } catch {
            let cause = LimitExceededError.Cause.slicingArguments(
                of: field.coordinate, among: error.arguments, given: error.given)
            throw LimitExceededError(cause: cause, span: field.span)
        }
    }
}

/// One step of a cost plan.
enum CostStep: Sendable {
    /// A selection set, or what a fragment stands for.
    case sum([CostPart])
    /// Fragments of which no more than one applies to any object.
    case maximum([CostPart])
    case field(FieldCost)
}

/// A part of a cost: known, or the outcome of a step.
enum CostPart: Sendable {
    case known(SelectionCost)
    case step(Int)

    /// What it comes to, from the outcomes of the steps.
    func bill(_ bills: [SelectionCost]) -> SelectionCost {
        switch self {
        case .known(let bill): bill
        case .step(let index): bills[index]
        }
    }
}

extension CostPlan {
    /// The field at which the cost passes a limit, adding up in the order of the text with its fragments written out.
    ///
    /// The plan must not be folded: what is added up has no place any more. Nil where the root itself costs so much.
    ///
    /// - Throws: That a field is not given exactly one slicing argument although it must be.
    func span(
        exceeding limit: Cost, of kind: KeyPath<OperationCost, Cost>, _ variables: VariableValues
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
            case .maximum(let parts):
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
