package import Brokerage
package import Storage
import Synchronization

/// The changes that the table `change` of a PostgreSQL database records.
///
/// Each read returns the rows that the last applied read did not see, by its snapshot. A counter or a time would skip rows: a
/// transaction that gets its number first can be committed last, and a commit can wait for a standby for hours. Rows of the
/// last 31 s before the last applied read are returned, too, if they were not applied: after the failure of a primary, a
/// transaction of the new one can have the number of a lost one.
package final class ChangeFeed: Sendable {
    package struct Change: Hashable, Sendable {
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
        package let id: String

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

    /// What one read has found.
    package struct Read: Sendable {
        /// The changes that were not applied, in no order that matters.
        package let changes: [Change]
        /// What the read has seen; nil at a standby.
        package let snapshot: PostgresSnapshot?
        /// Whether the last applied read has seen transactions that the server has not begun: it is another server, with other
        /// data, or a standby that has lost the last transactions.
        package let isOfEarlierServer: Bool
    }

    /// A read whose changes were applied.
    private struct Position {
        let readAt: ContinuousClock.Instant
        let snapshot: PostgresSnapshot?
    }

    private struct State {
        /// The last applied read; its snapshot is that of an earlier one if it has none.
        var last: Position
        /// Applied reads, at most one a minute; at most the first of them is older than rows are kept.
        var history: [Position] = []
        /// The numbers of the applied rows in the window.
        var applied: Set<Int64> = []

        mutating func apply(_ numbers: [Int64], _ position: Position) {
            applied.formUnion(numbers)
            last = Position(readAt: position.readAt, snapshot: position.snapshot ?? last.snapshot)
            guard position.snapshot != nil else { return }
            if let known = history.last, known.readAt + .seconds(60) > position.readAt { return }
            history.append(position)
            let old = history.prefix { $0.readAt + .milliseconds(ChangeFeed.retention) <= position.readAt }
            history.removeFirst(max(0, old.count - 1))
        }
    }

    /// Longer than most transactions, in milliseconds.
    private static let transactionTime: Int64 = 30_000
    /// Rows are deleted after this time, in milliseconds.
    private static let retention: Int64 = 3_600_000
    /// Rows are deleted after this time, in milliseconds, also if no process has run for as long as ``retention``.
    private static let longestRetention: Int64 = 86_400_000

    private let clock: TimeSource
    // Held for a few look-ups.
    private let state: Mutex<State>

    /// - Parameters:
    ///   - clock: The clock of the age.
    ///   - start: When the read began after which changes are followed.
    ///   - snapshot: What this read has seen at least; nil if it is not known.
    package init(clock: TimeSource, appliedAt start: ContinuousClock.Instant, _ snapshot: PostgresSnapshot?) {
        self.clock = clock
        state = Mutex(State(last: Position(readAt: start, snapshot: snapshot)))
    }

    package var now: ContinuousClock.Instant { clock.now() }

    /// The age of the oldest row that may not have been applied, in milliseconds; longer if reads have failed.
    private var window: Int64 { Self.transactionTime + age.components.seconds * 1_000 + 1_000 }

    /// The time since the begin of the last read whose changes were applied.
    ///
    /// The clock runs while the process is stopped.
    var age: Duration { state.withLock { now - $0.last.readAt } }

    /// Whether other processes may have deleted changes that this one has not applied.
    var hasGap: Bool { window > Self.retention }

    /// The rows that may not have been applied, after one with the snapshot of this read.
    ///
    /// `?1` is the last snapshot, `?2` the window. Both conditions of transactions are exact, so that a long transaction of
    /// another program does not make the read longer. Rows of another server, which a restore has copied, can have later
    /// transactions than this server. A standby has no snapshot.
    private static let unread = """
        SELECT CAST(0 AS BIGINT) AS number,
            CASE WHEN pg_snapshot_xmax(pg_current_snapshot()) < pg_snapshot_xmax(CAST(?1 AS pg_snapshot))
                THEN 'EARLIER' ELSE 'SNAPSHOT' END AS kind,
            CAST(pg_current_snapshot() AS TEXT) AS id
        WHERE NOT pg_is_in_recovery()
        UNION ALL
        SELECT number, kind, id FROM change
        WHERE changed_at > (SELECT clock_milliseconds() - CAST(?2 AS BIGINT))
            OR xact >= pg_snapshot_xmax(CAST(?1 AS pg_snapshot)) AND xact < pg_snapshot_xmax(pg_current_snapshot())
            OR xact = ANY (ARRAY(SELECT pg_snapshot_xip(CAST(?1 AS pg_snapshot))))
        """

    /// Reads the changes that were not applied.
    package func read(_ db: SQLTransaction) throws -> Read {
        let last = state.withLock(\.last.snapshot)
        var (snapshot, isOfEarlierServer) = (PostgresSnapshot?.none, false)
        var changes: [Change] = []
        try db.forEachRow(Self.unread, [last?.text, window]) { row in
            let kind: String = try row["kind"]
            if kind == "SNAPSHOT" || kind == "EARLIER" {
                snapshot = PostgresSnapshot(text: try row["id"])
                isOfEarlierServer = kind == "EARLIER"
            } else if let kind = Change.Kind(rawValue: kind) {
                // A kind that only a later version has is not this version's.
                changes.append(Change(number: try row["number"], kind: kind, id: try row["id"]))
            }
        }
        let new = state.withLock { state in
            // The numbers of rows that are not returned any more are not needed.
            state.applied.formIntersection(changes.map(\.number))
            return changes.filter { !state.applied.contains($0.number) }
        }
        return Read(changes: new, snapshot: snapshot, isOfEarlierServer: isOfEarlierServer)
    }

    /// Records that the changes of a read were applied.
    package func didApply(_ read: Read, readAt start: ContinuousClock.Instant) {
        state.withLock {
            $0.apply(read.changes.map(\.number), Position(readAt: start, snapshot: read.snapshot))
        }
    }

    /// Records that the state of the database was applied, whatever was applied before.
    ///
    /// - Parameters:
    ///   - snapshot: What the reads have seen at least; nil at a standby.
    ///   - start: When the first one began.
    package func didApplyAll(_ snapshot: PostgresSnapshot?, readAt start: ContinuousClock.Instant) {
        state.withLock { $0 = State(last: Position(readAt: start, snapshot: snapshot)) }
    }

    /// The number of changes that are deleted in one transaction.
    private static let batch = 10_000

    /// Deletes changes that every process has applied, or has read at its start; see ``hasGap``.
    ///
    /// A row that was committed late is old when others see it. Those are deleted that this process has seen for as long as
    /// rows are kept, and those of another server, which a restore has copied.
    ///
    /// - Returns: Whether there may be more.
    package func deleteOld(_ db: SQLTransaction) throws -> Bool {
        let age = max(Self.retention, window)
        let kept = now - .milliseconds(age)
        let seen = state.withLock { $0.history.last { $0.readAt <= kept }?.snapshot }
        return try db.executeUpdate(
            """
            DELETE FROM change WHERE number IN (
                SELECT number FROM change
                WHERE changed_at < (SELECT clock_milliseconds() - CAST(?1 AS BIGINT))
                    AND (xact IS NULL OR pg_visible_in_snapshot(xact, CAST(?2 AS pg_snapshot))
                        OR xact >= pg_snapshot_xmax(pg_current_snapshot())
                        OR changed_at < (SELECT clock_milliseconds() - CAST(?3 AS BIGINT)))
                LIMIT \(Self.batch))
            """, [age, seen?.text, max(age, Self.longestRetention)]) == Self.batch
    }
}
