/// A Swift type in a response: a leaf, an object, an abstract type, or an optional or array of one.
///
/// Types conform through `GraphQLScalar`, `GraphQLEnum`, `GraphQLObject` or `GraphQLAbstract`, whose
/// extensions implement these requirements. The requirements use pointers so that the write pass reads
/// values in place: an array's element or an object's property is neither copied nor retained.
///
/// The file is longer than 350 lines, because the optional, the array and the result, which conform, are
/// written beside the requirements.
public protocol GraphQLOutput: Sendable {
    /// The type below all lists and optionals that may have loads: an object or abstract type, `Never` for a
    /// leaf.
    associatedtype Node: Sendable
    /// The planned selection on this type.
    associatedtype Selection: Sendable

    /// True if null can replace a failed value.
    static var acceptsNull: Bool { get }

    /// Returns the schema type, and binds the types that this one refers to.
    static func bind(to binder: inout SchemaBinder) -> BoundType

    /// Plans the selection sets of merged fields on this type; they are empty for leaves.
    static func plan(_ selectionSets: [SelectionSet], with planner: inout Planner) throws -> Selection

    /// Returns true if something must be loaded before a value can be written.
    static func hasLoads(_ selection: Selection) -> Bool

    /// Writes a value.
    ///
    /// - Parameters:
    ///   - value: The address of the value.
    ///   - selection: The planned selection.
    ///   - row: The row of the next object in its layer; each object takes one.
    ///   - writer: The writer of the response.
    /// - Returns: False if the value failed and cannot be null. The failure is then recorded, and the caller
    ///   must rewind the text written since the last mark.
    static func write(
        _ value: UnsafePointer<Self>, _ selection: Selection, row: inout Int, to writer: inout ResponseWriter
    ) -> Bool

    /// Appends the nodes of a value in the order in which `write` takes their rows.
    static func collect(_ value: Self, into nodes: inout [Node])

    /// Starts the loads below these nodes, and adds the asynchronous ones to `pending`.
    static func prepare(
        _ nodes: [Node], _ selection: Selection, in execution: Execution,
        pending: inout [@Sendable () async -> Void])

    /// True if the value is a list that `@stream` can divide; ``itemCount(of:)`` and ``split(_:after:)`` are called only then.
    static var isDivisible: Bool { get }

    /// Returns the number of items if the value can be divided; otherwise nil.
    static func itemCount(of value: Self) -> Int?

    /// Divides a list after its first `count` items.
    static func split(_ value: Self, after count: Int) -> (first: Self, rest: Self)

    /// Writes an item of a list, without brackets.
    ///
    /// - Parameters:
    ///   - item: The position in the list.
    ///   - value: The address of the list.
    ///   - selection: The planned selection.
    ///   - row: The row of the item's next object in its layer.
    ///   - writer: The writer of the response, whose path ends with the item.
    /// - Returns: False if the item failed and cannot be null.
    static func write(
        item: Int, of value: UnsafePointer<Self>, _ selection: Selection, row: inout Int,
        to writer: inout ResponseWriter
    ) -> Bool
}

/// Types other than lists have no items.
extension GraphQLOutput {
    /// False.
    @inlinable
    public static var isDivisible: Bool { false }

    /// Returns nil.
    public static func itemCount(of value: Self) -> Int? { nil }

    /// Returns the value twice.
    public static func split(_ value: Self, after count: Int) -> (first: Self, rest: Self) { (value, value) }

    /// Returns false.
    public static func write(
        item: Int, of value: UnsafePointer<Self>, _ selection: Selection, row: inout Int,
        to writer: inout ResponseWriter
    ) -> Bool { false }
}

extension GraphQLOutput {
    /// False by default; optionals and their wrappers return true.
    @inlinable
    public static var acceptsNull: Bool { false }

    /// Writes a value that is not stored in other memory.
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
    /// The node type of the wrapped value.
    public typealias Node = Wrapped.Node
    /// The selection on the wrapped value; null has none.
    public typealias Selection = Wrapped.Selection

    /// True: a failure does not propagate above this value (specification, section 6.4.4).
    @inlinable
    public static var acceptsNull: Bool { true }

    /// Returns the wrapped type as a nullable type.
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

    /// Returns true if something must be loaded before the value can be written.
    @inlinable
    public static func hasLoads(_ selection: Selection) -> Bool {
        Wrapped.hasLoads(selection)
    }

    /// Writes the value, or null for nil and for a failed value.
    @inlinable
    @inline(__always)
    public static func write(
        _ value: UnsafePointer<Self>, _ selection: Selection, row: inout Int, to writer: inout ResponseWriter
    ) -> Bool {
        if case .none = unsafe value.pointee {
            writer.writeNull()
            return true
        }
        // Swift's ABI stores the payload of an enum with a single payload at offset 0 (ABI/TypeLayout,
        // "Single-Payload Enums"); reading it there avoids a copy with its reference counting.
        let wrapped = unsafe UnsafeRawPointer(value).assumingMemoryBound(to: Wrapped.self)
        return unsafe write(some: wrapped, selection, row: &row, to: &writer)
    }

    /// Writes a non-nil value, or null if it failed.
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
        // The failure stops here, because this position is nullable (specification, 6.4.4).
        writer.rewind(to: mark)
        writer.writeNull()
        row = unsafe firstRow + rows(of: wrapped.pointee)
        return true
    }

    /// Returns the number of rows that a value takes in its layer: rows that a failed value did not take
    /// must be skipped.
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

    /// Starts the loads below the non-nil values.
    @inlinable
    public static func prepare(
        _ nodes: [Node], _ selection: Selection, in execution: Execution,
        pending: inout [@Sendable () async -> Void]
    ) {
        Wrapped.prepare(nodes, selection, in: execution, pending: &pending)
    }
}

extension Optional where Wrapped: GraphQLOutput {
    /// True if the wrapped value can be divided.
    @inlinable
    public static var isDivisible: Bool { Wrapped.isDivisible }

    /// Returns the number of items of a wrapped list.
    public static func itemCount(of value: Self) -> Int? { value.flatMap(Wrapped.itemCount) }

    /// Divides a wrapped list.
    public static func split(_ value: Self, after count: Int) -> (first: Self, rest: Self) {
        guard case .some(let wrapped) = value else { return (nil, nil) }
        let (first, rest) = Wrapped.split(wrapped, after: count)
        return (.some(first), .some(rest))
    }

    /// Writes an item of a wrapped list.
    public static func write(
        item: Int, of value: UnsafePointer<Self>, _ selection: Selection, row: inout Int,
        to writer: inout ResponseWriter
    ) -> Bool {
        guard case .some(let wrapped) = unsafe value.pointee else { return false }
        return unsafe withUnsafePointer(to: wrapped) {
            unsafe Wrapped.write(item: item, of: $0, selection, row: &row, to: &writer)
        }
    }
}

extension Array: GraphQLOutput where Element: GraphQLOutput {
    /// The node type of the elements: lists add no layer.
    public typealias Node = Element.Node
    /// The selection that all elements share.
    public typealias Selection = Element.Selection

    /// Returns a non-null list of the element's type.
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

    /// Returns true if something must be loaded before an element can be written.
    @inlinable
    public static func hasLoads(_ selection: Selection) -> Bool {
        Element.hasLoads(selection)
    }

    /// Writes a JSON array; a failed non-null element fails the list (specification, 6.4.4).
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

extension Array where Element: GraphQLOutput {
    /// True.
    @inlinable
    public static var isDivisible: Bool { true }

    /// Returns the number of items.
    public static func itemCount(of value: Self) -> Int? { value.count }

    /// Divides the list.
    public static func split(_ value: Self, after count: Int) -> (first: Self, rest: Self) {
        (Array(value.prefix(count)), Array(value.dropFirst(count)))
    }

    /// Writes an item.
    public static func write(
        item: Int, of value: UnsafePointer<Self>, _ selection: Selection, row: inout Int,
        to writer: inout ResponseWriter
    ) -> Bool {
        guard unsafe value.pointee.indices.contains(item) else { return false }
        return unsafe Element.write(copy: value.pointee[item], selection, row: &row, to: &writer)
    }
}

/// A list item that may fail separately: null in the list, with an error at its path.
extension Result: GraphQLOutput where Success: GraphQLOutput, Failure == any Error {
    /// The node type of the success value.
    public typealias Node = Success.Node
    /// The selection on the success value.
    public typealias Selection = Success.Selection

    /// True: a failed result becomes null.
    @inlinable
    public static var acceptsNull: Bool { true }

    /// Returns the type of the value as a nullable type.
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

    /// Returns true if something must be loaded before the value can be written.
    @inlinable
    public static func hasLoads(_ selection: Selection) -> Bool {
        Success.hasLoads(selection)
    }

    /// Writes the value; a failure becomes null, and its error is recorded for `errors`.
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

extension Result where Success: GraphQLOutput, Failure == any Error {
    /// True if the value of a success can be divided.
    @inlinable
    public static var isDivisible: Bool { Success.isDivisible }

    /// Returns the number of items of a list that did not fail.
    public static func itemCount(of value: Self) -> Int? {
        guard case .success(let success) = value else { return nil }
        return Success.itemCount(of: success)
    }

    /// Divides a list that did not fail.
    public static func split(_ value: Self, after count: Int) -> (first: Self, rest: Self) {
        guard case .success(let success) = value else { return (value, value) }
        let (first, rest) = Success.split(success, after: count)
        return (.success(first), .success(rest))
    }

    /// Writes an item of a list that did not fail.
    public static func write(
        item: Int, of value: UnsafePointer<Self>, _ selection: Selection, row: inout Int,
        to writer: inout ResponseWriter
    ) -> Bool {
        guard case .success(let success) = unsafe value.pointee else { return false }
        return unsafe withUnsafePointer(to: success) {
            unsafe Success.write(item: item, of: $0, selection, row: &row, to: &writer)
        }
    }
}
