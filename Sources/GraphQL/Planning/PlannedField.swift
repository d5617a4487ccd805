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

extension PlannedField {
    /// A field whose values become a column at once.
    @inlinable
    static func column<Source, Value: GraphQLOutput>(
        _ slot: Int, _ selection: Value.Selection, of source: Source.Type,
        _ resolve: @escaping @Sendable ([Source], Execution) -> LoadedValues<Value>
    ) -> PlannedField {
        loaded(slot, selection, of: source) { sources, execution in .ready(resolve(sources, execution)) }
    }

    /// A field whose values become a column when they have been loaded.
    @inlinable
    static func loaded<Source, Value: GraphQLOutput>(
        _ slot: Int, _ selection: Value.Selection, of source: Source.Type,
        _ resolve: @escaping @Sendable ([Source], Execution) throws -> MaybeAsync<LoadedValues<Value>>
    ) -> PlannedField {
        readingColumn(slot, selection, of: Value.self) { layer, execution, pending in
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
                store(values, of: parents, in: slot, selection, execution, &pending)
            case .async(let fetch):
                pending.append {
                    var below: [PendingLoad] = []
                    let values: LoadedValues<Value>
                    do {
                        values = try await fetch()
                    } catch {
                        values = .failure(execution.meaning(of: error))
                    }
                    store(values, of: parents, in: slot, selection, execution, &below)
                    await finish(below)
                }
            }
        }
    }

    /// A field that is written from its column.
    @inlinable
    static func readingColumn<Value: GraphQLOutput>(
        _ slot: Int, _ selection: Value.Selection, of type: Value.Type, load: Load? = nil
    ) -> PlannedField {
        unsafe PlannedField(
            emit: { _, row, writer in
                guard let column = unsafe writer.slots.read(slot, as: LoadedColumn<Value>.self) else {
                    return false
                }
                return unsafe column._withUnsafeGuaranteedRef { column in
                    column.write(row: row, selection, to: &writer)
                }
            },
            load: load)
    }

    /// Puts loaded values where the write pass finds them, and starts the loads below them.
    @inlinable
    static func store<Value: GraphQLOutput>(
        _ values: consuming LoadedValues<Value>, of parents: Int, in slot: Int,
        _ selection: Value.Selection, _ execution: Execution, _ pending: inout [PendingLoad]
    ) {
        values.check(parents: parents)
        guard Value.hasLoads(selection) else {
            execution.slots.set(slot, to: LoadedColumn(values, starts: []))
            return
        }
        let layer = LoadedColumn.layer(values, parents: parents)
        execution.slots.set(slot, to: layer.column)
        Value.prepare(layer.nodes, selection, in: execution, pending: &pending)
    }
}

extension PlannedField {
    /// The field, unless the slot holds a refusal: then nothing of it is loaded, and it is written as a failure.
    func guarded(by guards: GuardedSlot, isNonNull: Bool) -> PlannedField {
        let slot = guards.slot
        let emit = unsafe PlannedField.emit(content, unlessDeniedIn: slot, isNonNull: isNonNull)
        var field = unsafe PlannedField(
            emit: emit, load: load.map { PlannedField.load($0, unlessDeniedIn: slot) })
        field.subscribe = subscribe.map { PlannedField.subscribe($0, unlessDeniedIn: slot) }
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
    /// Why the field that this slot guards is refused; nil where it is not.
    func denial(in slot: Int) -> (any Error)? {
        guard let refusal = unsafe read(slot, as: FieldDenial.self) else { return nil }
        return unsafe refusal._withUnsafeGuaranteedRef { $0.error }
    }
}
