// MARK: - Subscriptions

extension Field where Source: GraphQLObject {
    /// Creates a field of the subscription root, of which each value produces a response (specification,
    /// section 6.2.3).
    ///
    /// - Parameters:
    ///   - name: The name in the schema.
    ///   - events: Opens the source stream. An element that is a failed `Result` is null with an error in
    ///     that response; an error that the stream throws ends the subscription.
    public init<Events: AsyncSequence & Sendable>(
        _ name: String, events: @escaping @Sendable (Source.Context) async throws -> Events
    ) where Events.Element: GraphQLOutput {
        self.init(name, events: events, value: { $0 }, context: nil)
    }

    /// Creates a field of the subscription root with arguments.
    public init<Arguments: GraphQLArguments, Events: AsyncSequence & Sendable>(
        _ name: String, _ arguments: Arguments.Type,
        events: @escaping @Sendable (Arguments, Source.Context) async throws -> Events
    ) where Events.Element: GraphQLOutput {
        self.init(name, arguments, events: events, value: { $0 }, context: nil)
    }

    /// Creates a field of the subscription root whose events contain more than the field's value.
    ///
    /// - Parameters:
    ///   - name: The name in the schema.
    ///   - events: Opens the source stream. An error that it throws ends the subscription.
    ///   - value: Returns the value of an event; a failed `Result` is null with an error in that response.
    ///   - context: Returns the context of an event's response, from the event and the default context; nil
    ///     to use the default context. It is called only if a field below the value is loaded.
    public init<Events: AsyncSequence & Sendable, Value: GraphQLOutput>(
        _ name: String, events: @escaping @Sendable (Source.Context) async throws -> Events,
        value: @escaping @Sendable (Events.Element) -> Value,
        context: (@Sendable (Events.Element, Source.Context) -> Source.Context)?
    ) where Events.Element: Sendable {
        self.init(
            name,
            bind: AnyField.binding(requiring: Source.Context.self, AnyField.binding(Value.self)),
            plan: { selected, planner in
                let selection = try Value.plan(selected.selectionSets, with: &planner)
                return .events(planner.newSlot(), selection, value, context) { execution in
                    try await events(execution.context(as: Source.Context.self))
                }
            })
    }

    /// Creates a field of the subscription root with arguments, whose events contain more than the field's
    /// value.
    public init<Arguments: GraphQLArguments, Events: AsyncSequence & Sendable, Value: GraphQLOutput>(
        _ name: String, _ arguments: Arguments.Type,
        events: @escaping @Sendable (Arguments, Source.Context) async throws -> Events,
        value: @escaping @Sendable (Events.Element) -> Value,
        context: (@Sendable (Events.Element, Source.Context) -> Source.Context)?
    ) where Events.Element: Sendable {
        self.init(
            name,
            bind: AnyField.binding(
                requiring: Source.Context.self, AnyField.binding(Value.self, Arguments.self)),
            plan: { selected, planner in
                let selection = try Value.plan(selected.selectionSets, with: &planner)
                let slot = planner.newArgumentSlot(Arguments.self, of: selected)
                return .events(planner.newSlot(), selection, value, context) { execution in
                    let arguments = try execution.slots.arguments(in: slot, as: Arguments.self)
                    return try await events(arguments, execution.context(as: Source.Context.self))
                }
            })
    }
}

/// An event of a source stream, before it is written to its response.
struct SourceEvent: Sendable {
    /// The context of the response, derived from the default context; nil to use the default context.
    let context: (@Sendable (AnyContext) -> AnyContext)?
    /// Stores the event for the write pass of its response, and starts the loads below it.
    let put: @Sendable (Execution, inout [PendingLoad]) -> Void
}

/// Opens the source stream of a subscription, for an execution that only has arguments.
typealias Subscribe =
    @Sendable (Execution) async throws -> any AsyncSequence<SourceEvent, any Error> & Sendable

extension FieldClosures {
    /// Creates a field whose column is replaced for each event.
    fileprivate static func events<
        Events: AsyncSequence & Sendable, Value: GraphQLOutput, Context: AnyObject & Sendable
    >(
        _ slot: Int, _ selection: Value.Selection, _ value: @escaping @Sendable (Events.Element) -> Value,
        _ context: (@Sendable (Events.Element, Context) -> Context)?,
        _ begin: @escaping @Sendable (Execution) async throws -> Events
    ) -> FieldClosures where Events.Element: Sendable {
        let column = ColumnPlan<Value>(slot: slot, selection: selection, tail: nil)
        var field = column.field(load: nil)
        // Only loads use the context.
        let context = Value.hasLoads(selection) ? context : nil
        field.subscribe = { execution in
            SourceEvents(events: try await begin(execution)) { event in
                var eventContext: (@Sendable (AnyContext) -> AnyContext)?
                if let context {
                    // As in `Execution.context(as:)`.
                    eventContext = { unsafe context(event, unsafeDowncast($0, to: Context.self)) }
                }
                return SourceEvent(context: eventContext) { execution, pending in
                    column.store(.shared([value(event)]), of: 1, execution, &pending)
                }
            }
        }
        return field
    }
}

/// A source stream as source events; its errors are propagated.
private struct SourceEvents<Events: AsyncSequence & Sendable>: AsyncSequence, Sendable {
    typealias Failure = any Error

    let events: Events
    let deliver: @Sendable (Events.Element) -> SourceEvent

    func makeAsyncIterator() -> Iterator {
        Iterator(events: events.makeAsyncIterator(), deliver: deliver)
    }

    struct Iterator: AsyncIteratorProtocol {
        var events: Events.AsyncIterator
        let deliver: @Sendable (Events.Element) -> SourceEvent

        mutating func next() async throws -> SourceEvent? {
            try await next(isolation: nil)
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> SourceEvent? {
            try await events.next(isolation: actor).map(deliver)
        }
    }
}
