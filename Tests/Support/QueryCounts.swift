/// How often each statement was executed by PostgreSQL for one database, and each command by Redis.
package struct QueryCounts: Sendable {
    /// By the text of the statement, without its values.
    package private(set) var statements: [String: Double] = [:]
    /// By the name of the command.
    package private(set) var commands: [String: Double] = [:]

    /// Creates and starts a server that counts statements for ``init(of:in:_:)``.
    package static func cluster() throws -> PostgresCluster {
        let postgres = try PostgresCluster(options: ["shared_preload_libraries = 'pg_stat_statements'"])
        _ = try postgres.execute("CREATE EXTENSION pg_stat_statements")
        return postgres
    }

    /// Reads the counts since the start of the servers; its own queries are not counted.
    package init(of database: String, in postgres: PostgresCluster, _ redis: RedisServer) throws {
        let rows = try postgres.execute(
            """
            SELECT sum(calls) || ' ' || regexp_replace(query, '[[:space:]]+', ' ', 'g') FROM pg_stat_statements
            JOIN pg_database ON pg_database.oid = dbid WHERE datname = '\(database)' GROUP BY query
            """)
        for row in rows.split(whereSeparator: \.isNewline) {
            let words = row.split(separator: " ", maxSplits: 1)
            guard words.count == 2, let calls = Double(words[0]) else { continue }
            statements[String(words[1]), default: 0] += calls
        }
        commands = try Self.commands(of: redis)
    }

    /// How often Redis has executed each command since its start.
    package static func commands(of redis: RedisServer) throws -> [String: Double] {
        let lines = try redis.execute("INFO commandstats").split(whereSeparator: \.isNewline)
        return lines.reduce(into: [:]) { commands, line in
            guard let match = line.firstMatch(of: /cmdstat_([^:]+):calls=([0-9]+)/), match.1 != "info",
                let calls = Double(match.2)
            else { return }
            commands[String(match.1), default: 0] += calls
        }
    }

    private init(statements: [String: Double], commands: [String: Double]) {
        (self.statements, self.commands) = (statements, commands)
    }

    /// The queries since earlier counts.
    package func since(_ earlier: QueryCounts) -> QueryCounts {
        combined(with: earlier) { $0 - $1 }
    }

    /// The queries without those that idle servers execute in the same time.
    ///
    /// - Parameters:
    ///   - idle: The queries of idle servers.
    ///   - share: The time of these counts, divided by the time of `idle`.
    /// - Returns: The difference.
    package func beyond(_ idle: QueryCounts, share: Double) -> QueryCounts {
        combined(with: idle) { $0 - $1 * share }
    }

    /// The queries that idle servers do not execute, by their text.
    package func absent(in idle: QueryCounts) -> [String: Int] {
        let (own, other) = (
            statements.merging(commands) { $0 + $1 }, idle.statements.merging(idle.commands) { $0 + $1 }
        )
        return own.filter { $0.value > 0 && other[$0.key, default: 0] == 0 }.mapValues { Int($0) }
    }

    private func combined(
        with other: QueryCounts, _ combine: (Double, Double) -> Double
    ) -> QueryCounts {
        func all(_ own: [String: Double], _ other: [String: Double]) -> [String: Double] {
            own.reduce(into: [:]) { $0[$1.key] = combine($1.value, other[$1.key, default: 0]) }
        }
        return QueryCounts(
            statements: all(statements, other.statements), commands: all(commands, other.commands))
    }
}
