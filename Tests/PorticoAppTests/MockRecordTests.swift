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

    @Test("refuses to overwrite a file")
    func existing() async throws {
        let run = try await CommandRun.run(
            ["mock", "record", "http://127.0.0.1:1", "--out", "@a.yaml"], among: ["a.yaml": ""])
        #expect(run.status == 2)
        #expect(run.errors.hasPrefix("Error: a.yaml exists. Remove it, or name another file with --out."))
    }
}
