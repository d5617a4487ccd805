// MARK: - Subscriptions

extension Field where Source: GraphQLObject {
    /// A field of the subscription root: its values come one after the other, and each makes a response
    /// (specification, section 6.2.3).
    ///
    /// - Parameters:
    ///   - name: the name in the schema.
    ///   - events: begins the source stream. An element that is a failed `Result` is null with an error in that one
    ///     response; what the stream throws ends it.
    public init<Events: AsyncSequence & Sendable>(
        _ name: String, events: @escaping @Sendable (Source.Context) async throws -> Events
    ) where Events.Element: Output {
        self.init(
            name,
            bind: { binder, field, coordinate in
                binder.requireContext(Source.Context.self, at: coordinate)
                Field.compare(Events.Element.self, arguments: [], &binder, field, coordinate)
            },
            plan: { selected, planner in
                let selection = try Events.Element.plan(selected.selectionSets, with: &planner)
                return .events(planner.newSlot(), selection) { execution in
                    try await events(execution.context(as: Source.Context.self))
                }
            })
    }

    /// A field of the subscription root with arguments.
    public init<Arguments: GraphQLArguments, Events: AsyncSequence & Sendable>(
        _ name: String, _ arguments: Arguments.Type,
        events: @escaping @Sendable (Arguments, Source.Context) async throws -> Events
    ) where Events.Element: Output {
        self.init(
            name,
            bind: { binder, field, coordinate in
                binder.requireContext(Source.Context.self, at: coordinate)
                let bound = Arguments.bound(to: &binder, at: coordinate)
                Field.compare(Events.Element.self, arguments: bound, &binder, field, coordinate)
            },
            plan: { selected, planner in
                let selection = try Events.Element.plan(selected.selectionSets, with: &planner)
                let slot = planner.newArgumentSlot(Arguments.self, of: selected)
                return .events(planner.newSlot(), selection) { execution in
                    let arguments = try execution.slots.arguments(in: slot, as: Arguments.self)
                    return try await events(arguments, execution.context(as: Source.Context.self))
                }
            })
    }
}

/// Puts an event where the write pass of its response finds it, and starts the loads below it.
typealias Delivery = @Sendable (Execution, inout [PendingLoad]) -> Void

/// Begins the source stream of a subscription, for an execution that only has arguments.
typealias Subscribe = @Sendable (Execution) async throws -> any AsyncSequence<Delivery, any Error> & Sendable

extension PlannedField {
    /// A field whose column is filled anew for each event.
    fileprivate static func events<Events: AsyncSequence & Sendable>(
        _ slot: Int, _ selection: Events.Element.Selection,
        _ begin: @escaping @Sendable (Execution) async throws -> Events
    ) -> PlannedField where Events.Element: Output {
        var field = reading(slot, selection, of: Events.Element.self)
        field.subscribe = { execution in
            Deliveries(events: try await begin(execution)) { event in
                { execution, pending in
                    keep(.shared([event]), of: 1, in: slot, selection, execution, &pending)
                }
            }
        }
        return field
    }
}

/// Events as deliveries; whatever the source stream throws comes through.
private struct Deliveries<Events: AsyncSequence & Sendable>: AsyncSequence, Sendable {
    typealias Failure = any Error

    let events: Events
    let deliver: @Sendable (Events.Element) -> Delivery

    func makeAsyncIterator() -> Iterator {
        Iterator(events: events.makeAsyncIterator(), deliver: deliver)
    }

    struct Iterator: AsyncIteratorProtocol {
        var events: Events.AsyncIterator
        let deliver: @Sendable (Events.Element) -> Delivery

        mutating func next() async throws -> Delivery? {
            try await next(isolation: nil)
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Delivery? {
            try await events.next(isolation: actor).map(deliver)
        }
    }
}
