import Foundation
import Storage
import TestSupport
import Testing

@Suite("Users of the built executable")
struct UserTests {
    /// Passwords that are cheap to hash; the folder is the server's own.
    private static func environment(_ folder: URL, signUp: String? = nil) -> [String: String] {
        var variables = ["PORTICO_DATA": folder.path, "PORTICO_PASSWORD_COST": "4"]
        variables["PORTICO_SIGN_UP"] = signUp
        return variables
    }

    private static let planted = "planted-password-nobody-knows"

    private static func signUp(_ name: String, password: String = planted, invitation: String? = nil)
        -> String
    {
        let code = invitation.map { ", invitation: \"\($0)\"" } ?? ""
        return #"signUp(input: { username: "\#(name)", password: "\#(password)"\#(code) })"#
    }

    private static func signIn(_ name: String, password: String = planted) -> String {
        #"signIn(input: { username: "\#(name)", password: "\#(password)" })"#
    }

    private static let viewer = "{ viewer { id username sessions { id } } }"

    @Test(
        "sign up, sign in, send requests and sign out, after which the token is unknown; a session outlives a restart"
    )
    func wholeWay() async throws {
        try await withFolder { folder in
            let kept = try await withServer(environment: Self.environment(folder)) { server in
                let first = try await server.token(of: Self.signUp("ann"))
                let second = try await server.token(of: Self.signIn("Ann"))
                let answer = try await server.ask(Self.viewer, token: second)
                #expect(answer.json?["data"]?["viewer"]?["username"] == "ann")
                #expect(answer.json?["data"]?["viewer"]?["sessions"]?.elements?.count == 2)
                let out = try await server.ask("mutation { signOut { deletedId } }", token: second)
                #expect(out.failures.isEmpty, "\(out.body)")
                let after = try await server.ask(Self.viewer, token: second)
                #expect(after.failures == [FieldFailure("viewer", "UNAUTHENTICATED", nil)])
                #expect(after.message == "The session has ended, or never was: sign in again.")
                return first
            }
            try await withServer(environment: Self.environment(folder)) { server in
                let answer = try await server.ask(Self.viewer, token: kept)
                #expect(answer.json?["data"]?["viewer"]?["username"] == "ann", "\(answer.body)")
            }
        }
    }

    @Test("that signed up or signed out with an acknowledgement have done so after kill -9")
    func crash() async throws {
        try await withFolder { folder in
            let environment = Self.environment(folder)
            let (ended, kept) = try await withCrashingServer(environment: environment) { server in
                let ended = try await server.token(of: Self.signUp("ann"))
                let kept = try await server.token(of: Self.signIn("ann"))
                let out = try await server.ask("mutation { signOut { deletedId } }", token: ended)
                #expect(out.failures.isEmpty, "\(out.body)")
                return (ended, kept)
            }
            try await withServer(environment: environment) { server in
                #expect(try await server.ask(Self.viewer, token: ended).code == "UNAUTHENTICATED")
                let answer = try await server.ask(Self.viewer, token: kept)
                #expect(answer.json?["data"]?["viewer"]?["username"] == "ann", "\(answer.body)")
            }
        }
    }

    @Test("that are guests never see each other's data")
    func guests() async throws {
        try await withFolder { folder in
            try await withServer(environment: Self.environment(folder)) { server in
                try await Self.expectSeparateGuests(server)
            }
        }
    }

    /// Compares the ids that two new guests see of themselves, and that one can read of the other.
    static func expectSeparateGuests(_ server: RunningServer) async throws {
        var seen: [[String]] = []
        for _ in 0..<2 {
            let token = try await server.token()
            let answer = try await server.ask(Self.viewer, token: token)
            let viewer = try #require(answer.json?["data"]?["viewer"], "\(answer.body)")
            let sessions = viewer["sessions"]?.elements ?? []
            seen.append([viewer["id"]?.string ?? ""] + sessions.compactMap { $0["id"]?.string })
            for id in seen.dropLast().joined() {
                let node = try await server.ask("{ node(id: \"\(id)\") { id } }", token: token)
                #expect(node.json?["data"]?["node"] == .null, "\(node.body)")
            }
        }
        #expect(seen.map(\.count) == [2, 2])
        #expect(Set(seen.joined()).count == 4)
    }

    @Test("leave no token, password or invitation in a file or log")
    func secrets() async throws {
        try await withFolder { folder in
            let (secrets, program) = try await withServer(
                ["--log-level", "trace"], environment: Self.environment(folder)
            ) { server in
                var secrets = [Self.planted]
                secrets.append(try await server.token())
                secrets.append(try await server.token(of: Self.signUp("ann"), token: secrets[1]))
                secrets.append(try await server.token(of: "renewSession", token: secrets[2]))
                let invited = try await Program.run(
                    ["users", "invite", "--sandbox", "--data", folder.path])
                #expect(invited.status == 0, "\(invited.errors)")
                secrets.append(try #require(invited.output.split(separator: " ").first.map { String($0) }))
                secrets.append("planted-wrong-password")
                let wrong = try await server.ask(
                    "mutation { \(Self.signIn("ann", password: secrets[5])) { token } }", token: nil)
                #expect(wrong.code == "UNAUTHENTICATED")
                #expect(!wrong.body.contains("planted"))
                let inURL = try await server.get("/graphql?query=%7B__typename%7D&access_token=\(secrets[3])")
                #expect(inURL.status == 400)
                #expect(!inURL.body.contains(secrets[3]))
                return (secrets, server.program)
            }
            let logs = await program.output.whole() + program.errors.whole()
            let data = folder.appending(path: "sandbox")
            var files: [String: Data] = ["logs": Data(logs.utf8)]
            for name in try FileManager.default.contentsOfDirectory(atPath: data.path) {
                files[name] = try Data(contentsOf: data.appending(path: name))
            }
            // The file contains the name, so it is the right file. Beside it is the write-ahead log, if the
            // process ended with an open reader.
            let database = files.filter { $0.key.hasPrefix("portico.db") }.values
            #expect(database.contains { $0.range(of: Data("ann".utf8)) != nil })
            #expect(secrets.count == 6)
            for (name, bytes) in files {
                for secret in secrets {
                    let form = secret.hasPrefix("pts_") ? String(secret.dropFirst(4)) : secret
                    #expect(bytes.range(of: Data(form.utf8)) == nil, "\(name) has \(secret.prefix(7))…")
                }
            }
        }
    }

    @Test("have files that only the server's user can read")
    func permissions() async throws {
        try await withFolder { folder in
            try await withServer(environment: Self.environment(folder)) { _ in
                for name in ["portico.db", "portico.key"] {
                    let path = folder.appending(path: "sandbox/\(name)").path
                    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
                    #expect((mode as? NSNumber)?.intValue == 0o600, "\(name)")
                }
            }
        }
    }

    @Test("cannot sign up in front of broker keys, unless the settings allow it")
    func closed() async throws {
        try await withSandbox { sandbox in
            try await withFolder { folder in
                for (setting, codes) in [(nil, ["FORBIDDEN"]), ("open", [])] as [(String?, [String])] {
                    let environment = Upstream(sandbox).environment.merging(
                        Self.environment(folder, signUp: setting)
                    ) { $1 }
                    try await withServer(environment: environment) { server in
                        let answer = try await server.ask(
                            "mutation { \(Self.signUp("ann")) { token } }", token: nil)
                        #expect(answer.failures.map(\.code) == codes, "\(answer.body)")
                    }
                }
            }
        }
    }

    @Test("are invited, reset and deleted by `portico users` beside a running server, which applies it")
    func administers() async throws {
        try await withFolder { folder in
            func users(_ arguments: String...) async throws -> String {
                let run = try await Program.run(
                    ["users"] + arguments + ["--sandbox", "--data", folder.path],
                    environment: ["PORTICO_PASSWORD_COST": "4"])
                #expect(run.status == 0, "\(arguments): \(run.errors)")
                return run.output.trimmingCharacters(in: .whitespacesAndNewlines)
            }
            try await withServer(environment: Self.environment(folder, signUp: "invitation")) { server in
                let code = String(try await users("invite").prefix { $0 != " " })
                let token = try await server.token(of: Self.signUp("ann", invitation: code))
                let list = try await users("list")
                #expect(list.contains("ann  "), "\(list)")
                #expect(list.hasSuffix("2 users, 0 guests in \(folder.path)/sandbox"), "\(list)")

                let password = try await users("reset-password", "ANN")
                try await expectEnd(of: token, server)
                let new = try await server.token(of: Self.signIn("ann", password: password))
                #expect(try await users("delete", "ann", "--yes") == "ann is deleted.")
                try await expectEnd(of: new, server)
            }
        }
    }

    /// Waits until a token is refused.
    ///
    /// The server checks several times a second.
    private func expectEnd(of token: String, _ server: RunningServer) async throws {
        try await waitUntil { try await server.ask(Self.viewer, token: token).code == "UNAUTHENTICATED" }
    }

    /// Arguments, the exit status and a part of the message.
    private static let wrongCommands: [([String], Int32, String)] = [
        (
            ["list"], 2,
            """
            Users are stored in a data directory or a PostgreSQL database. Set it with --data (PORTICO_DATA) or \
            PORTICO_DATABASE_URL, and add --sandbox if
            """
        ),
        (["list", "--data", "/nowhere/at/all"], 2, "The data directory /nowhere/at/all cannot be used"),
        (["delete", "ann", "--data", "/"], 2, "There is no /portico.db"),
        (
            ["list", "--data", "/tmp"], 2,
            """
            The command searched /tmp for users. Set another data directory with --data (PORTICO_DATA), or add \
            --sandbox if the server uses the sandbox, whose users are in /tmp/sandbox.
            """
        ),
        (
            ["list", "--sandbox", "--data", "/nowhere"], 2,
            """
            The command searched /nowhere/sandbox for users. Set another data directory with --data \
            (PORTICO_DATA), or leave out --sandbox if the server does not use the sandbox.
            """
        ),
    ]

    @Test(
        "are not changed by a wrong command, which reports the error and a remedy", arguments: wrongCommands)
    func wrongCommand(arguments: [String], status: Int32, message: String) async throws {
        let run = try await Program.run(["users"] + arguments)
        #expect(run.status == status, "\(run.errors)")
        #expect(run.errors.contains(message), "\(run.errors)")
    }

    @Test("are listed with the searched directory if there are none")
    func emptyList() async throws {
        try await withFolder { folder in
            _ = try UserDatabase(in: DataDirectory(folder.path))
            let run = try await Program.run(["users", "list", "--data", folder.path])
            #expect(run.status == 0)
            #expect(
                run.output == """
                    0 users, 0 guests in \(folder.path)
                    The command searched \(folder.path) for users. Set another data directory with --data \
                    (PORTICO_DATA), or add --sandbox if the server uses the sandbox, whose users are in \
                    \(folder.path)/sandbox.

                    """)
        }
    }

    @Test("are deleted only with a confirmation")
    func meant() async throws {
        try await withFolder { folder in
            try await withServer(environment: Self.environment(folder)) { server in
                let token = try await server.token(of: Self.signUp("ann"))
                let run = try await Program.run([
                    "users", "delete", "ann", "--sandbox", "--data", folder.path,
                ])
                #expect(run.status == 2)
                #expect(run.errors.contains("--yes"))
                let unknown = try await Program.run(
                    ["users", "delete", "nobody", "--yes", "--sandbox", "--data", folder.path])
                #expect(unknown.status == 1)
                #expect(unknown.errors.contains("There is no user \"nobody\"."), "\(unknown.errors)")
                #expect(try await server.ask(Self.viewer, token: token).failures.isEmpty)
            }
        }
    }

    @Test("are subject to settings whose invalid combinations are rejected")
    func settings() async throws {
        for (variables, message) in [
            (
                ["PORTICO_SIGN_UP": "maybe"],
                "--sign-up (PORTICO_SIGN_UP) is \"maybe\"; it takes open, invitation or off."
            ),
            (
                ["PORTICO_PASSWORD_COST": "3"],
                "PORTICO_PASSWORD_COST is \"3\"; it takes a whole number from 4 to 20."
            ),
            (
                ["PORTICO_MASTER_KEY": "c2hvcnQ="],
                "The master key in PORTICO_MASTER_KEY is not 32 bytes in base64."
            ),
            (
                ["PORTICO_MASTER_KEY": "x", "PORTICO_MASTER_KEY_FILE": "/proc/version"],
                "PORTICO_MASTER_KEY and PORTICO_MASTER_KEY_FILE exclude each other"
            ),
        ] {
            let run = try await Program.run(["serve", "--port", "0"], environment: variables)
            #expect(run.status != 0)
            #expect(run.errors.contains(message), "\(run.errors)")
        }
    }
}
