package import Brokerage
package import Storage
import Synchronization

/// The attempts of one process, in memory.
///
/// If there are more subjects than its capacity, those without a wait are removed before those with one, and those with few
/// failures before those with many. So a flood of invented names with a failure each removes no wait; to remove those of
/// others, clients must cause a wait for each of half as many subjects as the capacity, within the time for which failures
/// are kept.
package final class LocalAttempts: Attempts {
    // A lock, because requests come on any thread.
    private let state = Mutex(State())
    private let capacity: Int
    /// The number of known addresses of one user.
    private static let maximumAddresses = 8

    private struct Entry: Equatable {
        let record: AttemptRecord
        /// From then on, the record does not count any more.
        let forgetAt: Instant

        /// Whether this entry is kept rather than another one.
        func outranks(_ other: Entry) -> Bool {
            rank > other.rank
        }

        private var rank: (wait: Int, failures: Int, last: Instant) {
            (record.blockedUntil == nil ? 0 : 1, record.failures, record.last)
        }
    }

    private struct State {
        var entries: [AttemptSubject: Entry] = [:]
        /// The known addresses of each user.
        var known: [String: [AttemptSubject: Entry]] = [:]

        subscript(_ subject: AttemptSubject) -> Entry? {
            get {
                guard case .knownAddress(_, let user, _) = subject else { return entries[subject] }
                return known[user]?[subject]
            }
            set {
                if case .knownAddress(_, let user, _) = subject {
                    known[user, default: [:]][subject] = newValue
                } else {
                    entries[subject] = newValue
                }
            }
        }
    }

    /// - Parameter capacity: The number of subjects that are stored, and of users whose addresses are known. Of more users,
    ///   those who have signed in least recently are removed.
    package init(capacity: Int = 20_000) {
        self.capacity = max(1, capacity)
    }

    package var isShared: Bool { false }

    package func update<Value: Sendable>(
        _ subjects: [AttemptSubject], keptFor lifetime: Duration, now: Instant,
        _ body: @escaping @Sendable (inout [AttemptSubject: AttemptRecord], _ now: Instant) -> Value
    ) async throws(StorageError) -> Value {
        state.withLock { state in
            var records: [AttemptSubject: AttemptRecord] = [:]
            for subject in subjects {
                guard let entry = state[subject], entry.forgetAt >= now else { continue }
                records[subject] = entry.record
            }
            let known = records
            let value = body(&records, now)
            for subject in subjects where records[subject] != known[subject] {
                state[subject] = records[subject].map { Entry(record: $0, forgetAt: now + lifetime) }
                if case .knownAddress(_, let user, _) = subject, let addresses = state.known[user],
                    addresses.count > Self.maximumAddresses
                {
                    state.known[user] = Self.first(Self.maximumAddresses, of: addresses) {
                        $0.record.last > $1.record.last
                    }
                }
            }
            if state.entries.count > capacity {
                let current = state.entries.filter { $0.value.forgetAt >= now }
                state.entries = Self.first(capacity / 2, of: current) { $0.outranks($1) }
            }
            if state.known.count > capacity {
                state.known = Self.first(capacity / 2, of: state.known) {
                    Self.last(of: $0) > Self.last(of: $1)
                }
            }
            return value
        }
    }

    private static func last(of addresses: [AttemptSubject: Entry]) -> Instant {
        addresses.values.map(\.record.last).max() ?? .earliest
    }

    private static func first<Key: Hashable, Value>(
        _ count: Int, of entries: [Key: Value], by precedes: (Value, Value) -> Bool
    ) -> [Key: Value] {
        let kept = entries.sorted { precedes($0.value, $1.value) }.prefix(count)
        return Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }
}
