import Foundation
import TestSupport
import Testing

/// The transactions that PostgreSQL executes for one database, from the log of a server.
///
/// Other than the numbers of executions of each statement, it shows which transactions a request causes, because replicas
/// execute others at any time.
final class StatementLog {
    /// A transaction, or a statement outside of one.
    struct Transaction: Equatable {
        /// The `application_name` of the connection.
        let application: String
        /// The statements without BEGIN and COMMIT, with `$` for each list of parameters.
        var statements: [String] = []
        /// The number of BEGIN and COMMIT.
        var controls = 0

        init(of application: String, statements: [String] = [], controls: Int = 0) {
            (self.application, self.statements, self.controls) = (application, statements, controls)
        }
    }

    private let cluster: PostgresCluster
    private let database: String
    private let file: FileHandle
    private var marks = 0

    /// Creates and starts a server with such a log.
    static func cluster() throws -> PostgresCluster {
        try PostgresCluster(options: [
            "log_statement = 'all'", "log_parameter_max_length = 0", "log_line_prefix = '|%d|%p|%a|'",
        ])
    }

    init(of database: String, in cluster: PostgresCluster) throws {
        (self.database, self.cluster) = (database, cluster)
        file = try #require(FileHandle(forReadingAtPath: "\(cluster.directory)/log"))
        try file.seekToEnd()
    }

    deinit { try? file.close() }

    /// The transactions that have begun and ended since the last call, or since the creation.
    func next() throws -> [Transaction] {
        marks += 1
        // The server writes a statement to the log before it executes it.
        let mark = "|LOG:  statement: SELECT 'mark \(marks)'"
        _ = try cluster.execute("SELECT 'mark \(marks)'")
        let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        try #require(text.contains(mark), "The log of PostgreSQL has no line \(mark).")
        return transactions(of: text)
    }

    private func transactions(of text: String) -> [Transaction] {
        // By the process of the server.
        var open: [Int: Transaction] = [:]
        var closed: [Transaction] = []
        // Further lines of a statement begin with a tabulator.
        for entry in text.replacing("\n\t", with: " ").split(whereSeparator: \.isNewline) {
            guard
                let match = entry.wholeMatch(
                    of: /\|([^|]*)\|([0-9]+)\|([^|]*)\|LOG:  (?:statement|execute [^:]+): (.*)/),
                match.1 == database, let process = Int(match.2)
            else { continue }
            let application = String(match.3)
            let statement = String(match.4).replacing(/[ \t]+/, with: " ").replacing(
                /\$[0-9]+(, \$[0-9]+)*/, with: "$")
            if statement.hasPrefix("BEGIN") {
                open[process] = Transaction(of: application, controls: 1)
            } else if statement == "COMMIT" || statement == "ROLLBACK" {
                // A transaction that had begun before is not complete.
                guard var transaction = open.removeValue(forKey: process) else { continue }
                transaction.controls += 1
                closed.append(transaction)
            } else if open[process] != nil {
                open[process]?.statements.append(statement)
            } else {
                closed.append(Transaction(of: application, statements: [statement]))
            }
        }
        return closed
    }
}
