import Brokerage
import Foundation
import PorticoCore
import Synchronization

/// A PostgreSQL database with its connections.
///
/// A transaction is READ COMMITTED, and one for a user holds the lock of the user's row: so the writes of a user are
/// executed one after the other, at all processes. A read has one consistent state (REPEATABLE READ).
///
/// What fails:
/// - Without a response in time, or without a connection, `unavailable` is thrown, and nothing was changed.
/// - Without a response to COMMIT, a write may have been executed: `unknownOutcome`.
/// - A connection to a server that has become read-only is closed. A new one is made to a server that can be written, or
///   `unavailable` is thrown, also for a read.
/// - A transaction that PostgreSQL aborts because of another one is executed again, also if its statements were prepared
///   before a migration by another process.
package final class PostgresDatabase: SQLEngine, Sendable {
    private let pool: PostgresPool
    let writes = WriteState()

    /// Opens no connection yet.
    package init(_ url: PostgresURL, _ limits: PostgresLimits = PostgresLimits()) {
        pool = PostgresPool(url, limits)
    }

    deinit { pool.close() }

    package var url: PostgresURL { pool.url }

    package var location: String { pool.url.location }

    /// The figures of the connections.
    package var counts: PostgresCounts { pool.counts }

    /// The kind of a transaction.
    enum Mode {
        case read
        case write
        /// One statement, which is a transaction by itself.
        case statement
        /// Such a statement that is not executed again if the connection breaks.
        case singleStatement

        /// The command that begins the transaction; nil for none.
        fileprivate var begin: String? {
            switch self {
            case .statement, .singleStatement: nil
            case .read: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
            case .write: "BEGIN ISOLATION LEVEL READ COMMITTED"
            }
        }

        fileprivate var isRead: Bool { self == .read }

        fileprivate var isStatement: Bool { self == .statement || self == .singleStatement }
    }

    // MARK: Transactions

    func read<Value: Sendable>(
        _ urgency: SQLUrgency, _ body: @escaping @Sendable (SQLTransaction) throws -> Value
    ) async throws(StorageError) -> Value {
        let time =
            switch urgency {
            case .lookUp: pool.limits.lookUp
            case .normal: pool.limits.transaction
            case .maintenance: pool.limits.maintenance
            }
        return try await submit(.read, for: nil, within: time, body)
    }

    func write<Value: Sendable>(
        for owner: OwnerID?, _ body: @escaping @Sendable (SQLTransaction) throws -> Value
    ) async throws(StorageError) -> Value {
        try await submit(.write, for: owner, within: pool.limits.transaction, body)
    }

    func readNow<Value>(_ body: (SQLTransaction) throws -> Value) throws(StorageError) -> Value {
        try perform(.read, for: nil, until: .now + pool.limits.start, body).get()
    }

    func writeNow<Value>(_ body: (SQLTransaction) throws -> Value) throws(StorageError) -> Value {
        try perform(.write, for: nil, until: .now + pool.limits.start, body).get()
    }

    /// Executes a transaction that may take long, on this thread.
    func maintain<Value>(_ body: (SQLTransaction) throws -> Value) throws(StorageError) -> Value {
        try perform(.write, for: nil, until: .now + pool.limits.maintenance, body).get()
    }

    /// Executes one statement as a transaction by itself, in one round trip.
    ///
    /// - Parameters:
    ///   - isRepeatable: Whether it may be executed twice, as it is if the connection breaks: then the second execution has
    ///     the same effect, or a stricter one.
    ///   - body: Executes exactly one statement.
    /// - Returns: The result of `body`.
    /// - Throws: `unavailable` if there is no response in time. The statement may have been executed.
    func statement<Value: Sendable>(
        isRepeatable: Bool = true, _ body: @escaping @Sendable (SQLTransaction) throws -> Value
    ) async throws(StorageError) -> Value {
        try await submit(
            isRepeatable ? .statement : .singleStatement, for: nil, within: pool.limits.lookUp, body)
    }

    private func submit<Value: Sendable>(
        _ mode: Mode, for owner: OwnerID?, within time: Duration,
        _ body: @escaping @Sendable (SQLTransaction) throws -> Value
    ) async throws(StorageError) -> Value {
        let deadline = ContinuousClock.now + time
        let isProbe: Bool
        switch pool.admit() {
        case .success(let first): isProbe = first
        case .failure(let outage): throw unavailable("it did not respond before", after: outage.rest)
        }
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, StorageError>, Never>) in
            let job = PostgresPool.Job(
                owner: owner, deadline: deadline,
                run: { [self] in
                    let result = perform(mode, for: owner, until: deadline, isProbe: isProbe, body)
                    continuation.resume(returning: result)
                },
                expire: { [self] in
                    pool.didEnd(.none, ofProbe: isProbe)
                    continuation.resume(returning: .failure(unavailable("all connections are in use")))
                })
            if !pool.submit(job) {
                pool.didEnd(.none, ofProbe: isProbe)
                continuation.resume(returning: .failure(unavailable("too many transactions wait")))
            }
        }
        return try result.get()
    }

    /// The outcome of a commit without a response.
    private struct UnknownOutcome: Error {}

    /// Executes a transaction on this thread, again if that can help.
    private func perform<Value>(
        _ mode: Mode, for owner: OwnerID?, until deadline: ContinuousClock.Instant, isProbe: Bool = false,
        _ body: (SQLTransaction) throws -> Value
    ) -> Result<Value, StorageError> {
        var attempts = 0
        while true {
            attempts += 1
            do {
                let value = try attempt(mode, for: owner, until: deadline, body)
                pool.didEnd(.up, ofProbe: isProbe)
                if case .write = mode { writes.didStore() }
                return .success(value)
            } catch let failure as PostgresFailure {
                // An idle connection that the server has closed meanwhile, or whose server has become read-only. Nothing was
                // committed.
                let isBroken = failure == .lost && mode != .singleStatement || failure == .readOnly
                if isBroken, attempts == 1, .now < deadline {
                    pool.closeIdle()
                    continue
                }
                if attempts <= failure.repetitions, .now < deadline { continue }
                // A process that was stopped knows nothing about the server.
                let effect: CircuitBreaker.CallEffect = failure.isOutage ? .down : .up
                pool.didEnd(failure == .expired ? .none : effect, ofProbe: isProbe)
                return .failure(writes.recorded(storageError(failure)))
            } catch is UnknownOutcome {
                pool.didEnd(.down, ofProbe: isProbe)
                return .failure(.unknownOutcome(path: location))
            } catch {
                pool.didEnd(.up, ofProbe: isProbe)
                return .failure(StorageError(error, path: location))
            }
        }
    }

    private func attempt<Value>(
        _ mode: Mode, for owner: OwnerID?, until deadline: ContinuousClock.Instant,
        _ body: (SQLTransaction) throws -> Value
    ) throws -> Value {
        let connection = try pool.connection(deadline)
        defer { pool.put(back: connection) }
        do {
            return try execute(mode, for: owner, until: deadline, on: connection, body)
        } catch PostgresFailure.refused("0A000") {
            // "cached plan must not change result type": another process has migrated the tables. Nothing was committed.
            try connection.forgetStatements()
            return try execute(mode, for: owner, until: deadline, on: connection, body)
        } catch let failure as PostgresFailure where failure == .readOnly {
            connection.abandon()
            throw failure
        }
    }

    private func execute<Value>(
        _ mode: Mode, for owner: OwnerID?, until deadline: ContinuousClock.Instant,
        on connection: PostgresConnection, _ body: (SQLTransaction) throws -> Value
    ) throws -> Value {
        connection.deadline = deadline
        let transaction = PostgresTransaction(on: connection)
        let value: Value
        do {
            if let begin = mode.begin {
                _ = try connection.executeScript(begin + longLimit(until: deadline))
            }
            if let owner { try transaction.lock(owner) }
            value = try body(SQLTransaction(transaction))
            if !mode.isStatement { try commit(mode, on: connection) }
        } catch {
            // Also after the deadline, so that the connection can be used again.
            connection.deadline = max(deadline, ContinuousClock.now + pool.limits.lookUp)
            if connection.isUsable, !mode.isStatement { _ = try? connection.executeScript("ROLLBACK") }
            throw error
        }
        transaction.didCommit()
        return value
    }

    /// Commands for a transaction with more time than the limit of a connection's statements.
    private func longLimit(until deadline: ContinuousClock.Instant) -> String {
        let rest = deadline - .now
        guard rest > pool.limits.transaction else { return "" }
        let milliseconds = Int64(rest / .milliseconds(1))
        return """
            ;SET LOCAL statement_timeout = \(milliseconds);
            SET LOCAL idle_in_transaction_session_timeout = \(max(milliseconds, 5_000))
            """
    }

    private func commit(_ mode: Mode, on connection: PostgresConnection) throws {
        let command: String
        do throws(PostgresFailure) {
            command = try connection.executeScript("COMMIT").command
        } catch {
            let isUnknown = error == .lost || error == .timedOut
            if isUnknown, !mode.isRead { throw UnknownOutcome() }
            throw error
        }
        // If a closure has caught the error of a statement, the server has rolled back, without an error.
        guard command == "COMMIT" else { throw PostgresFailure.refused(state: "25P02") }
    }

    // MARK: Errors

    private func storageError(_ failure: PostgresFailure) -> StorageError {
        if failure == .refused(state: "53100") { return .full(path: location) }
        if failure.isOutage { return unavailable(failure.description) }
        if case .refused(let state) = failure { return .refused(path: location, state: state) }
        return unavailable(failure.description)
    }

    private func unavailable(_ reason: String, after rest: Duration? = nil) -> StorageError {
        .unavailable(path: location, reason: reason, retryAt: Instant.now + (rest ?? pool.pause))
    }
}
