import Foundation
import Upstream

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

    func query(_ sql: String, _ arguments: SQLArguments, _ body: (SQLRow) throws -> Bool) throws {
        let result = try connection.execute(sql, arguments.values)
        let columns = result.columns
        for row in 0..<result.count {
            if try !body(SQLRow(columns: columns, values: result.values(ofRow: row))) { return }
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

    func afterCommit(_ body: @escaping @Sendable () -> Void) { closures.append(body) }

    /// Calls the closures of ``afterCommit(_:)``.
    func didCommit() {
        for closure in closures { closure() }
    }
}
