/// What a Swift type is in a response: a leaf, an object, an abstract type, or an optional or array of one.
///
/// Types take part by conforming to `GraphQLScalar`, `GraphQLEnum`, `GraphQLObject` or `GraphQLAbstract`, whose
/// extensions meet these requirements. The pointers among them are how the write pass reads values in place: an
/// array's element or an object's property is never copied nor retained on its way into the response.
public protocol GraphQLOutput: Sendable {
    /// The type below all lists and optionals that may have loads: an object or abstract type, `Never` for a leaf.
    associatedtype Node: Sendable
    /// What a plan keeps for a selection on this type.
    associatedtype Selection: Sendable

    /// True where a null may stand for a value that failed.
    static var acceptsNull: Bool { get }

    /// Tells the binder what type this is, and which types it leads to.
    static func bind(to binder: inout SchemaBinder) -> BoundType

    /// Plans the selection sets that merged fields have on this type; they are empty for leaves.
    static func plan(_ selectionSets: [SelectionSet], with planner: inout Planner) throws -> Selection

    /// Whether something must be loaded before a value can be written.
    static func hasLoads(_ selection: Selection) -> Bool

    /// Writes a value.
    ///
    /// - Parameters:
    ///   - value: where the value lies.
    ///   - selection: what is selected of it.
    ///   - row: the row of the next object in its layer; each object takes one.
    ///   - writer: the response so far.
    /// - Returns: False where the value failed and cannot be null; the failure has been noted, and what was written
    ///   since the last mark is to be rewound.
    static func write(
        _ value: UnsafePointer<Self>, _ selection: Selection, row: inout Int, to writer: inout ResponseWriter
    ) -> Bool

    /// Appends the nodes of a value in the order in which `write` takes their rows.
    static func collect(_ value: Self, into nodes: inout [Node])

    /// Starts the loads below these nodes; what cannot be answered at once is left in `pending`.
    static func prepare(
        _ nodes: [Node], _ selection: Selection, in execution: Execution,
        pending: inout [@Sendable () async -> Void])
}

extension GraphQLOutput {
    /// False: only optionals, and what is made of them, take a null.
    @inlinable
    public static var acceptsNull: Bool { false }

    /// Writes a value that stands nowhere but here.
    @inlinable
    static func write(
        copy value: Self, _ selection: Selection, row: inout Int, to writer: inout ResponseWriter
    ) -> Bool {
        unsafe withUnsafePointer(to: value) { pointer in
            unsafe write(pointer, selection, row: &row, to: &writer)
        }
    }
}

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
        let mark = writer.checkpoint
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
        writer.path.exit()
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
