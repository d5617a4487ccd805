extension Array: Output where Element: Output {
    public typealias Node = Element.Node
    public typealias Selection = Element.Selection

    public static func bind(to binder: inout Binder) -> BoundType {
        Element.bind(to: &binder).list
    }

    @inlinable
    public static func plan(_ selectionSets: [SelectionSet], with planner: inout Planner) throws -> Selection {
        try Element.plan(selectionSets, with: &planner)
    }

    @inlinable
    public static func hasLoads(_ selection: Selection) -> Bool {
        Element.hasLoads(selection)
    }

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
                guard unsafe Element.write(first + index, selection, row: &row, to: &writer) else { return false }
            }
            return true
        }
        guard isComplete else { return false }
        writer.path.leave()
        writer.write(byte: UInt8(ascii: "]"))
        return true
    }

    @inlinable
    public static func collect(_ value: Self, into nodes: inout [Node]) {
        for element in value { Element.collect(element, into: &nodes) }
    }

    @inlinable
    public static func prepare(
        _ nodes: [Node], _ selection: Selection, in execution: Execution,
        pending: inout [@Sendable () async -> Void]
    ) {
        Element.prepare(nodes, selection, in: execution, pending: &pending)
    }
}
