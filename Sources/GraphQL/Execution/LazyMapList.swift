/// A list whose items are created one by one while they are written, for data in columns or computed data.
///
/// A list of ten thousand items needs no memory before it is written, and then no allocation per item. If
/// something is loaded below the items, they are also created once for the load.
@frozen
public struct LazyMapList<Items: RandomAccessCollection & Sendable>: Sendable
where Items.Element: GraphQLOutput {
    /// The collection that creates the items.
    public let items: Items

    /// Creates a list of these items.
    @inlinable
    public init(_ items: Items) {
        self.items = items
    }
}

extension LazyMapList: GraphQLOutput {
    /// The node type of the items: lists add no layer.
    public typealias Node = Items.Element.Node
    /// The selection that all items share.
    public typealias Selection = Items.Element.Selection

    /// Returns a non-null list of the item's type.
    public static func bind(to binder: inout SchemaBinder) -> BoundType {
        Items.Element.bind(to: &binder).list
    }

    /// Plans the selection sets on the items.
    @inlinable
    public static func plan(
        _ selectionSets: [SelectionSet], with planner: inout Planner
    ) throws -> Selection {
        try Items.Element.plan(selectionSets, with: &planner)
    }

    /// Returns true if something must be loaded before an item can be written.
    @inlinable
    public static func hasLoads(_ selection: Selection) -> Bool {
        Items.Element.hasLoads(selection)
    }

    /// Writes a JSON array; a failed non-null item fails the list (specification, 6.4.4).
    @inlinable
    public static func write(
        _ value: UnsafePointer<Self>, _ selection: Selection, row: inout Int, to writer: inout ResponseWriter
    ) -> Bool {
        let items = unsafe value.pointee.items
        writer.write(byte: UInt8(ascii: "["))
        writer.path.enter()
        var position = 0
        for item in items {
            if position > 0 { writer.write(byte: UInt8(ascii: ",")) }
            writer.path.set(index: position)
            guard Items.Element.write(copy: item, selection, row: &row, to: &writer) else { return false }
            position &+= 1
        }
        writer.path.exit()
        writer.write(byte: UInt8(ascii: "]"))
        return !writer.isOverLimit
    }

    /// Appends the nodes of all items, in their order.
    @inlinable
    public static func collect(_ value: Self, into nodes: inout [Node]) {
        for item in value.items { Items.Element.collect(item, into: &nodes) }
    }

    /// Starts the loads below the items of all lists of the layer at once.
    @inlinable
    public static func prepare(
        _ nodes: [Node], _ selection: Selection, in execution: Execution,
        pending: inout [@Sendable () async -> Void]
    ) {
        Items.Element.prepare(nodes, selection, in: execution, pending: &pending)
    }
}
