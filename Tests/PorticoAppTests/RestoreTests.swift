import Foundation
import TestSupport
import Testing

@Suite("A backup")
struct RestoreTests {
    private static let signUp =
        #"mutation { it: signUp(input: { username: "ann", password: "correct horse battery" }) { token } }"#

    private static let signIn =
        #"mutation { it: signIn(input: { username: "ann", password: "correct horse battery" }) { token } }"#

    private static func createWatchlist(
        _ name: String, _ server: RunningServer, token: String
    ) async throws {
        let answer = try await server.ask(
            "mutation { createWatchlist(input: { name: \"\(name)\", symbols: [] }) { watchlist { id } } }",
            token: token)
        #expect(answer.failures.isEmpty, "\(answer.body)")
    }

    /// Creates a user with a watchlist, and returns the token.
    private static func fill(_ server: RunningServer) async throws -> String {
        let answer = try await server.ask(signUp, token: nil)
        let token = try #require(answer.json?["data"]?["it"]?["token"]?.string, "\(answer.body)")
        try await createWatchlist("mine", server, token: token)
        return token
    }

    /// Expects that a server has no session of the token, and the data of its user at the time of the backup.
    private static func expectData(_ server: RunningServer, of token: String) async throws {
        let ended = try await server.ask("{ watchlists { name } }", token: token)
        #expect(ended.failures == [FieldFailure("watchlists", "UNAUTHENTICATED", nil)], "\(ended.body)")
        let signedIn = try await server.ask(signIn, token: nil)
        let newToken = try #require(signedIn.json?["data"]?["it"]?["token"]?.string, "\(signedIn.body)")
        let answer = try await server.ask("{ viewer { username } watchlists { name } }", token: newToken)
        #expect(answer.json?["data"]?["viewer"]?["username"] == "ann", "\(answer.body)")
        let names = answer.json?["data"]?["watchlists"]?.elements?.map { $0["name"]?.string }
        #expect(names == ["mine"], "\(answer.body)")
    }

    /// Runs a block of docs/deployment.md that has all the given texts, which are replaced as a user replaces them.
    private static func runBlock(
        replacing texts: [(String, String)], in folder: URL, environment: [String: String] = [:]
    ) async throws -> (status: Int32, output: String, errors: String) {
        let blocks = try ContainerFiles.text("docs/deployment.md").matches(of: /(?s)\n```sh\n(.*?)```\n/)
            .map { String($0.1) }.filter { block in texts.allSatisfy { block.contains($0.0) } }
        try #require(blocks.count == 1, "\(blocks)")
        let commands = texts.reduce(blocks[0]) { $0.replacing($1.0, with: $1.1) }
        let programs = URL(filePath: Program.executable).deletingLastPathComponent().path
        let servers = try PostgresCluster.shared.get().programs
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let variables = environment.merging([
            "PATH": "\(programs):\(servers):\(path)", "TMPDIR": folder.path,
        ]) { $1 }
        return try await Program.run(
            at: "/bin/bash", ["-euo", "pipefail", "-c", "cd '\(folder.path)'\n\(commands)"],
            environment: variables)
    }

    @Test(
        "of a data directory has users and data, and none of their sessions, when it is restored into another one"
    )
    func dataDirectory() async throws {
        try await withFolder { folder in
            let (data, restored) = (folder.appending(path: "data"), folder.appending(path: "restored"))
            let token = try await withServer(["--data", data.path]) { server in
                let token = try await Self.fill(server)
                // A command of the page makes the directory of the restored data.
                let run = try await Self.runBlock(
                    replacing: [
                        ("DIR", data.path),
                        (
                            "restored=$(mktemp -d)",
                            "restored='\(restored.path)/sandbox'; mkdir -p \"$restored\""
                        ),
                    ], in: folder)
                #expect(run.status == 0, "\(run.output)\(run.errors)")
                #expect(run.output.contains("fine  database:"), "\(run.output)")
                try await Self.createWatchlist("later", server, token: token)
                return token
            }
            try FileManager.default.removeItem(at: data)
            try await withServer(["--data", restored.path]) { try await Self.expectData($0, of: token) }
        }
    }

    @Test(
        "of a PostgreSQL database has users and data, and none of their sessions, when it is restored into another one"
    )
    func database() async throws {
        try await withFolder { folder in
            let cluster = try PostgresCluster.shared.get()
            let id = UUID().uuidString.lowercased().replacing("-", with: "")
            let (original, restored) = ("original_\(id)", "restored_\(id)")
            _ = try cluster.execute("CREATE DATABASE \(original)")
            var environment = [
                "PORTICO_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
                "PORTICO_PASSWORD_COST": "4", "PORTICO_DATABASE_URL": cluster.url(original),
            ]
            let token = try await withServer(environment: environment) { server in
                let token = try await Self.fill(server)
                let run = try await Self.runBlock(
                    replacing: [
                        ("postgresql://portico@db.example.com/portico", "'\(cluster.url(original))'"),
                        (
                            "postgresql://portico@db.example.com/postgres restored",
                            "'\(cluster.url())' \(restored)"
                        ),
                        ("postgresql://portico@db.example.com/restored", "'\(cluster.url(restored))'"),
                        // The data of the embedded sandbox is in a schema of its own.
                        ("storage check", "storage check --sandbox"),
                        (
                            "--command='DELETE FROM session",
                            "--command='SET search_path TO portico_sandbox; DELETE FROM session"
                        ),
                    ], in: folder, environment: environment)
                // The server of the tests does not wait for the disk, which is the only fault.
                #expect(run.status == 1, "\(run.output)\(run.errors)")
                #expect(run.errors.isEmpty, "\(run.errors)")
                #expect(run.output.matches(of: /FAULT/).count == 1, "\(run.output)")
                for line in ["FAULT durability: fsync", "fine  migrations: All are applied.", "fine  keys:"] {
                    #expect(run.output.contains(line), "\(run.output)")
                }
                // The copy does not have this one.
                try await Self.createWatchlist("later", server, token: token)
                return token
            }
            environment["PORTICO_DATABASE_URL"] = cluster.url(restored)
            try await withServer(environment: environment) { try await Self.expectData($0, of: token) }
        }
    }
}
