/// A field of an object type, with its resolver.
///
/// There are three kinds, in order of cost. A *property* is read from its object while the response is
/// written. A *resolved* field is a property with arguments, or one that may throw. A *loaded* field is
/// loaded for all objects of a layer at once, before anything is written.
public struct Field<Source: Sendable>: Sendable {
    @usableFromInline
    let bound: AnyField
    /// The name in the schema.
    public var name: String { bound.name }

    @usableFromInline
    init(
        _ name: String,
        bind: @escaping @Sendable (inout SchemaBinder, SchemaField, String) -> Void,
        plan: @escaping @Sendable (FieldSelection, inout Planner) throws -> FieldClosures
    ) {
        bound = AnyField(name: name, bind: bind, plan: plan)
    }

    /// Compares type and arguments with those of the schema.
    @usableFromInline
    static func compare<Value: GraphQLOutput>(
        _ value: Value.Type, arguments: [BoundArgument], _ binder: inout SchemaBinder, _ field: SchemaField,
        _ coordinate: String
    ) {
        let bound = Value.bind(to: &binder)
        binder.compare(bound, with: field.type, at: coordinate)
        binder.compare(arguments, with: field.arguments, at: coordinate)
    }
}

/// A field of an object type, whose Swift type is known only to its closures.
@usableFromInline
struct AnyField: Sendable {
    let name: String
    let bind: @Sendable (_ binder: inout SchemaBinder, _ field: SchemaField, _ coordinate: String) -> Void
    let plan: @Sendable (_ selected: FieldSelection, _ planner: inout Planner) throws -> FieldClosures
}

// MARK: - Properties

extension Field {
    /// Creates a property that is computed from the object and cannot fail.
    @inlinable
    public init<Value: GraphQLOutput>(_ name: String, _ get: @escaping @Sendable (Source) -> Value) {
        self.init(
            name,
            bind: { Field.compare(Value.self, arguments: [], &$0, $1, $2) },
            plan: { selected, planner in
                let selection = try Value.plan(selected.selectionSets, with: &planner)
                let tail = try planner.tail(of: selected, Value.self)
                if Value.hasLoads(selection) || tail != nil {
                    return .column(planner.newSlot(), selection, tail, of: Source.self) { sources, _ in
                        .values(sources.map(get))
                    }
                }
                return unsafe FieldClosures(emit: { source, _, writer in
                    let object = unsafe source.assumingMemoryBound(to: Source.self)
                    var row = 0
                    return unsafe Value.write(copy: get(object.pointee), selection, row: &row, to: &writer)
                })
            })
    }

    /// Creates a stored property, which is written directly from its memory, without a copy.
    @inlinable
    public init<Value: GraphQLOutput>(_ name: String, _ path: any KeyPath<Source, Value> & Sendable) {
        guard let offset = MemoryLayout<Source>.offset(of: path) else {
            self.init(name) { $0[keyPath: path] }
            return
        }
        self.init(
            name,
            bind: { Field.compare(Value.self, arguments: [], &$0, $1, $2) },
            plan: { selected, planner in
                if let leaf = InlineScalar(Value.self) { return FieldClosures(stored: leaf, offset: offset) }
                let selection = try Value.plan(selected.selectionSets, with: &planner)
                let tail = try planner.tail(of: selected, Value.self)
                if Value.hasLoads(selection) || tail != nil {
                    return .column(planner.newSlot(), selection, tail, of: Source.self) { sources, _ in
                        .values(sources.map { $0[keyPath: path] })
                    }
                }
                return unsafe FieldClosures(emit: { source, _, writer in
                    var row = 0
                    // `offset` is that of the key path, so the memory there is a `Value`.
                    let value = unsafe (source + offset).assumingMemoryBound(to: Value.self)
                    return unsafe Value.write(value, selection, row: &row, to: &writer)
                })
            })
    }
}

// MARK: - Resolved fields

extension Field {
    /// Creates a property with arguments; an error that it throws is the field's error.
    @inlinable
    public init<Arguments: GraphQLArguments, Value: GraphQLOutput>(
        _ name: String, _ arguments: Arguments.Type,
        _ resolve: @escaping @Sendable (Source, Arguments) throws -> Value
    ) {
        self.init(
            name,
            bind: { Field.compare(Value.self, arguments: Arguments.bound(to: &$0, at: $2), &$0, $1, $2) },
            plan: { selected, planner in
                let selection = try Value.plan(selected.selectionSets, with: &planner)
                let tail = try planner.tail(of: selected, Value.self)
                let slot = planner.newArgumentSlot(Arguments.self, of: selected)
                if Value.hasLoads(selection) || tail != nil {
                    return .column(planner.newSlot(), selection, tail, of: Source.self) {
                        sources, execution in
                        do {
                            let arguments = try execution.slots.arguments(in: slot, as: Arguments.self)
                            return .results(
                                sources.map { source in Result { try resolve(source, arguments) } })
                        } catch {
                            return .failure(error)
                        }
                    }
                }
                return .resolved(selection, of: Source.self) { source, slots in
                    try resolve(source, slots.arguments(in: slot, as: Arguments.self))
                }
            })
    }

    /// Creates a property that may throw; the error is the field's error.
    @inlinable
    public init<Value: GraphQLOutput>(
        _ name: String, throwing get: @escaping @Sendable (Source) throws -> Value
    ) {
        self.init(
            name,
            bind: { Field.compare(Value.self, arguments: [], &$0, $1, $2) },
            plan: { selected, planner in
                let selection = try Value.plan(selected.selectionSets, with: &planner)
                let tail = try planner.tail(of: selected, Value.self)
                if Value.hasLoads(selection) || tail != nil {
                    return .column(planner.newSlot(), selection, tail, of: Source.self) { sources, _ in
                        .results(sources.map { source in Result { try get(source) } })
                    }
                }
                return .resolved(selection, of: Source.self) { source, _ in try get(source) }
            })
    }
}

extension FieldClosures {
    /// Creates a field that is computed while the response is written, and may fail.
    @inlinable
    static func resolved<Source, Value: GraphQLOutput>(
        _ selection: Value.Selection, of source: Source.Type,
        _ resolve: @escaping @Sendable (Source, LoadSlots) throws -> Value
    ) -> FieldClosures {
        unsafe FieldClosures(emit: { source, _, writer in
            do {
                let object = unsafe source.assumingMemoryBound(to: Source.self)
                let value = unsafe try resolve(object.pointee, writer.slots)
                var row = 0
                return Value.write(copy: value, selection, row: &row, to: &writer)
            } catch {
                writer.fail(error)
            }
            guard Value.acceptsNull else { return false }
            writer.writeNull()
            return true
        })
    }
}

/// The results of a load: a value or an error for each object of the layer, in their order.
public typealias BatchResults<Value> = [Result<Value, any Error>]

extension Field where Source: GraphQLObject {
    /// Creates a field that is loaded for all objects of a layer at once.
    ///
    /// - Parameters:
    ///   - name: The name in the schema.
    ///   - load: Returns a result for each object, in their order, synchronously or asynchronously. A wrong
    ///     number of results is an error of all objects.
    @inlinable
    public init<Value: GraphQLOutput>(
        _ name: String,
        load: @escaping @Sendable ([Source], Source.Context) throws -> MaybeAsync<BatchResults<Value>>
    ) {
        self.init(
            name,
            bind: { binder, field, coordinate in
                binder.requireContext(Source.Context.self, at: coordinate)
                Field.compare(Value.self, arguments: [], &binder, field, coordinate)
            },
            plan: { selected, planner in
                let selection = try Value.plan(selected.selectionSets, with: &planner)
                let tail = try planner.tail(of: selected, Value.self)
                return .loaded(planner.newSlot(), selection, tail, of: Source.self) { sources, execution in
                    try load(sources, execution.context(as: Source.Context.self)).map { .results($0) }
                }
            })
    }

    /// Creates a field that is loaded for all objects of a layer at once, as far as its selected fields need it.
    ///
    /// - Parameters:
    ///   - name: The name in the schema; the type of the field is an object type.
    ///   - load: Returns a result for each object, in their order; `selected` are the names of the fields that the
    ///     operation selects on the value.
    @inlinable
    public init<Value: GraphQLOutput>(
        _ name: String,
        selecting load:
            @escaping @Sendable ([Source], _ selected: Set<String>, Source.Context) throws -> MaybeAsync<
                BatchResults<Value>
            >
    ) {
        self.init(
            name,
            bind: { binder, field, coordinate in
                binder.requireContext(Source.Context.self, at: coordinate)
                Field.compare(Value.self, arguments: [], &binder, field, coordinate)
            },
            plan: { selected, planner in
                let selection = try Value.plan(selected.selectionSets, with: &planner)
                let tail = try planner.tail(of: selected, Value.self)
                let names = planner.selectedNames(of: selected)
                return .loaded(planner.newSlot(), selection, tail, of: Source.self) { sources, execution in
                    try load(sources, names, execution.context(as: Source.Context.self)).map { .results($0) }
                }
            })
    }

    /// Creates a field with arguments that is loaded for all objects of a layer at once.
    @inlinable
    public init<Arguments: GraphQLArguments, Value: GraphQLOutput>(
        _ name: String, _ arguments: Arguments.Type,
        load:
            @escaping @Sendable ([Source], Arguments, Source.Context) throws -> MaybeAsync<
                BatchResults<Value>
            >
    ) {
        self.init(
            name,
            bind: { binder, field, coordinate in
                binder.requireContext(Source.Context.self, at: coordinate)
                let bound = Arguments.bound(to: &binder, at: coordinate)
                Field.compare(Value.self, arguments: bound, &binder, field, coordinate)
            },
            plan: { selected, planner in
                let selection = try Value.plan(selected.selectionSets, with: &planner)
                let tail = try planner.tail(of: selected, Value.self)
                let slot = planner.newArgumentSlot(Arguments.self, of: selected)
                return .loaded(planner.newSlot(), selection, tail, of: Source.self) { sources, execution in
                    let arguments = try execution.slots.arguments(in: slot, as: Arguments.self)
                    let context = execution.context(as: Source.Context.self)
                    return try load(sources, arguments, context).map { .results($0) }
                }
            })
    }

    /// Creates a field that is loaded once for all objects of the layer, such as a field of a root type.
    @inlinable
    public init<Value: GraphQLOutput>(
        _ name: String, once load: @escaping @Sendable (Source.Context) throws -> MaybeAsync<Value>
    ) {
        self.init(
            name,
            bind: { binder, field, coordinate in
                binder.requireContext(Source.Context.self, at: coordinate)
                Field.compare(Value.self, arguments: [], &binder, field, coordinate)
            },
            plan: { selected, planner in
                let selection = try Value.plan(selected.selectionSets, with: &planner)
                let tail = try planner.tail(of: selected, Value.self)
                return .loaded(planner.newSlot(), selection, tail, of: Source.self) { _, execution in
                    try load(execution.context(as: Source.Context.self)).map { .shared([$0]) }
                }
            })
    }

    /// Creates a field with arguments that is loaded once for all objects of the layer.
    @inlinable
    public init<Arguments: GraphQLArguments, Value: GraphQLOutput>(
        _ name: String, _ arguments: Arguments.Type,
        once load: @escaping @Sendable (Arguments, Source.Context) throws -> MaybeAsync<Value>
    ) {
        self.init(
            name,
            bind: { binder, field, coordinate in
                binder.requireContext(Source.Context.self, at: coordinate)
                let bound = Arguments.bound(to: &binder, at: coordinate)
                Field.compare(Value.self, arguments: bound, &binder, field, coordinate)
            },
            plan: { selected, planner in
                let selection = try Value.plan(selected.selectionSets, with: &planner)
                let tail = try planner.tail(of: selected, Value.self)
                let slot = planner.newArgumentSlot(Arguments.self, of: selected)
                return .loaded(planner.newSlot(), selection, tail, of: Source.self) { _, execution in
                    let arguments = try execution.slots.arguments(in: slot, as: Arguments.self)
                    return try load(arguments, execution.context(as: Source.Context.self)).map {
                        .shared([$0])
                    }
                }
            })
    }
}
