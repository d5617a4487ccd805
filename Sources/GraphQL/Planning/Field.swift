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

    /// Adds the check of the type of the context to a binding.
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
        let property = PropertyAccess<Value>(
            values: { layer, _ in .values(Self.objects(of: layer).map(get)) },
            makeField: { selection in
                unsafe FieldClosures(emit: { source, _, writer in
                    let object = unsafe source.assumingMemoryBound(to: Source.self)
                    var row = 0
                    return unsafe Value.write(copy: get(object.pointee), selection, row: &row, to: &writer)
                })
            })
        self.init(name, bind: AnyField.binding(Value.self), plan: property.plan)
    }

    /// Creates a stored property, which is written directly from its memory, without a copy.
    @inlinable
    public init<Value: GraphQLOutput>(_ name: String, _ path: any KeyPath<Source, Value> & Sendable) {
        guard let offset = MemoryLayout<Source>.offset(of: path) else {
            self.init(name) { $0[keyPath: path] }
            return
        }
        // `offset` is that of the key path, so the memory there is a `Value`.
        let property = unsafe PropertyAccess<Value>(storedAt: offset) { layer, _ in
            .values(Self.objects(of: layer).map { $0[keyPath: path] })
        }
        self.init(name, bind: AnyField.binding(Value.self), plan: property.plan)
    }

    /// The objects of a layer of this field's object type.
    @inlinable
    static func objects(of layer: ObjectLayer) -> [Source] { unsafe layer.objects(as: Source.self) }
}

extension PropertyAccess {
    /// A property of which the position in the memory of its object is known.
    ///
    /// - Parameters:
    ///   - offset: The position in bytes; the caller guarantees that a `Value` is there.
    ///   - values: Reads it for all objects of a layer.
    @inlinable
    @inline(never)
    @unsafe
    init(
        storedAt offset: Int,
        values: @escaping @Sendable (ObjectLayer, Execution) throws -> LoadedValues<Value>
    ) {
        let leaf = InlineScalar(Value.self)
        self.init(values: values) { selection in
            if let leaf { return FieldClosures(stored: leaf, offset: offset) }
            return unsafe FieldClosures(emit: { source, _, writer in
                var row = 0
                let value = unsafe (source + offset).assumingMemoryBound(to: Value.self)
                return unsafe Value.write(value, selection, row: &row, to: &writer)
            })
        }
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
                let property = PropertyAccess<Value>(
                    values: { layer, execution in
                        let arguments = try execution.slots.arguments(in: slot, as: Arguments.self)
                        return .results(
                            Self.objects(of: layer).map { source in Result { try resolve(source, arguments) }
                            })
                    },
                    makeField: { selection in
                        FieldClosures.resolved(selection, of: Source.self) { source, slots in
                            try resolve(source, slots.arguments(in: slot, as: Arguments.self))
                        }
                    })
                return try property.plan(selected, &planner)
            })
    }

    /// Creates a property that may throw; the error is the field's error.
    @inlinable
    public init<Value: GraphQLOutput>(
        _ name: String, throwing get: @escaping @Sendable (Source) throws -> Value
    ) {
        let property = PropertyAccess<Value>(
            values: { layer, _ in
                .results(Self.objects(of: layer).map { source in Result { try get(source) } })
            },
            makeField: { selection in
                FieldClosures.resolved(selection, of: Source.self) { source, _ in try get(source) }
            })
        self.init(name, bind: AnyField.binding(Value.self), plan: property.plan)
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
            plan: FieldLoad<Value>.batch { layer, execution in
                try load(Self.objects(of: layer), execution.context(as: Source.Context.self))
            }.plan)
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
                let batch = FieldLoad<Value>.batch { layer, execution in
                    try load(Self.objects(of: layer), names, execution.context(as: Source.Context.self))
                }
                return try batch.plan(selected, &planner)
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
                let batch = FieldLoad<Value>.batch { layer, execution in
                    let arguments = try execution.slots.arguments(in: slot, as: Arguments.self)
                    let context = execution.context(as: Source.Context.self)
                    return try load(Self.objects(of: layer), arguments, context)
                }
                return try batch.plan(selected, &planner)
            })
    }

    /// Creates a field that is loaded once for all objects of the layer, such as a field of a root type.
    @inlinable
    public init<Value: GraphQLOutput>(
        _ name: String, once load: @escaping @Sendable (Source.Context) throws -> MaybeAsync<Value>
    ) {
        self.init(
            name, bind: AnyField.binding(requiring: Source.Context.self, AnyField.binding(Value.self)),
            plan: FieldLoad<Value>.once { execution in
                try load(execution.context(as: Source.Context.self))
            }.plan)
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
                let once = FieldLoad<Value>.once { execution in
                    let arguments = try execution.slots.arguments(in: slot, as: Arguments.self)
                    return try load(arguments, execution.context(as: Source.Context.self))
                }
                return try once.plan(selected, &planner)
            })
    }
}
