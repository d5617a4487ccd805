import Brokerage
import Storage
import Synchronization

/// The changes that the table `change` of a PostgreSQL database records.
///
/// Each read returns the rows that were not applied yet of the last 30 s before the last applied read. A counter would
/// skip rows: a transaction that gets its number first can be committed last.
final class ChangeFeed: Sendable {
    struct Change: Hashable, Sendable {
        enum Kind: String, Sendable {
            case session = "SESSION"
            case user = "USER"
            /// The id is that of the connection's owner.
            case connection = "CONNECTION"
            /// The id is a kind of ``EndedIdentity`` and its value.
            case identity = "IDENTITY"
            /// The id is that of the alert, a space, and that of its owner.
            case alert = "ALERT"
            /// The id is that of the connection of an order of the journal, a space, and that of its owner.
            ///
            /// A process that has a gap needs none of them: what it has read is older than its lifetime.
            case order = "ORDER"
        }

        let number: Int64
        let kind: Kind
        /// Of the session or the user, or as the kind says.
        let id: String

        init(number: Int64, kind: Kind, id: String) {
            (self.number, self.kind, self.id) = (number, kind, id)
        }

        /// A change without a row, for a process that has a gap.
        init(_ kind: Kind, _ id: String) { self.init(number: 0, kind: kind, id: id) }
    }

    /// The tables that a process with a gap reads, each with the kind of its changes; a text is a ``Change/id``.
    static let tables: [(kind: Change.Kind, pages: SQLPages)] = [
        (.session, SQLPages(of: "session")),
        (.connection, SQLPages(of: "connection", text: "owner")),
        (
            .identity,
            SQLPages(
                of: "ended_identity_session", key: ["issuer", "kind", "value"], text: "kind || ' ' || value")
        ),
        (.alert, SQLPages(of: "alert", text: "id || ' ' || owner")),
    ]

    /// Longer than any transaction, in milliseconds.
    private static let transactionTime: Int64 = 30_000
    /// Rows are deleted after this time.
    private static let retention: Int64 = 3_600_000

    private let clock: TimeSource
    // The numbers of the applied rows in the window; held for a few look-ups.
    private let applied = Mutex<Set<Int64>>([])
    // When the last applied read began; held for a few instructions.
    private let lastApplied: Mutex<ContinuousClock.Instant>

    /// - Parameters:
    ///   - clock: The clock of the age.
    ///   - start: When the read began after which changes are followed.
    init(clock: TimeSource, appliedAt start: ContinuousClock.Instant) {
        self.clock = clock
        lastApplied = Mutex(start)
    }

    var now: ContinuousClock.Instant { clock.now() }

    /// The age of the oldest row that may not have been applied, in milliseconds; longer if reads have failed.
    private var window: Int64 { Self.transactionTime + age.components.seconds * 1_000 + 1_000 }

    /// The time since the begin of the last read whose changes were applied.
    ///
    /// The clock runs while the process is stopped.
    var age: Duration { lastApplied.withLock { now - $0 } }

    /// Whether other processes may have deleted changes that this one has not applied.
    var hasGap: Bool { window > Self.retention }

    /// Returns the changes that were not applied, in no order that matters.
    func changes(_ db: SQLTransaction) throws -> [Change] {
        let rows = try db.rows(
            "SELECT number, kind, id FROM change WHERE changed_at > clock_milliseconds() - \(window)")
        let changes = try rows.compactMap { row in
            // A kind that only a later version has is not this version's.
            try (row.value("kind") as Change.Kind?).map { kind in
                Change(number: try row["number"], kind: kind, id: try row["id"])
            }
        }
        return applied.withLock { applied in
            // The numbers of rows that have left the window are not needed any more.
            applied.formIntersection(changes.map(\.number))
            return changes.filter { !applied.contains($0.number) }
        }
    }

    /// Records that the changes of a read were applied.
    func didApply(_ changes: [Change], readAt start: ContinuousClock.Instant) {
        applied.withLock { $0.formUnion(changes.map(\.number)) }
        lastApplied.withLock { $0 = start }
    }

    /// The number of changes that are deleted in one transaction.
    private static let batch = 10_000

    /// Deletes changes that every process has applied, or has read at its start; see ``hasGap``.
    ///
    /// - Returns: Whether there may be more.
    func deleteOld(_ db: SQLTransaction) throws -> Bool {
        let age = max(Self.retention, window)
        return try db.executeUpdate(
            """
            DELETE FROM change WHERE number IN (
                SELECT number FROM change WHERE changed_at < clock_milliseconds() - \(age) LIMIT \(Self.batch))
            """) == Self.batch
    }
}
