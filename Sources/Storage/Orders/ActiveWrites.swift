import Synchronization

/// The ids of the writes that this process executes, and the outcomes that it knows and could not record in the journal.
///
/// It has a lock, because the tasks of many requests change it while the database's writer reads it.
final class ActiveWrites: Sendable {
    private struct State {
        var active: Set<String> = []
        var outcomes: [String: OrderWriteOutcome] = [:]
    }

    /// The maximum number of outcomes that are kept; of a further write the broker is queried.
    static let maximumOutcomes = 1_000

    private let state = Mutex(State())

    func insert(_ id: String) { state.withLock { _ = $0.active.insert(id) } }
    func contains(_ id: String) -> Bool { state.withLock { $0.active.contains(id) } }

    /// The number of writes that this process executes, or whose outcome the journal may not have.
    var count: Int { state.withLock { $0.active.count + $0.outcomes.count } }

    /// Ends the execution of a write and keeps its outcome, in one step: between two steps another task could take the write for
    /// abandoned although this process knows its outcome.
    ///
    /// Without an outcome, or if ``maximumOutcomes`` are kept, nothing is kept.
    func remove(_ id: String, keeping outcome: OrderWriteOutcome? = nil) {
        state.withLock { state in
            state.active.remove(id)
            guard let outcome, state.outcomes.count < Self.maximumOutcomes else { return }
            state.outcomes[id] = outcome
        }
    }

    /// The writes with an outcome that the journal may not have.
    var kept: Set<String> { state.withLock { Set($0.outcomes.keys) } }

    /// The outcome of a write that the journal may not have; nil if this process does not know it.
    func outcome(of id: String) -> OrderWriteOutcome? { state.withLock { $0.outcomes[id] } }

    /// Forgets the outcomes of writes that the journal has by now, or no longer needs.
    func forget(_ ids: Set<String>) {
        state.withLock { state in
            for id in ids { state.outcomes[id] = nil }
        }
    }
}
