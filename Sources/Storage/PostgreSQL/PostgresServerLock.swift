import Brokerage
import Synchronization

/// Excludes a copy of a PostgreSQL database while servers use it, and servers during a copy.
///
/// Servers share the lock, and a copy has it alone. A server of a version before migration 12, which counts calls for
/// itself, has it alone, too: it does not run beside later ones. The lock is PostgreSQL's (`pg_try_advisory_lock`) and
/// ends with a connection that this object keeps for it: however the process ends, the database is free. ``renew()``
/// takes it again after PostgreSQL was restarted.
package final class PostgresServerLock: Sendable {
    private let url: PostgresURL
    private let limits: PostgresLimits
    private let mode: Mode
    // Held while the lock is taken or checked, which one task does at a time.
    private let connection: Mutex<PostgresConnection?>

    /// Any number that no other program uses, here "server" in ASCII.
    private static let key: Int64 = 0x73_6572_7665_72

    /// The holders that a lock permits.
    package enum Mode: Sendable {
        /// Any number of servers.
        case servers
        /// One copy, and no server.
        case copy
    }

    /// Takes the lock; it waits for the server.
    ///
    /// - Throws: `busy` if a holder of the other kind has it, `unavailable` if the server cannot be used.
    package init(
        _ url: PostgresURL, for mode: Mode, _ limits: PostgresLimits = PostgresLimits()
    ) throws(StorageError) {
        self.url = url
        self.limits = limits
        self.mode = mode
        connection = Mutex(nil)
        connection.withLock { $0 = nil }
        let taken = try Self.take(url, mode, limits)
        connection.withLock { $0 = taken }
    }

    /// Checks that this process has the lock, and takes it if the connection broke.
    ///
    /// The function blocks for some seconds at most.
    ///
    /// - Throws: `busy` if a copy has taken it meanwhile: this process must end. `unavailable` if the server cannot
    ///   be used.
    package func renew() throws(StorageError) {
        let known = connection.withLock { value in
            defer { value = nil }
            return value
        }
        if let known {
            known.deadline = .now + limits.transaction
            if (try? known.executeScript("SELECT 1")) != nil {
                connection.withLock { $0 = known }
                return
            }
        }
        let taken = try Self.take(url, mode, limits)
        connection.withLock { $0 = taken }
    }

    private static func take(
        _ url: PostgresURL, _ mode: Mode, _ limits: PostgresLimits
    ) throws(StorageError) -> PostgresConnection {
        let function =
            switch mode {
            case .servers: "pg_try_advisory_lock_shared"
            case .copy: "pg_try_advisory_lock"
            }
        do {
            let connection = try PostgresConnection(
                to: url, statementTimeout: limits.transaction, deadline: ContinuousClock.now + limits.start)
            // A schema of its own has a server of its own.
            let result = try connection.execute(
                "SELECT \(function)(CAST(? AS BIGINT) + hashtext(?))",
                [.integer(key), .text(url.schema ?? "")])
            guard result.count == 1, try result.value(0, 0) == .boolean(true) else {
                throw StorageError.busy(path: url.location)
            }
            return connection
        } catch let failure as PostgresFailure {
            throw StorageError.unavailable(
                path: url.location, reason: failure.description, retryAt: Instant.now + .seconds(1))
        } catch {
            throw StorageError(error, path: url.location)
        }
    }
}
