import Foundation
import TestSupport
import Testing

@Suite("portico mock record")
struct MockRecordTests {
    @Test("records a server's responses and events without secrets, and a mock replays them")
    func replays() async throws {
        try await withFolder { folder in
            let scenario = folder.appending(path: "scenario.yaml").path
            let password = "correct horse battery staple"
            let signUp = RawRequest.post(
                ##"{"query":"mutation SignUp($input: SignUpInput!) { signUp(input: $input) { secretAlias: token viewer { username } } }","##
                    + ##""variables":{"input":{"username":"maria","password":"\##(password)"}}}"##)
            let clock = RawRequest.post(
                #"{"query":"query Clock($n: Int) { hours: marketClock { open } orders(first: $n) { edges { node { id } } } }","variables":{"n":1}}"#
            )
            let quotes =
                #"{"query":"subscription Prices { quotes(symbols: [\"AAPL\"]) { __typename } }"}"#
            var (token, recorded) = ("", JSONValue.null)
            try await withServer(["--sandbox"]) { server in
                try await withProgram(
                    ["mock", "record", "http://127.0.0.1:\(server.port)", "--port", "0", "--out", scenario]
                ) { program, port in
                    let proxy = RunningServer(program: program, port: port)
                    let session = try await proxy.send(signUp)
                    token = session.json?["data"]?["signUp"]?["secretAlias"]?.string ?? ""
                    #expect(token.count > 20, "\(session.body)")
                    recorded = try #require(try await proxy.send(clock).json)
                    _ = try await proxy.events(1, of: quotes)
                }
            }
            let text = try String(contentsOfFile: scenario, encoding: .utf8)
            for secret in [token, password, "secretAlias"] {
                #expect(!text.contains(secret), "\(text)")
            }
            #expect(text.contains("aliases:\n      - \"hours\"\n"), "\(text)")
            let schema = folder.appending(path: "schema.graphql")
            try SchemaFile.text.write(to: schema, atomically: true, encoding: .utf8)
            try await withProgram(["mock", "--schema", schema.path, "--scenario", scenario, "--port", "0"]) {
                program, port in
                let mock = RunningServer(program: program, port: port)
                let replayed = try await mock.send(clock)
                #expect(replayed.json?["data"]?["hours"] == recorded["data"]?["hours"])
                #expect(replayed.json?["errors"]?[0]?["message"] == recorded["errors"]?[0]?["message"])
                #expect(try await mock.events(1, of: quotes).count == 1)
            }
        }
    }

    private static let clock = RawRequest.post(
        #"{"query":"query Clock { marketClock { open } }"}"#)

    @Test("writes what it has recorded when its terminal closes, and no file without a recording")
    func hangup() async throws {
        try await withFolder { folder in
            try await withServer(["--sandbox"]) { server in
                for isUsed in [true, false] {
                    let scenario = folder.appending(path: "\(isUsed).yaml").path
                    try await withProgram(
                        [
                            "mock", "record", "http://127.0.0.1:\(server.port)", "--port", "0", "--out",
                            scenario,
                        ]
                    ) { program, port in
                        // It is known before that the file can be written.
                        #expect(FileManager.default.fileExists(atPath: scenario))
                        if isUsed {
                            _ = try await RunningServer(program: program, port: port).send(Self.clock)
                        }
                        program.send(SIGHUP)
                        #expect(await program.exitStatus == 0)
                    }
                    let text = try? String(contentsOfFile: scenario, encoding: .utf8)
                    #expect(text?.contains("Clock") == (isUsed ? true : nil))
                }
            }
        }
    }

    @Test("leaves no file if the server does not respond")
    func unreachable() async throws {
        try await withFolder { folder in
            let scenario = folder.appending(path: "a.yaml").path
            let run = try await Program.run(["mock", "record", "http://127.0.0.1:1", "--out", scenario])
            #expect(run.status == 2)
            #expect(!FileManager.default.fileExists(atPath: scenario))
        }
    }

    /// The limit needs no rights: the system refuses to write a file beyond its size.
    @Test("prints the recording if the file cannot be written at the end")
    func fullDisk() async throws {
        try await withFolder { folder in
            let scenario = folder.appending(path: "a.yaml").path
            try await withServer(["--sandbox"]) { server in
                try await withProgram(
                    at: "/bin/sh",
                    [
                        "-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\"", "sh", Program.executable, "mock",
                        "record",
                        "http://127.0.0.1:\(server.port)", "--port", "0", "--out", scenario,
                    ], exitStatus: 1
                ) { program, port in
                    _ = try await RunningServer(program: program, port: port).send(Self.clock)
                    program.stop()
                    #expect(await program.output.whole().contains("Clock"))
                    let errors = await program.errors.whole()
                    #expect(
                        errors.contains(
                            "\(scenario) cannot be written: File too large. The scenario is on standard output instead."
                        ),
                        "\(errors)")
                }
            }
        }
    }

    @Test("refuses to overwrite a file")
    func existing() async throws {
        let run = try await CommandRun.run(
            ["mock", "record", "http://127.0.0.1:1", "--out", "@a.yaml"], among: ["a.yaml": ""])
        #expect(run.status == 2)
        #expect(run.errors.hasPrefix("Error: a.yaml exists. Remove it, or name another file with --out."))
    }
}
