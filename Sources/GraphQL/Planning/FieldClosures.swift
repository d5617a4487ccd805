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

    /// Calls a closure with an array as a layer.
    @inlinable
    static func withLayer<Source>(_ nodes: [Source], to body: (ObjectLayer) -> Void) {
        unsafe withUnsafePointer(to: nodes) { pointer in
            body(unsafe ObjectLayer(nodes: UnsafeRawPointer(pointer)))
        }
    }

    @inlinable
    init(nodes: UnsafeRawPointer) {
        unsafe self.nodes = nodes
    }

    /// Returns the objects; the caller knows their type.
    @inlinable
    func objects<Source>(as type: Source.Type) -> [Source] {
        unsafe nodes.assumingMemoryBound(to: [Source].self).pointee
    }
}

extension FieldClosures {
    /// Creates a field whose values become a column immediately.
    @inlinable
    static func column<Source, Value: GraphQLOutput>(
        _ slot: Int, _ selection: Value.Selection, _ tail: StreamPlan<Value>?, of source: Source.Type,
        _ resolve: @escaping @Sendable ([Source], Execution) -> LoadedValues<Value>
    ) -> FieldClosures {
        loaded(slot, selection, tail, of: source) { sources, execution in .ready(resolve(sources, execution))
        }
    }

    /// Creates a field whose values become a column after they are loaded.
    @inlinable
    static func loaded<Source, Value: GraphQLOutput>(
        _ slot: Int, _ selection: Value.Selection, _ tail: StreamPlan<Value>?, of source: Source.Type,
        _ resolve: @escaping @Sendable ([Source], Execution) throws -> MaybeAsync<LoadedValues<Value>>
    ) -> FieldClosures {
        readingColumn(slot, selection, tail, of: Value.self) { layer, execution, pending in
            let sources = layer.objects(as: Source.self)
            let parents = sources.count
            let loading: MaybeAsync<LoadedValues<Value>>
            do {
                loading = try resolve(sources, execution)
            } catch {
                loading = .ready(.failure(error))
            }
            switch consume loading {
            case .ready(let values):
                store(values, of: parents, in: slot, selection, tail, execution, &pending)
            case .async(let fetch):
                pending.append {
                    var below: [PendingLoad] = []
                    let values: LoadedValues<Value>
                    do {
                        values = try await fetch()
                    } catch {
                        values = .failure(execution.loadError(for: error))
                    }
                    store(values, of: parents, in: slot, selection, tail, execution, &below)
                    await finish(below)
                }
            }
        }
    }

    /// Creates a field that is written from its column.
    @inlinable
    static func readingColumn<Value: GraphQLOutput>(
        _ slot: Int, _ selection: Value.Selection, _ tail: StreamPlan<Value>? = nil, of type: Value.Type,
        load: Load? = nil
    ) -> FieldClosures {
        if let tail { return streaming(slot, selection, tail, load: load) }
        return unsafe FieldClosures(
            emit: { _, row, writer in
                guard let column = unsafe writer.slots.read(slot, as: LoadedBatch<Value>.self) else {
                    return false
                }
                return unsafe column._withUnsafeGuaranteedRef { column in
                    column.write(row: row, selection, to: &writer)
                }
            },
            load: load)
    }

    /// Creates a field whose list is written from its column, without the items after the first ones.
    @usableFromInline
    static func streaming<Value: GraphQLOutput>(
        _ slot: Int, _ selection: Value.Selection, _ tail: StreamPlan<Value>, load: Load?
    ) -> FieldClosures {
        unsafe FieldClosures(
            emit: { _, row, writer in
                guard let column = unsafe writer.slots.read(slot, as: LoadedBatch<Value>.self) else {
                    return false
                }
                let isWritten = unsafe column._withUnsafeGuaranteedRef { column in
                    column.write(row: row, selection, to: &writer)
                }
                guard isWritten else { return false }
                // A list that is null because an item failed has no other items.
                if writer.lastByte == UInt8(ascii: "]") { tail.finish(row: row, to: &writer) }
                return !writer.isOverLimit
            },
            load: load)
    }

    /// Stores loaded values for the write pass, and starts the loads below them.
    @inlinable
    static func store<Value: GraphQLOutput>(
        _ values: consuming LoadedValues<Value>, of parents: Int, in slot: Int,
        _ selection: Value.Selection, _ tail: StreamPlan<Value>?, _ execution: Execution,
        _ pending: inout [PendingLoad]
    ) {
        values.check(parents: parents)
        if let tail { values = tail.split(values, execution) }
        guard Value.hasLoads(selection) else {
            execution.slots.set(slot, to: LoadedBatch(values, starts: []))
            return
        }
        let layer = LoadedBatch.layer(values, parents: parents)
        execution.slots.set(slot, to: layer.column)
        Value.prepare(layer.nodes, selection, in: execution, pending: &pending)
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
