import Brokerage
import Dispatch
import Foundation
package import PorticoCore
import Synchronization

/// The limits of the connections to a PostgreSQL server.
package struct PostgresLimits: Sendable {
    /// Connections, and threads that use them.
    package var connections = 8
    /// Transactions that wait for a connection; more are refused.
    package var waiting = 256
    /// The time for a look-up, with its wait for a connection.
    package var lookUp = Duration.milliseconds(250)
    /// The time for another transaction, with its wait for a connection.
    package var transaction = Duration.seconds(2)
    /// The time for a statement of the process's start, and for the first connection.
    package var start = Duration.seconds(10)
    /// The time for a migration or an export.
    package var maintenance = Duration.seconds(120)
    /// When no transaction is tried because the server is down.
    package var breaker = BreakerPolicy()

    package init() {}
}

/// The threads that execute transactions, with their connections.
///
/// Closures of transactions are synchronous, and a connection has one transaction at a time, so each transaction in progress
/// has a thread. Transactions for one user are executed one after the other: they would wait for each other in the server
/// anyway, and so one user cannot take all threads.
final class PostgresPool: Sendable {
    /// A transaction that waits for a thread.
    struct Job: Sendable {
        let owner: OwnerID?
        let deadline: ContinuousClock.Instant
        /// Executes it on the current thread.
        let run: @Sendable () -> Void
        /// Reports that its deadline has passed before a thread was free.
        let expire: @Sendable () -> Void
    }

    private struct State {
        var jobs: [(number: Int, job: Job)] = []
        var nextNumber = 0
        /// The users for whom a transaction is executed.
        var busy: Set<OwnerID> = []
        var threads = 0
        var waitingThreads = 0
        var idle: [PostgresConnection] = []
        /// Connections in use and idle ones.
        var connections = 0
        var breaker: CircuitBreaker
        var isClosed = false
        var counts = PostgresCounts()

        /// Whether a transaction for a user is executed, or waits.
        func hasJob(for owner: OwnerID) -> Bool {
            busy.contains(owner) || jobs.contains { $0.job.owner == owner }
        }

        mutating func next() -> Job? {
            let index = jobs.firstIndex { _, job in job.owner.map { !busy.contains($0) } ?? true }
            guard let index else { return nil }
            let job = jobs.remove(at: index).job
            if let owner = job.owner { busy.insert(owner) }
            return job
        }
    }

    let url: PostgresURL
    let limits: PostgresLimits
    // Held for a few look-ups, never while a statement is executed.
    private let state: Mutex<State>
    private let wakeUps = DispatchSemaphore(value: 0)

    init(_ url: PostgresURL, _ limits: PostgresLimits) {
        self.url = url
        self.limits = limits
        state = Mutex(State(breaker: CircuitBreaker(limits.breaker)))
    }

    // MARK: Jobs

    /// Hands a job to a thread.
    ///
    /// - Returns: False if too many wait; the job was not accepted.
    func submit(_ job: Job) -> Bool {
        let (number, startsThread, mustWait) = state.withLock { state -> (Int?, Bool, Bool) in
            guard !state.isClosed, state.jobs.count < limits.waiting else { return (nil, false, false) }
            let number = state.nextNumber
            state.nextNumber += 1
            let isBlocked = job.owner.map(state.hasJob(for:)) ?? false
            state.jobs.append((number, job))
            let isShort = state.jobs.count > state.waitingThreads
            let startsThread = isShort && state.threads < limits.connections
            if startsThread { state.threads += 1 }
            let mustWait = isBlocked || (isShort && !startsThread)
            if mustWait { state.counts.waits += 1 }
            return (number, startsThread, mustWait)
        }
        guard let number else { return false }
        if startsThread {
            let thread = Thread { [self] in work() }
            thread.name = "postgresql"
            thread.start()
        } else {
            wakeUps.signal()
        }
        if mustWait { expire(number, at: job.deadline) }
        return true
    }

    /// Reports a job that no thread has taken by its deadline.
    private func expire(_ number: Int, at deadline: ContinuousClock.Instant) {
        let nanoseconds = (deadline - .now) / .nanoseconds(1)
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(max(0, nanoseconds)))) {
            [self] in
            let job = state.withLock { state -> Job? in
                guard let index = state.jobs.firstIndex(where: { $0.number == number }) else { return nil }
                return state.jobs.remove(at: index).job
            }
            job?.expire()
        }
    }

    private func work() {
        while true {
            let (job, isClosed) = state.withLock { state in
                let job = state.next()
                if job == nil {
                    if state.isClosed { state.threads -= 1 } else { state.waitingThreads += 1 }
                }
                return (job, state.isClosed)
            }
            guard let job else {
                if isClosed { return }
                wakeUps.wait()
                state.withLock { $0.waitingThreads -= 1 }
                continue
            }
            // A transaction that begins after its deadline would lose the connection.
            if .now < job.deadline { job.run() } else { job.expire() }
            if let owner = job.owner { state.withLock { _ = $0.busy.remove(owner) } }
        }
    }

    /// Ends the threads after the waiting jobs, and closes the connections.
    func close() {
        let (threads, idle) = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return (state.threads, state.idle)
        }
        for _ in 0..<threads { wakeUps.signal() }
        // Closed here, outside of the lock.
        withExtendedLifetime(idle) {}
    }

    // MARK: Connections

    /// Returns an idle connection, or a new one.
    func connection(_ deadline: ContinuousClock.Instant) throws(PostgresFailure) -> PostgresConnection {
        if let connection = state.withLock({ $0.idle.popLast() }) {
            connection.deadline = deadline
            return connection
        }
        let new = try PostgresConnection(
            to: url, statementTimeout: limits.transaction, deadline: deadline)
        state.withLock { $0.connections += 1 }
        return new
    }

    /// Takes a connection back; closes it if it cannot be used any more.
    func put(back connection: PostgresConnection) {
        state.withLock { state in
            if connection.isIdle, !state.isClosed {
                state.idle.append(connection)
            } else {
                state.connections -= 1
            }
        }
    }

    /// Closes the idle connections: one of them has broken, and so probably have the others.
    func closeIdle() {
        let idle = state.withLock { state in
            state.connections -= state.idle.count
            defer { state.idle = [] }
            return state.idle
        }
        withExtendedLifetime(idle) {}
    }

    // MARK: The server's state

    /// Whether a transaction may be tried, and whether it is the first one after an outage.
    func admit() -> Result<Bool, Outage> {
        state.withLock { state in
            let now = ContinuousClock.now
            switch state.breaker.admit(at: now) {
            case .call: return .success(false)
            case .probe: return .success(true)
            case .rejected(let until):
                state.counts.refusals += 1
                return .failure(Outage(rest: until - now))
            }
        }
    }

    /// No transaction is tried for this time.
    struct Outage: Error {
        let rest: Duration
    }

    /// Counts the end of a transaction.
    func didEnd(_ effect: CircuitBreaker.CallEffect, ofProbe isProbe: Bool) {
        state.withLock { state in
            state.breaker.didEnd(effect, ofProbe: isProbe, at: .now)
            switch effect {
            case .up: state.counts.transactions += 1
            case .down: state.counts.failures += 1
            case .none: break
            }
        }
    }

    /// The time until a transaction may be tried.
    var pause: Duration {
        state.withLock { state in
            let now = ContinuousClock.now
            return state.breaker.retryTime(at: now).map { $0 - now } ?? .seconds(1)
        }
    }

    var counts: PostgresCounts {
        state.withLock { state in
            var counts = state.counts
            counts.connections = state.connections
            counts.waiting = state.jobs.count
            counts.isReachable = state.breaker.isClosed
            return counts
        }
    }
}

/// The figures of a pool, for metrics.
package struct PostgresCounts: Hashable, Sendable {
    /// Open connections.
    package var connections = 0
    /// Transactions that wait for a connection.
    package var waiting = 0
    /// Whether transactions are tried: false after several failures in a row.
    package var isReachable = true
    /// Transactions that the server has executed or refused.
    package var transactions = 0
    /// Transactions that failed because the server did not respond in time, or not at all.
    package var failures = 0
    /// Transactions that were not tried because of earlier failures.
    package var refusals = 0
    /// Transactions that had to wait for a connection.
    package var waits = 0

    package init() {}
}
