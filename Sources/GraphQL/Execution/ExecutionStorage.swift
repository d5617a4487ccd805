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
