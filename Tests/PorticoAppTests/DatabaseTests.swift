import Foundation
import TestSupport
import Testing

@Suite("A server with a PostgreSQL database")
struct DatabaseTests {
    private static let masterKey = Data(repeating: 7, count: 32).base64EncodedString()

    /// The settings of a server with a database of its own.
    private static func environment(
        _ cluster: PostgresCluster, password: String? = nil
    ) throws -> [String: String] {
        let name = "portico_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
        _ = try cluster.execute("CREATE DATABASE \(name)")
        return [
            "PORTICO_DATABASE_URL": cluster.url(name, password: password), "PORTICO_MASTER_KEY": masterKey,
            "PORTICO_PASSWORD_COST": "4",
        ]
    }

    private static let signUp =
        #"mutation { it: signUp(input: { username: "ann", password: "correct horse battery" }) { token } }"#
    private static let signIn =
        #"mutation { it: signIn(input: { username: "ann", password: "correct horse battery" }) { token } }"#
    private static let create =
        #"mutation { createWatchlist(input: { name: "mine", symbols: ["AAPL"] }) { watchlist { name } } }"#
    private static let watchlists = "{ watchlists { name items { symbol } } }"

    private static func token(_ server: RunningServer, _ mutation: String) async throws -> String {
        let answer = try await server.ask(mutation, token: nil)
        return try #require(answer.json?["data"]?["it"]?["token"]?.string, "\(answer.body)")
    }

    @Test("has users, sessions and watchlists after a restart, and reports the database")
    func restart() async throws {
        let cluster = try PostgresCluster.shared.get()
        let environment = try Self.environment(cluster, password: "planted-password")
        let token = try await withServer(environment: environment) { server in
            let token = try await Self.token(server, Self.signUp)
            let answer = try await server.ask(Self.create, token: token)
            #expect(answer.failures.isEmpty, "\(answer.body)")
            let ready = try await server.get("/health/ready")
            #expect(ready.status == 200)
            #expect(ready.body.contains(#"{"name":"database","state":"up"}"#), "\(ready.body)")
            let metrics = try await server.get("/metrics")
            #expect(metrics.body.contains("\nportico_database_up 1\n"), "\(metrics.body)")
            try await waitUntil {
                server.program.errors.text.contains(" 1 replica uses the database.")
            }
            #expect(!server.program.errors.text.contains("planted-password"))
            return token
        }
        try await withServer(environment: environment) { server in
            let answer = try await server.ask(Self.watchlists, token: token)
            #expect(answer.json?["data"]?["watchlists"]?[0]?["name"] == "mine", "\(answer.body)")
            _ = try await Self.token(server, Self.signIn)
        }
    }

    @Test("accepts changes by `portico users` while it runs, and excludes a copy of its database")
    func commands() async throws {
        let cluster = try PostgresCluster.shared.get()
        let environment = try Self.environment(cluster, password: "planted-password")
        let url = try #require(environment["PORTICO_DATABASE_URL"])
        let location =
            url.replacing("postgres:planted-password@/", with: "\(cluster.directory)/")
            .split(separator: "?").first.map(String.init) ?? ""
        try await withServer(environment: environment) { server in
            let token = try await Self.token(server, Self.signUp)
            let second = try await withFolder { folder in
                try await Program.run(
                    ["storage", "migrate", "--sandbox", "--to", folder.appending(path: "copy").path],
                    environment: environment)
            }
            #expect(second.status == 1)
            #expect(second.errors.contains("\(location) is in use by another process"), "\(second.errors)")
            let check = try await Program.run(["storage", "check", "--sandbox"], environment: environment)
            #expect(check.status == 1)
            #expect(check.output.contains("fine  migrations: All are applied."), "\(check.output)")
            #expect(check.output.contains("fine  keys: 0 secrets can be decrypted"), "\(check.output)")
            // The server of the tests does not wait for the disk.
            #expect(
                check.output.contains(
                    "FAULT durability: fsync, full_page_writes off: stored data can be lost with the machine's power. Set it to on."
                ),
                "\(check.output)")
            let list = try await Program.run(["users", "list", "--sandbox"], environment: environment)
            #expect(list.status == 0, "\(list.errors)")
            #expect(list.output.contains("ann  "), "\(list.output)")
            #expect(list.output.contains("users, 0 guests in \(location)"), "\(list.output)")
            let delete = try await Program.run(
                ["users", "delete", "ann", "--yes", "--sandbox"], environment: environment)
            #expect(delete.status == 0, "\(delete.errors)")
            try await waitUntil {
                try await server.ask(Self.watchlists, token: token).code == "UNAUTHENTICATED"
            }
            for run in [second, check, list, delete] {
                #expect(!(run.output + run.errors).contains("planted-password"))
            }
        }
    }

    @Test("responds STORAGE_UNAVAILABLE while the database is down, and resumes by itself")
    func outage() async throws {
        let cluster = try PostgresCluster()
        try await withServer(environment: Self.environment(cluster)) { server in
            let token = try await Self.token(server, Self.signUp)
            _ = try await server.ask(Self.create, token: token)
            let known = try await server.ask(#"{ quote(symbol: "AAPL") { symbol } }"#, token: token)
            #expect(known.failures.isEmpty, "\(known.body)")
            try cluster.stop()
            for (question, token) in [(Self.watchlists, token), (Self.create, token), (Self.signIn, nil)] {
                let answer = try await server.ask(question, token: token)
                #expect(answer.status == 200)
                #expect(answer.code == "STORAGE_UNAVAILABLE", "\(answer.body)")
                #expect(
                    answer.message
                        == "The database of users is not available; nothing was changed. Try again later.")
                #expect(answer.body.contains("\"retryAt\":\""), "\(answer.body)")
            }
            // The token may be valid, so it is not refused: with a session in memory, and without one.
            let unknown = "pts_" + String(repeating: "a", count: 43)
            for (path, token) in [("/export", token), ("/export", unknown)] {
                let answer = try await server.get(path, token: token)
                #expect(answer.status == 503, "\(path): \(answer.body)")
                #expect(answer.code == "OVERLOADED", "\(path): \(answer.body)")
                #expect(
                    answer.message
                        == "The database of users is not available. Try again later, with the same token.")
                #expect(answer["retry-after"] == "1")
            }
            // Public data that is cached needs no database, even if it is stale.
            let quote = try await server.ask(#"{ quote(symbol: "AAPL") { symbol } }"#, token: token)
            #expect(quote.failures.isEmpty, "\(quote.body)")
            // A call would not be counted, so none is made.
            let uncounted = try await server.ask(#"{ quote(symbol: "KO") { symbol } }"#, token: token)
            #expect(uncounted.code == "STORAGE_UNAVAILABLE", "\(uncounted.body)")
            #expect(
                uncounted.message?.hasPrefix(
                    "The database that counts calls to providers is not available, so ") == true,
                "\(uncounted.body)")
            try await waitUntil {
                _ = try await server.ask(Self.watchlists, token: token)
                return try await server.get("/health/ready").body.contains(
                    #"{"name":"database","state":"down""#)
            }
            let ready = try await server.get("/health/ready")
            #expect(ready.status == 200)
            // Without the address, which the log has.
            let detail = #"{"name":"database","state":"down","detail":"PostgreSQL does not respond"}"#
            #expect(ready.body.contains(detail), "\(ready.body)")
            try await waitUntil {
                server.program.errors.text.contains(
                    #/This replica cannot report to the others. postgresql:[^ ]+ is not available/#)
            }
            try cluster.start()
            try await waitUntil { try await server.ask(Self.watchlists, token: token).failures.isEmpty }
            let answer = try await server.ask(Self.watchlists, token: token)
            #expect(answer.json?["data"]?["watchlists"]?[0]?["name"] == "mine", "\(answer.body)")
        }
    }

    /// Why a server that can be read cannot be written.
    enum Obstacle: String, CaseIterable, CustomTestStringConvertible {
        case readOnly = "it is read-only"
        case standby = "each commit waits for a standby"

        var testDescription: String { rawValue }

        func begin(_ cluster: PostgresCluster, _ database: String) throws {
            switch self {
            case .readOnly:
                _ = try cluster.execute("ALTER DATABASE \(database) SET default_transaction_read_only = on")
                // As in a failover, after which the name of the server leads to a standby.
                _ = try cluster.execute(
                    """
                    SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity
                    WHERE datname = '\(database)'
                    """)
            case .standby:
                _ = try cluster.execute("ALTER SYSTEM SET synchronous_standby_names = 'missing'")
                _ = try cluster.execute("SELECT pg_reload_conf()")
            }
        }

        func end(_ cluster: PostgresCluster, _ database: String) throws {
            switch self {
            case .readOnly:
                _ = try cluster.execute("ALTER DATABASE \(database) RESET default_transaction_read_only")
            case .standby:
                _ = try cluster.execute("ALTER SYSTEM RESET synchronous_standby_names")
                _ = try cluster.execute("SELECT pg_reload_conf()")
            }
        }
    }

    @Test("reports that the database is down while it cannot be written", arguments: Obstacle.allCases)
    func unwritable(obstacle: Obstacle) async throws {
        let cluster = try PostgresCluster()
        let environment = try Self.environment(cluster)
        let database = try #require(Replicas.database(environment))
        try await withServer(environment: environment) { server in
            let token = try await Self.token(server, Self.signUp)
            func waitForDatabase(_ state: String) async throws {
                try await waitUntil {
                    try await server.get("/health/ready").body.contains(
                        #"{"name":"database","state":"\#(state)""#)
                }
            }
            try await waitForDatabase("up")
            try obstacle.begin(cluster, database)
            try await waitForDatabase("down")
            #expect(try await server.get("/metrics").body.contains("\nportico_database_up 0\n"))
            try obstacle.end(cluster, database)
            try await waitForDatabase("up")
            let answer = try await server.ask(Self.create, token: token)
            #expect(answer.failures.isEmpty, "\(answer.body)")
        }
    }

    @Test("does not start if it is too old for the tables, or cannot reach the database, and says so")
    func refused() async throws {
        let cluster = try PostgresCluster.shared.get()
        let environment = try Self.environment(cluster)
        try await withServer(environment: environment) { _ in }
        let otherKey = environment.merging([
            "PORTICO_MASTER_KEY": Data(repeating: 8, count: 32).base64EncodedString()
        ]) { $1 }
        let locked = try await Program.run(["serve", "--port", "0"], environment: otherKey)
        #expect(locked.status == 1)
        #expect(
            locked.errors.contains(
                "was encrypted with another master key. Set that key, or use an empty database."),
            "\(locked.errors)")
        let name = try #require(Replicas.database(environment))
        _ = try cluster.execute(
            "UPDATE portico_sandbox.portico_schema SET version = 99, oldest = 99", in: name)
        let old = try await Program.run(["serve", "--port", "0"], environment: environment)
        #expect(old.status == 1)
        #expect(
            old.errors.contains(
                "was written by a later version of Portico. Run that version, or restore a backup"),
            "\(old.errors)")
        let wrong = environment.merging([
            "PORTICO_DATABASE_URL": "postgresql://u:planted-password@127.0.0.1:1/x"
        ]) { $1 }
        let unreachable = try await Program.run(["serve", "--port", "0"], environment: wrong)
        #expect(unreachable.status == 1)
        #expect(
            unreachable.errors.contains(
                "postgresql://127.0.0.1:1/x is not available: it cannot be connected to ("),
            "\(unreachable.errors)")
        #expect(
            unreachable.errors.contains(
                ") with the URL of PORTICO_DATABASE_URL. Check the server and its URL."),
            "\(unreachable.errors)")
        #expect(!unreachable.errors.contains("planted-password"))
        let fromFile = try await withFolder { folder in
            let file = folder.appending(path: "url")
            try #require(wrong["PORTICO_DATABASE_URL"]).write(to: file, atomically: true, encoding: .utf8)
            let variables = wrong.merging([
                "PORTICO_DATABASE_URL": "", "PORTICO_DATABASE_URL_FILE": file.path,
            ]) { $1 }
            return try await Program.run(["serve", "--port", "0"], environment: variables)
        }
        #expect(fromFile.status == 1)
        #expect(
            fromFile.errors.contains(
                ") with the URL of PORTICO_DATABASE_URL_FILE. Check the server and its URL."),
            "\(fromFile.errors)")
    }

    @Test("does not start with a database that is not encoded in UTF8, and creates nothing in it")
    func encoding() async throws {
        let cluster = try PostgresCluster.shared.get()
        let name = "portico_latin_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
        _ = try cluster.execute("CREATE DATABASE \(name) ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
        let run = try await Program.run(
            ["serve", "--port", "0"],
            environment: [
                "PORTICO_DATABASE_URL": cluster.url(name), "PORTICO_MASTER_KEY": Self.masterKey,
            ])
        #expect(run.status == 1)
        #expect(
            run.errors.contains(
                "/\(name) is encoded in LATIN1, which cannot store all texts; nothing was changed."),
            "\(run.errors)")
        let schemas = try cluster.execute(
            "SELECT count(*) FROM pg_namespace WHERE nspname = 'portico_sandbox'", in: name)
        #expect(schemas == "0")
    }

    @Test(
        "runs beside a later version that only adds to the tables, and does not start after one that removes")
    func rollingUpgrade() async throws {
        let cluster = try PostgresCluster.shared.get()
        let environment = try Self.environment(cluster)
        let name = try #require(Replicas.database(environment))
        try await withServer(environment: environment) { server in
            let token = try await Self.token(server, Self.signUp)
            func setVersion(_ oldest: String) throws {
                _ = try cluster.execute(
                    "UPDATE portico_sandbox.portico_schema SET version = 99, oldest = \(oldest)", in: name)
            }
            // The later version has migrated, and this one is the previous one.
            try setVersion("oldest")
            let created = try await server.ask(Self.create, token: token)
            #expect(created.failures.isEmpty, "\(created.body)")
            try await withServer(environment: environment) { beside in
                let answer = try await beside.ask(Self.watchlists, token: token)
                #expect(answer.json?["data"]?["watchlists"]?[0]?["name"] == "mine", "\(answer.body)")
            }
            let version = try cluster.execute("SELECT version FROM portico_sandbox.portico_schema", in: name)
            #expect(version == "99")
            try setVersion("99")
            let refused = try await Program.run(["serve", "--port", "0"], environment: environment)
            #expect(refused.status == 1)
            #expect(refused.errors.contains("was written by a later version of Portico"), "\(refused.errors)")
            let answer = try await server.ask(Self.watchlists, token: token)
            #expect(answer.json?["data"]?["watchlists"]?[0]?["name"] == "mine", "\(answer.body)")
        }
    }

    @Test(
        "needs a master key and no data directory",
        arguments: [
            ([:], "PORTICO_DATABASE_URL needs PORTICO_MASTER_KEY_FILE or PORTICO_MASTER_KEY."),
            (
                ["PORTICO_MASTER_KEY": masterKey, "PORTICO_DATA": "/tmp/x"],
                "PORTICO_DATABASE_URL and --data (PORTICO_DATA) exclude each other: leave one of them out."
            ),
        ])
    func settings(variables: [String: String], message: String) async throws {
        let environment = variables.merging(["PORTICO_DATABASE_URL": "postgresql://h/d"]) { $1 }
        let run = try await Program.run(["serve", "--port", "0"], environment: environment)
        #expect(run.status == 2)
        #expect(run.errors.contains(message), "\(run.errors)")
    }
}
