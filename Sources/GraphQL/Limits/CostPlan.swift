/// The cost of an operation, compiled from its document once and evaluated for the variables of each
/// request.
///
/// All costs that are independent of variables are summed at compile time. The remaining steps depend only
/// on earlier steps. A fragment is at most one step, however often it is spread.
struct CostPlan: Sendable {
    let model: SchemaCosts
    let document: Document
    /// The steps; each follows those on which it depends.
    let steps: [CostStep]
    /// The cost of the operation's selection set.
    let root: CostPart
    /// The weight of the root type, of which one value is returned.
    let rootWeight: Cost

    /// True if the cost is independent of the variables.
    var isConstant: Bool { steps.isEmpty }

    /// Returns the cost of the operation.
    ///
    /// - Throws: An error if a field does not have exactly one slicing argument but requires it.
    func cost(_ variables: VariableValues) throws(LimitExceededError) -> OperationCost {
        let stepCosts = try stepCosts(variables)
        return root.cost(stepCosts).fixed + OperationCost(field: .zero, type: rootWeight)
    }

    /// Returns the cost of each step.
    func stepCosts(_ variables: VariableValues) throws(LimitExceededError) -> [SelectionCost] {
        let literals = LiteralCoercion(document: document, schema: model.schema, variables: variables)
        var stepCosts: [SelectionCost] = []
        stepCosts.reserveCapacity(steps.count)
        for step in steps {
            switch step {
            case .sum(let parts): stepCosts.append(parts.reduce(SelectionCost()) { $0 + $1.cost(stepCosts) })
            case .maximum(let parts):
                stepCosts.append(parts.reduce(SelectionCost()) { $0.maximum(with: $1.cost(stepCosts)) })
            case .field(let field):
                let resolved = try resolve(field, literals)
                stepCosts.append(resolved.cost(children: field.children?.cost(stepCosts) ?? SelectionCost()))
            }
        }
        return stepCosts
    }

    /// Returns the cost of a field with these variables, excluding its selections.
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

/// A step of a cost plan.
enum CostStep: Sendable {
    /// The sum of a selection set or of a fragment.
    case sum([CostPart])
    /// The maximum of fragments of which at most one applies to any object.
    case maximum([CostPart])
    case field(FieldCost)
}

/// A part of a cost: a constant, or the result of a step.
enum CostPart: Sendable {
    case known(SelectionCost)
    case step(Int)

    /// Returns the cost of this part, given the costs of the steps.
    func cost(_ stepCosts: [SelectionCost]) -> SelectionCost {
        switch self {
        case .known(let cost): cost
        case .step(let index): stepCosts[index]
        }
    }
}

extension CostPlan {
    /// Returns the field at which the cost exceeds a limit, in source order with fragments expanded.
    ///
    /// The plan must be compiled without folding, because folded costs have no position. Returns nil if the
    /// root type alone exceeds the limit.
    ///
    /// - Throws: An error if a field does not have exactly one slicing argument but requires it.
    func span(
        exceeding limit: Cost, of kind: KeyPath<OperationCost, Cost>, _ variables: VariableValues
    ) throws(LimitExceededError) -> SourceSpan? {
        let stepCosts = try stepCosts(variables)
        let literals = LiteralCoercion(document: document, schema: model.schema, variables: variables)
        var search = Search(stepCosts: stepCosts, kind: kind, limit: limit)
        search.charge(OperationCost(field: .zero, type: rootWeight))
        if search.isPastLimit { return nil }
        var span: SourceSpan?
        var part = root
        while case .step(let index) = part {
            switch steps[index] {
            case .sum(let parts):
                guard let next = search.firstPastLimit(among: parts) else { return span }
                part = next
            case .maximum(let parts):
                guard let next = search.mostExpensive(among: parts) else { return span }
                part = next
            case .field(let field):
                span = field.span
                search.enter(field, try resolve(field, literals))
                guard !search.isPastLimit, let children = field.children else { return span }
                part = children
            }
        }
        return span
    }

    /// The state of the search: the cost so far, and the multiplier of the following costs.
    private struct Search {
        let stepCosts: [SelectionCost]
        let kind: KeyPath<OperationCost, Cost>
        let limit: Cost
        private var due = Cost.zero
        private var times = 1
        private var length = 1

        init(stepCosts: [SelectionCost], kind: KeyPath<OperationCost, Cost>, limit: Cost) {
            self.stepCosts = stepCosts
            self.kind = kind
            self.limit = limit
        }

        var isPastLimit: Bool { due > limit }

        mutating func charge(_ cost: OperationCost) {
            due += times * cost[keyPath: kind]
        }

        /// Adds the cost of a field; its selections follow.
        mutating func enter(_ field: FieldCost, _ resolved: ResolvedCost) {
            charge(OperationCost(field: resolved.resolver, type: .zero))
            times = times.saturatingProduct(resolved.items)
            if field.isSizedByParent { times = times.saturatingProduct(length) }
            charge(OperationCost(field: .zero, type: field.typeWeight))
            length = resolved.childLength
        }

        /// Returns the part that exceeds the limit, and adds the costs of the parts before it.
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
            part.cost(stepCosts).total(length: length)
        }
    }
}
