package import Brokerage
package import Storage
import Synchronization

/// The attempts of one process, in memory.
package final class LocalAttempts: Attempts {
    // A lock, because requests come on any thread.
    private let state = Mutex(State())
    private let capacity: Int
    /// The number of known addresses of one user.
    private static let maximumAddresses = 8

    private struct State {
        var records: [AttemptSubject: AttemptRecord] = [:]
        /// The known addresses of each user.
        var known: [String: [AttemptSubject: AttemptRecord]] = [:]

        subscript(_ subject: AttemptSubject) -> AttemptRecord? {
            get {
                guard case .knownAddress(_, let user) = subject else { return records[subject] }
                return known[user]?[subject]
            }
            set {
                if case .knownAddress(_, let user) = subject {
                    known[user, default: [:]][subject] = newValue
                } else {
                    records[subject] = newValue
                }
            }
        }
    }

    /// - Parameter capacity: The number of subjects that are stored, and of users whose addresses are known. Above it, the
    ///   oldest are removed.
    package init(capacity: Int = 20_000) {
        self.capacity = max(1, capacity)
    }

    package var isShared: Bool { false }

    package func update<Value: Sendable>(
        _ subjects: [AttemptSubject], keptFor lifetime: Duration, now: Instant,
        _ body: @escaping @Sendable (inout [AttemptSubject: AttemptRecord]) -> Value
    ) async throws(StorageError) -> Value {
        state.withLock { state in
            var records: [AttemptSubject: AttemptRecord] = [:]
            for subject in subjects { records[subject] = state[subject] }
            let known = records
            let value = body(&records)
            for subject in subjects where records[subject] != known[subject] {
                state[subject] = records[subject]
                if case .knownAddress(_, let user) = subject, let addresses = state.known[user],
                    addresses.count > Self.maximumAddresses
                {
                    state.known[user] = Self.latest(Self.maximumAddresses, of: addresses) { $0.last }
                }
            }
            if state.records.count > capacity {
                state.records = Self.latest(capacity / 2, of: state.records) { $0.last }
            }
            if state.known.count > capacity {
                state.known = Self.latest(capacity / 2, of: state.known) {
                    $0.values.map(\.last).max() ?? .earliest
                }
            }
            return value
        }
    }

    private static func latest<Key: Hashable, Value>(
        _ count: Int, of entries: [Key: Value], _ last: (Value) -> Instant
    ) -> [Key: Value] {
        let newest = entries.sorted { last($0.value) > last($1.value) }.prefix(count)
        return Dictionary(uniqueKeysWithValues: newest.map { ($0.key, $0.value) })
    }
}
