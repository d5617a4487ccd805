import Brokerage
import Foundation

/// A transaction of one connection.
final class PostgresTransaction: SQLConnection {
    private let connection: PostgresConnection
    private var closures: [@Sendable () -> Void] = []

    init(on connection: PostgresConnection) {
        self.connection = connection
    }

    func execute(_ sql: String, _ arguments: SQLArguments) throws -> Int {
        try connection.execute(sql, arguments.values).changedRows
    }

    func executeScript(_ sql: String) throws { _ = try connection.executeScript(sql) }

    func query(
        _ sql: String, _ arguments: SQLArguments, _ body: (inout SQLRowReader) throws -> Bool
    ) throws {
        let result = try connection.execute(sql, arguments.values)
        for row in 0..<result.count {
            var reader = SQLRowReader(PostgresRow(result: result, row: Int32(clamping: row)))
            if try !body(&reader) { return }
        }
    }

    /// Rows that refer to the user can still be added by others: their foreign keys take a weaker lock.
    func lock(_ owner: OwnerID) throws {
        _ = try connection.execute(
            "SELECT 1 FROM \"user\" WHERE id = ? FOR NO KEY UPDATE", [.text(owner.text)])
    }

    func lock(table: String) throws {
        _ = try connection.executeScript("LOCK TABLE \(table) IN SHARE ROW EXCLUSIVE MODE")
    }

    /// A subquery is executed once, so that an index can be used.
    var boundedTime: String { "(SELECT least(CAST(? AS BIGINT), clock_milliseconds()))" }

    func serverTime() throws -> Int64? {
        try SQLTransaction(self).value("SELECT clock_milliseconds()")
    }

    func afterCommit(_ body: @escaping @Sendable () -> Void) { closures.append(body) }

    /// Calls the closures of ``afterCommit(_:)``.
    func didCommit() {
        for closure in closures { closure() }
    }
}

/// A row of a result.
private struct PostgresRow: SQLResult {
    let result: PostgresResult
    let row: Int32

    var columnCount: Int { result.columnCount }

    var columns: [String] { result.columns }

    func value(_ column: Int) throws(CorruptedRow) -> SQLValue {
        try result.value(row, Int32(clamping: column))
    }
}

/// The transactions that had ended at a moment, as PostgreSQL has them (`pg_snapshot`; PostgreSQL 15, section 9.26).
///
/// What a read with a later snapshot sees, and this one does not contain, was committed in between, whatever the time at which
/// the transaction has inserted it.
package struct PostgresSnapshot: Hashable, Sendable {
    /// `xmin:xmax:` and the numbers of the transactions in progress between them.
    package let text: String

    package init(text: String) {
        self.text = text
    }

    /// The snapshot of a transaction that reads one state.
    ///
    /// - Returns: Nil at a standby, whose snapshots have no transactions in progress.
    package static func current(_ db: SQLTransaction) throws -> PostgresSnapshot? {
        let text: String? = try db.value(
            "SELECT CAST(pg_current_snapshot() AS TEXT) WHERE NOT pg_is_in_recovery()")
        return text.map { PostgresSnapshot(text: $0) }
    }
}
