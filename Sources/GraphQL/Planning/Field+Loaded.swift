/// What a load answers: a value or an error for each object of the layer, in their order.
public typealias BatchResults<Value> = [Result<Value, any Error>]

extension Field where Source: GraphQLObject {
    /// A field that is loaded for all objects of a layer at once.
    ///
    /// - Parameters:
    ///   - name: the name in the schema.
    ///   - load: answers for each object, in their order, at once or later. A wrong number of answers is an error of
    ///     all of them.
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
                return .loaded(planner.newSlot(), selection, of: Source.self) { sources, execution in
                    try load(sources, execution.context(as: Source.Context.self)).map { .results($0) }
                }
            })
    }

    /// A field with arguments that is loaded for all objects of a layer at once.
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
                let slot = planner.newArgumentSlot(Arguments.self, of: selected)
                return .loaded(planner.newSlot(), selection, of: Source.self) { sources, execution in
                    let arguments = try execution.slots.arguments(in: slot, as: Arguments.self)
                    let context = try execution.context(as: Source.Context.self)
                    return try load(sources, arguments, context).map { .results($0) }
                }
            })
    }

    /// A field that is loaded once and is the same for all objects of the layer, as the fields of a root type are.
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
                return .loaded(planner.newSlot(), selection, of: Source.self) { _, execution in
                    try load(execution.context(as: Source.Context.self)).map { .shared([$0]) }
                }
            })
    }

    /// A field with arguments that is loaded once and is the same for all objects of the layer.
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
                let slot = planner.newArgumentSlot(Arguments.self, of: selected)
                return .loaded(planner.newSlot(), selection, of: Source.self) { _, execution in
                    let arguments = try execution.slots.arguments(in: slot, as: Arguments.self)
                    return try load(arguments, execution.context(as: Source.Context.self)).map {
                        .shared([$0])
                    }
                }
            })
    }
}
