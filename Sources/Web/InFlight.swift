import Synchronization

/// Counts the requests that wait for data, up to a bound.
final class InFlight: Sendable {
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

    func leave() {
        number.wrappingSubtract(1, ordering: .relaxed)
    }
}
