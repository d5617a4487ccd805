import Brokerage
import EngineTestSupport
import Foundation
import PorticoCore
import Synchronization
import TestSupport
import Testing
import Upstream

@testable import Storage

@Suite("A PostgreSQL database")
struct PostgresDatabaseTests {
    /// A pool with one table `x (id BIGINT PRIMARY KEY, text TEXT)`, in a schema of its own.
    private static func database(
        _ change: (inout PostgresLimits) -> Void = { _ in }, on cluster: PostgresCluster? = nil
    ) throws -> SQLDatabase {
        let cluster = try cluster ?? PostgresCluster.shared.get()
        let schema = "test_" + RandomID.make()
        _ = try cluster.execute(
            "CREATE SCHEMA \(schema); CREATE TABLE \(schema).x (id BIGINT PRIMARY KEY, text TEXT)")
        var limits = TestDatabase.limits
        change(&limits)
        let url = try PostgresURL(cluster.url(), origin: "the test's URL", schema: schema)
        return SQLDatabase(PostgresDatabase(url, limits))
    }

    private static func count(_ database: SQLDatabase) async throws -> Int? {
        try await database.read { db in try db.value("SELECT count(*) FROM x") }
    }

    // MARK: Values

    @Test("returns every value as it was stored")
    func values() async throws {
        let database = try Self.database()
        let stored = try await database.write { db in
            try db.executeScript(
                "CREATE TABLE v (number BIGINT, small INTEGER, text TEXT, bytes BYTEA, flag BOOLEAN, nothing TEXT)"
            )
            for number in [Int64.min, -1, 0, 1, 65_536, Int64.max] {
                try db.execute(
                    "INSERT INTO v VALUES (?, ?, ?, ?, ?, ?)",
                    [
                        number, number > 0 ? 7 : -7, "é☕️ '\"\\ ? $1", Data([0, 255, 39, 92]), number > 0,
                        nil as String?,
                    ])
            }
            return try db.rows("SELECT * FROM v ORDER BY number")
        }
        #expect(try stored.map { try $0["number"] as Int64 } == [Int64.min, -1, 0, 1, 65_536, Int64.max])
        #expect(try stored.map { try $0["small"] as Int } == [-7, -7, -7, 7, 7, 7])
        #expect(try stored.map { try $0["flag"] as Bool } == [false, false, false, true, true, true])
        for row in stored {
            #expect(try row["text"] == "é☕️ '\"\\ ? $1")
            #expect(try row["bytes"] == Data([0, 255, 39, 92]))
            #expect(try row["nothing"] as String? == nil)
        }
    }

    @Test("cannot store the character U+0000, and says so")
    func zero() async throws {
        let database = try Self.database()
        await #expect(throws: StorageError.refused(path: database.location, state: "22021")) {
            try await database.write { db in try db.execute("INSERT INTO x VALUES (1, ?)", ["a\0b"]) }
        }
        #expect(try await Self.count(database) == 0)
    }

    @Test(
        "gets placeholders in its own form",
        arguments: [
            ("SELECT ?, ? WHERE a = ?", "SELECT $1, $2 WHERE a = $3"),
            ("SELECT ?2, ?1, ?2", "SELECT $2, $1, $2"),
            ("SELECT '?', \"a?\", ?", "SELECT '?', \"a?\", $1"),
            ("SELECT 'it''s ?', ? -- why?\n, ?", "SELECT 'it''s ?', $1 -- why?\n, $2"),
            ("SELECT 1 - ?", "SELECT 1 - $1"),
        ])
    func placeholders(sql: String, expected: String) {
        #expect(PostgresStatement.translate(sql) == expected)
    }

    @Test("executes more statements than it keeps prepared")
    func manyStatements() async throws {
        let database = try Self.database { $0.connections = 1 }
        let sum = try await database.read { db in
            try (1...600).reduce(0) { sum, number in
                try sum + (db.value("SELECT CAST(? AS BIGINT) + \(number)", [1]) ?? 0)
            }
        }
        #expect(sum == 600 * 601 / 2 + 600)
    }

    // MARK: Transactions

    @Test("has no effect of a write that throws, or that catches the error of a statement")
    func rollBack() async throws {
        let database = try Self.database()
        await #expect(throws: StorageError.damaged(path: database.location)) {
            try await database.write { db in
                try db.execute("INSERT INTO x VALUES (1, 'a')")
                throw CorruptedRow()
            }
        }
        await #expect(throws: StorageError.refused(path: database.location, state: "25P02")) {
            try await database.write { db in
                try db.execute("INSERT INTO x VALUES (2, 'b')")
                try? db.execute("SELECT 1 / (SELECT count(*) FROM x WHERE id = 99)")
            }
        }
        #expect(try await Self.count(database) == 0)
    }

    @Test("calls the closure after a commit only")
    func afterCommit() async throws {
        let database = try Self.database()
        let calls = Mutex<[String]>([])
        await #expect(throws: StorageError.self) {
            try await database.write { db in
                db.afterCommit { calls.withLock { $0.append("rolled back") } }
                try db.execute("SELECT wrong")
            }
        }
        try await database.write { db in db.afterCommit { calls.withLock { $0.append("committed") } } }
        #expect(calls.withLock(\.self) == ["committed"])
    }

    @Test("executes a transaction again that another one has made impossible, and returns the second result")
    func repeats() async throws {
        let database = try Self.database()
        let attempts = Mutex(0)
        let isAdded = try await database.write { db in
            let known: Int? = try db.value("SELECT count(*) FROM x WHERE id = 1")
            let attempt = attempts.withLock { count in
                count += 1
                return count
            }
            if known != 0 { return false }
            if attempt == 1 {
                // Another transaction adds the row after this one has looked for it.
                try database.writeNow { other in try other.execute("INSERT INTO x VALUES (1, 'other')") }
            }
            try db.execute("INSERT INTO x VALUES (1, 'mine')")
            return true
        }
        #expect(!isAdded)
        #expect(attempts.withLock(\.self) == 2)
    }

    @Test("executes the writes of a user one after the other, and loses none")
    func oneUser() async throws {
        let database = try Self.database()
        let ann = try #require(OwnerID("ann"))
        try await database.write { db in
            try db.executeScript(
                "CREATE TABLE \"user\" (id TEXT PRIMARY KEY); INSERT INTO \"user\" VALUES ('ann')")
            try db.execute("INSERT INTO x VALUES (1, '0')")
        }
        // A second pool, as of another process.
        let server = try #require(database.postgres)
        let other = SQLDatabase(PostgresDatabase(server.url, TestDatabase.limits))
        try await withThrowingTaskGroup { group in
            for number in 0..<64 {
                group.addTask {
                    try await (number.isMultiple(of: 2) ? database : other).write(for: ann) { db in
                        let value: String? = try db.value("SELECT text FROM x WHERE id = 1")
                        let next = (value.flatMap { Int($0) } ?? 0) + 1
                        try db.execute("UPDATE x SET text = ? WHERE id = 1", [String(next)])
                    }
                }
            }
            try await group.waitForAll()
        }
        let sum: String? = try await database.read { db in try db.value("SELECT text FROM x WHERE id = 1") }
        #expect(sum == "64")
    }

    @Test("prepares statements again after another process has migrated their table")
    func migratedTable() async throws {
        let database = try Self.database { $0.connections = 1 }
        let server = try #require(database.postgres)
        try await database.write { db in try db.execute("INSERT INTO x VALUES (1, 'a')") }
        let select = "SELECT * FROM x"
        func columns(_ execution: Int) async throws -> Int {
            switch execution {
            case 0: try await database.read { db in try db.rows(select).first?.values.count ?? 0 }
            case 1:
                try await database.write { db in
                    try db.execute("UPDATE x SET text = 'b' WHERE id = 1")
                    return try db.rows(select).first?.values.count ?? 0
                }
            default: try await server.statement { db in try db.rows(select).first?.values.count ?? 0 }
            }
        }
        #expect(try await columns(0) == 2)
        // As of another process.
        let other = SQLDatabase(PostgresDatabase(server.url, TestDatabase.limits))
        for execution in 0..<3 {
            try await other.write { db in
                try db.executeScript("ALTER TABLE x ADD COLUMN new_\(execution) BIGINT")
            }
            #expect(try await columns(execution) == 3 + execution, "execution \(execution)")
        }
        let text: String? = try await database.read { db in try db.value("SELECT text FROM x") }
        #expect(text == "b")
    }

    // MARK: Outages

    /// Whether an error says that the server is not available, with a time.
    private static func isUnavailable(_ error: (any Error)?, because reason: String) -> Bool {
        guard case .unavailable(_, let text, let retryAt)? = error as? StorageError else { return false }
        return text.contains(reason) && retryAt > .earliest
    }

    @Test("reports a server that does not respond in time, and the next transaction succeeds")
    func hangs() async throws {
        let database = try Self.database { $0.lookUp = .milliseconds(250) }
        let error = await #expect(throws: StorageError.self) {
            try await database.read(.lookUp) { db in _ = try db.row("SELECT CAST(pg_sleep(30) AS TEXT)") }
        }
        #expect(
            Self.isUnavailable(error, because: "it did not respond in time"), "\(String(describing: error))")
        #expect(try await Self.count(database) == 0)
    }

    @Test(
        "changes nothing after the time of a process that was stopped, and keeps the connection",
        arguments: ["a statement", "the commit"])
    func stopped(before late: String) async throws {
        let database = try Self.database {
            $0.connections = 1
            // Longer than a loaded machine takes for the first statement.
            $0.transaction = .seconds(3)
            $0.breaker.failures = 1
        }
        let server = try #require(database.postgres)
        func process() async throws -> Int? {
            try await database.read(.lookUp) { db in try db.value("SELECT pg_backend_pid()") }
        }
        let first = try await process()
        let error = await #expect(throws: StorageError.self) {
            try await database.write { db in
                try db.execute("INSERT INTO x VALUES (1, 'a')")
                // As long as the process is stopped.
                Thread.sleep(forTimeInterval: 3.1)
                if late == "a statement" { try db.execute("INSERT INTO x VALUES (2, 'b')") }
            }
        }
        let reason = "the time had passed before all statements were sent"
        #expect(Self.isUnavailable(error, because: reason), "\(String(describing: error))")
        #expect(server.counts.isReachable && server.counts.failures == 0)
        #expect(try await process() == first)
        #expect(try await Self.count(database) == 0)
    }

    @Test("executes statements of the start and of maintenance for longer than those of other transactions")
    func longStatements() async throws {
        let database = try Self.database { $0.transaction = .milliseconds(250) }
        let sleep: @Sendable (SQLTransaction) throws -> Void = { db in
            _ = try db.row("SELECT CAST(pg_sleep(0.5) AS TEXT)")
        }
        try database.readNow(sleep)
        try database.writeNow(sleep)
        try await database.read(.maintenance, sleep)
        try database.maintain(sleep)
        await #expect(throws: StorageError.self) { try await database.read(.normal, sleep) }
    }

    @Test("refuses a transaction at once if too many wait")
    func queue() async throws {
        let database = try Self.database {
            $0.connections = 1
            $0.waiting = 1
        }
        let (started, isFree) = (Event<Void>(), DispatchSemaphore(value: 0))
        let first = Task {
            try await database.write { db in
                started.happen()
                isFree.wait()
                try db.execute("INSERT INTO x VALUES (1, 'first')")
            }
        }
        await started.wait()
        let second = Task {
            try await database.write { db in try db.execute("INSERT INTO x VALUES (2, 'second')") }
        }
        let server = try #require(database.postgres)
        try await waitUntil { server.counts.waiting == 1 }
        let error = await #expect(throws: StorageError.self) { try await Self.count(database) }
        #expect(
            Self.isUnavailable(error, because: "too many transactions wait"), "\(String(describing: error))")
        isFree.signal()
        try await first.value
        try await second.value
        #expect(try await Self.count(database) == 2)
    }

    @Test("reports a wait for a connection that is longer than its time")
    func expires() async throws {
        let database = try Self.database {
            $0.connections = 1
            $0.lookUp = .milliseconds(50)
        }
        let (started, isFree) = (Event<Void>(), DispatchSemaphore(value: 0))
        let first = Task {
            try await database.write { _ in
                started.happen()
                isFree.wait()
            }
        }
        await started.wait()
        let error = await #expect(throws: StorageError.self) {
            try await database.read(.lookUp) { db in try db.value("SELECT 1", as: Int.self) }
        }
        #expect(
            Self.isUnavailable(error, because: "all connections are in use"), "\(String(describing: error))")
        isFree.signal()
        try await first.value
    }

    @Test("stops to try a server that is down, and is available again after the server")
    func outage() async throws {
        let cluster = try PostgresCluster()
        let database = try Self.database(
            {
                $0.breaker.failures = 2
                // Longer than the machine takes for a refused transaction.
                $0.breaker.pause = .seconds(10)
                $0.breaker.maximumPause = .seconds(10)
            }, on: cluster)
        try await database.write { db in try db.execute("INSERT INTO x VALUES (1, 'kept')") }
        try cluster.stop()
        var reasons: [String] = []
        for _ in 0..<3 {
            let error = await #expect(throws: StorageError.self) { try await Self.count(database) }
            if case .unavailable(_, let reason, _)? = error { reasons.append(reason) }
        }
        #expect(reasons.first?.hasPrefix("it cannot be connected to (") == true, "\(reasons)")
        #expect(reasons.last == "it did not respond before")
        let server = try #require(database.postgres)
        #expect(!server.counts.isReachable)
        try cluster.start()
        try await waitUntil { (try? await Self.count(database)) == 1 }
        #expect(server.counts.isReachable)
        // All idle connections broke when the server was stopped; a transaction does not fail for that.
        try cluster.stop()
        try cluster.start()
        #expect(try await Self.count(database) == 1)
    }

    @Test("reports a commit without a response as unknown, and a write before it as unchanged")
    func unknownOutcome() async throws {
        let database = try Self.database()
        // A constraint that is checked at the commit ends the connection there.
        try await database.write { db in
            try db.executeScript(
                """
                CREATE FUNCTION leave() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN PERFORM pg_terminate_backend(pg_backend_pid(), 10000); RETURN NULL; END $$;
                CREATE CONSTRAINT TRIGGER leave AFTER INSERT ON x DEFERRABLE INITIALLY DEFERRED
                    FOR EACH ROW WHEN (NEW.id = 7) EXECUTE FUNCTION leave();
                """)
        }
        let attempts = Mutex(0)
        await #expect(throws: StorageError.unknownOutcome(path: database.location)) {
            try await database.write { db in
                attempts.withLock { $0 += 1 }
                try db.execute("INSERT INTO x VALUES (7, 'x')")
            }
        }
        // It is not repeated: it may have been executed.
        #expect(attempts.withLock(\.self) == 1)
        #expect(
            StorageError.unknownOutcome(path: "p").description
                == "p did not respond to a commit. The change may have been stored.")
        // Before the commit nothing can have been stored, so the transaction is repeated once.
        let before = Mutex(0)
        try await database.write { db in
            let attempt = before.withLock { count in
                count += 1
                return count
            }
            try db.execute("INSERT INTO x VALUES (8, 'y')")
            if attempt == 1 { _ = try db.row("SELECT pg_terminate_backend(pg_backend_pid(), 10000)") }
        }
        #expect(before.withLock(\.self) == 2)
        #expect(try await Self.count(database) == 1)
    }

    @Test(
        "executes a statement again after a lost connection only if it is repeatable",
        arguments: [true, false])
    func lostStatement(isRepeatable: Bool) async throws {
        let server = try #require(try Self.database().postgres)
        let attempts = Mutex(0)
        let error = await #expect(throws: StorageError.self) {
            try await server.statement(isRepeatable: isRepeatable) { db in
                attempts.withLock { $0 += 1 }
                _ = try db.row("SELECT pg_terminate_backend(pg_backend_pid(), 10000)")
            }
        }
        #expect(Self.isUnavailable(error, because: "the connection broke"), "\(String(describing: error))")
        #expect(attempts.withLock(\.self) == (isRepeatable ? 2 : 1))
    }

    // MARK: The address

    @Test("has no password in its description and its errors")
    func secrets() throws {
        let password = "pass-word-1234"
        let text = "postgresql://portico:\(password)@127.0.0.1:1/db?connect_timeout=2"
        let url = try PostgresURL(text, origin: "PORTICO_DATABASE_URL")
        #expect(url.location == "postgresql://127.0.0.1:1/db")
        var shown = "\(url) \(String(reflecting: url))"
        dump(url, to: &shown)
        let error = #expect(throws: StorageError.self) { try UserDatabase(at: url) }
        #expect(Self.isUnavailable(error, because: "Connection refused"), "\(String(describing: error))")
        shown += "\(String(describing: error)) \(String(reflecting: error))"
        #expect(!shown.contains(password))
        #expect(url.redacting("FATAL \(password) wrong") == "FATAL … wrong")
    }

    @Test("has the characters of a password in percent-encoding, and any in its parameters")
    func encodedPassword() throws {
        let url = try PostgresURL(
            "postgresql://u:a%40b%2Fc%3Fd%25@h:1/d?application_name=a@b/c", origin: "PORTICO_DATABASE_URL")
        #expect(url.location == "postgresql://h:1/d")
        #expect(url.redacting("a@b/c?d%") == "…")
        // libpq takes a question mark in a password as it is.
        let question = try PostgresURL(
            "postgresql://u:a?b@h/d?application_name=a@b", origin: "PORTICO_DATABASE_URL")
        #expect(question.location == "postgresql://h/d")
        #expect(question.redacting("a?b") == "…")
    }

    @Test(
        "is refused with another form, without its text",
        arguments: [
            "", "portico", "host=a password=pass-word-1234", "mysql://u:pass-word-1234@h/d",
            "postgresql://u:pass-word-1234@h", "postgresql://u:pass-word-1234@h/d?nonsense=1",
            "postgresql://u:a@pass-word-1234@h/d", "postgresql://u:a/pass-word-1234@h/d",
            "postgresql://u:1@2/pass-word-1234@h:5432/d", "postgres://u:a?b@pass-word-1234@h/d",
            "postgresql://u:%pass-word-1234@h/d",
        ])
    func badURL(text: String) {
        let error = #expect(throws: StorageError.badDatabaseURL(origin: "PORTICO_DATABASE_URL")) {
            try PostgresURL(text, origin: "PORTICO_DATABASE_URL")
        }
        #expect(
            error?.description
                == """
                PORTICO_DATABASE_URL is not the URL of a database. Its form is \
                postgresql://user:password@host:5432/database?sslmode=verify-full, with the parameters of libpq. In the \
                password, write % as %25, / as %2F, ? as %3F, and @ as %40.
                """
        )
    }
}
