import Storage
import Upstream

/// The times of the next checks of writes whose responses were lost.
///
/// No connection delays another one, and each write has its own increasing pause. It is a value without time
/// or tasks: ``OrderReconciliation`` supplies both.
struct ReconciliationSchedule {
    /// A user's connection.
    struct ConnectionKey: Hashable, Sendable {
        let owner: OwnerID
        let id: String

        init(_ write: JournalWrite) {
            owner = write.order.owner
            id = write.order.connection
        }
    }

    private struct Entry {
        let connection: ConnectionKey
        /// The time at which this process learned that the response was lost.
        let since: ContinuousClock.Instant
        var dueAt: ContinuousClock.Instant
        var pause: Duration
    }

    private let pauses: ClosedRange<Duration>
    private let mostConnections: Int
    /// The entries by the ids of the writes.
    private var entries: [String: Entry] = [:]
    /// The connections whose writes are being checked, each by one task.
    private var running: Set<ConnectionKey> = []
    /// For each connection, the number of the pass in which it was checked last.
    private var turns: [ConnectionKey: Int] = [:]
    private var turn = 0

    /// - Parameters:
    ///   - pauses: The pause after the first check that determines no outcome, and the longest pause. Each
    ///     pause is twice the one before.
    ///   - mostConnections: The number of connections that are checked at a time.
    init(pauses: ClosedRange<Duration>, mostConnections: Int) {
        self.pauses = pauses
        self.mostConnections = mostConnections
    }

    /// Whether no write without a known outcome is left.
    var isEmpty: Bool { entries.isEmpty }

    /// The time at which it became known that a write's response was lost; nil for a write outside the
    /// schedule.
    func since(_ write: JournalWrite) -> ContinuousClock.Instant? { entries[write.id]?.since }

    /// The time at which the next check can start; nil if that depends on the end of a check or on another
    /// lost response.
    var next: ContinuousClock.Instant? {
        if running.count >= mostConnections { return nil }
        return entries.values.lazy.filter { !running.contains($0.connection) }.map(\.dueAt).min()
    }

    /// Adds the writes that are unconfirmed now, and starts the due checks.
    ///
    /// - Returns: For each connection to check, its due writes. The connection that has waited longest comes
    ///   first. Call ``end(_:)`` for each one.
    mutating func begin(
        _ writes: [JournalWrite], at now: ContinuousClock.Instant
    ) -> [[JournalWrite]] {
        var entries: [String: Entry] = [:]
        var due: [ConnectionKey: [JournalWrite]] = [:]
        for write in writes {
            let key = ConnectionKey(write)
            let entry =
                self.entries[write.id]
                ?? Entry(connection: key, since: now, dueAt: now, pause: pauses.lowerBound)
            entries[write.id] = entry
            if entry.dueAt <= now, !running.contains(key) { due[key, default: []].append(write) }
        }
        self.entries = entries
        let connections = Set(entries.values.map(\.connection))
        turns = turns.filter { connections.contains($0.key) }
        let chosen = due.sorted { one, other in
            (turns[one.key] ?? 0, one.value[0].id) < (turns[other.key] ?? 0, other.value[0].id)
        }.prefix(max(0, mostConnections - running.count))
        turn &+= 1
        for (key, _) in chosen {
            running.insert(key)
            turns[key] = turn
        }
        return chosen.map(\.value)
    }

    /// Records the check of a write.
    ///
    /// The write remains in the schedule if its outcome is still unknown.
    mutating func didCheck(_ write: JournalWrite, isOpen: Bool, at now: ContinuousClock.Instant) {
        guard isOpen else {
            entries[write.id] = nil
            return
        }
        guard var entry = entries[write.id] else { return }
        entry.dueAt = now + entry.pause
        entry.pause = min(entry.pause * 2, pauses.upperBound)
        entries[write.id] = entry
    }

    /// Records that the checks of a connection have ended.
    mutating func end(_ connection: ConnectionKey) {
        running.remove(connection)
    }
}
