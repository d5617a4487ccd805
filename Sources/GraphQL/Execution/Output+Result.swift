/// A list item that may have failed on its own: null in its place, and an error with its path.
extension Result: Output where Success: Output, Failure == any Error {
    public typealias Node = Success.Node
    public typealias Selection = Success.Selection

    @inlinable
    public static var acceptsNull: Bool { true }

    public static func bind(to binder: inout Binder) -> BoundType {
        Success.bind(to: &binder).nullable
    }

    @inlinable
    public static func plan(_ selectionSets: [SelectionSet], with planner: inout Planner) throws -> Selection {
        try Success.plan(selectionSets, with: &planner)
    }

    @inlinable
    public static func hasLoads(_ selection: Selection) -> Bool {
        Success.hasLoads(selection)
    }

    @inlinable
    public static func write(
        _ value: UnsafePointer<Self>, _ selection: Selection, row: inout Int, to writer: inout ResponseWriter
    ) -> Bool {
        switch unsafe value.pointee {
        case .success(let success):
            return Success?.write(copy: success, selection, row: &row, to: &writer)
        case .failure(let error):
            writer.fail(error)
            writer.writeNull()
            return true
        }
    }

    @inlinable
    public static func collect(_ value: Self, into nodes: inout [Node]) {
        if case .success(let success) = value { Success.collect(success, into: &nodes) }
    }

    @inlinable
    public static func prepare(
        _ nodes: [Node], _ selection: Selection, in execution: Execution,
        pending: inout [@Sendable () async -> Void]
    ) {
        Success.prepare(nodes, selection, in: execution, pending: &pending)
    }
}
