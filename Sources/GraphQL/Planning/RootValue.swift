/// The value that operations of a kind begin from, where it lies for good, its type forgotten.
@safe
struct RootValue: @unchecked Sendable {
    // Sendable, although it points to memory: what lies there is Sendable, and never changes.
    /// Where the value lies.
    let object: UnsafeRawPointer
    /// The value as the only object of its layer.
    let layer: ObjectLayer
    /// Owns the memory.
    private let storage: AnyObject

    init<Root: Sendable>(_ value: Root) {
        let storage = RootStorage(value)
        unsafe object = UnsafeRawPointer(storage.object)
        layer = unsafe ObjectLayer(nodes: UnsafeRawPointer(storage.layer))
        self.storage = storage
    }
}

/// Memory that does not move for a root value and a list of it.
@safe
private final class RootStorage<Root> {
    let object: UnsafeMutablePointer<Root>
    let layer: UnsafeMutablePointer<[Root]>

    init(_ value: Root) {
        unsafe object = .allocate(capacity: 1)
        unsafe object.initialize(to: value)
        unsafe layer = .allocate(capacity: 1)
        unsafe layer.initialize(to: [value])
    }

    deinit {
        unsafe object.deinitialize(count: 1)
        unsafe object.deallocate()
        unsafe layer.deinitialize(count: 1)
        unsafe layer.deallocate()
    }
}
