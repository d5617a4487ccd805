import Foundation
import TestSupport
import Testing

@Suite("A command that cannot be executed")
struct OperatorMessageTests {
    /// A wrong use, and the start of its message.
    struct Misuse: CustomTestStringConvertible, Sendable {
        /// Words that begin with `@` are paths in the folder.
        let arguments: [String]
        let message: String

        var testDescription: String { arguments.joined(separator: " ") }
    }

    private static let address = "The address has an @, as one with a user or password has. Leave them out"
    private static let files = ["a.graphql": "type Query { a: Int }", "folder/x": "", "empty.json": ""]
    private static let since =
        "; it takes a date such as 2026-06-01, or a time with its offset such as 2026-06-01T12:00:00Z."

    static let misuses: [Misuse] = [
        // A time that is none, and was compared as text.
        Misuse(
            arguments: ["schema", "usage", "--data", "@folder", "--since", "yesterday"],
            message: "--since is \"yesterday\"" + since),
        Misuse(
            arguments: ["schema", "usage", "--data", "@folder", "--since", "2026-02-30"],
            message: "--since is \"2026-02-30\"" + since),
        Misuse(
            arguments: [
                "schema", "diff", "--usage", "@empty.json", "--since", "01.06.2026", "@a.graphql",
                "@a.graphql",
            ],
            message: "--since is \"01.06.2026\"" + since),
        // A password in an address is not printed.
        Misuse(
            arguments: ["schema", "diff", "http://ann:planted@h/", "@a.graphql"],
            message: address + ", and send them with --header."),
        Misuse(
            arguments: ["schema", "diff", "http://ann:pla/nted@h/", "@a.graphql"],
            message: address + ", and send them with --header."),
        Misuse(
            arguments: ["schema", "usage", "--url", "http://ann:planted@h"],
            message: address + ", and send them with --header."),
        Misuse(
            arguments: ["mock", "record", "http://ann:planted@h", "--out", "@b.yaml"],
            message: address + ", and send them with --header."),
        Misuse(arguments: ["health", "--url", "http://ann:planted@127.0.0.1:1"], message: address + "."),
        Misuse(
            arguments: ["sandbox", "calls", "--url", "http://ann:planted@127.0.0.1:1"],
            message: address + "."),
        // Files.
        Misuse(
            arguments: ["schema", "diff", "@folder", "@a.graphql"],
            message: "folder cannot be read: Is a directory"),
        Misuse(
            arguments: ["client-kit", "--for", "apollo", "--out", "@out", "--schema", "@empty.json"],
            message: "empty.json is not a valid schema: "),
        Misuse(
            arguments: ["mock", "record", "http://127.0.0.1:1", "--out", "@missing/b.yaml"],
            message:
                "missing/b.yaml cannot be created: No such file or directory. Name another file with --out."),
        Misuse(
            arguments: ["restore", "@folder", "--data", "@."],
            message: "\"folder\" is a directory; nothing was changed."),
        Misuse(
            arguments: ["storage", "migrate", "--from", "@missing", "--to", "postgresql://127.0.0.1:1/x"],
            message:
                "The directory \"missing\" has no portico.db. Give the server's data directory with --from"),
    ]

    @Test(
        "exits with status 2, and names the option or file and the reason, but no password",
        arguments: misuses)
    func misuse(_ misuse: Misuse) async throws {
        let run = try await CommandRun.run(misuse.arguments, among: Self.files)
        #expect(run.status == 2)
        #expect(run.errors.hasPrefix("Error: " + misuse.message), "\(run.errors)")
        #expect(!run.errors.contains("nted"), "\(run.errors)")
        #expect(run.output.isEmpty)
    }

    @Test(
        "names the commands of a PostgreSQL database, if the settings have one",
        arguments: ["doctor", "backup"])
    func database(command: String) async throws {
        let run = try await Program.run(
            [command] + (command == "backup" ? ["x.db"] : []),
            environment: ["PORTICO_DATABASE_URL": "postgresql://127.0.0.1:1/x"])
        #expect(run.status == 2)
        #expect(
            run.errors.contains(
                "Check it with `portico storage check`, copy it with pg_dump, and restore it with pg_restore."
            ),
            "\(run.errors)")
    }

    @Test(
        "because its output cannot be written exits with status 1 and the reason",
        arguments: [
            "version", "schema print", "--help", "--generate-completion-script bash",
            "graphql batch <<< '{\"id\":1,\"action\":\"print\",\"document\":\"{a}\"}'",
        ])
    func output(command: String) async throws {
        let run = try await Self.shell("\"$0\" \(command) > /dev/full")
        #expect(run.status == 1)
        #expect(
            run.errors == "Error: Standard output cannot be written: No space left on device.\n",
            "\(run.errors)")
    }

    @Test("because of a wrong use keeps its status if its message cannot be written")
    func errors() async throws {
        let run = try await Self.shell("\"$0\" swerve 2> /dev/full")
        #expect(run.status == 2)
    }

    @Test("because its new password cannot be printed says that the old one is valid, and keeps it")
    func password() async throws {
        try await withFolder { folder in
            let data = folder.appending(path: "data").path
            try await withServer(["--data", data, "--sign-up", "open"]) { server in
                _ = try await server.ask(
                    """
                    mutation { signUp(input: { username: "ann", password: "correct horse battery" }) { token } }
                    """, token: nil)
                let run = try await Self.shell(
                    "\"$0\" users reset-password ann --data '\(data)' --sandbox > /dev/full")
                #expect(run.status == 1)
                #expect(
                    run.errors
                        == """
                        Error: Standard output cannot be written: No space left on device. The password was not changed.

                        """)
                let answer = try await server.ask(
                    """
                    mutation { signIn(input: { username: "ann", password: "correct horse battery" }) { token } }
                    """, token: nil)
                #expect(answer.failures.isEmpty, "\(answer.body)")
            }
        }
    }

    /// The offset of two hours makes 01:00 of the second day 23:00 of the first one in UTC.
    @Test(
        "`schema diff --since` compares times, not texts",
        arguments: [
            ("2026-06-01", ["Query.a", "Query.b"]), ("2026-06-02T01:00:00+02:00", ["Query.b"]),
            ("2026-06-01T22:59:59.5Z", ["Query.b"]), ("2026-06-01T22:59:59Z", ["Query.a", "Query.b"]),
        ])
    func since(time: String, coordinates: [String]) async throws {
        func use(_ name: String, _ last: String) -> String {
            #"{"operation": "\#(name)", "coordinate": "Query.\#(name)", "count": 1, "last": "\#(last)"}"#
        }
        let uses = [use("a", "2026-06-01T22:59:59Z"), use("b", "2026-06-01T23:00:00Z")]
        let run = try await CommandRun.run(
            [
                "schema", "diff", "--json", "--usage", "@uses.json", "--since", time, "@old.graphql",
                "@new.graphql",
            ],
            among: [
                "old.graphql": "type Query { a: Int b: Int c: Int }", "new.graphql": "type Query { c: Int }",
                "uses.json": #"{"since": "2026-06-01T00:00:00Z", "uses": [\#(uses.joined(separator: ","))]}"#,
            ])
        #expect(run.status == 1, "\(run.errors)")
        let changes = try #require(try JSONValue(parsing: run.output)["changes"]?.elements)
        #expect(changes.compactMap { $0["coordinate"]?.string }.sorted() == coordinates)
    }

    /// Runs a command of bash, in which `$0` is the executable.
    private static func shell(_ command: String) async throws -> (
        status: Int32, output: String, errors: String
    ) {
        try await Program.run(at: "/bin/bash", ["-c", command, Program.executable])
    }
}
