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
