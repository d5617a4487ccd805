/// An operation within all limits that are independent of variables, with its cost for any variables.
///
/// The type is a class, because all requests with the operation share one instance.
package final class AnalyzedOperation: Sendable {
    /// The measurements of the operation.
    package let measure: OperationMetrics
    private let operation: OperationDefinition
    private let valid: ValidDocument
    private let order: FragmentOrder
    private let limits: OperationLimits
    private let plan: CostPlan
    /// The cost if it is independent of the variables.
    private let constant: Result<OperationCost, GraphQLErrors>?

    init(
        _ operation: OperationDefinition, of valid: ValidDocument, order: FragmentOrder,
        _ measure: OperationMetrics,
        _ limits: OperationLimits, _ costs: SchemaCosts
    ) {
        self.measure = measure
        self.operation = operation
        self.valid = valid
        self.order = order
        self.limits = limits
        let plan = CostCompiler.plan(operation, in: valid.typed, order: order, costs, limits)
        self.plan = plan
        constant =
            plan.isConstant
            ? Result { () throws(GraphQLErrors) in
                try AnalyzedOperation.cost(operation, of: valid, order: order, plan, limits, .empty)
            } : nil
    }

    /// Returns the cost of the operation with the variables of a request.
    ///
    /// - Parameter variables: The variables of the request, coerced for the same operation.
    /// - Returns: The cost, which is within its limit.
    /// - Throws: An error with the field at which the cost exceeds the limit, or that lacks its slicing
    ///   argument.
    package func cost(_ variables: VariableValues) throws(GraphQLErrors) -> OperationCost {
        if let constant { return try constant.get() }
        return try AnalyzedOperation.cost(operation, of: valid, order: order, plan, limits, variables)
    }

    private static func cost(
        _ operation: OperationDefinition, of valid: ValidDocument, order: FragmentOrder, _ plan: CostPlan,
        _ limits: OperationLimits, _ variables: VariableValues
    ) throws(GraphQLErrors) -> OperationCost {
        do throws(LimitExceededError) {
            let cost = try plan.cost(variables)
            if limits.cost == .max || cost.total <= Cost(limits.cost) { return cost }
            // Folded costs have no position, so the position is computed from an unfolded plan.
            let unfolded = CostCompiler.plan(
                operation, in: valid.typed, order: order, plan.model, limits, folds: false)
            let isField = cost.field == cost.total
            let span = try unfolded.span(
                exceeding: Cost(limits.cost), of: isField ? \.field : \.type, variables)
            throw LimitExceededError(
                cause: .exceeded(isField ? .fieldCost : .typeCost, by: .cost(cost.total), limit: limits.cost),
                span: span ?? operation.span)
        } catch {
            throw GraphQLErrors([error.error(in: valid.document.source)])
        }
    }
}
