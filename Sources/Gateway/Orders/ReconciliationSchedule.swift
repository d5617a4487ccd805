import Brokerage
package import Storage
import Upstream

/// The times of the next checks of writes whose responses were lost.
///
/// No connection delays another one, and each write has its own increasing pause. It is a value without time
/// or tasks: ``OrderReconciliation`` supplies both.
package struct ReconciliationSchedule {
    /// A user's connection.
    package struct ConnectionKey: Hashable, Sendable {
        let owner: OwnerID
        package let id: String

        init(_ order: OrderIdentity) {
            owner = order.owner
            id = order.connection
        }
    }

    /// The writes of a connection to check, one after the other.
    package struct ConnectionWrites: Hashable, Sendable {
        package let connection: ConnectionKey
        /// The ids of its due writes; the one that has been due for longest comes first.
        package let writes: [String]
    }

    private struct Entry {
        let connection: ConnectionKey
        /// The time at which this process learned that the response was lost.
        let since: SuspendingClock.Instant
        var dueAt: ContinuousClock.Instant
        var pause: Duration
    }

    private let pauses: ClosedRange<Duration>
    private let maximumConnections: Int
    /// The entries by the ids of the writes.
    private var entries: [String: Entry] = [:]
    /// The connections whose writes are being checked, each by one task.
    private var running: Set<ConnectionKey> = []
    /// For each connection, the number of the pass in which it was checked last.
    private var lastPasses: [ConnectionKey: Int] = [:]
    private var pass = 0

    /// - Parameters:
    ///   - pauses: The pause after the first check that determines no outcome, and the longest pause. Each
    ///     pause is twice the one before.
    ///   - maximumConnections: The number of connections that are checked at a time.
    package init(pauses: ClosedRange<Duration>, maximumConnections: Int) {
        self.pauses = pauses
        self.maximumConnections = maximumConnections
    }

    /// Whether no write without a known outcome is left.
    package var isEmpty: Bool { entries.isEmpty }

    /// The time at which it became known that a write's response was lost; nil for a write outside the schedule.
    func since(_ write: JournalWrite) -> SuspendingClock.Instant? { since(write.id) }

    package func since(_ id: String) -> SuspendingClock.Instant? { entries[id]?.since }

    /// The time at which the next check can start; nil if that depends on the end of a check or on another
    /// lost response.
    package var next: ContinuousClock.Instant? {
        if running.count >= maximumConnections { return nil }
        return entries.values.lazy.filter { !running.contains($0.connection) }.map(\.dueAt).min()
    }

    /// Adds all writes that are unconfirmed now, the oldest first, and starts the due checks.
    ///
    /// - Parameters:
    ///   - writes: All writes that are unconfirmed now.
    ///   - now: The time by which they are due.
    ///   - since: A time at which their responses were already lost: after they were read from the journal.
    /// - Returns: A permit for each connection to check. The connection that has waited longest comes first.
    ///   Call ``end(_:)`` for each one.
    package mutating func begin(
        _ writes: [OrderJournal.Unconfirmed], at now: ContinuousClock.Instant, since: SuspendingClock.Instant
    ) -> [ConnectionWrites] {
        var entries: [String: Entry] = [:]
        var due: [ConnectionKey: [(dueAt: ContinuousClock.Instant, age: Int, id: String)]] = [:]
        for (age, write) in writes.enumerated() {
            let key = ConnectionKey(write.order)
            let entry =
                self.entries[write.id]
                ?? Entry(connection: key, since: since, dueAt: now, pause: pauses.lowerBound)
            entries[write.id] = entry
            guard entry.dueAt <= now, !running.contains(key) else { continue }
            due[key, default: []].append((entry.dueAt, age, write.id))
        }
        self.entries = entries
        let connections = Set(entries.values.map(\.connection))
        lastPasses = lastPasses.filter { connections.contains($0.key) }
        let chosen = due.mapValues { $0.sorted { ($0.dueAt, $0.age) < ($1.dueAt, $1.age) } }
            .sorted { one, other in
                (lastPasses[one.key] ?? 0, one.value[0].dueAt, one.value[0].age)
                    < (lastPasses[other.key] ?? 0, other.value[0].dueAt, other.value[0].age)
            }.prefix(max(0, maximumConnections - running.count))
        pass &+= 1
        for (key, _) in chosen {
            running.insert(key)
            lastPasses[key] = pass
        }
        return chosen.map { ConnectionWrites(connection: $0.key, writes: $0.value.map(\.id)) }
    }

    /// Records the check of a write, which stays in the schedule if its outcome is still unknown.
    ///
    /// - Parameters:
    ///   - id: The id of the write.
    ///   - isOpen: Whether its outcome is still unknown.
    ///   - now: The time of the check.
    ///   - arrival: The time until the broker has the request, if it ever receives it. The next check is not later: it
    ///     determines the outcome of a request that did not reach the broker.
    package mutating func didCheck(
        _ id: String, isOpen: Bool, at now: ContinuousClock.Instant, untilArrival arrival: Duration = .zero
    ) {
        guard isOpen else {
            entries[id] = nil
            return
        }
        guard var entry = entries[id] else { return }
        if arrival > .zero, arrival < entry.pause {
            entry.dueAt = now + max(arrival, pauses.lowerBound)
        } else {
            entry.dueAt = now + entry.pause
            entry.pause = min(entry.pause * 2, pauses.upperBound)
        }
        entries[id] = entry
    }

    /// Records that the checks of a connection have ended.
    package mutating func end(_ connection: ConnectionKey) {
        running.remove(connection)
    }
}
