/// The closures that write a planned field and load its data.
///
/// The source type is erased. Plans are created for each new document. Code that is generic over the source
/// would run unspecialised there, which took a third of the time of a new document. `Field<Source>` creates
/// the closures; its initialisers are compiled for their source. Only the plan of an `ObjectType<Source>`
/// calls them, whose `ObjectPlanReference<Source>` restores the type.
@usableFromInline
@safe
struct FieldClosures {
    /// Writes the field of the object at this address; returns false if it failed and cannot be null.
    @usableFromInline
    typealias Emit = @Sendable (UnsafeRawPointer, _ row: Int, inout ResponseWriter) -> Bool
    /// Starts the load of the field for all objects of a layer.
    @usableFromInline
    typealias Load = @Sendable (ObjectLayer, Execution, inout [PendingLoad]) -> Void

    /// The source of the field's value.
    @usableFromInline
    @safe
    enum Content: Sendable {
        /// A built-in scalar at a byte offset from the object's address.
        case stored(InlineScalar, offset: Int)
        case emitted(Emit)
    }

    let content: Content
    let load: Load?
    /// Opens the events of a field of the subscription root.
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

/// The objects of a layer, type-erased: a pointer to an array, valid during the call that receives it.
@frozen
@usableFromInline
@safe
struct ObjectLayer {
    @usableFromInline
    let nodes: UnsafeRawPointer

    /// The number of objects.
    @usableFromInline
    let count: Int

    /// Calls a closure with an array as a layer.
    @inlinable
    static func withLayer<Source>(_ nodes: [Source], to body: (ObjectLayer) -> Void) {
        unsafe withUnsafePointer(to: nodes) { pointer in
            body(unsafe ObjectLayer(nodes: UnsafeRawPointer(pointer), count: nodes.count))
        }
    }

    /// - Parameters:
    ///   - nodes: The address of the array.
    ///   - count: The number of its elements.
    @inlinable
    init(nodes: UnsafeRawPointer, count: Int) {
        unsafe self.nodes = nodes
        self.count = count
    }

    /// Returns the objects, whose type the caller guarantees.
    @inlinable
    @unsafe
    func objects<Source>(as type: Source.Type) -> [Source] {
        unsafe nodes.assumingMemoryBound(to: [Source].self).pointee
    }
}

extension FieldClosures {
    /// Returns the field with a check of the slot: if it contains a denial, nothing is loaded and the field
    /// fails.
    func guarded(by guards: GuardedSlot, isNonNull: Bool) -> FieldClosures {
        let slot = guards.slot
        let emit = unsafe FieldClosures.emit(content, unlessDeniedIn: slot, isNonNull: isNonNull)
        var field = unsafe FieldClosures(
            emit: emit, load: load.map { FieldClosures.load($0, unlessDeniedIn: slot) })
        field.subscribe = subscribe.map { FieldClosures.subscribe($0, unlessDeniedIn: slot) }
        field.guards = guards
        return field
    }

    private static func load(_ load: @escaping Load, unlessDeniedIn slot: Int) -> Load {
        { (layer: ObjectLayer, execution: Execution, pending: inout [PendingLoad]) -> Void in
            if execution.slots.denial(in: slot) == nil { load(layer, execution, &pending) }
        }
    }

    private static func emit(
        _ content: Content, unlessDeniedIn slot: Int, isNonNull: Bool
    ) -> Emit {
        { (source: UnsafeRawPointer, row: Int, writer: inout ResponseWriter) -> Bool in
            guard let error = writer.slots.denial(in: slot) else {
                switch content {
                case .stored(let leaf, let offset): return unsafe leaf.write(source + offset, to: &writer)
                case .emitted(let emit): return unsafe emit(source, row, &writer)
                }
            }
            writer.fail(error)
            if isNonNull { return false }
            writer.writeNull()
            return true
        }
    }

    private static func subscribe(
        _ subscribe: @escaping Subscribe, unlessDeniedIn slot: Int
    ) -> Subscribe {
        { (execution: Execution) async throws -> any AsyncSequence<SourceEvent, any Error> & Sendable in
            if let error = execution.slots.denial(in: slot) { throw error }
            return try await subscribe(execution)
        }
    }
}

extension LoadSlots {
    /// Returns the reason why the field with this guard slot is denied; nil if it is allowed.
    func denial(in slot: Int) -> (any Error)? {
        guard let refusal = unsafe read(slot, as: FieldDenial.self) else { return nil }
        return unsafe refusal._withUnsafeGuaranteedRef { $0.error }
    }
}
