/// What the loads of one execution leave for the write pass, by slot number: a `Column` for a loaded field, an
/// `ArgumentsBox` for arguments.
///
/// Behind the slots lies room for the path of the write pass, so that it needs no memory of its own.
///
/// The write pass reads a slot for every object that it writes, so slots are read without reference counting: the
/// execution owns their content, and lives until the response has been written.
@frozen
@usableFromInline
@safe
struct Slots: @unchecked Sendable {
    // Sendable, although it is a pointer: a slot is set once, by the load that owns it, before anybody reads it;
    // loads that run at the same time own different slots, and the write pass begins after all of them have ended.
    @usableFromInline
    let base: UnsafeMutablePointer<Unmanaged<AnyObject>?>
    @usableFromInline
    let count: Int

    /// As deep as paths are as a rule.
    static var pathDepth: Int { 32 }

    init(count: Int) {
        self.count = count
        unsafe base = .allocate(capacity: count + Slots.pathDepth)
        unsafe base.initialize(repeating: nil, count: count)
    }

    /// Room for `pathDepth` segments, as long as the slots live.
    var path: UnsafeMutablePointer<Int> {
        // A slot is a pointer and as large as an integer; nothing else uses what lies behind the last one.
        unsafe UnsafeMutableRawPointer(base + count).bindMemory(to: Int.self, capacity: Slots.pathDepth)
    }

    /// Fills a slot; what was in it is given back.
    @inlinable
    func set(_ slot: Int, to content: AnyObject) {
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

    func deallocate() {
        for slot in 0..<count { unsafe base[slot]?.release() }
        unsafe base.deallocate()
    }
}
