/// The root values of operations.
struct RootValues: Sendable {
    let query: RootBinding
    let mutation: RootBinding?
    let subscription: RootBinding?

    func bind(to binder: inout SchemaBinder) {
        for operation in OperationType.allCases { bind(binding(for: operation), as: operation, to: &binder) }
    }

    private func binding(for operation: OperationType) -> RootBinding? {
        switch operation {
        case .query: query
        case .mutation: mutation
        case .subscription: subscription
        }
    }

    private func bind(_ root: RootBinding?, as operation: OperationType, to binder: inout SchemaBinder) {
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
        _ introspection: Introspection, _ guards: FieldGuards, _ settings: OperationPlan.Settings,
        _ conditions: PlanConditions
    ) throws -> OperationPlan {
        // Validation rejects operations without a root type in the schema.
        guard let binding = binding(for: operation.type) else { throw PlanningError.noOperation }
        var planner = Planner(
            document: document.document, schema: schema, introspection: introspection, guards: guards,
            conditions: conditions)
        let plan = try planner.planOperation(operation, on: binding.object)
        return OperationPlan(operation, plan, from: binding.value, settings, planner)
    }
}

/// A type-erased root value with its bound fields.
struct RootBinding: Sendable {
    let object: AnyObjectType
    let value: RootValue
    let bind: @Sendable (inout SchemaBinder) -> Void

    /// Creates a binding; nil for `EmptyRoot`.
    init?<Root: GraphQLObject>(ifAny value: Root) {
        if Root.self == EmptyRoot.self { return nil }
        self.init(value)
    }

    init<Root: GraphQLObject>(_ value: Root) {
        object = Root.graphQL.bound
        self.value = RootValue(value)
        bind = { binder in _ = Root.bind(to: &binder) }
    }

    /// The name of the type in the schema.
    var name: String { object.name }
}

/// The root value of a schema without mutations or without subscriptions.
public struct EmptyRoot: GraphQLObject {
    /// The type without a name and fields; it is never bound.
    public static let graphQL = ObjectType<EmptyRoot>("") {}

    /// Creates the default for operations that a schema does not have.
    public init() {}
}

/// The type-erased root value of a kind of operation, in memory that never moves.
@safe
struct RootValue: @unchecked Sendable {
    // Sendable, although it points to memory: the value there is Sendable and immutable.
    /// The address of the value.
    let object: UnsafeRawPointer
    /// The value as the only object of its layer.
    let layer: ObjectLayer
    /// The owner of the memory.
    private let storage: AnyObject

    init<Root: Sendable>(_ value: Root) {
        let storage = RootStorage(value)
        unsafe object = UnsafeRawPointer(storage.object)
        layer = unsafe ObjectLayer(nodes: UnsafeRawPointer(storage.layer), count: 1)
        self.storage = storage
    }
}

/// Memory that does not move, for a root value and a list of it.
@safe
private final class RootStorage<Root> {
    let object: UnsafeMutablePointer<Root>
    let layer: UnsafeMutablePointer<[Root]>

    init(_ value: Root) {
        unsafe object = .allocate(capacity: 1)
        unsafe object.initialize(to: value)
        unsafe layer = .allocate(capacity: 1)
        unsafe layer.initialize(to: [value])
    }

    deinit {
        unsafe object.deinitialize(count: 1)
        unsafe object.deallocate()
        unsafe layer.deinitialize(count: 1)
        unsafe layer.deallocate()
    }
}
