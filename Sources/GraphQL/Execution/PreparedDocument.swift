import Synchronization

/// A document that was parsed and validated once, with the plans of its operations.
final class PreparedDocument: Sendable {
    let valid: ValidDocument
    let sizeHint = SizeHint()
    private let operations: [OperationDefinition]
    /// The variables that decide about selections: there is a plan for each combination of their values.
    private let conditionalVariables: [Name]
    private let plans = GenerationalCache<PlanKey, OperationPlan>(capacity: 16)
    /// What the limits have to say of each operation, by where it begins.
    ///
    /// A refusal costs as much to find as a
    /// success, so it is kept as well.
    private let measures = GenerationalCache<UInt32, Result<MeasuredOperation, GraphQLErrors>>(capacity: 16)

    init(_ valid: ValidDocument) {
        self.valid = valid
        operations = valid.document.definitions.compactMap { definition in
            if case .operation(let operation) = definition { operation } else { nil }
        }
        conditionalVariables = DirectiveWords(valid.document).conditionalVariables(in: valid.document)
    }

    /// The operation that a request means (specification, section 6.1, GetOperation).
    func operation(named name: String?) throws(GraphQLErrors) -> OperationDefinition {
        guard let name else {
            if operations.count > 1 {
                throw GraphQLErrors([
                    GraphQLError("Must provide operation name if query contains multiple operations.")
                ])
            }
            guard let only = operations.first else {
                throw GraphQLErrors([GraphQLError("Must provide an operation.")])
            }
            return only
        }
        let named = operations.first { $0.name.map { valid.document.text($0) } == name }
        guard let named else { throw GraphQLErrors([GraphQLError("Unknown operation named \"\(name)\".")]) }
        return named
    }

    /// The operation as the limits see it.
    ///
    /// - Throws: which limit it exceeds, and where.
    func measured(
        _ operation: OperationDefinition, within limits: OperationLimits, at prices: CostModel
    ) throws(GraphQLErrors) -> MeasuredOperation {
        if let known = measures[operation.span.start] { return try known.get() }
        let result: Result<MeasuredOperation, GraphQLErrors>
        do throws(GraphQLErrors) {
            result = .success(try limits.check(operation, of: valid, prices: prices))
        } catch {
            result = .failure(error)
        }
        measures[operation.span.start] = result
        return try result.get()
    }

    /// The variables of a request, coerced (specification, section 6.1.2).
    func variables(
        of operation: OperationDefinition, given: InputObject, _ schema: Schema
    ) throws(GraphQLErrors) -> VariableValues {
        guard !operation.variables.isEmpty else { return .empty }
        return try schema.coerceVariables(of: operation, in: valid.document, given: given)
    }

    /// The plan of an operation for the values that its conditional variables have.
    func plan(
        _ operation: OperationDefinition, _ variables: VariableValues,
        make: ([UInt32: Bool]) throws -> OperationPlan
    ) throws(GraphQLErrors) -> OperationPlan {
        var conditions: [UInt32: Bool] = [:]
        for variable in conditionalVariables {
            if case .boolean(let value) = variables[variable] { conditions[variable.id] = value }
        }
        let key = PlanKey(operation: operation.span.start, conditions: conditions)
        if let known = plans[key] { return known }
        do {
            let plan = try make(conditions)
            plans[key] = plan
            return plan
        } catch {
            throw GraphQLErrors([
                GraphQLError(
                    "Internal server error", extensions: ["code": .string("INTERNAL_SERVER_ERROR")])
            ])
        }
    }

    private struct PlanKey: Hashable {
        /// Where the operation begins in its document.
        let operation: UInt32
        let conditions: [UInt32: Bool]
    }
}
