import Synchronization

/// A run of a plan: the variables, the context of resolvers, and the results of loads.
@frozen
@safe
public struct Execution: @unchecked Sendable {
    // Sendable, although a managed buffer is not: its content is immutable except for its slots (see
    // `LoadSlots`).
    @usableFromInline
    let memory: ExecutionStorage

    /// Creates an execution with empty slots.
    ///
    /// - Parameters:
    ///   - variables: The coerced variables of the request.
    ///   - context: The context of the request, of the type that all resolvers of the schema require.
    ///   - cost: The cost of the operation, if the response reports it.
    ///   - timeout: Set after the operation's time limit; nil without a limit.
    ///   - slotCount: The number of slots.
    ///   - deferred: The loads of deferred parts; nil for a complete response.
    init(
        _ variables: VariableValues, _ context: consuming AnyContext, cost: OperationCost?,
        timeout: TimeoutFlag?, slotCount: Int, deferred: DeferredLoads? = nil
    ) {
        memory = .make(
            ExecutionStorage.Header(
                variables: variables, context: context, cost: cost, timeout: timeout, slotCount: slotCount,
                deferred: deferred))
    }

    /// A flag that is set after an operation's time limit.
    final class TimeoutFlag: Sendable {
        let isSet = Atomic(false)
    }

    /// The coerced variables of the request.
    public var variables: VariableValues { memory.variables }
    /// The cost of the operation, if the client has requested it.
    var cost: OperationCost? { memory.cost }

    @inlinable
    var slots: LoadSlots { memory.slots }

    /// Returns the same run with separate slots, for a part of its plan.
    func frame(slotCount: Int) -> Execution {
        Execution(
            variables, memory.context, cost: cost, timeout: memory.timeout, slotCount: slotCount,
            deferred: memory.deferred)
    }

    /// Runs the loads of a deferred part, and records their end.
    func start(_ state: DeferredLoad, _ pending: [PendingLoad]) {
        if pending.isEmpty { return state.complete() }
        memory.deferred?.start(state, pending, of: self)
    }

    /// The context of the request.
    @inlinable
    func context<Context: AnyObject & Sendable>(as _: Context.Type) -> Context {
        // All bound types of a schema require the type of its contexts: `SchemaBinder.requireContext` has
        // checked each. A checked cast takes longer than most loads.
        unsafe unsafeDowncast(memory.context, to: Context.self)
    }

    /// Sets the timeout flag, before the running loads are cancelled.
    func expire() {
        memory.timeout?.isSet.store(true, ordering: .relaxed)
    }

    /// Returns the error of a load: a timeout for one that was cancelled because of the time limit.
    @usableFromInline
    func loadError(for error: any Error) -> any Error {
        guard let timeout = memory.timeout, timeout.isSet.load(ordering: .relaxed) else { return error }
        return OperationTimedOut()
    }
}

/// The context of a request, of the type that the bound types of its schema require.
@usableFromInline
typealias AnyContext = any AnyObject & Sendable

/// The context of a schema whose resolvers need none.
public final class EmptyContext: Sendable {
    /// The shared instance for all requests.
    public static let shared = EmptyContext()

    private init() {}
}

/// The error that an operation exceeded its time limit.
struct OperationTimedOut: ClientVisibleError {
    var message: String { "The operation took longer than it may." }
    var extensions: InputObject { ["code": .string("OPERATION_TIMED_OUT")] }
}

/// The remaining work of an asynchronous load.
@usableFromInline
typealias PendingLoad = @Sendable () async -> Void

/// Waits for independent loads.
///
/// Each begins in the current thread, so that its calls are sent before this function waits.
@usableFromInline
func finish(_ pending: [PendingLoad]) async {
    // The last load, which often is the only one, is awaited in the current task: a child task can cost more than the whole
    // execution.
    guard let last = pending.last else { return }
    guard pending.count > 1 else { return await last() }
    await withDiscardingTaskGroup { group in
        for load in pending.dropLast() {
            group.addImmediateTask { await load() }
        }
        await last()
    }
}

extension Execution {
    /// Runs the loads of the execution.
    ///
    /// At the limit they are cancelled, and those that respond to cancellation fail with a timeout.
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

/// The memory of an execution: its values and its slots in one object, because each allocation takes a tenth
/// of the time of the smallest operation.
@usableFromInline
@safe
final class ExecutionStorage: ManagedBuffer<ExecutionStorage.Header, LoadSlots.Content> {
    /// The initial values of an execution.
    @usableFromInline
    struct Header: Sendable {
        let variables: VariableValues
        @usableFromInline
        let context: AnyContext
        let cost: OperationCost?
        let timeout: Execution.TimeoutFlag?
        let slotCount: Int
        let deferred: DeferredLoads?
    }

    /// Creates memory with empty slots.
    static func make(_ header: consuming Header) -> ExecutionStorage {
        let count = header.slotCount
        // Taking the header from a variable moves it; a copy would retain its references.
        var header = Optional(header)
        // The subclass creates buffers of its own class, but the result type is the superclass.
        let memory = unsafe unsafeDowncast(
            create(minimumCapacity: count) { _ in unsafe header.take().unsafelyUnwrapped },
            to: ExecutionStorage.self)
        unsafe memory.slots.base.initialize(repeating: nil, count: count)
        return memory
    }

    deinit {
        slots.release(slotCount)
    }

    // Not `header`, whose exclusive access is checked each time: these values are immutable.
    @inlinable
    var context: AnyContext { unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.context } }
    var variables: VariableValues { unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.variables } }
    var cost: OperationCost? { unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.cost } }
    var timeout: Execution.TimeoutFlag? {
        unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.timeout }
    }
    var deferred: DeferredLoads? {
        unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.deferred }
    }
    private var slotCount: Int { unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.slotCount } }

    /// The slots; their memory does not move and has the lifetime of this object.
    @inlinable
    var slots: LoadSlots {
        unsafe withUnsafeMutablePointerToElements { unsafe LoadSlots(base: $0) }
    }
}

/// The results of one execution's loads for the write pass, by slot number: a `LoadedBatch` for a loaded
/// field, an `ArgumentStorage` for arguments.
///
/// The write pass reads a slot for every object that it writes. Therefore slots are read without reference
/// counting: the execution owns their content, and exists until the response is written.
@frozen
@usableFromInline
@safe
package struct LoadSlots: @unchecked Sendable {
    // Sendable, although it is a pointer: a slot is set once, by the load that owns it, before any task
    // reads it; loads that run at the same time own different slots, and a write pass begins after all loads
    // whose slots it reads have ended. Guards set their slots before the guarded loads start; in a mutation, between two
    // root fields.
    @usableFromInline
    let base: UnsafeMutablePointer<Content>

    @usableFromInline
    typealias Content = Unmanaged<AnyObject>?

    @inlinable
    init(base: UnsafeMutablePointer<Content>) {
        unsafe self.base = base
    }

    /// Empty slots, for writing without a plan, which reads no slots.
    static let none = unsafe LoadSlots(base: .allocate(capacity: 1))

    /// Sets a slot and releases its previous content.
    @inlinable
    func set(_ slot: Int, to content: consuming AnyObject) {
        unsafe base[slot]?.release()
        unsafe base[slot] = .passRetained(content)
    }

    /// Returns the content of a slot without retaining it; nil if the load has not run.
    ///
    /// The planner has created both the slot and its reader, so the type is correct.
    @inlinable
    @inline(__always)
    func read<Content: AnyObject>(_ slot: Int, as type: Content.Type) -> Unmanaged<Content>? {
        guard let content = unsafe base[slot] else { return nil }
        return unsafe Unmanaged<Content>.fromOpaque(content.toOpaque())
    }

    /// Releases the content of the first `count` slots.
    func release(_ count: Int) {
        for slot in 0..<count { unsafe base[slot]?.release() }
    }
}
