import Synchronization

/// A reference that is set once and read by many at once, without a lock.
///
/// It is `AtomicLazyReference` of Synchronization, whose code is not specialised for its type: reading that takes
/// as long as a fifth of the smallest operation.
@safe
struct WriteOnceReference<Object: AnyObject & Sendable>: ~Copyable, Sendable {
    private let reference = unsafe Atomic<Unmanaged<Object>?>(nil)

    /// The object; nil before there is one.
    var object: Object? {
        // It is never taken away again, so what is read here lives as long as this.
        unsafe reference.load(ordering: .acquiring)?.takeUnretainedValue()
    }

    /// Sets the object where there is none yet.
    func set(_ object: Object) {
        let owned = unsafe Unmanaged.passRetained(object)
        let attempt = unsafe reference.compareExchange(
            expected: nil, desired: owned, ordering: .acquiringAndReleasing)
        if unsafe !attempt.exchanged { unsafe owned.release() }
    }

    deinit {
        unsafe reference.load(ordering: .acquiring)?.release()
    }
}
