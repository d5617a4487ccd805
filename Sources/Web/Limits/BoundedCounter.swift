import Synchronization

/// Counts what goes on at a time, up to a bound.
final class BoundedCounter: Sendable {
    private let limit: Int
    private let number = Atomic<Int>(0)

    init(limit: Int) {
        self.limit = limit
    }

    /// False where the bound is reached; otherwise `leave` must follow.
    func enter() -> Bool {
        guard number.wrappingAdd(1, ordering: .relaxed).newValue <= limit else {
            leave()
            return false
        }
        return true
    }

    var count: Int { number.load(ordering: .relaxed) }

    func leave() {
        number.wrappingSubtract(1, ordering: .relaxed)
    }
}
