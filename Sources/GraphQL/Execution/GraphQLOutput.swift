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
