import Synchronization

/// One run of a plan: the variables, the context that resolvers are given, and what loads have found so far.
@frozen
@safe
public struct Execution: @unchecked Sendable {
    // Sendable, although a managed buffer is not: what it holds never changes but for its slots (see `LoadSlots`).
    @usableFromInline
    let memory: ExecutionStorage

    init(_ circumstances: consuming OperationPlan.Circumstances, slotCount: Int, expiry: TimeoutFlag?) {
        memory = .make(
            ExecutionStorage.Facts(circumstances: circumstances, expiry: expiry, slotCount: slotCount))
    }

    /// Set when the time of an operation is over.
    final class TimeoutFlag: Sendable {
        let hasCome = Atomic(false)
    }

    @inlinable
    var facts: ExecutionStorage.Facts {
        // Not `header`, which would look each time for somebody who writes it.
        unsafe memory.withUnsafeMutablePointerToHeader { unsafe $0.pointee }
    }

    /// The coerced variables of the request.
    public var variables: VariableValues { facts.circumstances.variables }
    /// What the operation costs, where the client has asked to be told.
    var cost: OperationCost? { facts.circumstances.cost }

    @inlinable
    var slots: LoadSlots { memory.slots }

    /// The same run, for a part of its plan that has slots of its own.
    func frame(slotCount: Int) -> Execution {
        Execution(facts.circumstances, slotCount: slotCount, expiry: facts.expiry)
    }

    /// The context of the request.
    ///
    /// The types bound to a schema agree on their context, which is checked when they are bound; so this never
    /// throws in a schema that was accepted.
    ///
    /// - Throws: `ContextMismatch`.
    @inlinable
    func context<Context: Sendable>(as _: Context.Type) throws -> Context {
        let context = facts.circumstances.context
        guard Swift.type(of: context) == ContextBox<Context>.self else { throw ContextMismatch() }
        // Just compared; a checked cast would look for conversions besides, which takes longer than most loads.
        return unsafe unsafeDowncast(context, to: ContextBox<Context>.self).context
    }

    /// Says that the time is over, before what still runs is cancelled.
    func expire() {
        facts.expiry?.hasCome.store(true, ordering: .relaxed)
    }

    /// What a load's error means: one that was cancelled because the time was over ran out of time.
    @usableFromInline
    func meaning(of error: any Error) -> any Error {
        guard let expiry = facts.expiry, expiry.hasCome.load(ordering: .relaxed) else { return error }
        return OperationTimedOut()
    }
}

/// A resolver asked for a context of another type than the request has.
@usableFromInline
struct ContextMismatch: Error {
    @inlinable
    init() {}
}

/// What resolvers are given of a request, its type forgotten.
@usableFromInline
protocol OpaqueContext: AnyObject, Sendable {}

/// The context of a request, whose type can be asked for without a cast.
@usableFromInline
final class ContextBox<Context: Sendable>: OpaqueContext {
    @usableFromInline
    let context: Context

    @inlinable
    init(_ context: Context) {
        self.context = context
    }
}

/// The operation took longer than it may.
struct OperationTimedOut: ClientVisibleError {
    var message: String { "The operation took longer than it may." }
    var extensions: InputObject { ["code": .string("OPERATION_TIMED_OUT")] }
}

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

extension Execution {
    /// Runs the loads of the execution.
    ///
    /// When the limit comes they are cancelled, and those that heed it fail as
    /// timed out.
    func run(within limit: Duration?, _ loads: @escaping @Sendable () async -> Void) async {
        guard let limit else { return await loads() }
        await withDiscardingTaskGroup { group in
            let work = Task { await loads() }
            group.addTask {
                guard (try? await Task.sleep(for: limit)) != nil else { return }
                self.expire()
                work.cancel()
            }
            await withTaskCancellationHandler {
                await work.value
            } onCancel: {
                work.cancel()
            }
            group.cancelAll()
        }
    }
}
