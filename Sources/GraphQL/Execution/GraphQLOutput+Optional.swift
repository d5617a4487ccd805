extension Optional: GraphQLOutput where Wrapped: GraphQLOutput {
    /// That of the value, where there is one.
    public typealias Node = Wrapped.Node
    /// That of the value; a null has nothing to select from.
    public typealias Selection = Wrapped.Selection

    /// True: a failure below goes no further than here (specification, section 6.4.4).
    @inlinable
    public static var acceptsNull: Bool { true }

    /// The wrapped type, which may be null in the schema.
    public static func bind(to binder: inout SchemaBinder) -> BoundType {
        Wrapped.bind(to: &binder).nullable
    }

    /// Plans the selection sets on the value.
    @inlinable
    public static func plan(
        _ selectionSets: [SelectionSet], with planner: inout Planner
    ) throws -> Selection {
        try Wrapped.plan(selectionSets, with: &planner)
    }

    /// Whether something must be loaded before the value can be written.
    @inlinable
    public static func hasLoads(_ selection: Selection) -> Bool {
        Wrapped.hasLoads(selection)
    }

    /// Writes the value, or null for none and for one that failed.
    @inlinable
    @inline(__always)
    public static func write(
        _ value: UnsafePointer<Self>, _ selection: Selection, row: inout Int, to writer: inout ResponseWriter
    ) -> Bool {
        if case .none = unsafe value.pointee {
            writer.writeNull()
            return true
        }
        // Swift's ABI keeps the payload of an enum with a single payload at offset 0 (ABI/TypeLayout, "Single-Payload
        // Enums"); reading it there spares a copy with its reference counting.
        let wrapped = unsafe UnsafeRawPointer(value).assumingMemoryBound(to: Wrapped.self)
        return unsafe write(some: wrapped, selection, row: &row, to: &writer)
    }

    /// Writes a value that is there, or null where it failed.
    @inlinable
    @inline(__always)
    static func write(
        some wrapped: UnsafePointer<Wrapped>, _ selection: Selection, row: inout Int,
        to writer: inout ResponseWriter
    ) -> Bool {
        let mark = writer.mark
        let firstRow = row
        if unsafe Wrapped.write(wrapped, selection, row: &row, to: &writer) { return true }
        if writer.isOverLimit { return false }
        // The failure stops here: this position may be null (specification, 6.4.4).
        writer.rewind(to: mark)
        writer.writeNull()
        row = unsafe firstRow + rows(of: wrapped.pointee)
        return true
    }

    /// How many rows a value takes in its layer: those that a failure has left untaken must be passed over.
    @inline(never)
    @usableFromInline
    static func rows(of value: Wrapped) -> Int {
        var nodes: [Node] = []
        Wrapped.collect(value, into: &nodes)
        return nodes.count
    }

    /// Appends the nodes of the value; null has none.
    @inlinable
    public static func collect(_ value: Self, into nodes: inout [Node]) {
        if case .some(let wrapped) = value { Wrapped.collect(wrapped, into: &nodes) }
    }

    /// Starts the loads below the values that are there.
    @inlinable
    public static func prepare(
        _ nodes: [Node], _ selection: Selection, in execution: Execution,
        pending: inout [@Sendable () async -> Void]
    ) {
        Wrapped.prepare(nodes, selection, in: execution, pending: &pending)
    }
}
