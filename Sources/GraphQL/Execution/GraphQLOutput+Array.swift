extension Array: GraphQLOutput where Element: GraphQLOutput {
    /// Lists add no layer: what may have loads are the elements.
    public typealias Node = Element.Node
    /// One selection serves all elements.
    public typealias Selection = Element.Selection

    /// The element's type in a list that is never null.
    public static func bind(to binder: inout SchemaBinder) -> BoundType {
        Element.bind(to: &binder).list
    }

    /// Plans the selection sets on the elements.
    @inlinable
    public static func plan(
        _ selectionSets: [SelectionSet], with planner: inout Planner
    ) throws -> Selection {
        try Element.plan(selectionSets, with: &planner)
    }

    /// Whether something must be loaded before an element can be written.
    @inlinable
    public static func hasLoads(_ selection: Selection) -> Bool {
        Element.hasLoads(selection)
    }

    /// Writes a JSON array; a failed element that cannot be null fails the list (specification, 6.4.4).
    @inlinable
    public static func write(
        _ value: UnsafePointer<Self>, _ selection: Selection, row: inout Int, to writer: inout ResponseWriter
    ) -> Bool {
        writer.write(byte: UInt8(ascii: "["))
        writer.path.enter()
        let isComplete = unsafe value.pointee.withUnsafeBufferPointer { items in
            guard let first = items.baseAddress else { return true }
            for index in 0..<items.count {
                if index > 0 { writer.write(byte: UInt8(ascii: ",")) }
                writer.path.set(index: index)
                guard unsafe Element.write(first + index, selection, row: &row, to: &writer) else {
                    return false
                }
            }
            return true
        }
        guard isComplete else { return false }
        writer.path.leave()
        writer.write(byte: UInt8(ascii: "]"))
        return !writer.isOverLimit
    }

    /// Appends the nodes of all elements, in their order.
    @inlinable
    public static func collect(_ value: Self, into nodes: inout [Node]) {
        for element in value { Element.collect(element, into: &nodes) }
    }

    /// Starts the loads below the elements of all lists of the layer at once.
    @inlinable
    public static func prepare(
        _ nodes: [Node], _ selection: Selection, in execution: Execution,
        pending: inout [@Sendable () async -> Void]
    ) {
        Element.prepare(nodes, selection, in: execution, pending: &pending)
    }
}
