import Storage
import Upstream

/// When each write whose response was lost is checked next: no connection keeps another one waiting, and each write has an
/// increasing pause of its own.
///
/// A value without time or tasks: ``OrderReconciliation`` brings both.
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
        /// When this process first knew that the response was lost.
        let since: SuspendingClock.Instant
        var dueAt: ContinuousClock.Instant
        var pause: Duration
    }

    private let pauses: ClosedRange<Duration>
    private let mostConnections: Int
    /// By the ids of the writes.
    private var entries: [String: Entry] = [:]
    /// Those whose writes are being checked, each by one task.
    private var running: Set<ConnectionKey> = []
    /// The number of the turn in which a connection was checked last.
    private var turns: [ConnectionKey: Int] = [:]
    private var turn = 0

    /// - Parameters:
    ///   - pauses: The first pause after a check that left a write open, and the longest; it doubles from one to the other.
    ///   - mostConnections: That are checked at a time.
    init(pauses: ClosedRange<Duration>, mostConnections: Int) {
        self.pauses = pauses
        self.mostConnections = mostConnections
    }

    /// Whether no write is left whose outcome is not known.
    var isEmpty: Bool { entries.isEmpty }

    /// The time from which it is known that a write's response was lost; nil for a write that is not in the schedule.
    func since(_ write: JournalWrite) -> SuspendingClock.Instant? { entries[write.id]?.since }

    /// When something can be begun; nil where that is not before a check ends or another response is lost.
    var next: ContinuousClock.Instant? {
        if running.count >= mostConnections { return nil }
        return entries.values.lazy.filter { !running.contains($0.connection) }.map(\.dueAt).min()
    }

    /// Takes in the writes that are unconfirmed now, and begins what is due.
    ///
    /// - Parameters:
    ///   - writes: All of them, or as many as are considered at a time.
    ///   - now: By which they are due.
    ///   - since: When their responses were lost already: a time after they were read from the journal.
    /// - Returns: for each connection that is to be checked, its due writes; the connection that has waited for longest comes
    ///   first. Each ends by ``end(_:)``.
    mutating func begin(
        _ writes: [JournalWrite], at now: ContinuousClock.Instant, since: SuspendingClock.Instant
    ) -> [[JournalWrite]] {
        var entries: [String: Entry] = [:]
        var due: [ConnectionKey: [JournalWrite]] = [:]
        for write in writes {
            let key = ConnectionKey(write)
            let entry =
                self.entries[write.id]
                ?? Entry(connection: key, since: since, dueAt: now, pause: pauses.lowerBound)
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

    /// A write has been checked; it stays in the schedule if its outcome is still not known.
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

    /// The checks of a connection have ended.
    mutating func end(_ connection: ConnectionKey) {
        running.remove(connection)
    }
}
