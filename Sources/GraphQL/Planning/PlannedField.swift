/// How a planned field is written, and what must be loaded before.
///
/// It does not know the type of its source: plans are made anew for each new document, and code that is generic over
/// the source would run unspecialised there, which was a third of the time that a new document takes. The closures
/// are made by `Field<Source>`, whose initialisers are compiled for their source, and called by the plan of an
/// `Object<Source>` alone, whose `ObjectPlanReference<Source>` has the type again.
@usableFromInline
@safe
struct PlannedField {
    /// Writes the field of the object that lies there; false where it failed and cannot be null.
    @usableFromInline
    typealias Emit = @Sendable (UnsafeRawPointer, _ row: Int, inout ResponseWriter) -> Bool
    /// Starts the load of the field for all objects of a layer.
    @usableFromInline
    typealias Load = @Sendable (ObjectLayer, Execution, inout [PendingLoad]) -> Void

    /// How the field is written.
    @usableFromInline
    @safe
    enum Content: Sendable {
        /// A built-in scalar, so many bytes behind where the object lies.
        case stored(InlineScalar, offset: Int)
        case emitted(Emit)
    }

    let content: Content
    let load: Load?
    /// Begins the events of a field of the subscription root.
    var subscribe: Subscribe?
    /// The guards that a mutation checks again before the field starts.
    var guards: GuardedSlot?

    @usableFromInline
    init(emit: @escaping Emit, load: Load? = nil) {
        content = unsafe .emitted(emit)
        self.load = load
    }

    @usableFromInline
    init(stored leaf: InlineScalar, offset: Int) {
        content = .stored(leaf, offset: offset)
        load = nil
    }
}

/// The objects of a layer, their type forgotten: a pointer to an array of them, good for the call that it is given to.
@frozen
@usableFromInline
@safe
struct ObjectLayer {
    @usableFromInline
    let nodes: UnsafeRawPointer

    /// Lends an array to a call.
    @inlinable
    static func lending<Source>(_ nodes: [Source], to body: (ObjectLayer) -> Void) {
        unsafe withUnsafePointer(to: nodes) { pointer in
            body(unsafe ObjectLayer(nodes: UnsafeRawPointer(pointer)))
        }
    }

    @inlinable
    init(nodes: UnsafeRawPointer) {
        unsafe self.nodes = nodes
    }

    /// The objects; the caller knows what they are.
    @inlinable
    func objects<Source>(as type: Source.Type) -> [Source] {
        unsafe nodes.assumingMemoryBound(to: [Source].self).pointee
    }
}
