import Foundation
import Sandbox
import TestSupport
import Testing

@Suite("The command")
struct CommandTests {
    @Test("prints its version")
    func version() async throws {
        let run = try await Program.run(["--version"])
        #expect(run.status == 0)
        #expect(run.output.wholeMatch(of: /[0-9]+\.[0-9]+\.[0-9]+\n/) != nil, "\(run.output)")
        #expect(run.errors.isEmpty)
        let named = try await Program.run(["version"])
        #expect(named.status == 0 && named.output == "Portico \(run.output)")
    }

    @Test(
        "wraps the paragraphs of its help once",
        arguments: [
            ["serve"], ["client-kit"], ["schema", "diff"], ["users"], ["mock", "serve"], ["sandbox"],
        ])
    func wrapping(command: [String]) async throws {
        let run = try await Program.run(command + ["--help"], environment: ["COLUMNS": "80"])
        let overview = run.output.split(separator: "USAGE:").first ?? ""
        let lines = overview.split(separator: "\n", omittingEmptySubsequences: false)
        for (line, next) in zip(lines, lines.dropFirst())
        where !line.isEmpty && !line.hasPrefix(" ") && !next.hasPrefix(" ") {
            guard let word = next.split(separator: " ").first else { continue }
            #expect(line.count + 1 + word.count >= 80, "\(line)\n\(next)")
        }
    }

    @Test("the variables of other commands do not stop `serve`")
    func commandVariables() async throws {
        try await withServer(environment: ["PORTICO_TOKEN": "sandbox"]) { server in
            let answer = try await server.ask("{ __typename }")
            #expect(answer.status == 200)
        }
    }

    @Test(
        "has help with examples",
        arguments: [
            ["--help"], ["serve", "--help"], ["sandbox", "--help"], ["health", "--help"], ["mock", "--help"],
            ["schema", "--help"], ["schema", "diff", "--help"], ["schema", "lint", "--help"],
            ["operations", "check", "--help"], ["backup", "--help"], ["doctor", "--help"],
        ])
    func help(arguments: [String]) async throws {
        let run = try await Program.run(arguments)
        #expect(run.status == 0)
        #expect(run.output.contains("Examples:"))
        #expect(run.output.contains("USAGE: " + (["portico"] + arguments.dropLast()).joined(separator: " ")))
        #expect(run.errors.isEmpty)
    }

    @Test(
        "reports wrong use with exit status 2",
        arguments: [
            (["serve", "--prot", "1"], "Unknown option '--prot'"),
            (["serve", "stray"], "stray"),
            (["swerve"], "swerve"),
            (["sandbox", "--port", "70000"], "70000"),
            (["sandbox", "--seed", "x"], "--seed"),
            (
                ["health", "--port", "x"],
                "--port (PORTICO_PORT) is \"x\"; it takes a whole number from 1 to 65535."
            ),
        ])
    func misuse(arguments: [String], message: String) async throws {
        let run = try await Program.run(arguments)
        #expect(run.status == 2)
        #expect(run.errors.contains(message), "\(run.errors)")
        #expect(run.output.isEmpty)
    }

    @Test("`health` queries whether a server is ready")
    func health() async throws {
        try await withServer { server in
            let flag = try await Program.run(["health", "--port", "\(server.port)"])
            #expect(flag.status == 0)
            #expect(flag.output == "ready\n")
            let variables = ["PORTICO_PORT": "\(server.port)", "PORTICO_HOST": "0.0.0.0"]
            #expect(try await Program.run(["health"], environment: variables).status == 0)
        }
    }

    @Test("`health` reports a server that does not respond, with status 1")
    func dead() async throws {
        let run = try await Program.run(["health", "--port", "1"])
        #expect(run.status == 1)
        #expect(run.errors.contains("127.0.0.1:1 did not respond"), "\(run.errors)")
    }

    @Test(
        "that cannot listen reports the reason, with status 1",
        arguments: [["serve", "--sandbox"], ["sandbox"]],
        [
            (
                "nosuch.invalid",
                "the name cannot be resolved. Use an address of this machine, such as 127.0.0.1"
            ),
            ("192.0.2.1", "the address is not one of this machine. Use an address of this machine"),
        ])
    func foreignHost(arguments: [String], host: (name: String, message: String)) async throws {
        let run = try await Program.run(arguments + ["--host", host.name, "--port", "4999"])
        #expect(run.status == 1)
        #expect(
            run.errors.contains("Cannot listen on \(host.name) port 4999: \(host.message)"), "\(run.errors)")
        #expect(run.output.isEmpty)
    }

    @Test("`serve` prints a curl command that works")
    func greeting() async throws {
        try await withServer { server in try await Self.expectGreeting(server, token: nil) }
        try await withSandbox { sandbox in
            try await withServer(before: Upstream(sandbox)) { server in
                try await Self.expectGreeting(server, token: ownerToken)
            }
        }
    }

    /// Executes the command that a server has printed, in a shell whose variable PORTICO_TOKEN is the token.
    private static func expectGreeting(_ server: RunningServer, token: String?) async throws {
        let greeting = await server.program.output.first { $0.contains("}\"}'\n") ? $0 : nil }
        let command = try #require(
            greeting?.firstRange(of: "curl").map { greeting?[$0.lowerBound...] ?? "" })
        // Only a shell can tell what is pasted into one; printf shows what curl would be given.
        let shell = try Program(
            at: "/bin/sh", ["-c", "curl() { printf '%s\\n' \"$@\"; }\n" + command],
            environment: token.map { ["PORTICO_TOKEN": $0] } ?? [:])
        let words = await shell.output.whole().split(separator: "\n").map(String.init)
        let url = try #require(words.first { $0.hasPrefix("http://") })
        #expect(url == "http://127.0.0.1:\(server.port)/graphql")
        let fields = words.filter { $0.contains(": ") && !$0.hasPrefix("{") }
        let body = try #require(words.last)
        let head =
            ["POST /graphql HTTP/1.1", "Host: localhost", "Content-Length: \(body.utf8.count)"] + fields
        let answer = try await server.send((head + ["", body]).joined(separator: "\r\n"))
        #expect(answer.status == 200)
        #expect(answer.failures.isEmpty, "\(answer.body)")
        #expect(answer.json?["data"]?["account"]?["equity"]?.string != nil)
    }

    @Test("`sandbox` prints the variables with which another Portico uses it")
    func sandbox() async throws {
        try await withProgram(["sandbox", "--port", "0", "--seed", "7"]) { program, port in
            let text = await program.output.first { $0.contains("portico serve") ? $0 : nil }
            let sandbox = RunningSandbox(port: port)
            #expect(text?.contains("PORTICO_ALPACA_BASE_URL=\(sandbox.tradingURL) ") == true)
            #expect(text?.contains("PORTICO_ALPACA_DATA_URL=\(sandbox.dataURL) ") == true)
            let keys = SandboxUser.demo.alpaca
            #expect(text?.contains("PORTICO_ALPACA_KEY_ID=\(keys.keyID) ") == true)
            #expect(text?.contains("PORTICO_ALPACA_SECRET_KEY=\(keys.secretKey) ") == true)
            _ = try await sandbox.alpaca("/alpaca/v2/account")
        }
    }
}
