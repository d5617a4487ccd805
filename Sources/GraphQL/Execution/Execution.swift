import Synchronization

/// One run of a plan: the variables, the context that resolvers are given, and what loads have found so far.
@frozen
@safe
public struct Execution: @unchecked Sendable {
    // Sendable, although a managed buffer is not: what it holds never changes but for its slots (see `LoadSlots`).
    @usableFromInline
    let memory: ExecutionStorage

    /// - Parameters:
    ///   - variables: the coerced variables of the request.
    ///   - context: the context of the request, of the type that all resolvers of the schema require.
    ///   - cost: what the operation costs, if the response reports it.
    ///   - timeout: set when the time of the operation is over; nil without a limit.
    ///   - slotCount: the number of slots.
    init(
        _ variables: VariableValues, _ context: consuming AnyContext, cost: OperationCost?,
        timeout: TimeoutFlag?, slotCount: Int
    ) {
        memory = .make(
            ExecutionStorage.Header(
                variables: variables, context: context, cost: cost, timeout: timeout, slotCount: slotCount))
    }

    /// Set when the time of an operation is over.
    final class TimeoutFlag: Sendable {
        let hasCome = Atomic(false)
    }

    /// The coerced variables of the request.
    public var variables: VariableValues { memory.variables }
    /// What the operation costs, if the client has requested it.
    var cost: OperationCost? { memory.cost }

    @inlinable
    var slots: LoadSlots { memory.slots }

    /// The same run, for a part of its plan that has slots of its own.
    func frame(slotCount: Int) -> Execution {
        Execution(
            variables, memory.context, cost: cost, timeout: memory.timeout, slotCount: slotCount)
    }

    /// The context of the request.
    @inlinable
    func context<Context: AnyObject & Sendable>(as _: Context.Type) -> Context {
        // All bound types of a schema require the type of its contexts: `SchemaBinder.requireContext` has checked
        // each. A checked cast takes longer than most loads.
        unsafe unsafeDowncast(memory.context, to: Context.self)
    }

    /// Says that the time is over, before what still runs is cancelled.
    func expire() {
        memory.timeout?.hasCome.store(true, ordering: .relaxed)
    }

    /// What a load's error means: one that was cancelled because the time was over ran out of time.
    @usableFromInline
    func meaning(of error: any Error) -> any Error {
        guard let timeout = memory.timeout, timeout.hasCome.load(ordering: .relaxed) else { return error }
        return OperationTimedOut()
    }
}

/// The context of a request, of the type that the bound types of its schema require.
@usableFromInline
typealias AnyContext = any AnyObject & Sendable

/// The context of a schema whose resolvers need none.
public final class EmptyContext: Sendable {
    /// The context of all requests.
    public static let shared = EmptyContext()

    private init() {}
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

/// The memory of an execution: its values and its slots in one object, because each allocation is a tenth of the
/// time of the smallest operation.
@usableFromInline
@safe
final class ExecutionStorage: ManagedBuffer<ExecutionStorage.Header, LoadSlots.Content> {
    /// The values that an execution has from its start.
    @usableFromInline
    struct Header: Sendable {
        let variables: VariableValues
        @usableFromInline
        let context: AnyContext
        let cost: OperationCost?
        let timeout: Execution.TimeoutFlag?
        let slotCount: Int
    }

    /// Memory with empty slots.
    static func make(_ header: consuming Header) -> ExecutionStorage {
        let count = header.slotCount
        // Taken out of a variable, the header is moved instead of copied, which would count references.
        var header = Optional(header)
        // A class makes buffers of itself, but its superclass has declared the result.
        let memory = unsafe unsafeDowncast(
            create(minimumCapacity: count) { _ in unsafe header.take().unsafelyUnwrapped },
            to: ExecutionStorage.self)
        unsafe memory.slots.base.initialize(repeating: nil, count: count)
        return memory
    }

    deinit {
        slots.release(slotCount)
    }

    // Not `header`, which is checked for exclusive access each time: nothing writes these values.
    @inlinable
    var context: AnyContext { unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.context } }
    var variables: VariableValues { unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.variables } }
    var cost: OperationCost? { unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.cost } }
    var timeout: Execution.TimeoutFlag? {
        unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.timeout }
    }
    private var slotCount: Int { unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.slotCount } }

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
