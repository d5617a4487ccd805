/// One run of a plan: the variables, the context that resolvers are given, and what loads have found so far.
public final class Execution: Sendable {
    /// The coerced variables of the request.
    public let variables: VariableValues
    @usableFromInline
    let slots: Slots
    private let context: any Sendable

    init(variables: VariableValues, context: any Sendable, slotCount: Int) {
        self.variables = variables
        self.context = context
        slots = Slots(count: slotCount)
    }

    deinit {
        slots.deallocate()
    }

    /// The context of the request.
    ///
    /// The types bound to a schema agree on their context, which is checked when they are bound; so this never
    /// throws in a schema that was accepted.
    ///
    /// - Throws: `ContextMismatch`.
    @usableFromInline
    func context<Context>(as type: Context.Type) throws -> Context {
        guard let typed = context as? Context else { throw ContextMismatch() }
        return typed
    }
}

/// A resolver asked for a context of another type than the request has.
struct ContextMismatch: Error {}

/// What is left to do of a load whose values were not at hand.
@usableFromInline
typealias PendingLoad = @Sendable () async -> Void

/// Waits for loads that do not depend on one another.
@usableFromInline
func finish(_ pending: [PendingLoad]) async {
    // A lone load is awaited where it stands: a child task costs more than many a whole execution.
    guard pending.count > 1 else {
        await pending.first?()
        return
    }
    await withDiscardingTaskGroup { group in
        for load in pending.dropFirst() {
            group.addTask { await load() }
        }
        await pending[0]()
    }
}
