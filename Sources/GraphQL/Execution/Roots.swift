/// The values that operations begin from.
struct Roots: Sendable {
    let query: RootBinding
    let mutation: RootBinding?
    let subscription: RootBinding?

    func bind(to binder: inout Binder) {
        for operation in OperationType.allCases { bind(binding(for: operation), as: operation, to: &binder) }
    }

    private func binding(for operation: OperationType) -> RootBinding? {
        switch operation {
        case .query: query
        case .mutation: mutation
        case .subscription: subscription
        }
    }

    private func bind(_ root: RootBinding?, as operation: OperationType, to binder: inout Binder) {
        root?.bind(&binder)
        let type = binder.schema.rootType(for: operation).map { binder.schema[$0].name }
        switch (root?.name, type) {
        case (let bound?, let type) where bound != type:
            binder.differ(at: bound, .kind(expected: "the root type of \(operation.rawValue) operations"))
        case (nil, let type?): binder.differ(at: type, .notBound)
        case (_, _): break
        }
    }

    /// Plans an operation.
    func plan(
        _ operation: OperationDefinition, of document: ValidDocument, _ schema: Schema,
        _ conditions: [UInt32: Bool]
    ) throws -> OperationPlan {
        // Validation has refused operations that the schema has no root type for.
        guard let binding = binding(for: operation.type) else { throw PlanningError.noOperation }
        var planner = Planner(
            document: document.document, schema: schema, introspection: Introspection(schema: schema),
            conditions: conditions)
        let root = try binding.plan([operation.selectionSet], &planner)
        return OperationPlan(operation, root, planner)
    }
}

/// A root value, its type erased.
struct RootBinding: Sendable {
    let name: String
    let bind: @Sendable (inout Binder) -> Void
    let plan: @Sendable ([SelectionSet], inout Planner) throws -> RootPlan

    /// Nil for `NoOperations`.
    init?<Root: GraphQLObject>(ifAny value: Root) {
        if Root.self == NoOperations.self { return nil }
        self.init(value)
    }

    init<Root: GraphQLObject>(_ value: Root) {
        name = Root.graphQL.name
        bind = { binder in _ = Root.bind(to: &binder) }
        plan = { selectionSets, planner in RootPlan(value, try Root.plan(selectionSets, with: &planner)) }
    }
}

/// Stands where a schema has no mutations or no subscriptions.
public struct NoOperations: GraphQLObject {
    /// No name and no fields: it is never bound.
    public static let graphQL = Object<NoOperations>("") {}

    /// The default for operations that a schema does not have.
    public init() {}
}
