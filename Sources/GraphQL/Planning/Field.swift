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
        bind: @escaping AnyField.Bind,
        plan: @escaping @Sendable (FieldSelection, inout Planner) throws -> FieldClosures
    ) {
        bound = AnyField(name: name, bind: bind, plan: plan)
    }
}

/// A field of an object type, whose Swift type is known only to its closures.
@usableFromInline
struct AnyField: Sendable {
    @usableFromInline
    typealias Bind =
        @Sendable (_ binder: inout SchemaBinder, _ field: SchemaField, _ coordinate: String) -> Void

    let name: String
    let bind: Bind
    let plan: @Sendable (_ selected: FieldSelection, _ planner: inout Planner) throws -> FieldClosures

    /// Compares the type of a field without arguments with that of the schema.
    @usableFromInline
    static func binding<Value: GraphQLOutput>(_: Value.Type) -> Bind {
        { binder, field, coordinate in
            binder.compare(Value.bind(to: &binder), with: field.type, at: coordinate)
            binder.compare([], with: field.arguments, at: coordinate)
        }
    }

    /// Compares type and arguments with those of the schema.
    @usableFromInline
    static func binding<Value: GraphQLOutput, Arguments: GraphQLArguments>(
        _: Value.Type, _: Arguments.Type
    ) -> Bind {
        { binder, field, coordinate in
            let arguments = Arguments.bound(to: &binder, at: coordinate)
            binder.compare(Value.bind(to: &binder), with: field.type, at: coordinate)
            binder.compare(arguments, with: field.arguments, at: coordinate)
        }
    }

    /// The same for a field that needs a context of a type.
    @usableFromInline
    static func binding<Context: AnyObject & Sendable>(
        requiring context: Context.Type, _ bind: @escaping Bind
    ) -> Bind {
        { binder, field, coordinate in
            binder.requireContext(context, at: coordinate)
            bind(&binder, field, coordinate)
        }
    }
}

// MARK: - Properties

extension Field {
    /// Creates a property that is computed from the object and cannot fail.
    @inlinable
    public init<Value: GraphQLOutput>(_ name: String, _ get: @escaping @Sendable (Source) -> Value) {
        self.init(
            name, bind: AnyField.binding(Value.self),
            plan: { selected, planner in
                let load = FieldLoad<Value>.values { layer, _ in
                    .values(layer.objects(as: Source.self).map(get))
                }
                let property = PropertyAccess(load: load) { selection in
                    unsafe FieldClosures(emit: { source, _, writer in
                        let object = unsafe source.assumingMemoryBound(to: Source.self)
                        var row = 0
                        return unsafe Value.write(
                            copy: get(object.pointee), selection, row: &row, to: &writer)
                    })
                }
                return try .property(selected, &planner, property)
            })
    }

    /// Creates a stored property, which is written directly from its memory, without a copy.
    @inlinable
    public init<Value: GraphQLOutput>(_ name: String, _ path: any KeyPath<Source, Value> & Sendable) {
        guard let offset = MemoryLayout<Source>.offset(of: path) else {
            self.init(name) { $0[keyPath: path] }
            return
        }
        // `offset` is that of the key path, so the memory there is a `Value`.
        let stored = unsafe StoredProperty<Value>(offset: offset) { layer in
            layer.objects(as: Source.self).map { $0[keyPath: path] }
        }
        self.init(name, bind: AnyField.binding(Value.self), plan: stored.plan)
    }
}

/// A property of which the position in the memory of its object is known.
///
/// It does not depend on the type of the object, so that its code is compiled once for each type of value.
@usableFromInline
@safe
struct StoredProperty<Value: GraphQLOutput>: Sendable {
    @usableFromInline
    let offset: Int
    @usableFromInline
    let values: @Sendable (ObjectLayer) -> [Value]

    /// - Parameters:
    ///   - offset: The position of the value in an object, in bytes; the caller guarantees that a `Value` is there.
    ///   - values: Returns the values of all objects of a layer.
    @inlinable
    @unsafe
    init(offset: Int, values: @escaping @Sendable (ObjectLayer) -> [Value]) {
        (self.offset, self.values) = (offset, values)
    }

    @inlinable
    @inline(never)
    func plan(_ selected: FieldSelection, _ planner: inout Planner) throws -> FieldClosures {
        if let leaf = InlineScalar(Value.self) { return FieldClosures(stored: leaf, offset: offset) }
        let load = FieldLoad<Value>.values { [values] layer, _ in .values(values(layer)) }
        let property = PropertyAccess(load: load) { [offset] selection in
            unsafe FieldClosures(emit: { source, _, writer in
                var row = 0
                let value = unsafe (source + offset).assumingMemoryBound(to: Value.self)
                return unsafe Value.write(value, selection, row: &row, to: &writer)
            })
        }
        return try .property(selected, &planner, property)
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
            name, bind: AnyField.binding(Value.self, Arguments.self),
            plan: { selected, planner in
                let slot = planner.newArgumentSlot(Arguments.self, of: selected)
                let load = FieldLoad<Value>.values { layer, execution in
                    do {
                        let arguments = try execution.slots.arguments(in: slot, as: Arguments.self)
                        return .results(
                            layer.objects(as: Source.self).map { source in
                                Result { try resolve(source, arguments) }
                            })
                    } catch {
                        return .failure(error)
                    }
                }
                let property = PropertyAccess(load: load) { selection in
                    FieldClosures.resolved(selection, of: Source.self) { source, slots in
                        try resolve(source, slots.arguments(in: slot, as: Arguments.self))
                    }
                }
                return try .property(selected, &planner, property)
            })
    }

    /// Creates a property that may throw; the error is the field's error.
    @inlinable
    public init<Value: GraphQLOutput>(
        _ name: String, throwing get: @escaping @Sendable (Source) throws -> Value
    ) {
        self.init(
            name, bind: AnyField.binding(Value.self),
            plan: { selected, planner in
                let load = FieldLoad<Value>.values { layer, _ in
                    .results(layer.objects(as: Source.self).map { source in Result { try get(source) } })
                }
                let property = PropertyAccess(load: load) { selection in
                    FieldClosures.resolved(selection, of: Source.self) { source, _ in try get(source) }
                }
                return try .property(selected, &planner, property)
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
            name, bind: AnyField.binding(requiring: Source.Context.self, AnyField.binding(Value.self)),
            plan: { selected, planner in
                let load = FieldLoad<Value>.results { layer, execution in
                    try load(layer.objects(as: Source.self), execution.context(as: Source.Context.self))
                }
                return try .loaded(selected, &planner, load)
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
            name, bind: AnyField.binding(requiring: Source.Context.self, AnyField.binding(Value.self)),
            plan: { selected, planner in
                let names = planner.selectedNames(of: selected)
                let load = FieldLoad<Value>.results { layer, execution in
                    let context = execution.context(as: Source.Context.self)
                    return try load(layer.objects(as: Source.self), names, context)
                }
                return try .loaded(selected, &planner, load)
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
            bind: AnyField.binding(
                requiring: Source.Context.self, AnyField.binding(Value.self, Arguments.self)),
            plan: { selected, planner in
                let slot = planner.newArgumentSlot(Arguments.self, of: selected)
                let load = FieldLoad<Value>.results { layer, execution in
                    let arguments = try execution.slots.arguments(in: slot, as: Arguments.self)
                    let context = execution.context(as: Source.Context.self)
                    return try load(layer.objects(as: Source.self), arguments, context)
                }
                return try .loaded(selected, &planner, load)
            })
    }

    /// Creates a field that is loaded once for all objects of the layer, such as a field of a root type.
    @inlinable
    public init<Value: GraphQLOutput>(
        _ name: String, once load: @escaping @Sendable (Source.Context) throws -> MaybeAsync<Value>
    ) {
        self.init(
            name, bind: AnyField.binding(requiring: Source.Context.self, AnyField.binding(Value.self)),
            plan: { selected, planner in
                let load = FieldLoad<Value>.shared { execution in
                    try load(execution.context(as: Source.Context.self))
                }
                return try .loaded(selected, &planner, load)
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
            bind: AnyField.binding(
                requiring: Source.Context.self, AnyField.binding(Value.self, Arguments.self)),
            plan: { selected, planner in
                let slot = planner.newArgumentSlot(Arguments.self, of: selected)
                let load = FieldLoad<Value>.shared { execution in
                    let arguments = try execution.slots.arguments(in: slot, as: Arguments.self)
                    return try load(arguments, execution.context(as: Source.Context.self))
                }
                return try .loaded(selected, &planner, load)
            })
    }
}
