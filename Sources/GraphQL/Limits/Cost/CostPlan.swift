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
            case .mostOf(let parts):
                bills.append(parts.reduce(SelectionCost()) { $0.most(or: $1.bill(bills)) })
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
    case mostOf([CostPart])
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
