package import Brokerage
package import Storage
import Synchronization

/// The membership in a PostgreSQL database.
package final class ReplicaMembership: Membership {
    /// The id of this process.
    package let processID = RandomID.make()
    private let database: SQLDatabase
    private let version: String
    private let clock: TimeSource
    // Held for a few instructions.
    private let state: Mutex<State>

    private struct State {
        var count = 1
        /// When the last successful report began.
        var reportedAt: ContinuousClock.Instant
        var clockDifference = Duration.zero
    }

    /// - Parameters:
    ///   - file: The database.
    ///   - version: The version of this binary, for operators.
    ///   - clock: The clocks of this process.
    package init(in file: UserDatabase, version: String, clock: TimeSource = .system) {
        database = file.database
        self.version = version
        self.clock = clock
        state = Mutex(State(reportedAt: clock.now()))
    }

    package var id: String? { processID }
    package var liveCount: Int { state.withLock(\.count) }
    package var hasRecentReport: Bool {
        state.withLock { clock.now() - $0.reportedAt < ReplicaTable.lifetime }
    }
    package var clockDifference: Duration { state.withLock(\.clockDifference) }

    /// Reports this process for the first time; it blocks the thread.
    package func join() throws(StorageError) {
        let (start, time) = (clock.now(), clock.wallTime())
        let report = try database.writeNow { [processID, version] db in
            try ReplicaTable.report(processID, version, in: db)
        }
        didReport(report, at: start, time)
    }

    package func refresh() async throws(StorageError) {
        let (start, time) = (clock.now(), clock.wallTime())
        let report = try await database.write { [processID, version] db in
            try ReplicaTable.report(processID, version, in: db)
        }
        didReport(report, at: start, time)
    }

    /// - Parameters:
    ///   - report: What the database has returned, at a time between the beginning and now.
    ///   - start: When the report began.
    ///   - time: The time of this process when the report began.
    private func didReport(
        _ report: (count: Int, time: Instant), at start: ContinuousClock.Instant, _ time: Instant
    ) {
        // The database rounds its time down to a millisecond.
        let ahead = time.duration(since: report.time) - .milliseconds(1)
        let behind = report.time.duration(since: clock.wallTime())
        let difference: Duration = ahead > .zero ? ahead : behind > .zero ? .zero - behind : .zero
        state.withLock { $0 = State(count: report.count, reportedAt: start, clockDifference: difference) }
    }

    package func leave() async throws(StorageError) {
        try await database.write { [processID] db in try ReplicaTable.delete(processID, in: db) }
    }

    package var metrics: [PartMetric] {
        [
            .gauge("replicas", "Processes that use the database, with this one.", liveCount),
            .gauge(
                "clock_difference_seconds",
                "Seconds by which the clock is ahead of that of the database; less than 0 if it is behind.",
                Int(clockDifference.components.seconds)),
        ]
    }
}
