/// The values that operations begin from.
struct Roots: Sendable {
    let query: RootBinding

    func bind(to binder: inout Binder) {
        bind(query, as: .query, to: &binder)
        for operation in [OperationType.mutation, .subscription] {
            guard let missing = binder.schema.rootType(for: operation) else { continue }
            binder.differ(at: binder.schema[missing].name, .notBound)
        }
    }

    private func bind(_ root: RootBinding, as operation: OperationType, to binder: inout Binder) {
        root.bind(&binder)
        guard let type = binder.schema.rootType(for: operation), binder.schema[type].name == root.name else {
            return binder.differ(at: root.name, .kind(expected: "the root type of \(operation.rawValue) operations"))
        }
    }

    /// Plans an operation.
    func plan(
        _ operation: OperationDefinition, of document: ValidDocument, _ schema: Schema, _ conditions: [UInt32: Bool]
    ) throws -> OperationPlan {
        var planner = Planner(
            document: document.document, schema: schema, introspection: Introspection(schema: schema),
            conditions: conditions)
        let root: RootPlan
        switch operation.type {
        case .query: root = try query.plan([operation.selectionSet], &planner)
        // Validation has refused operations that the schema has no root type for.
        case .mutation, .subscription: throw PlanningError.noOperation
        }
        return OperationPlan(operation, root, planner)
    }
}

/// A root value, its type erased.
struct RootBinding: Sendable {
    let name: String
    let bind: @Sendable (inout Binder) -> Void
    let plan: @Sendable ([SelectionSet], inout Planner) throws -> RootPlan

    init<Root: GraphQLObject>(_ value: Root) {
        name = Root.graphQL.name
        bind = { binder in _ = Root.bind(to: &binder) }
        plan = { selectionSets, planner in RootPlan(value, try Root.plan(selectionSets, with: &planner)) }
    }
}
