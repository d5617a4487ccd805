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

/// The memory of an execution: what it knows, and behind that its slots, in one object, since the smallest operation
/// spends a tenth of its time on each that it allocates.
@usableFromInline
@safe
final class ExecutionStorage: ManagedBuffer<ExecutionStorage.Facts, LoadSlots.Content> {
    /// What an execution knows from its beginning.
    @usableFromInline
    struct Facts: Sendable {
        @usableFromInline
        let circumstances: OperationPlan.Circumstances
        /// Whether the time of the operation is over; nil where it may take as long as it likes.
        let expiry: Execution.TimeoutFlag?
        let slotCount: Int
    }

    /// Memory with empty slots.
    static func make(_ facts: consuming Facts) -> ExecutionStorage {
        let count = facts.slotCount
        // Taken out of a variable, the facts are moved instead of copied, which would count references.
        var facts = Optional(facts)
        // A class makes buffers of itself, but its superclass has declared the result.
        let memory = unsafe unsafeDowncast(
            create(minimumCapacity: count) { _ in unsafe facts.take().unsafelyUnwrapped },
            to: ExecutionStorage.self)
        unsafe memory.slots.base.initialize(repeating: nil, count: count)
        return memory
    }

    deinit {
        unsafe slots.release(withUnsafeMutablePointerToHeader { unsafe $0.pointee.slotCount })
    }

    /// The slots; their memory does not move, and lasts as long as this object.
    @inlinable
    var slots: LoadSlots {
        unsafe withUnsafeMutablePointerToElements { unsafe LoadSlots(base: $0) }
    }
}

/// What the loads of one execution leave for the write pass, by slot number: a `LoadedColumn` for a loaded field, an
/// `ArgumentStorage` for arguments.
///
/// The write pass reads a slot for every object that it writes, so slots are read without reference counting: the
/// execution owns their content, and lives until the response has been written.
@frozen
@usableFromInline
@safe
struct LoadSlots: @unchecked Sendable {
    // Sendable, although it is a pointer: a slot is set once, by the load that owns it, before any task reads
    // it; loads that run at the same time own different slots, and the write pass begins after all of them
    // have ended. Guards set their slots before the guarded loads start; in a mutation, between two root
    // fields.
    @usableFromInline
    let base: UnsafeMutablePointer<Content>

    @usableFromInline
    typealias Content = Unmanaged<AnyObject>?

    @inlinable
    init(base: UnsafeMutablePointer<Content>) {
        unsafe self.base = base
    }

    /// For what is written without a plan, which has nothing to read from slots.
    static let none = unsafe LoadSlots(base: .allocate(capacity: 1))

    /// Fills a slot; what was in it is given back.
    @inlinable
    func set(_ slot: Int, to content: consuming AnyObject) {
        unsafe base[slot]?.release()
        unsafe base[slot] = .passRetained(content)
    }

    /// What is in a slot, without owning it.
    ///
    /// The planner has made both the slot and its reader, so the type fits;
    /// nil where the load has not run.
    @inlinable
    @inline(__always)
    func read<Content: AnyObject>(_ slot: Int, as type: Content.Type) -> Unmanaged<Content>? {
        guard let content = unsafe base[slot] else { return nil }
        return unsafe Unmanaged<Content>.fromOpaque(content.toOpaque())
    }

    /// Gives back what is in the slots, of which there are so many.
    func release(_ count: Int) {
        for slot in 0..<count { unsafe base[slot]?.release() }
    }
}
