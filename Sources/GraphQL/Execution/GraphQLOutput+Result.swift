/// A list item that may have failed on its own: null in its place, and an error with its path.
extension Result: GraphQLOutput where Success: GraphQLOutput, Failure == any Error {
    /// That of the value, where it did not fail.
    public typealias Node = Success.Node
    /// That of the value.
    public typealias Selection = Success.Selection

    /// True: that is what a failed result becomes.
    @inlinable
    public static var acceptsNull: Bool { true }

    /// The type of the value, which may be null in the schema.
    public static func bind(to binder: inout SchemaBinder) -> BoundType {
        Success.bind(to: &binder).nullable
    }

    /// Plans the selection sets on the value.
    @inlinable
    public static func plan(
        _ selectionSets: [SelectionSet], with planner: inout Planner
    ) throws -> Selection {
        try Success.plan(selectionSets, with: &planner)
    }

    /// Whether something must be loaded before the value can be written.
    @inlinable
    public static func hasLoads(_ selection: Selection) -> Bool {
        Success.hasLoads(selection)
    }

    /// Writes the value; a failure is null here and goes no further, its error is noted for `errors`.
    @inlinable
    public static func write(
        _ value: UnsafePointer<Self>, _ selection: Selection, row: inout Int, to writer: inout ResponseWriter
    ) -> Bool {
        switch unsafe value.pointee {
        case .success(let success):
            return unsafe withUnsafePointer(to: success) { pointer in
                unsafe Success?.write(some: pointer, selection, row: &row, to: &writer)
            }
        case .failure(let error):
            writer.fail(error)
            writer.writeNull()
            return true
        }
    }

    /// Appends the nodes of a value that did not fail.
    @inlinable
    public static func collect(_ value: Self, into nodes: inout [Node]) {
        if case .success(let success) = value { Success.collect(success, into: &nodes) }
    }

    /// Starts the loads below the values that did not fail.
    @inlinable
    public static func prepare(
        _ nodes: [Node], _ selection: Selection, in execution: Execution,
        pending: inout [@Sendable () async -> Void]
    ) {
        Success.prepare(nodes, selection, in: execution, pending: &pending)
    }
}
